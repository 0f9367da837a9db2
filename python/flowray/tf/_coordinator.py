"""tf.train.Coordinator, LooperThread and QueueRunner: threads of Python's that end together."""

import contextlib as _contextlib
import sys as _sys
import threading as _threading
import time as _time

from flowray import _native
from flowray.tf import _language
from flowray.tf import _messages
from flowray.tf import errors as _errors


class Coordinator:
    """Ends a number of threads together: tf.train.Coordinator. The first error that one of them reports is what join() raises."""

    def __init__(self, clean_stop_exception_types=None):
        self._clean = (_errors.OutOfRangeError,) if clean_stop_exception_types is None else tuple(clean_stop_exception_types)
        self._lock = _threading.Lock()  # guards what follows
        self._stop_event = _threading.Event()
        self._error = None
        self._joined = False
        self._threads = []

    def _unclean(self, ex):
        """The exception, or None where it is one that threads end with."""
        error = ex[1] if isinstance(ex, tuple) else ex
        return None if isinstance(error, self._clean) else error

    def request_stop(self, ex=None):
        """Asks all threads to end; `ex` is an exception, or sys.exc_info()."""
        if ex is not None and not isinstance(ex, (tuple, BaseException)):
            raise TypeError("Coordinator.request_stop takes an exception or sys.exc_info(), but got %r" % (ex,))
        with self._lock:
            error = self._unclean(ex)
            if self._joined:
                if error is not None:
                    raise error
                return
            if self._stop_event.is_set():
                return
            self._error = error
            self._stop_event.set()

    def clear_stop(self):
        with self._lock:
            self._joined = False
            self._error = None
            self._stop_event.clear()

    def should_stop(self):
        return self._stop_event.is_set()

    @_contextlib.contextmanager
    def stop_on_exception(self):
        """What is raised inside of it ends all threads, and goes no further."""
        try:
            yield
        except:  # noqa: E722 - whatever ends one thread ends them all
            self.request_stop(ex=_sys.exc_info())

    def wait_for_stop(self, timeout=None):
        return self._stop_event.wait(timeout)

    def register_thread(self, thread):
        """join() waits for it, too."""
        with self._lock:
            self._threads.append(thread)

    @property
    def joined(self):
        return self._joined

    def raise_requested_exception(self):
        with self._lock:
            if self._error is not None:
                raise self._error

    def join(self, threads=None, stop_grace_period_secs=120, ignore_live_threads=False):
        """Waits until the threads have ended: for ever before a stop is requested, `stop_grace_period_secs` after it."""
        with self._lock:
            waited_for = list(dict.fromkeys([*self._threads, *(threads or [])]))
        while any(thread.is_alive() for thread in waited_for) and not self.wait_for_stop(0.05):
            pass
        end = _time.monotonic() + stop_grace_period_secs
        for thread in waited_for:
            thread.join(max(0, end - _time.monotonic()))
        alive = [thread.name for thread in waited_for if thread.is_alive()]
        with self._lock:
            self._joined = True
            self._threads = []
            error = self._error
        if error is not None:
            raise error
        if alive and not ignore_live_threads:
            raise RuntimeError("Coordinator stopped with threads still running: %s" % " ".join(alive))


class LooperThread(_threading.Thread):
    """Calls a function again and again until its coordinator stops: every `timer_interval_secs`, or without a pause."""

    def __init__(self, coord, timer_interval_secs, target=None, args=None, kwargs=None):
        if not all(hasattr(coord, name) for name in ("should_stop", "wait_for_stop", "stop_on_exception")):
            raise ValueError("'coord' argument must be a Coordinator: %s" % (coord,))
        if target is None and (args or kwargs):
            raise ValueError("'args' and 'kwargs' argument require that you also pass 'target'")
        super().__init__(daemon=True)
        self._coord, self._interval = coord, timer_interval_secs
        self._looped, self._arguments, self._keywords = target, args or (), kwargs or {}
        if hasattr(coord, "register_thread"):
            coord.register_thread(self)

    @staticmethod
    def loop(coord, timer_interval_secs, target, args=None, kwargs=None):
        """Starts one."""
        thread = LooperThread(coord, timer_interval_secs, target=target, args=args, kwargs=kwargs)
        thread.start()
        return thread

    def run(self):
        with self._coord.stop_on_exception():
            self.start_loop()
            if self._interval is None:
                while not self._coord.should_stop():
                    self.run_loop()
            else:
                next_time = _time.monotonic()
                while not self._coord.wait_for_stop(max(0, next_time - _time.monotonic())):
                    next_time += self._interval
                    self.run_loop()
            self.stop_loop()

    def start_loop(self):
        """Called once before the first round."""

    def run_loop(self):
        """One round."""
        if self._looped is not None:
            self._looped(*self._arguments, **self._keywords)

    def stop_loop(self):
        """Called once after the last round."""


class QueueRunner:
    """Threads that fill a queue, one for each operation: tf.train.QueueRunner."""

    def __init__(self, queue=None, enqueue_ops=None, close_op=None, cancel_op=None, queue_closed_exception_types=None,
                 queue_runner_def=None, import_scope=None):
        self._lock = _threading.Lock()  # guards what follows
        self._runs_of = {}  # how many threads still fill the queue, by session
        self._exceptions_raised = []
        if queue_runner_def is not None:
            if queue is not None or enqueue_ops:
                raise ValueError("queue_runner_def and queue are mutually exclusive.")
            self._read(queue_runner_def, import_scope)
            return
        if queue is None or not enqueue_ops:
            raise ValueError("Must provide queue and enqueue_ops.")
        closed = queue_closed_exception_types or (_errors.OutOfRangeError,)
        if not isinstance(closed, tuple) or not all(isinstance(kind, type) and issubclass(kind, _errors.OpError) for kind in closed):
            raise TypeError("queue_closed_exception_types, when provided, must be a tuple of tf.error types, but saw: %s" % (closed,))
        self._queue, self._enqueue_ops, self._closed = queue, list(enqueue_ops), closed
        self._close_op = queue.close() if close_op is None else close_op
        self._cancel_op = queue.close(cancel_pending_enqueues=True) if cancel_op is None else cancel_op

    def _read(self, definition, import_scope):
        graph = _native.get_default_graph()

        def element(name):
            return graph.as_graph_element("%s/%s" % (import_scope, name) if import_scope else name)
        self._queue = element(definition.queue_name)
        self._enqueue_ops = [element(name) for name in definition.enqueue_op_name]
        self._close_op, self._cancel_op = element(definition.close_op_name), element(definition.cancel_op_name)
        codes = definition.queue_closed_exception_types
        self._closed = tuple(_errors.exception_type_from_error_code(code) for code in codes) or (_errors.OutOfRangeError,)

    def to_proto(self, export_scope=None):
        """A QueueRunnerDef, with names as they are below `export_scope`; None where the queue is not there."""
        prefix = export_scope + "/" if export_scope else ""
        if not self.name.startswith(prefix):
            return None

        def name_of(thing):
            return thing.name[len(prefix):] if thing.name.startswith(prefix) else thing.name
        return _messages.QueueRunnerDef(
            queue_name=name_of(self._queue), enqueue_op_name=[name_of(op) for op in self._enqueue_ops], close_op_name=name_of(self._close_op),
            cancel_op_name=name_of(self._cancel_op),
            queue_closed_exception_types=[_errors.error_code_from_exception_type(kind) for kind in self._closed])

    @staticmethod
    def from_proto(queue_runner_def, import_scope=None):
        """The runner that a QueueRunnerDef tells of, in the default graph."""
        return QueueRunner(queue_runner_def=queue_runner_def, import_scope=import_scope)

    @property
    def queue(self):
        return self._queue

    @property
    def enqueue_ops(self):
        return self._enqueue_ops

    @property
    def close_op(self):
        return self._close_op

    @property
    def cancel_op(self):
        return self._cancel_op

    @property
    def queue_closed_exception_types(self):
        return self._closed

    @property
    def exceptions_raised(self):
        """Those of threads that had no coordinator to tell."""
        return self._exceptions_raised

    @property
    def name(self):
        return self._queue.name

    def _ended(self, sess):
        """One thread less; whether it was the last."""
        with self._lock:
            self._runs_of[sess] -= 1
            if self._runs_of[sess] > 0:
                return False
            del self._runs_of[sess]  # which would live as long as the queue
            return True

    def _step(self, sess, enqueue_op):
        return sess.make_callable(enqueue_op)

    def _fill(self, sess, enqueue_op, coord):
        try:
            enqueue = self._step(sess, enqueue_op)
            while not (coord and coord.should_stop()):
                enqueue()
        except self._closed:
            if self._ended(sess):
                try:
                    sess.run(self._close_op)  # nothing more comes
                except Exception as error:
                    _warn("Ignored exception: %s" % error)
            return
        except Exception as error:
            self._ended(sess)
            if coord:
                coord.request_stop(error)
                return
            with self._lock:
                self._exceptions_raised.append(error)
            raise
        self._ended(sess)

    def _cancel_when_stopped(self, sess, coord):
        coord.wait_for_stop()
        try:
            sess.run(self._cancel_op)  # wakes those that wait for room
        except Exception as error:  # the session may be closed by now
            _warn("Ignored exception: %s" % error)

    def create_threads(self, sess, coord=None, daemon=False, start=False):
        """The threads; none where those of an earlier call still run in the session."""
        with self._lock:
            if self._runs_of.get(sess, 0) > 0:
                return []
            self._runs_of[sess] = len(self._enqueue_ops)
            self._exceptions_raised = []
        threads = [_threading.Thread(target=self._fill, args=(sess, op, coord), name="QueueRunnerThread-%s-%s" % (self.name, op.name))
                   for op in self._enqueue_ops]
        if coord:
            threads.append(_threading.Thread(target=self._cancel_when_stopped, args=(sess, coord),
                                             name="QueueRunnerThread-%s-close_on_stop" % self.name))
        for thread in threads:
            if coord:
                coord.register_thread(thread)
            thread.daemon = thread.daemon or daemon
            if start:
                thread.start()
        return threads


def _warn(message):
    from flowray.tf import logging
    logging.warning(message)


def add_queue_runner(qr, collection=_language.GraphKeys.QUEUE_RUNNERS):
    """start_queue_runners starts it."""
    _language.add_to_collection(collection, qr)


def start_queue_runners(sess=None, coord=None, daemon=True, start=True, collection=_language.GraphKeys.QUEUE_RUNNERS):
    """Starts those of the graph; their threads."""
    if sess is None:
        sess = _native.get_default_session()
        if sess is None:
            raise ValueError("Cannot start queue runners: No default session is registered. Use `with sess.as_default()` or pass an "
                             "explicit session to tf.start_queue_runners(sess=sess)")
    if not isinstance(sess, _native.BaseSession):
        raise TypeError("sess must be a `tf.Session` object. Given class: %s" % type(sess))
    with sess.graph.as_default():
        return [thread for runner in _language.get_collection(collection)
                for thread in runner.create_threads(sess, coord=coord, daemon=daemon, start=start)]


def encoded_runners(graph):
    """{collection: encoded messages} of the queue runners of a graph, for the file of the graph."""
    runners = [runner.to_proto().SerializeToString() for runner in graph.get_collection(_language.GraphKeys.QUEUE_RUNNERS)
               if isinstance(runner, QueueRunner)]
    return {_language.GraphKeys.QUEUE_RUNNERS: runners} if runners else {}


def add_runners_of_message(meta_graph, import_scope):
    """Adds the queue runners of a MetaGraphDef to the default graph, which has its nodes."""
    collections = _messages.CollectionsOfMetaGraph.FromString(meta_graph).collection_def
    if _language.GraphKeys.QUEUE_RUNNERS in collections:
        for definition in collections[_language.GraphKeys.QUEUE_RUNNERS].bytes_list.value:
            add_queue_runner(QueueRunner.from_proto(_messages.QueueRunnerDef.FromString(definition), import_scope))
