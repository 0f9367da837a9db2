"""tf.logging, on Python's own."""

import collections as _collections
import itertools as _itertools
import logging as _logging
import sys as _sys

DEBUG, INFO, WARN, ERROR, FATAL = _logging.DEBUG, _logging.INFO, _logging.WARNING, _logging.ERROR, _logging.CRITICAL
WARNING = WARN
_logger = _logging.getLogger("tensorflow")
if not _logger.handlers:
    _logger.addHandler(_logging.StreamHandler())
    _logger.handlers[0].setFormatter(_logging.Formatter("%(levelname)s:tensorflow:%(message)s"))
    _logger.propagate = False
    _logger.setLevel(WARN)

debug, info, warning, error, fatal, log = (_logger.debug, _logger.info, _logger.warning, _logger.error, _logger.critical,
                                            _logger.log)
warn, vlog, TaskLevelStatusMessage = warning, log, error
_counts = _collections.defaultdict(_itertools.count)  # by the place of the calls


def set_verbosity(level):
    _logger.setLevel(level)


def get_verbosity():
    return _logger.getEffectiveLevel()


def get_logger():
    return _logger


def log_if(level, msg, condition, *args):
    """Logs where `condition` holds."""
    if condition:
        log(level, msg, *args)


def _calls_before():
    """How often the place that calls has done so. As in TensorFlow that place is the line that called into the file of the program's which
    logs: all calls of a file that is run by itself are counted together."""
    frame = _sys._getframe(2)
    file = frame.f_code.co_filename
    while frame is not None and frame.f_code.co_filename == file:
        frame = frame.f_back
    return next(_counts[None if frame is None else (frame.f_code.co_filename, frame.f_lineno)])


def log_every_n(level, msg, n, *args):
    """Logs the first call of its place in the program, and every n-th after it."""
    log_if(level, msg, _calls_before() % n == 0, *args)


def log_first_n(level, msg, n, *args):
    """Logs the first `n` calls of its place in the program."""
    log_if(level, msg, _calls_before() < n, *args)


def flush():
    """Raises NotImplementedError, as TensorFlow's."""
    raise NotImplementedError("Messages are written at once: there is nothing to flush")
