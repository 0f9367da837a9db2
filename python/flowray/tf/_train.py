"""tf.train and tf.summary: the language's classes, and threads of Python's."""

import contextlib as _contextlib
import threading as _threading
import time as _time

from flowray import _native
from flowray.tf import _language
from flowray.tf import errors as _errors

USE_DEFAULT = object()


class Supervisor(_native.train.SupervisorBase):
    """Prepares a session from the newest checkpoint, saves and summarises beside the training, and ends it."""

    USE_DEFAULT = USE_DEFAULT

    def __init__(self, graph=None, ready_op=USE_DEFAULT, ready_for_local_init_op=USE_DEFAULT, is_chief=True, init_op=USE_DEFAULT,
                 init_feed_dict=None, local_init_op=USE_DEFAULT, logdir=None, summary_op=USE_DEFAULT, saver=USE_DEFAULT,
                 global_step=USE_DEFAULT, save_summaries_secs=120, save_model_secs=600, recovery_wait_secs=30,
                 stop_grace_secs=120, checkpoint_basename="model.ckpt", session_manager=None, summary_writer=USE_DEFAULT,
                 init_fn=None, local_init_run_options=None):
        graph = graph or _native.get_default_graph()
        if global_step is USE_DEFAULT:
            steps = graph.get_collection("global_step")
            global_step = steps[0] if steps else None
        given = dict(is_chief=is_chief, init_op=init_op, logdir=logdir, summary_op=summary_op, saver=saver,
                     global_step=global_step, save_summaries_secs=save_summaries_secs, save_model_secs=save_model_secs,
                     checkpoint_basename=checkpoint_basename)
        with graph.as_default():
            super().__init__({name: value for name, value in given.items() if value is not USE_DEFAULT})
        self.graph = graph
        self._init_fn = init_fn

    def prepare_or_wait_for_session(self, master="", config=None, **other):
        session = _language.Session(master, self.graph, config)
        self._prepare(session)
        if self._init_fn is not None:
            self._init_fn(session)
        return session

    PrepareSession = prepare_or_wait_for_session

    @_contextlib.contextmanager
    def managed_session(self, master="", config=None, start_standard_services=True, close_summary_writer=True):
        """`with sv.managed_session() as sess:` - the session is closed, and the services end, at the end."""
        session = self.prepare_or_wait_for_session(master, config)
        try:
            with session.as_default(), self.graph.as_default():
                yield session
        except (_errors.OutOfRangeError, _errors.CancelledError):
            self.request_stop()
        finally:
            try:
                self.stop()
            finally:
                session.close()

    def stop(self, threads=None, close_summary_writer=True, ignore_live_threads=False):
        self._stop()

    Stop, ShouldStop, RequestStop = stop, _native.train.SupervisorBase.should_stop, _native.train.SupervisorBase.request_stop

    def loop(self, timer_interval_secs, target, args=None, kwargs=None):
        thread = LooperThread(self, timer_interval_secs, target, args, kwargs)
        thread.start()
        return thread


class Coordinator:
    """Ends a number of threads together: tf.train.Coordinator."""

    def __init__(self, clean_stop_exception_types=None):
        self._clean = tuple(clean_stop_exception_types or (_errors.OutOfRangeError,))
        self._stop_event = _threading.Event()
        self._error = None
        self._threads = []

    def request_stop(self, ex=None):
        if ex is not None and self._error is None and not self._stop_event.is_set():
            error = ex[1] if isinstance(ex, tuple) else ex
            if not isinstance(error, self._clean):
                self._error = error
        self._stop_event.set()

    def clear_stop(self):
        self._stop_event.clear()
        self._error = None

    def should_stop(self):
        return self._stop_event.is_set()

    def wait_for_stop(self, timeout=None):
        return self._stop_event.wait(timeout)

    def register_thread(self, thread):
        self._threads.append(thread)

    @_contextlib.contextmanager
    def stop_on_exception(self):
        try:
            yield
        except Exception as error:  # whatever ends one thread ends them all
            self.request_stop(error)

    def join(self, threads=None, stop_grace_period_secs=120, ignore_live_threads=False):
        threads = list(threads or []) + [thread for thread in self._threads if thread not in (threads or [])]
        while any(thread.is_alive() for thread in threads) and not self.wait_for_stop(0.05):
            pass
        end = _time.monotonic() + stop_grace_period_secs
        for thread in threads:
            thread.join(max(0, end - _time.monotonic()))
        alive = [thread.name for thread in threads if thread.is_alive()]
        self._threads = []
        if self._error is not None:
            raise self._error
        if alive and not ignore_live_threads:
            raise RuntimeError("Coordinator stopped with threads still running: %s" % " ".join(alive))

    def raise_requested_exception(self):
        if self._error is not None:
            raise self._error


class LooperThread(_threading.Thread):
    """Calls a function again and again until its coordinator stops."""

    def __init__(self, coord, timer_interval_secs, target=None, args=None, kwargs=None):
        super().__init__(daemon=True)
        self._coord, self._interval, self._call = coord, timer_interval_secs, (target, args or (), kwargs or {})

    def run(self):
        target, args, kwargs = self._call
        while not self._coord.should_stop():
            target(*args, **kwargs)
            if self._interval and hasattr(self._coord, "wait_for_stop"):
                self._coord.wait_for_stop(self._interval)


def start_queue_runners(sess=None, coord=None, daemon=True, start=True, collection=_language.GraphKeys.QUEUE_RUNNERS):
    """No function of this language makes queue runners today: there are none to start."""
    return []


class Summary:
    """tf.Summary: scalars by tag."""

    class Value:
        def __init__(self, tag="", simple_value=0.0, **other):
            self.tag, self.simple_value = tag, simple_value

    class _Values(list):
        def add(self, **fields):
            self.append(Summary.Value(**fields))
            return self[-1]

    def __init__(self, value=()):
        self.value = Summary._Values(value)

    def SerializeToString(self):
        return _native.summary.encode_scalars([(value.tag, value.simple_value) for value in self.value])


def global_step(sess, global_step_tensor):
    return int(sess.run(global_step_tensor))


ENDPOINTS = {
    "Summary": Summary, "summary.Summary": Summary, "train.Coordinator": Coordinator, "train.Supervisor": Supervisor,
    "train.LooperThread": LooperThread, "train.start_queue_runners": start_queue_runners, "train.global_step": global_step,
    "train.write_graph": _native.write_graph,
}
for _name in ("Saver", "CheckpointState", "latest_checkpoint", "get_checkpoint_state", "checkpoint_exists", "Server", "ClusterSpec",
              "replica_device_setter"):
    ENDPOINTS["train." + _name] = getattr(_native.train, _name)
for _name in ("scalar", "histogram", "image", "audio", "merge", "merge_all", "FileWriter"):
    ENDPOINTS["summary." + _name] = getattr(_native.summary, _name)
