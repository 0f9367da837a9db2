"""tf.train and tf.summary: the language's classes."""

import contextlib as _contextlib
import os
import tempfile as _tempfile
import time as _time

from flowray import _native
from flowray.tf import _coordinator, _language, _messages, _records
from flowray.tf._coordinator import Coordinator, LooperThread
from flowray.tf._session_manager import SessionManager
from flowray.tf import errors as _errors

USE_DEFAULT = object()


def _variables_of_optimizer(optimizer):
    """What the optimizer keeps in the default graph: accumulators of each variable, and what it has once."""
    if _native.executing_eagerly():
        raise NotImplementedError("Optimizer.variables() is not there while operations run at once: get_slot(variable, name) gives each of them")
    graph = _native.get_default_graph()
    slots = [optimizer.get_slot(variable, name) for name in optimizer.get_slot_names() for variable in _language.global_variables()]
    kept = {variable.name: variable for variable in [*slots, *optimizer._own_variables().values()] if variable is not None}
    return [kept[name] for name in sorted(kept) if kept[name].graph is graph]


_native.train.Optimizer.variables = _variables_of_optimizer


class Saver(_native.train.Saver):
    """Saves variables to files, and restores them. With allow_empty there may be none: then it writes and reads nothing."""

    def __new__(cls, var_list=None, reshape=False, sharded=False, max_to_keep=5, keep_checkpoint_every_n_hours=10000.0, name=None,
                restore_sequentially=False, saver_def=None, *others, **named):
        """With `saver_def` one by nodes that are in the graph already."""
        return super().__new__(cls) if saver_def is None else _saver_of_definition(saver_def, name)

    def __init__(self, var_list=None, reshape=False, sharded=False, max_to_keep=5, keep_checkpoint_every_n_hours=10000.0, name=None,
                 restore_sequentially=False, saver_def=None, builder=None, defer_build=False, allow_empty=False, **others):
        self._may_be_empty = allow_empty and not var_list
        self._is_empty = self._may_be_empty and not defer_build and self._has_nothing(var_list)
        super().__init__(var_list or None if self._may_be_empty else var_list, reshape, sharded, max_to_keep,
                         keep_checkpoint_every_n_hours, name, restore_sequentially, saver_def, builder, defer_build or self._is_empty,
                         **others)

    @staticmethod
    def _has_nothing(var_list):
        keys = _language.GraphKeys
        return var_list is not None or not any(map(_language.get_collection, (keys.GLOBAL_VARIABLES, keys.SAVEABLE_OBJECTS)))

    def build(self):
        """Makes the nodes of a saver that was made with defer_build."""
        self._is_empty = self._may_be_empty and self._has_nothing(None)
        if not self._is_empty:
            super().build()

    def save(self, sess, save_path, *arguments, **named):
        """The path of the checkpoint; None where there is nothing to save."""
        if self._is_empty:
            return None
        return super().save(sess, save_path, *arguments, **named)

    def restore(self, sess, save_path):
        """Gives the variables their values of the file."""
        if not self._is_empty:
            super().restore(sess, save_path)


def _saver_of_definition(saver_def, import_scope=None):
    if not isinstance(saver_def, _messages.SaverDef):
        raise ValueError("saver_def must be a saver_pb2.SaverDef: %s" % (saver_def,))
    for part in ("save_tensor_name", "restore_op_name"):
        if not getattr(saver_def, part):
            raise ValueError("saver_def must specify the %s: %s" % (part, saver_def))
    prefix = import_scope + "/" if import_scope else ""
    return _native.train._saver_of_nodes(prefix + saver_def.filename_tensor_name, prefix + saver_def.save_tensor_name,
                                         prefix + saver_def.restore_op_name, saver_def.max_to_keep)


def _as_saver_def(self):
    """The names of its nodes as a message, from which Saver(saver_def=) makes another one of them."""
    filename, save, restore, max_to_keep = self._names()
    return _messages.SaverDef(filename_tensor_name=filename, save_tensor_name=save, restore_op_name=restore, max_to_keep=max_to_keep,
                              keep_checkpoint_every_n_hours=10000.0, version=_messages.SaverDef.V2)


def _saver_to_proto(self, export_scope=None):
    """as_saver_def, with names as they are inside of a scope; None where the nodes are not in it."""
    definition = _as_saver_def(self)
    if export_scope is None:
        return definition
    if not definition.filename_tensor_name.startswith(export_scope):
        return None
    for part in ("filename_tensor_name", "save_tensor_name", "restore_op_name"):
        setattr(definition, part, getattr(definition, part).removeprefix(export_scope + "/"))
    return definition


_native.train.Saver.as_saver_def = _as_saver_def
_native.train.Saver.saver_def = property(_as_saver_def)
_native.train.Saver.to_proto = _saver_to_proto
_native.train.Saver.from_proto = staticmethod(_saver_of_definition)


class Supervisor(_native.train.SupervisorBase):
    """Prepares a session from the newest checkpoint, saves and summarises beside the training, and ends it."""

    USE_DEFAULT = USE_DEFAULT

    def __init__(self, graph=None, ready_op=USE_DEFAULT, ready_for_local_init_op=USE_DEFAULT, is_chief=True, init_op=USE_DEFAULT,
                 init_feed_dict=None, local_init_op=USE_DEFAULT, logdir=None, summary_op=USE_DEFAULT, saver=USE_DEFAULT,
                 global_step=USE_DEFAULT, save_summaries_secs=120, save_model_secs=600, recovery_wait_secs=30,
                 stop_grace_secs=120, checkpoint_basename="model.ckpt", session_manager=None, summary_writer=USE_DEFAULT,
                 init_fn=None, local_init_run_options=None):
        graph = graph or _native.get_default_graph()
        with graph.as_default():
            keys = _language.GraphKeys
            if global_step is USE_DEFAULT:
                global_step = self._first(keys.GLOBAL_STEP, lambda: None)
            given = dict(ready_op=ready_op, ready_for_local_init_op=ready_for_local_init_op, init_op=init_op,
                         local_init_op=local_init_op)
            makers = dict(ready_op=_native.report_uninitialized_variables, ready_for_local_init_op=lambda: None,
                          init_op=_native.global_variables_initializer, local_init_op=self._local_init)
            ops = {name: self._first(name, makers[name]) if op is USE_DEFAULT else op for name, op in given.items()}
            given = dict(is_chief=is_chief, logdir=logdir, summary_op=summary_op, saver=saver, global_step=global_step,
                         save_summaries_secs=save_summaries_secs, save_model_secs=save_model_secs,
                         checkpoint_basename=checkpoint_basename, summary_writer=summary_writer,
                         stop_grace_secs=stop_grace_secs)
            super().__init__({name: value for name, value in given.items() if value is not USE_DEFAULT})
        self.graph, self.is_chief, self.global_step, self.coord = graph, is_chief, global_step, Coordinator()
        self.save_summaries_secs, self.save_model_secs = save_summaries_secs, save_model_secs
        self._has_services = False  # which end by an error of theirs, too
        self.ready_op, self.ready_for_local_init_op = ops["ready_op"], ops["ready_for_local_init_op"]
        self.init_op, self.local_init_op, self.init_feed_dict = ops["init_op"], ops["local_init_op"], init_feed_dict
        self._init_fn, self._stop_grace_secs, self._logdir = init_fn, stop_grace_secs, logdir
        self.session_manager = session_manager
        if session_manager is None:
            self.session_manager = SessionManager(
                self.local_init_op, self.ready_op, self.ready_for_local_init_op if self.local_init_op is not None else None, graph,
                recovery_wait_secs, local_init_run_options)
            self.session_manager._should_stop = self.coord.should_stop

    @staticmethod
    def _first(key, make):
        """What the collection of this name holds, or what is made for it."""
        found = _language.get_collection(key)
        if found:
            return found[0]
        made = make()
        if made is not None:
            _language.add_to_collection(key, made)
        return made

    @staticmethod
    def _local_init():
        return _native.group(_native.local_variables_initializer(), _language.tables_initializer())

    def prepare_or_wait_for_session(self, master="", config=None, wait_for_checkpoint=False, max_wait_secs=7200,
                                    start_standard_services=True):
        """A session in which the variables have values: the chief restores or initialises them, others wait for that."""
        self.coord.clear_stop()
        self._has_services = False
        if self.is_chief:
            session = self.session_manager.prepare_session(
                master, init_op=self.init_op, saver=self.saver, checkpoint_dir=self._logdir, wait_for_checkpoint=wait_for_checkpoint,
                max_wait_secs=max_wait_secs, config=config, init_feed_dict=self.init_feed_dict, init_fn=self._init_fn)
            if self._logdir:
                _native.write_graph(self.graph.as_graph_def(add_shapes=True), os.fspath(self._logdir), "graph.pbtxt", True)
        else:
            session = self.session_manager.wait_for_session(master, config=config, max_wait_secs=max_wait_secs)
        if start_standard_services:
            if self.is_chief:
                self.start_standard_services(session)
            self.start_queue_runners(session)
        return session

    def start_queue_runners(self, sess, queue_runners=None):
        """Starts those of the graph; their threads end with the supervisor."""
        if queue_runners is None:
            queue_runners = self.graph.get_collection(_language.GraphKeys.QUEUE_RUNNERS)
        return [thread for runner in queue_runners
                for thread in runner.create_threads(sess, coord=self.coord, daemon=True, start=True)]

    StartQueueRunners = start_queue_runners

    PrepareSession = prepare_or_wait_for_session

    @_contextlib.contextmanager
    def managed_session(self, master="", config=None, start_standard_services=True, close_summary_writer=True):
        """`with sv.managed_session() as sess:` - the session is closed, and the services end, at the end."""
        self._refuse_open_writer(close_summary_writer, "managed_session")
        session = self.prepare_or_wait_for_session(master, config, start_standard_services=start_standard_services)
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

    @staticmethod
    def _refuse_open_writer(closes, method):
        if not closes:
            raise NotImplementedError("tf.train.Supervisor.%s does not take close_summary_writer=False: give the Supervisor a "
                                      "summary_writer of your own, which may be reopened" % method)

    def start_standard_services(self, sess):
        """Saves and summarises from now on."""
        super().start_standard_services(sess)
        self._has_services = True

    def should_stop(self):
        return self.coord.should_stop() or (self._has_services and super().should_stop())

    def request_stop(self, ex=None):
        self.coord.request_stop(ex)
        super().request_stop()

    def stop_on_exception(self):
        return self.coord.stop_on_exception()

    def wait_for_stop(self):
        self.coord.wait_for_stop()

    def stop(self, threads=None, close_summary_writer=True, ignore_live_threads=False):
        """Ends the services; raises what ended one of its threads."""
        self._refuse_open_writer(close_summary_writer, "stop")
        self.request_stop()
        end = _time.monotonic() + self._stop_grace_secs
        try:
            self.coord.join(threads, stop_grace_period_secs=self._stop_grace_secs, ignore_live_threads=ignore_live_threads)
        finally:
            try:
                self._stop(max(end - _time.monotonic(), min(self._stop_grace_secs, 1)))
            except RuntimeError as error:
                if not ignore_live_threads or "threads still running" not in str(error):
                    raise

    Stop, ShouldStop, RequestStop = stop, should_stop, request_stop
    StopOnException, WaitForStop, StartStandardServices = stop_on_exception, wait_for_stop, start_standard_services

    def loop(self, timer_interval_secs, target, args=None, kwargs=None):
        return LooperThread.loop(self.coord, timer_interval_secs, target, args, kwargs)

    Loop = loop


def _event(step, **what):
    import time
    return _messages.Event(wall_time=time.time(), step=0 if step is None else int(step), **what)


def _add_run_metadata(self, run_metadata, tag, global_step=None):
    """What a step told about itself, for TensorBoard."""
    tagged = _messages.TaggedRunMetadata(tag=tag, run_metadata=run_metadata.SerializeToString())
    self.add_event(_event(global_step, tagged_run_metadata=tagged))


def _add_session_log(self, session_log, global_step=None):
    self.add_event(_event(global_step, session_log=session_log))


def _as_cluster_def(self):
    """The addresses as a message."""
    return _messages.ClusterDef(job=[
        _messages.JobDef(name=job, tasks={index: self.task_address(job, index) for index in self.task_indices(job)}) for job in self.jobs])


_native.train.ClusterSpec.as_cluster_def = _as_cluster_def
_native.summary.FileWriter.add_run_metadata = _add_run_metadata
_native.summary.FileWriter.add_session_log = _add_session_log


def checkpoint_path(ckpt_dir_or_file):
    """A checkpoint's path; of a folder that of its newest one."""
    path = ckpt_dir_or_file
    if os.path.isdir(path):
        path = _native.train.latest_checkpoint(path)
        if not path:
            raise ValueError(f"Couldn't find 'checkpoint' file or checkpoints in given directory {ckpt_dir_or_file}")
    return path


def load_checkpoint(ckpt_dir_or_file):
    """A reader of a checkpoint, or of the newest one of a folder."""
    return _native.CheckpointReader(checkpoint_path(ckpt_dir_or_file))


def load_variable(ckpt_dir_or_file, name):
    """The value of a variable in a checkpoint."""
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name[:-2] if name.endswith(":0") else name)


def list_variables(ckpt_dir_or_file):
    """[(name, shape)] of a checkpoint."""
    return sorted(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


def init_from_checkpoint(ckpt_dir_or_file, assignment_map):
    """Gives variables another initializer: one that reads their first value from a checkpoint when it runs."""
    _native._init_from_checkpoint(os.fspath(ckpt_dir_or_file), assignment_map)


def basic_train_loop(supervisor, train_step_fn, args=None, kwargs=None, master=""):
    """Calls train_step_fn(session, *args, **kwargs) in the supervisor's sessions until it is to stop; anew after an AbortedError, when a
    server was started again."""
    while True:
        try:
            with supervisor.managed_session(master) as session:
                while not supervisor.should_stop():
                    train_step_fn(session, *(args or ()), **(kwargs or {}))
            return
        except _errors.AbortedError:
            pass


def global_step(sess, global_step_tensor):
    """The number that a session has in its variable of steps."""
    return int(sess.run(global_step_tensor))


def import_meta_graph(meta_graph_or_file, clear_devices=False, import_scope=None, **kwargs):
    """Adds what a .meta file, or a tf.MetaGraphDef, holds to the default graph; gives its saver."""
    for argument, given in kwargs.items():
        _native._refuse(given, "tf.train.import_meta_graph", argument)
    if isinstance(meta_graph_or_file, _messages.MetaGraphDef):
        with _tempfile.TemporaryDirectory() as folder:  # the language reads files
            path = os.path.join(folder, "graph.meta")
            _native.train._write_file(path, meta_graph_or_file.SerializeToString())
            return import_meta_graph(path, clear_devices, import_scope)
    saver, lists = _native.train._import_meta_graph(meta_graph_or_file, clear_devices, import_scope)
    graph = _native.get_default_graph()
    for key, names in lists.items():
        for name in names:
            graph.add_to_collection(key, graph.as_graph_element(name))
    with open(meta_graph_or_file, "rb") as file:
        _coordinator.add_runners_of_message(file.read(), import_scope)
    return saver


def export_meta_graph(filename=None, meta_info_def=None, graph_def=None, saver_def=None, collection_list=None, as_text=False, graph=None,
                      export_scope=None, clear_devices=False, clear_extraneous_savers=False, strip_default_attrs=False,
                      save_debug_info=False, **kwargs):
    """The graph with its collections, or those of `collection_list`, as a tf.MetaGraphDef, which is written to `filename`, too."""
    for argument in kwargs:
        raise TypeError("create_meta_graph_def() got an unexpected keyword argument %r" % argument)
    refused = dict(meta_info_def=meta_info_def, graph_def=graph_def, export_scope=export_scope, as_text=as_text or None,
                   clear_extraneous_savers=clear_extraneous_savers or None, strip_default_attrs=strip_default_attrs or None,
                   save_debug_info=save_debug_info or None)
    for argument, given in refused.items():
        _native._refuse(given, "tf.train.export_meta_graph", argument)
    written = _native.train._export_meta_graph(graph or _native.get_default_graph())
    exported = _messages.MetaGraphDef.FromString(written)
    if saver_def is not None:
        exported.saver_def.CopyFrom(saver_def)
    if collection_list is not None:
        for key in [key for key in exported.collection_def if key not in collection_list]:
            del exported.collection_def[key]
    if clear_devices:
        for node in exported.graph_def.node:
            node.device = ""
    if filename:
        _native.train._write_file(os.fspath(filename), exported.SerializeToString())
    return exported


def _export_meta_graph_of_saver(self, filename=None, collection_list=None, as_text=False, export_scope=None, clear_devices=False,
                                clear_extraneous_savers=False, strip_default_attrs=False, save_debug_info=False):
    """tf.train.export_meta_graph with what finds this saver again."""
    return export_meta_graph(filename, saver_def=self.as_saver_def(), collection_list=collection_list, as_text=as_text,
                             export_scope=export_scope, clear_devices=clear_devices, clear_extraneous_savers=clear_extraneous_savers,
                             strip_default_attrs=strip_default_attrs, save_debug_info=save_debug_info)


_native.train.Saver.export_meta_graph = _export_meta_graph_of_saver


def _add_meta_graph(self, meta_graph_def, global_step=None):
    """Writes a tf.MetaGraphDef, or the bytes that export_meta_graph gives, to the file of events."""
    if isinstance(meta_graph_def, _messages.MetaGraphDef):
        meta_graph_def = meta_graph_def.SerializeToString()
    if not isinstance(meta_graph_def, bytes):
        raise TypeError("meta_graph_def must be type MetaGraphDef, saw type: %s" % type(meta_graph_def))
    self.add_event(_messages.Event(wall_time=_time.time(), step=int(global_step or 0), meta_graph_def=meta_graph_def))


_native.summary.FileWriter.add_meta_graph = _add_meta_graph
