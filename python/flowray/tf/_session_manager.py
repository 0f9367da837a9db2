"""tf.train.SessionManager: sessions that are restored or initialised, and those that wait until others have done it."""

import contextlib as _contextlib
import sys as _sys
import threading as _threading
import time as _time

from flowray import _native
from flowray.tf import _language
from flowray.tf import errors as _errors

_WORDS_EVERY_S = 10
_LOOK_EVERY_S = 0.1  # whether a wait is to end
# A model that is ready is found so however short the wait is: as in TensorFlow, the clock is looked at behind the first look.
# Servers that do not answer are given this long.
_LEAST_S_OF_A_LOOK = 5


def _name(op):
    return "None" if op is None else op.name


class Words:
    """Says on stderr which task is waited for, at once and then every ten seconds."""

    def __init__(self):
        self._next = 0

    def say(self, text):
        if _time.monotonic() >= self._next:
            self._next = _time.monotonic() + _WORDS_EVERY_S
            print("flowray: " + text, file=_sys.stderr, flush=True)

    def rest(self, seconds, text, should_stop=None):
        """Says it as long as it takes until somebody looks again, or nobody is to."""
        end = _time.monotonic() + seconds
        while not (should_stop and should_stop()):
            self.say(text)
            now = _time.monotonic()
            if now >= end:
                return
            _time.sleep(max(0, min(end, self._next, now + _LOOK_EVERY_S if should_stop else end) - now))


def not_ready(max_wait_secs, against):
    return _errors.DeadlineExceededError(
        None, None, "Session was not ready after waiting %d secs.\n%s. Is there a chief, and does it use the same parameter servers?"
        % (max_wait_secs, against))


class _Looks:
    """Looks at servers, which may not be there: they end when the time is over, or where somebody asks for the end."""

    def __init__(self, max_wait_secs, should_stop):
        self._max_wait_secs, self._should_stop = max_wait_secs, should_stop or (lambda: False)
        self._end = _time.monotonic() + (float("inf") if max_wait_secs is None else max(max_wait_secs, _LEAST_S_OF_A_LOOK))
        self._cancellation, self._are_over = _native.StepCancellation(), _threading.Event()

    def __enter__(self):
        _threading.Thread(target=self._watch, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._are_over.set()

    def _watch(self):
        while not self._are_over.wait(_LOOK_EVERY_S):
            if _time.monotonic() >= self._end or self._should_stop():
                return self._cancellation.cancel()

    def options(self, given=None):
        """How a look's step is run."""
        if given is None:
            return _language.RunOptions(_cancellation=self._cancellation)
        return _language.RunOptions(trace_level=given.trace_level, timeout_in_ms=given.timeout_in_ms,
                                    output_partition_graphs=given.output_partition_graphs, _cancellation=self._cancellation)

    def await_servers(self, session, master):
        """A step of nothing that can be ended sends the graph, and is over when the servers that it names are there."""
        if master and session.graph.get_operations():
            self.look(lambda: session.run([], options=self.options()))

    def check_stop(self):
        if self._should_stop():
            raise _errors.CancelledError(None, None, "The supervisor was stopped while it waited for the chief.")

    def look(self, function):
        self.check_stop()
        try:
            return function()
        except _errors.CancelledError:
            self.check_stop()
            if _time.monotonic() < self._end:
                raise
            raise not_ready(self._max_wait_secs, "Servers that the graph names have not answered") from None


@_contextlib.contextmanager
def _closed_by_errors(session):
    try:
        yield
    except BaseException:
        session.close()
        raise


class SessionManager:
    """Prepares sessions of a graph, on servers or here."""

    def __init__(self, local_init_op=None, ready_op=None, ready_for_local_init_op=None, graph=None, recovery_wait_secs=30,
                 local_init_run_options=None, local_init_feed_dict=None):
        if ready_for_local_init_op is not None and local_init_op is None:
            raise ValueError("If you pass a ready_for_local_init_op you must also pass a local_init_op , ready_for_local_init_op [%s]"
                             % ready_for_local_init_op)
        self._local_init_op, self._ready_op = local_init_op, ready_op
        self._ready_for_local_init_op = ready_for_local_init_op
        self._graph = graph or _native.get_default_graph()
        self._recovery_wait_secs = recovery_wait_secs
        self._local_init_run_options, self._local_init_feed_dict = local_init_run_options, local_init_feed_dict
        self._should_stop = None  # asked while it waits

    def prepare_session(self, master, init_op=None, saver=None, checkpoint_dir=None, checkpoint_filename_with_path=None,
                        wait_for_checkpoint=False, max_wait_secs=7200, config=None, init_feed_dict=None, init_fn=None):
        """A session that is restored from the newest checkpoint or initialised, in which all is ready."""
        session, is_restored = self._restored(master, saver, checkpoint_dir, checkpoint_filename_with_path, wait_for_checkpoint,
                                              max_wait_secs, config)
        with _closed_by_errors(session), self._graph.as_default():
            if not is_restored:
                self._initialise(session, init_op, init_feed_dict, init_fn)
            called = "Init op: %s, init fn: %s" % (_name(init_op), init_fn)
            against = self._begin_locally(session)
            if against:
                raise RuntimeError("Init operations did not make model ready for local_init.  %s, error: %s" % (called, against))
            against = self._missing(session, self._ready_op)
            if against:
                raise RuntimeError("Init operations did not make model ready.  %s, local_init_op: %s, error: %s"
                                   % (called, _name(self._local_init_op), against))
        return session

    def recover_session(self, master, saver=None, checkpoint_dir=None, checkpoint_filename_with_path=None, wait_for_checkpoint=False,
                        max_wait_secs=7200, config=None):
        """(session, whether a checkpoint was restored and all is ready)"""
        session, is_restored = self._restored(master, saver, checkpoint_dir, checkpoint_filename_with_path, wait_for_checkpoint,
                                              max_wait_secs, config)
        with _closed_by_errors(session), self._graph.as_default():
            is_ready = is_restored and not self._begin_locally(session) and not self._missing(session, self._ready_op)
        return session, is_ready

    def wait_for_session(self, master, config=None, max_wait_secs=float("inf")):
        """A session in which all is ready, because another one has made it so."""
        end, words = _time.monotonic() + (float("inf") if max_wait_secs is None else max_wait_secs), Words()
        with _Looks(max_wait_secs, self._should_stop) as looks:
            while True:
                session = _language.Session(master, self._graph, config)
                with _closed_by_errors(session), self._graph.as_default():
                    looks.await_servers(session, master)
                    against = looks.look(lambda: self._begin_locally(session, looks)
                                         or self._missing(session, self._ready_op, looks))
                if not against:
                    return session
                session.close()
                text = "Waiting for model to be ready.  Ready_for_local_init_op:  %s, ready: %s" % (
                    _name(self._ready_for_local_init_op), against)
                words.say(text)
                if _time.monotonic() + self._recovery_wait_secs > end:
                    raise not_ready(max_wait_secs, against)
                words.rest(self._recovery_wait_secs, text, self._should_stop)

    def _opened(self, master, config, max_wait_secs):
        """A session on servers, which are all waited for by its first step."""
        session = _language.Session(master, self._graph, config)
        if not master:
            return session
        with _closed_by_errors(session), self._graph.as_default(), _Looks(max_wait_secs, self._should_stop) as looks:
            looks.await_servers(session, master)
        return session

    def _restored(self, master, saver, folder, path, waits, max_wait_secs, config):
        if folder and path:
            raise ValueError("Can not provide both checkpoint_dir and checkpoint_filename_with_path.")
        end = _time.monotonic() + (float("inf") if max_wait_secs is None else max_wait_secs)  # for servers and a checkpoint together
        session = self._opened(master, config, max_wait_secs)
        if saver is None or not (folder or path):
            return session, False
        with _closed_by_errors(session):
            words, looks = Words(), _Looks(max_wait_secs, self._should_stop)
            while not path:
                looks.check_stop()
                path = _native.train.latest_checkpoint(folder)
                if path or not waits or _time.monotonic() + self._recovery_wait_secs > end:
                    break
                words.rest(self._recovery_wait_secs, "Waiting for checkpoint to be available in %s." % folder, self._should_stop)
            if not path:
                return session, False
            saver.restore(session, path)
        return session, True

    def _initialise(self, session, init_op, init_feed_dict, init_fn):
        if init_op is None and not init_fn and self._local_init_op is None:
            raise RuntimeError("Model is not initialized and no init_op or init_fn or local_init_op was given")
        if init_op is not None:
            session.run(init_op, init_feed_dict)
        if init_fn:
            init_fn(session)

    def _begin_locally(self, session, looks=None):
        """What is against a run of local_init_op, which has run otherwise."""
        if self._local_init_op is None:
            return ""
        against = self._missing(session, self._ready_for_local_init_op, looks)
        if not against:
            options = self._local_init_run_options
            from flowray.tf import logging  # late, as Python's takes a part of the package's import
            logging.info("Running local_init_op.")
            session.run(self._local_init_op, self._local_init_feed_dict, looks.options(options) if looks else options)
            logging.info("Done running local_init_op.")
        return against

    @staticmethod
    def _missing(session, ready_op, looks=None):
        """"Variables not initialized: w, b"; "" where all is ready."""
        if ready_op is None:
            return ""
        try:
            told = session.run(ready_op, options=looks.options() if looks else None)
        except _errors.FailedPreconditionError as error:
            if "uninitialized" not in str(error):
                raise
            return str(error)
        if told is None or getattr(told, "size", 1) == 0 or getattr(getattr(told, "dtype", None), "kind", "O") in "iu":
            return ""
        return "Variables not initialized: " + ", ".join(name.decode() for name in told)
