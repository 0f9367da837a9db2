"""tf.train.Checkpoint: the values of objects that hang together, in TensorFlow's files. What hangs together is _object_graph's matter."""

import contextlib as _contextlib
import os as _os
import re as _re
import sys as _sys
import time as _time
import weakref as _weakref

from flowray import _native
from flowray.tf import _iterator_states as _iterators
from flowray.tf import _object_graph as _objects
from flowray.tf._object_graph import Trackable, is_trackable
from flowray.tf import errors as _errors


def _default_session():
    from flowray import tf
    return tf.get_default_session()


def _has_models(walk):
    return any(isinstance(owner, _native.keras.Layer) for owner in walk.objects)


def _read(owners, session):
    """The values of variables and numbers."""
    variables = [owner for owner in owners if isinstance(owner, _native.Variable)]
    of_graphs = [variable for variable in variables if not _objects.is_eager(variable)]
    if session is not None and of_graphs:
        found = dict(zip(map(_objects.identity, of_graphs), session.run(of_graphs)))
        kept = None
    else:
        values, kept = _native.keras._values_of(of_graphs)
        found = dict(zip(map(_objects.identity, of_graphs), values))
    values = []
    for owner in owners:
        if isinstance(owner, _native.Variable):
            values.append(owner.numpy() if _objects.is_eager(owner) else found[_objects.identity(owner)])
        elif _objects.is_iterator(owner):
            values.append(_iterators.saved_state(owner, session))
        else:
            values.append(owner.read())
    return values, kept


def _write(owner, value, session):
    if _objects.is_iterator(owner):
        return _iterators.restore_state(owner, value, session)
    if not isinstance(owner, _native.Variable):
        owner.write(value)
    elif _objects.is_eager(owner):
        owner.assign(value)
    elif session is not None:
        owner.load(value, session)
    else:
        return _native.keras._set_value(owner, value)
    return None


def _checked_shape(owner, value, name):
    import numpy as np  # only here: to import flowray.tf takes no NumPy
    if isinstance(owner, _native.Variable) and not owner.shape.is_compatible_with(np.shape(value)):
        raise ValueError("Received incompatible tensor with shape %s when attempting to restore variable with shape %s and name %s."
                         % (tuple(np.shape(value)), tuple(owner.shape.as_list()), name))


def _needs_session(owner):
    if _objects.is_iterator(owner):
        return not _iterators.is_eager(owner)
    return isinstance(owner, _native.Variable) and not _objects.is_eager(owner)


def _keep_models_session(root, walk, file_prefix):
    """Without another session values stand in that of Keras' models: it lives as long as the root."""
    from flowray.tf.keras import backend
    if not _has_models(walk):
        raise RuntimeError("Unable to save checkpoint to \"%s\" in graph mode without a default session. Please use `with tf.Session():` "
                           "to create a session." % file_prefix)
    graph = next((owner._iterator_resource if _objects.is_iterator(owner) else owner).graph for _, owner, _ in walk.leaves() if _needs_session(owner))
    if hasattr(root, "__dict__"):
        object.__setattr__(root, "_kept_session", backend.session_of_models(graph))


def write(root, file_prefix, session=None):
    """Writes the values of what hangs on the root into PREFIX.index and PREFIX.data-00000-of-00001."""
    walk = _objects.Walk(root)
    leaves = walk.leaves()
    if session is None and any(_needs_session(owner) for _, owner, _ in leaves):
        session = _default_session()
        if session is None:
            _keep_models_session(root, walk, file_prefix)
    values, _ = _read([owner for _, owner, _ in leaves], session)
    named = {key: value for (_, _, key), value in zip(leaves, values)}
    named[_objects.GRAPH_KEY] = walk.message().SerializeToString()
    _write_file(_os.fspath(file_prefix), named)
    return _os.fspath(file_prefix)


def _write_file(prefix, named):
    """The values under these names, by the op that savers use."""
    import numpy as np  # only here: to import flowray.tf takes no NumPy
    from flowray import tf
    names = sorted(named)
    with tf.Graph().as_default(), tf.Session() as session:
        fed = [tf.placeholder(tf.string if isinstance(named[name], bytes) else tf.as_dtype(np.asarray(named[name]).dtype), ()
                              if isinstance(named[name], bytes) else np.shape(named[name])) for name in names]
        saved = tf.raw_ops.SaveV2(prefix=prefix, tensor_names=names, shape_and_slices=[""] * len(names), tensors=fed)
        session.run(saved, dict(zip(fed, (named[name] for name in names))))


class _Restoration:
    """What a checkpoint holds, and which object each part of it has been given to."""

    graph, expects_part = None, False

    def __init__(self, root, path):
        self.root = _weakref.ref(root)
        self.reader = _native.CheckpointReader(path)
        self.graph = _objects.TrackableObjectGraph.FromString(self.reader.get_tensor(_objects.GRAPH_KEY))
        self._check(path)
        self.objects = {0: None}  # by node: what has a value, and None for what others hang on, which is held weakly
        self._below_root = []  # what hangs on the root itself, and may outlive it: a program need not keep its tf.train.Checkpoint
        self._identities, self._to_load, self.without_value = {}, [], {}
        self._loads_at_once, self._session = False, None  # once run_restore_ops() has been called

    def _check(self, path):
        """Node numbers out of range come from a file that was damaged, or made to."""
        count = len(self.graph.nodes)
        numbers = (number for node in self.graph.nodes
                   for number in (*(child.node_id for child in node.children),
                                  *(n for slot in node.slot_variables for n in (slot.original_variable_node_id, slot.slot_variable_node_id))))
        wrong = next((number for number in numbers if not 0 <= number < count), 0 if count == 0 else None)
        if wrong is not None:
            graph, self.graph = self.graph, None
            raise _errors.DataLossError(None, None, "The object graph of the checkpoint %s names the node %d, and has %d." % (
                path, wrong, len(graph.nodes)))

    @property
    def is_complete(self):
        """Whether each value is with an object: what has none needs no more waiting."""
        return self.unresolved() is None

    def tops(self):
        """(node, object): the root, or once it is gone what has hung on it and is still there."""
        root = self.root()
        if root is not None:
            return [(0, root)]
        return [(number, owner) for number, kept in self._below_root for owner in [kept()] if owner is not None]

    def _note_below_root(self, number, owner):
        try:
            self._below_root.append((number, _weakref.ref(owner)))
        except TypeError:  # lists, dicts and variables: these have their values, or are in somebody's hands
            pass

    def bind(self):
        """Finds the objects that are there for what is in the checkpoint. Whether there were new ones with values."""
        found, waiting, seen = False, self.tops(), {}
        if self.root() is not None:
            self._below_root = []
        while waiting:
            number, owner = waiting.pop(0)
            if number in seen:
                continue
            seen[number] = owner
            found = self._bound(number, owner) or found
            named = dict(_objects.children(owner))
            for child in self.graph.nodes[number].children:
                if child.local_name in named:
                    waiting.append((child.node_id, named[child.local_name]))
                    if number == 0:
                        self._note_below_root(child.node_id, named[child.local_name])
        return self._bind_slots(seen) or found

    def _bound(self, number, owner):
        if number in self.objects and self._identities.get(number) == _objects.identity(owner):
            return False
        self._identities[number] = _objects.identity(owner)
        self.objects[number] = owner if number and _objects.is_leaf(owner) else None
        attributes = self.graph.nodes[number].attributes
        if attributes and not _objects.is_leaf(owner):
            self.without_value[number] = [attribute.name for attribute in attributes]
            return False
        for attribute in attributes:
            self._give(owner, self.reader.get_tensor(attribute.checkpoint_key), attribute.checkpoint_key)
        return bool(attributes)

    def _give(self, owner, value, key):
        _checked_shape(owner, value, key)
        from flowray import tf
        if _needs_session(owner) and not self._loads_at_once and not tf.executing_eagerly():
            self._to_load.append((owner, value))
        else:
            self._keep(_write(owner, value, self._session))

    def _bind_slots(self, seen):
        found = False
        for number, optimizer in seen.items():
            before = found
            node = self.graph.nodes[number]
            for slot in node.slot_variables:
                _objects.make_slots(optimizer, seen.get(slot.original_variable_node_id))
            slots = dict(_objects.slots_of(optimizer)) if node.slot_variables else {}
            for slot in node.slot_variables:
                variable = seen.get(slot.original_variable_node_id)
                if not isinstance(variable, _native.Variable):
                    continue
                kept = slots[slot.slot_name](variable) if slot.slot_name in slots else None
                if kept is not None:
                    found = self._bound(slot.slot_variable_node_id, kept) or found
            if found and not before and hasattr(optimizer, "_slots_came"):
                optimizer._slots_came()
            own = dict(_objects.children(optimizer)) if isinstance(optimizer, _native.train.Optimizer) and node.slot_variables else {}
            for child in node.children:  # made with the slots
                if child.local_name in own:
                    found = self._bound(child.node_id, own[child.local_name]) or found
        return found

    def _keep(self, session):
        """The session of models in which a value stands lives as long as the root, or what is left below it."""
        for _, owner in self.tops() if session is not None else ():
            if hasattr(owner, "__dict__"):
                object.__setattr__(owner, "_kept_session", session)

    def load(self, session):
        """Gives the variables of graphs their values."""
        self.bind()
        for owner, value in self._to_load:
            self._keep(_write(owner, value, session))
        self._loads_at_once, self._session = True, session

    def __del__(self):
        if self.expects_part or self.graph is None or _sys is None or _sys.is_finalizing():
            return
        missing = [number for number, node in enumerate(self.graph.nodes) if node.attributes and number not in self.objects]
        if not missing:
            return
        from flowray.tf import logging
        names = self.names()
        logging.warning("Detecting that an object or model or tf.train.Checkpoint is being deleted with unrestored values. See the following "
                        "logs for the specific values in question. To silence these warnings, use `status.expect_partial()`.")
        for number in missing:
            logging.warning("Value in checkpoint could not be found in the restored object: %s" % names[number])

    def names(self):
        """What each node is called in errors."""
        names, waiting = {0: "(root)"}, [0]
        for number in waiting:
            for child in self.graph.nodes[number].children:
                if child.node_id not in names:
                    names[child.node_id] = names[number] + "." + child.local_name
                    waiting.append(child.node_id)
        for number, node in enumerate(self.graph.nodes):
            for slot in node.slot_variables:
                names[slot.slot_variable_node_id] = "%s's state '%s' for %s" % (
                    names[number], slot.slot_name, names[slot.original_variable_node_id])
        return names

    def unresolved(self):
        """The first node with a value that nobody has; None where all are with somebody."""
        for number, node in enumerate(self.graph.nodes):
            if node.attributes and number not in self.objects:
                return number
        return None

    def unmatched(self):
        """Objects that have values and are not in the checkpoint."""
        bound = {_objects.identity(owner) for owner in self.objects.values() if owner is not None}
        walk = _objects.Walk(self.root())
        return [owner for _, owner, _ in walk.leaves() if _objects.identity(owner) not in bound]


class _Status:
    """What restore() gives: what became of the values, and in graphs how they come into a session."""

    def __init__(self, root, restoration):
        self._root, self._restoration = root, restoration

    def _bound(self):
        self._restoration.bind()
        return self._restoration

    def assert_consumed(self):
        """Raises AssertionError unless each value of the checkpoint is with an object, and each object has one."""
        self.assert_existing_objects_matched()
        number = self._restoration.unresolved()
        if number is not None:
            raise AssertionError("Unresolved object in checkpoint %s: %s" % (self._restoration.names()[number],
                                                                             self._restoration.graph.nodes[number]))
        if self._restoration.without_value:
            names = self._restoration.names()
            raise AssertionError("Unused attributes in these objects (the attributes exist in the checkpoint but were not restored):\n" + "\n".join(
                "%s (%s): %s" % (names[number], self._restoration.objects[number], attributes)
                for number, attributes in self._restoration.without_value.items()))
        return self

    def assert_existing_objects_matched(self):
        """Raises AssertionError unless each object that there is has a value of the checkpoint."""
        unmatched = self._bound().unmatched()
        if unmatched:
            shown = min(10, len(unmatched))
            raise AssertionError(
                "Found %d Python objects that were not bound to checkpointed values, likely due to changes in the Python program. Showing %d of %d "
                "unmatched objects: %s" % (len(unmatched), shown, len(unmatched), unmatched[:shown]))
        return self

    def assert_nontrivial_match(self):
        """Raises AssertionError where only the root itself was found."""
        if len(self._bound().objects) <= 1:
            unmatched = self._restoration.unmatched()
            if unmatched:
                raise AssertionError("Nothing except the root object matched a checkpointed value. Typically this means that the checkpoint does not "
                                     "match the Python program. The following objects have no matching checkpointed value: %s" % unmatched)
            raise AssertionError("Nothing to load. No dependencies have been added to %s yet." % (self._root,))
        return self

    def expect_partial(self):
        """Says that what the checkpoint holds beside is left alone."""
        self._restoration.expects_part = True
        return self

    def run_restore_ops(self, session=None):
        """Gives the variables of a graph their values in the session, the default one if it is left out."""
        from flowray import tf
        if not tf.executing_eagerly():
            self._restoration.load(session or _default_session())

    def initialize_or_restore(self, session=None):
        """The same, and those that are not in the checkpoint get their first values."""
        from flowray import tf
        if tf.executing_eagerly():
            return
        session = session or _default_session()
        missing = [variable for variable in self._bound().unmatched() if isinstance(variable, _native.Variable)]
        self._restoration.load(session)
        if session is not None:
            session.run([variable.initializer for variable in missing])


class _NothingRestored(_Status):
    """What restore(None) gives."""

    def __init__(self, root):
        super().__init__(root, None)

    def _refuse(self):
        raise AssertionError("No checkpoint specified (save_path=None); nothing is being restored.")

    assert_consumed = assert_existing_objects_matched = assert_nontrivial_match = _refuse

    def expect_partial(self):
        return self

    def run_restore_ops(self, session=None):
        raise AssertionError("No checkpoint specified, so no restore ops are available (save_path=None to Saver.restore).")

    def initialize_or_restore(self, session=None):
        from flowray import tf
        if tf.executing_eagerly():
            return
        variables = [owner for _, owner, _ in _objects.Walk(self._root).leaves() if isinstance(owner, _native.Variable)]
        (session or _default_session()).run([variable.initializer for variable in variables])


class _RestoredByName(_Status):
    """What restore() of a file of tf.train.Saver gives: the names of variables say where a value belongs."""

    def __init__(self, root, path):
        super().__init__(root, None)
        self._reader = _native.CheckpointReader(path)
        self._names = set(self._reader.get_variable_to_shape_map())

    def _variables(self):
        return [owner for _, owner, _ in _objects.Walk(self._root).leaves() if isinstance(owner, _native.Variable)]

    def assert_consumed(self):
        for variable in self._variables():
            if variable.op.name not in self._names:
                raise AssertionError("Object not restored: %r" % variable)
        return self

    assert_existing_objects_matched = assert_nontrivial_match = assert_consumed

    def expect_partial(self):
        return self

    def run_restore_ops(self, session=None):
        session = session or _default_session()
        self._kept = [_write(variable, self._reader.get_tensor(variable.op.name), session) for variable in self._variables()
                      if variable.op.name in self._names]

    initialize_or_restore = run_restore_ops


def restore(root, save_path):
    """Gives what hangs on the root its values of the checkpoint: at once, and those of objects that come later when they come; in a graph when
    the status' run_restore_ops() is called."""
    if save_path is None:
        return _NothingRestored(root)
    path = _os.fspath(save_path)
    reader = _native.CheckpointReader(path)
    if not reader.has_tensor(_objects.GRAPH_KEY):
        status = _RestoredByName(root, path)
        from flowray import tf
        if tf.executing_eagerly():
            status.run_restore_ops()
        return status
    restoration = _Restoration(root, path)
    restoration.bind()
    status = _Status(root, restoration)
    _objects.wait(restoration)
    return status


# ---- the file "checkpoint"

def _relative(path, folder):
    return _os.path.relpath(path, folder or ".") if _os.path.isabs(path) or folder else path


def _write_state(folder, paths, timestamps=None, last_preserved=None):
    """Which checkpoints there are, the newest last."""
    def quoted(path):
        return '"%s"' % _relative(path, folder).replace("\\", "\\\\").replace('"', '\\"')
    lines = ["model_checkpoint_path: " + quoted(paths[-1]), *("all_model_checkpoint_paths: " + quoted(path) for path in paths)]
    lines += ["all_model_checkpoint_timestamps: %r" % float(stamp) for stamp in timestamps or ()]
    if last_preserved is not None:
        lines.append("last_preserved_timestamp: %r" % float(last_preserved))
    _native.train._write_file(_os.path.join(folder, "checkpoint"), ("\n".join(lines) + "\n").encode())


def note_newest(path):
    """Writes into the file "checkpoint" beside it that this one is the newest, and the only one that counts."""
    _write_state(_os.path.dirname(path), [path])


class Checkpoint(Trackable):
    """Values of the objects that it is given by name, and of all that hangs on them."""

    def __init__(self, **kwargs):
        object.__setattr__(self, "_save_counter", None)
        for name, value in sorted(kwargs.items()):
            if not is_trackable(value):
                raise ValueError(
                    "`Checkpoint` was expecting a trackable object (an object derived from `Trackable`), got %s. If you believe this object should "
                    "be trackable (i.e. it is part of the TensorFlow Python API and manages state), please open an issue.\nVariables, optimizers, "
                    "layers, models, tf.train.Checkpoint, and lists and dicts of them are." % (value,))
            setattr(self, name, value)

    def _checkpoint_children(self):
        named = _objects.children_of_attributes(self, but=("_save_counter",))
        return named + ([("save_counter", self._save_counter)] if self._save_counter is not None else [])

    def _graph(self):
        """That of its variables."""
        for _, owner, _ in _objects.Walk(self).leaves():
            if isinstance(owner, _native.Variable):
                return owner.graph
        return None

    @property
    def save_counter(self):
        """A variable that counts save()."""
        import numpy as np  # only here: to import flowray.tf takes no NumPy
        from flowray import tf
        if self._save_counter is None:
            graph = None if tf.executing_eagerly() else self._graph()
            with (graph or tf.get_default_graph()).as_default() if not tf.executing_eagerly() else _Nothing():
                self._save_counter = tf.Variable(np.int64(0), dtype=tf.int64, trainable=False, name="save_counter")
        return self._save_counter

    def write(self, file_prefix, session=None, options=None):
        """Writes the checkpoint FILE_PREFIX; gives the path."""
        _refuse_options(options, "write")
        return write(self, file_prefix, session)

    def save(self, file_prefix, session=None, options=None):
        """Writes the checkpoint FILE_PREFIX-1, -2 and so on, and notes in the file "checkpoint" that it is the newest; gives the path."""
        _refuse_options(options, "save")
        file_prefix = _os.fspath(file_prefix)
        path = write(self, "%s-%d" % (file_prefix, self._counted(session, file_prefix)), session)
        note_newest(path)
        return path

    def _counted(self, session, file_prefix):
        from flowray import tf
        is_new = self._save_counter is None
        counter = self.save_counter
        if _objects.is_eager(counter):
            return int(counter.assign_add(1).numpy())
        session = session or _default_session()
        if session is None:
            _keep_models_session(self, _objects.Walk(self), file_prefix)
            (value,), _ = _native.keras._values_of([counter])
            _native.keras._set_value(counter, value + 1)
            return int(value) + 1
        if is_new:
            session.run(counter.initializer)
        if getattr(self, "_counting", None) is None:
            with counter.graph.as_default():
                object.__setattr__(self, "_counting", tf.assign_add(counter, 1))
        return int(session.run(self._counting))

    def read(self, save_path, options=None):
        """restore() of what write() wrote."""
        _refuse_options(options, "read")
        return restore(self, save_path)

    def restore(self, save_path, options=None):
        """Gives objects their values of a checkpoint, and those that come later when they come; gives what says whether all are there."""
        _refuse_options(options, "restore")
        if save_path is not None and _os.path.isdir(save_path):
            raise _errors.NotFoundError(None, None, "Could not find checkpoint or SavedModel at %s." % save_path)
        status = restore(self, save_path)
        _ = self.save_counter  # with the other variables, so that one initializer is for all
        return status


class _Nothing:
    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


def _refuse_options(options, method):
    if options is not None:
        raise NotImplementedError("tf.train.Checkpoint.%s(options=) is not there: files are written by the calling thread" % method)


class CheckpointManager:
    """Keeps the newest of a checkpoint's files in a folder, and removes older ones."""

    def __init__(self, checkpoint, directory, max_to_keep, keep_checkpoint_every_n_hours=None, checkpoint_name="ckpt", step_counter=None,
                 checkpoint_interval=None, init_fn=None):
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError("Expected a positive integer or `None` for `max_to_keep`, got %d." % max_to_keep)
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError("`step_counter` should be passed if `checkpoint_interval` is not None.")
        self._checkpoint, self._directory, self._max_to_keep = checkpoint, _os.fspath(directory), max_to_keep
        self._hours, self._prefix = keep_checkpoint_every_n_hours, _os.path.join(self._directory, checkpoint_name)
        self._step_counter, self._interval, self._init_fn, self._last_step = step_counter, checkpoint_interval, init_fn, None
        self._kept, self._latest, self._last_preserved = {}, None, _time.time() - 1.0
        self._recover()

    directory = property(lambda self: self._directory)
    checkpoint = property(lambda self: self._checkpoint)
    checkpoint_interval = property(lambda self: self._interval)
    latest_checkpoint = property(lambda self: self._latest)
    checkpoints = property(lambda self: list(self._kept))

    def _recover(self):
        """Goes on with the files of a manager before this one."""
        state = _native.train.get_checkpoint_state(self._directory)
        if state is None:
            return
        with open(_os.path.join(self._directory, "checkpoint"), encoding="utf-8") as file:
            text = file.read()
        self._latest = state.model_checkpoint_path
        preserved = _re.search(r"^last_preserved_timestamp: (\S+)$", text, _re.M)
        self._last_preserved = min(float(preserved.group(1)), _time.time()) if preserved else 0.0
        stamps = [float(stamp) for stamp in _re.findall(r"^all_model_checkpoint_timestamps: (\S+)$", text, _re.M)]
        paths = state.all_model_checkpoint_paths
        for path, stamp in zip(paths, stamps or [self._last_preserved] * len(paths)):
            if min(stamp, _time.time()) > self._last_preserved:
                self._kept[path] = min(stamp, _time.time())

    def _value(self, number):
        if isinstance(number, _native.Variable) and not _objects.is_eager(number):
            session = _default_session()
            return int(session.run(number)) if session is not None else int(_native.keras._values_of([number])[0][0])
        return int(number.numpy()) if hasattr(number, "numpy") else int(number)

    def save(self, checkpoint_number=None, check_interval=True, options=None):
        """Writes another checkpoint, and removes what is too many; gives its path, None where it is too early for one."""
        _refuse_options(options, "save")
        if self._interval is not None:
            step = self._value(self._step_counter)
            if self._last_step is not None and (step == self._last_step or check_interval and step < self._last_step + self._interval):
                return None
            self._last_step = step
        number = self._checkpoint._counted(None, self._prefix)
        number = number if checkpoint_number is None else self._value(checkpoint_number)
        path = self._checkpoint.write("%s-%d" % (self._prefix, number))
        self._kept.pop(path, None)
        self._kept[path], self._latest = _time.time(), path
        self._note()
        self._remove_old()
        self._note()
        return path

    def _note(self):
        _write_state(self._directory, list(self._kept), list(self._kept.values()), self._last_preserved)

    def _remove_old(self):
        while self._max_to_keep and len(self._kept) > self._max_to_keep:
            path = next(iter(self._kept))
            stamp = self._kept.pop(path)
            if self._hours and stamp - self._hours * 3600.0 >= self._last_preserved:
                self._last_preserved = stamp
                continue
            _remove_files(path)

    def restore_or_initialize(self):
        """Restores the newest checkpoint and gives its path; where there is none, calls init_fn."""
        if self._latest is not None:
            self._checkpoint.restore(self._latest)
            if self._interval is not None:
                self._last_step = self._value(self._step_counter)
            return self._latest
        if self._init_fn is not None:
            self._init_fn()
        return None

    def sync(self):
        """Nothing: save() has written when it returns."""


def _remove_files(prefix):
    folder, name = _os.path.split(prefix)

    def remove(entry):
        with _contextlib.suppress(FileNotFoundError):
            _os.unlink(_os.path.join(folder, entry))
    remove(name + ".index")  # first: without it there is no checkpoint, and with it there must be a whole one
    for entry in _os.listdir(folder or "."):
        if _re.fullmatch(_re.escape(name) + r"\.data-\d{5}-of-\d{5}", entry):
            remove(entry)
