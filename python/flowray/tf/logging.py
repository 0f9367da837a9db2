"""tf.logging, on Python's own."""

import logging as _logging

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
warn = warning


def set_verbosity(level):
    _logger.setLevel(level)


def get_verbosity():
    return _logger.getEffectiveLevel()


def get_logger():
    return _logger
