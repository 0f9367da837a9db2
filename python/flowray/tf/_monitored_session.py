"""tf.train.MonitoredTrainingSession: a session that is initialised or restored, calls hooks at each step, ends queue runners and, on
servers, begins anew when one of them is lost."""

import sys as _sys
import time as _time

from flowray import _native
from flowray.tf import _coordinator, _language
from flowray.tf import _session_run_hooks as _hooks
from flowray.tf import errors as _errors
from flowray.tf._session_manager import SessionManager as _SessionManager
from flowray.tf._session_manager import Words as _Words
from flowray.tf._session_manager import not_ready as _not_ready

USE_DEFAULT = object()
_LOST = (_errors.AbortedError, _errors.UnavailableError)


class Scaffold:
    """What a training needs of its graph: made by finalize() where it is not given."""

    def __init__(self, init_op=None, init_feed_dict=None, init_fn=None, ready_op=None, ready_for_local_init_op=None,
                 local_init_op=None, summary_op=None, saver=None, copy_from_scaffold=None, local_init_feed_dict=None):
        other = copy_from_scaffold
        if other is not None and not isinstance(other, Scaffold):
            raise TypeError("copy_from_scaffold is not a Scaffold instance.")

        def given(name, value):
            return getattr(other, name) if value is None and other is not None else value
        self.init_feed_dict = given("init_feed_dict", init_feed_dict)
        # A function gets the scaffold, too, as TensorFlow gives it to it.
        self.init_fn = (lambda session, call=init_fn: call(self, session)) if init_fn is not None else given("init_fn", None)
        self.init_op, self.local_init_op = given("init_op", init_op), given("local_init_op", local_init_op)
        self.ready_op, self.ready_for_local_init_op = given("ready_op", ready_op), given("ready_for_local_init_op",
                                                                                         ready_for_local_init_op)
        self.summary_op, self.saver = given("summary_op", summary_op), given("saver", saver)
        self.local_init_feed_dict = local_init_feed_dict

    def finalize(self):
        """Makes what is not given, and closes the graph to changes. What is made is found again by its collection."""
        keys = _language.GraphKeys
        if self.init_op is None:
            self.init_op = self._collected(keys.INIT_OP, _native.global_variables_initializer)
        if self.local_init_op is None:
            self.local_init_op = self._collected(keys.LOCAL_INIT_OP, _local_init)
        if self.ready_op is None:
            self.ready_op = self._collected(keys.READY_OP, _native.report_uninitialized_variables)
        if self.ready_for_local_init_op is None:
            self.ready_for_local_init_op = self._collected(
                keys.READY_FOR_LOCAL_INIT_OP, lambda: _native.report_uninitialized_variables(_language.global_variables()))
        if self.summary_op is None:
            self.summary_op = self._collected(keys.SUMMARY_OP, _native.summary.merge_all)
        if self.saver is None:
            self.saver = self._collected(keys.SAVERS, _saver_of_all)
        elif hasattr(self.saver, "build"):
            self.saver.build()
        _native.get_default_graph().finalize()
        from flowray.tf import logging  # late, as Python's takes a part of the package's import
        logging.info("Graph was finalized.")
        return self

    @staticmethod
    def _collected(key, make):
        found = _language.get_collection(key)
        if len(found) > 1:
            raise RuntimeError("More than one item in the collection %r. Please indicate which one to use by passing it to the "
                               "tf.Scaffold constructor." % key)
        if found:
            return found[0]
        made = make()
        if made is not None:
            _language.add_to_collection(key, made)
        return made


def _local_init():
    return _native.group(_native.local_variables_initializer(), _language.tables_initializer())


def _saver_of_all():
    return _native.train.Saver(sharded=True) if _language.global_variables() else None


def _manager_of(scaffold, **options):
    return _SessionManager(scaffold.local_init_op, scaffold.ready_op, scaffold.ready_for_local_init_op,
                           local_init_feed_dict=scaffold.local_init_feed_dict, **options)


class SessionCreator:
    def create_session(self):
        raise NotImplementedError("create_session is not implemented for %s" % type(self).__name__)


class ChiefSessionCreator(SessionCreator):
    """Restores the newest checkpoint, or initialises."""

    def __init__(self, scaffold=None, master="", config=None, checkpoint_dir=None, checkpoint_filename_with_path=None,
                 max_wait_secs=float("inf")):
        self._scaffold, self._max_wait_secs = scaffold or Scaffold(), max_wait_secs
        self._master, self._config = master, config
        self._folder, self._path = checkpoint_dir, checkpoint_filename_with_path
        self._manager = None

    def create_session(self):
        scaffold = self._scaffold
        if self._manager is None:
            self._manager = _manager_of(scaffold.finalize())
        return self._manager.prepare_session(
            self._master, init_op=scaffold.init_op, saver=scaffold.saver, checkpoint_dir=self._folder,
            checkpoint_filename_with_path=self._path, max_wait_secs=self._max_wait_secs, config=self._config,
            init_feed_dict=scaffold.init_feed_dict, init_fn=scaffold.init_fn)


class WorkerSessionCreator(SessionCreator):
    """Waits until the chief has initialised."""

    def __init__(self, scaffold=None, master="", config=None, max_wait_secs=30 * 60):
        self._scaffold, self._master, self._config = scaffold or Scaffold(), master, config
        self._max_wait_secs, self._manager = max_wait_secs, None

    def create_session(self):
        if self._manager is None:
            self._manager = _manager_of(self._scaffold.finalize(), recovery_wait_secs=0.5)
        return self._manager.wait_for_session(self._master, config=self._config, max_wait_secs=self._max_wait_secs)


class _StepContext:
    """What run_step_fn gives to its function."""

    def __init__(self, session, run_with_hooks):
        self.session, self.run_with_hooks = session, run_with_hooks

    def request_stop(self):
        raise StopIteration("step_fn has requested the iterations to stop.")


class _HookedSession:
    """The common part of the monitored sessions."""

    _recovers = False

    def _open(self, creator, hooks, stop_grace_period_secs):
        self.graph = _native.get_default_graph()
        self._creator, self._hooks, self._grace = creator, list(hooks or []), stop_grace_period_secs
        for hook in self._hooks:
            hook.begin()
        self._session = None
        self._stop = False
        self._create()

    def _create(self):
        pause, words = 0.05, _Words()
        max_wait_secs = getattr(self._creator, "_max_wait_secs", float("inf"))  # not of a program's own
        end = _time.monotonic() + (float("inf") if max_wait_secs is None else max_wait_secs)
        while True:
            session = None
            # Here the end of the input is an error, which __exit__ knows.
            self._coord = _coordinator.Coordinator(clean_stop_exception_types=())
            try:
                session = self._creator.create_session()
                if _language.get_collection(_language.GraphKeys.QUEUE_RUNNERS):
                    _coordinator.start_queue_runners(session, self._coord)
                for hook in self._hooks:
                    hook.after_create_session(session, self._coord)
            except _LOST as error:
                self._coord.request_stop()
                if session is not None:
                    session.close()
                if not self._recovers:
                    raise
                if _time.monotonic() >= end:
                    raise _not_ready(max_wait_secs, error) from error
                words.say("a session could not be made and is made again: %s" % error)
                _time.sleep(pause)
                pause = min(2 * pause, 1)
                continue
            self._session = session
            return

    def should_stop(self):
        return self._session is None or self._stop or self._threads_have_stopped()

    def _threads_have_stopped(self):
        """Raises what a thread has stopped for; one that lost its server ends no session that recovers."""
        if not self._coord.should_stop():
            return False
        try:
            self._coord.raise_requested_exception()
        except _LOST:
            if not self._recovers:
                raise
            return False
        return True

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """A step, with what the hooks ask for."""
        if self._session is None:
            raise RuntimeError("Session is already closed." if not self._recovers else "Attempted to use a closed Session.")
        if self._stop:
            raise RuntimeError("Run called even after should_stop requested.")
        while True:
            try:
                if self._recovers:
                    self._raise_what_threads_have_lost()
                return self._run_once(fetches, feed_dict, options, run_metadata)
            except _LOST as error:
                if not self._recovers:
                    raise
                print("flowray: a server was lost, and the session is made again: %s" % error, file=_sys.stderr, flush=True)
                self._end_session()
                self._create()
            except Exception:
                self._coord.raise_requested_exception()  # the first error is the cause of the others
                raise

    def _raise_what_threads_have_lost(self):
        """The step would wait for what they no longer bring."""
        try:
            self._coord.raise_requested_exception()
        except _LOST:
            raise
        except Exception:
            pass  # should_stop() raises it, and a step that fails

    def _run_once(self, fetches, feed_dict, options, run_metadata):
        context = _hooks.SessionRunContext(_hooks.SessionRunArgs(fetches, feed_dict), self._session)
        asked, feeds = self._asked_by_hooks(context, feed_dict)
        metadata = run_metadata or _native.RunMetadata()
        options = self._options_of_all(options or _language.RunOptions())
        outputs = self._session.run({"caller": fetches, "hooks": asked}, feeds, options, metadata)
        results = iter(outputs["hooks"])
        for hook, request in zip(self._hooks, self._requests):
            wanted = request is not None and request.fetches is not None
            hook.after_run(context, _hooks.SessionRunValues(next(results) if wanted else None, options, metadata))
        self._stop = self._stop or context.stop_requested
        return outputs["caller"]

    def _options_of_all(self, options):
        """The highest trace_level and the longest time of all, and the graphs where anybody asks for them."""
        asked = [request.options for request in self._requests if request is not None and request.options is not None]
        if not asked:
            return options
        every = [options, *asked]
        return _language.RunOptions(trace_level=max(one.trace_level for one in every),
                                    timeout_in_ms=max(one.timeout_in_ms for one in every),
                                    output_partition_graphs=any(one.output_partition_graphs for one in every))

    def _asked_by_hooks(self, context, feed_dict):
        self._requests = [hook.before_run(context) for hook in self._hooks]
        feeds = dict(feed_dict or {})
        of_hooks = {}
        for request in self._requests:
            for tensor, value in ((request.feed_dict or {}) if request is not None else {}).items():
                if tensor in of_hooks:
                    raise RuntimeError("Same tensor is fed by two hooks.")
                if tensor in feeds:
                    raise RuntimeError("Same tensor is fed by a SessionRunHook and user. Conflicting feeds: %s" % (tensor,))
                of_hooks[tensor] = value
        feeds.update(of_hooks)
        return [request.fetches for request in self._requests if request is not None and request.fetches is not None], feeds

    def run_step_fn(self, step_fn):
        """Calls step_fn(step_context), whose session runs without hooks and whose run_with_hooks is run()."""
        import inspect  # not by all who import flowray.tf
        arguments = list(inspect.signature(step_fn).parameters)
        if arguments != ["step_context"]:
            raise ValueError("`step_fn` may either have one `step_context` argument, or `self` and `step_context` arguments if it's an "
                             "instance method. Got %s instead." % arguments)
        try:
            return step_fn(_StepContext(self._session, self.run))
        except StopIteration:
            self._stop = True
            return None

    def _end_session(self):
        session, self._session = self._session, None
        self._coord.request_stop()
        try:
            self._coord.join(stop_grace_period_secs=self._grace, ignore_live_threads=True)
        except _LOST:
            pass  # why it ends
        finally:
            session.close()

    def close(self):
        self._close(None)

    def _close(self, exception_type):
        if self._session is None:
            return
        try:
            if exception_type is None:
                for hook in self._hooks:
                    hook.end(self._session)
        finally:
            self._end_session()

    def __enter__(self):
        return self

    def __exit__(self, exception_type, exception_value, traceback):
        if exception_type is not None and issubclass(exception_type, (_errors.OutOfRangeError, StopIteration)):
            exception_type = None
        self._close(exception_type)
        return exception_type is None


class MonitoredSession(_HookedSession):
    """Begins anew, from the newest checkpoint, when a server is lost."""

    _recovers = True

    def __init__(self, session_creator=None, hooks=None, stop_grace_period_secs=120):
        self._open(session_creator or ChiefSessionCreator(), hooks, stop_grace_period_secs)


class SingularMonitoredSession(_HookedSession):
    """One session, whose errors are the program's."""

    def __init__(self, hooks=None, scaffold=None, master="", config=None, checkpoint_dir=None, stop_grace_period_secs=120,
                 checkpoint_filename_with_path=None):
        self._open(ChiefSessionCreator(scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path), hooks,
                   stop_grace_period_secs)

    def raw_session(self):
        return self._session


def MonitoredTrainingSession(master="", is_chief=True, checkpoint_dir=None, scaffold=None, hooks=None, chief_only_hooks=None,
                             save_checkpoint_secs=USE_DEFAULT, save_summaries_steps=USE_DEFAULT, save_summaries_secs=USE_DEFAULT,
                             config=None, stop_grace_period_secs=120, log_step_count_steps=100, max_wait_secs=7200,
                             save_checkpoint_steps=USE_DEFAULT, summary_dir=None, save_graph_def=True):
    """A MonitoredSession with the hooks of a training: it saves, summarises and tells its speed where there is a `checkpoint_dir`."""
    if save_summaries_steps is USE_DEFAULT and save_summaries_secs is USE_DEFAULT:
        save_summaries_steps, save_summaries_secs = 100, None
    save_summaries_steps = None if save_summaries_steps is USE_DEFAULT else save_summaries_steps
    save_summaries_secs = None if save_summaries_secs is USE_DEFAULT else save_summaries_secs
    if save_checkpoint_secs is USE_DEFAULT and save_checkpoint_steps is USE_DEFAULT:
        save_checkpoint_secs, save_checkpoint_steps = 600, None
    save_checkpoint_secs = None if save_checkpoint_secs is USE_DEFAULT else save_checkpoint_secs
    save_checkpoint_steps = None if save_checkpoint_steps is USE_DEFAULT else save_checkpoint_steps
    scaffold = scaffold or Scaffold()
    all_hooks = list(hooks or [])
    if not is_chief:
        creator = WorkerSessionCreator(scaffold, master, config, max_wait_secs)
        return MonitoredSession(creator, all_hooks, stop_grace_period_secs)
    all_hooks += list(chief_only_hooks or [])
    summary_dir = summary_dir or checkpoint_dir
    if summary_dir:
        if log_step_count_steps and log_step_count_steps > 0:
            all_hooks.append(_hooks.StepCounterHook(output_dir=summary_dir, every_n_steps=log_step_count_steps))
        if (save_summaries_steps and save_summaries_steps > 0) or (save_summaries_secs and save_summaries_secs > 0):
            all_hooks.append(_hooks.SummarySaverHook(scaffold=scaffold, save_steps=save_summaries_steps,
                                                     save_secs=save_summaries_secs, output_dir=summary_dir))
    if checkpoint_dir and ((save_checkpoint_secs and save_checkpoint_secs > 0) or (save_checkpoint_steps and save_checkpoint_steps > 0)):
        all_hooks.append(_hooks.CheckpointSaverHook(checkpoint_dir, save_secs=save_checkpoint_secs, save_steps=save_checkpoint_steps,
                                                    scaffold=scaffold, save_graph_def=save_graph_def))
    creator = ChiefSessionCreator(scaffold, master, config, checkpoint_dir, max_wait_secs=max_wait_secs)
    return MonitoredSession(creator, all_hooks, stop_grace_period_secs)
