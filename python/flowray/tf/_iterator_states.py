"""Where iterators are in their datasets, saved: for tf.train.Saver, tf.train.Checkpoint and the hook of MonitoredSession."""

import os as _os
from collections import namedtuple as _namedtuple

from flowray import _native
from flowray.tf import _language
from flowray.tf import _session_run_hooks as _hooks


SaveSpec = _namedtuple("SaveSpec", ["tensor", "slice_spec", "name", "dtype"])


class ExternalStatePolicy:
    """tf.data.experimental.ExternalStatePolicy: what becomes of a state that functions of datasets have."""

    WARN, IGNORE, FAIL = "warn", "ignore", "fail"


def make_saveable_from_iterator(iterator, external_state_policy=None):
    """What a Saver keeps of an iterator: where it is in its dataset. Functions with a state of their own, random numbers for one, fail to be
    saved unless `external_state_policy` is "warn" or "ignore"."""
    return _native.train._make_saveable_from_iterator(_native_iterator(iterator), external_state_policy or "fail")


def _native_iterator(iterator):
    _ = iterator._iterator_resource  # AttributeError for another object, as TensorFlow's
    return getattr(iterator, "_iterator", iterator)._native


# ---- tf.train.Checkpoint

def is_eager(iterator):
    return _native_iterator(iterator).is_eager


def _nodes(iterator):
    """(bytes of the state, placeholder for such ones, operation that restores them): of a graph, made once."""
    from flowray import tf
    nodes = iterator.__dict__.get("_state_nodes")
    if nodes is None:
        handle = iterator._iterator_resource
        with handle.graph.as_default():
            saved = tf.io.serialize_tensor(tf.raw_ops.SerializeIterator(resource_handle=handle, external_state_policy=2))
            fed = tf.placeholder(tf.string, ())
            restored = tf.raw_ops.DeserializeIterator(resource_handle=handle, serialized=tf.io.parse_tensor(fed, tf.variant))
        nodes = iterator._state_nodes = saved, fed, restored
    return nodes


def session_for(iterator, session):
    """The session that an iterator of a graph is in: `session`, or where that is None, as of a checkpoint with a model, that of Keras' models."""
    from flowray.tf.keras import backend
    return session if session is not None else backend.bare_session_of_models(iterator._iterator_resource.graph)


def saved_state(iterator, session):
    """Where it is, as bytes."""
    from flowray import tf
    if is_eager(iterator):
        state = tf.raw_ops.SerializeIterator(resource_handle=iterator._iterator_resource, external_state_policy=2)
        return tf.io.serialize_tensor(state).numpy()
    return session_for(iterator, session).run(_nodes(iterator)[0])


def restore_state(iterator, state, session):
    """From here on it gives the elements that the saved one would have given next. Returns the session in which it does, None for an eager one."""
    from flowray import tf
    if is_eager(iterator):
        tf.raw_ops.DeserializeIterator(resource_handle=iterator._iterator_resource, serialized=tf.io.parse_tensor(state, tf.variant))
        return None
    session = session_for(iterator, session)
    _, fed, restored = _nodes(iterator)
    session.run(restored, {fed: state})
    return session


# ---- MonitoredSession

class _SaverOfIterators:
    """Saves the iterators of a graph, and tells so in a file of its own: model_checkpoint_path is of the model's checkpoints."""

    def __init__(self, latest_filename):
        from flowray import tf
        saveables = [_native.train._saveable_from_handle(handle) for handle in _language.get_collection("iterators")]
        self._saver, self._latest_filename = tf.train.Saver(saveables, sharded=True), latest_filename

    def save(self, session, save_path, global_step, write_meta_graph):
        return self._saver.save(session, save_path, global_step=global_step, latest_filename=self._latest_filename,
                                write_meta_graph=write_meta_graph)

    def restore(self, session, save_path):
        self._saver.restore(session, save_path)


class CheckpointInputPipelineHook(_hooks.SessionRunHook):
    """Saves where the graph's iterators are, as often as the estimator's configuration says, and at the end; the first step of a session goes on
    where the newest of those files, model_dir/input.ckpt-STEP, was written. `estimator`: what has TensorFlow's `model_dir` and `_config`."""

    def __init__(self, estimator):
        config, name = estimator._config, "input"
        if config.num_worker_replicas > 1:
            name += "_%s_%s" % (config.task_type, config.task_id)
        self._folder, self._latest_filename, self._is_first = estimator.model_dir, "checkpoint_" + name, True
        self._hook = _hooks.CheckpointSaverHook(estimator.model_dir, save_secs=config.save_checkpoints_secs,
                                                save_steps=config.save_checkpoints_steps, checkpoint_basename=name + ".ckpt")

    def begin(self):
        self._hook._saver = _SaverOfIterators(self._latest_filename)
        self._hook.begin()

    def after_create_session(self, session, coord):
        self._is_first = True  # also after a failure

    def before_run(self, run_context):
        if self._is_first:  # by now all hooks have initialized what they initialize
            self._is_first = False
            self._restore_or_save(run_context.session)
        return self._hook.before_run(run_context)

    def _restore_or_save(self, session):
        from flowray import tf
        path = tf.train.latest_checkpoint(self._folder, latest_filename=self._latest_filename)
        if path:
            self._hook._saver.restore(session, path)
        else:
            _os.makedirs(self._folder, exist_ok=True)
            self._hook._save(session, int(session.run(self._hook._step)))

    def after_run(self, run_context, run_values):
        self._hook.after_run(run_context, run_values)

    def end(self, session):
        self._hook.end(session)
