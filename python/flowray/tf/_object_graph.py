"""What hangs together with what, for tf.train.Checkpoint: objects with state, and the names by which they know each other. An object that has a
method _checkpoint_children() says itself what hangs on it."""

import collections as _collections
import threading as _threading

from flowray import _native
from flowray.tf import _messages

VALUE = "VARIABLE_VALUE"
ITERATOR_STATE = "ITERATOR_STATE"
GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"


# ---- tensorflow/core/protobuf/trackable_object_graph.proto

ObjectReference = _messages.message("ObjectReference", ("node_id", 1, "int32"), ("local_name", 2, "string"))
SerializedTensor = _messages.message("SerializedTensor", ("name", 1, "string"), ("full_name", 2, "string"), ("checkpoint_key", 3, "string"))
SlotVariableReference = _messages.message("SlotVariableReference", ("original_variable_node_id", 1, "int32"), ("slot_name", 2, "string"),
                                          ("slot_variable_node_id", 3, "int32"))
_Flag = _messages.message("BoolValue", ("value", 1, "bool"))
TrackableObject = _messages.message("TrackableObject", ("children", 1, ObjectReference, True), ("attributes", 2, SerializedTensor, True),
                                    ("slot_variables", 3, SlotVariableReference, True), ("has_checkpoint_values", 5, _Flag))
TrackableObjectGraph = _messages.message("TrackableObjectGraph", ("nodes", 1, TrackableObject, True))


class Trackable:
    """An object whose attributes a checkpoint keeps: variables, optimizers, layers, others of this class, and lists and dicts of them."""

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)
        sync()

    def _checkpoint_children(self):
        return children_of_attributes(self)


class Value:
    """A number that is not a variable here, and is one in TensorFlow: how it is read and set."""

    def __init__(self, name, read, write):
        self.name, self.read, self.write = name, read, write


class Group:
    """Children that hang on an object under a name of their own, without an object of their own: the cell of a recurrent layer."""

    def __init__(self, children):
        self.children = children

    def _checkpoint_children(self):
        return self.children


def is_eager(variable):
    """Whether it was made while operations ran at once."""
    from flowray import tf
    with variable.graph.as_default():
        return tf.executing_eagerly()


def is_trackable(value):
    return isinstance(value, (_native.Variable, _native.train.Optimizer, list, tuple, dict, Value)) or is_iterator(value) or hasattr(
        value, "_checkpoint_children")


def children_of_attributes(owner, but=()):
    """(name, object) of what the attributes of an object are."""
    return [(name, value) for name, value in list(owner.__dict__.items()) if name not in but and _holds_state(value)]


def _holds_state(value):
    if isinstance(value, (list, tuple)):
        return not hasattr(value, "as_list") and any(_holds_state(item) for item in value)
    if isinstance(value, dict):
        return any(_holds_state(item) for item in value.values())
    return is_trackable(value)


def children(owner):
    """(name, object) of what hangs on an object."""
    if is_leaf(owner):
        return []
    if isinstance(owner, _native.train.Optimizer):
        return list(owner._own_variables().items())  # Adam's powers
    if isinstance(owner, (list, tuple)):
        return [(str(number), item) for number, item in enumerate(owner) if _holds_state(item)]
    if isinstance(owner, dict):
        return _of_dict(owner)
    return owner._checkpoint_children()


def _of_dict(owner):
    for key in owner:
        if not isinstance(key, str) and any(_holds_state(item) for item in owner.values()):
            raise ValueError("Unable to save the object %r (a dictionary wrapper constructed automatically on attribute assignment). The wrapped "
                             "dictionary contains a non-string key which maps to a trackable object or mutable data structure." % owner)
    return [(key, item) for key, item in owner.items() if _holds_state(item)]


def slot_names(owner):
    return owner.get_slot_names() if isinstance(owner, _native.train.Optimizer) or hasattr(owner, "get_slot_names") else []


def slots_of(owner):
    """(name of a slot, function that gives a variable's) of an optimizer; those that find all slots at once do it once."""
    if hasattr(owner, "_slots_by_name"):
        return [(name, lambda variable, found=found: found.get(variable.op.name)) for name, found in owner._slots_by_name().items()]
    return [(name, lambda variable, name=name: owner.get_slot(variable, name)) for name in slot_names(owner)]


def make_slots(owner, variable):
    """An optimizer of eager execution makes what it keeps for a variable when a checkpoint has values of it."""
    if isinstance(owner, _native.train.Optimizer) and isinstance(variable, _native.Variable) and is_eager(variable):
        owner._create_slots([variable])


def is_iterator(owner):
    """Whether it is an iterator of a dataset, whose state is where it is (_iterator_states)."""
    return hasattr(owner, "_iterator_resource")


def is_leaf(owner):
    return isinstance(owner, (_native.Variable, Value)) or is_iterator(owner)


def attribute_of(owner):
    """What the value of a leaf is called in the file."""
    return ITERATOR_STATE if is_iterator(owner) else VALUE


def full_name_of(owner):
    if is_iterator(owner):
        return ""  # Saver's files name variables alone
    return owner.name if isinstance(owner, Value) else owner.op.name


def escaped(name):
    return name.replace(".", "..").replace("/", ".S")


class Walk:
    """All objects that hang on a root, the nearest first: `objects` with the `paths` to them, then the slots of optimizers among them."""

    def __init__(self, root):
        self.objects, self.paths, self._numbers = [], [], {}
        self.children, self.slots = [], []
        self._visit(root, "")
        for number, owner in enumerate(self.objects):  # grows while it is gone through
            named = [(name, child, self._visit(child, self._path(number, name))) for name, child in children(owner)]
            self.children.append([(name, child_number) for name, _, child_number in named])
        self._add_slots()

    def _path(self, number, name):
        return (self.paths[number] + "/" if self.paths[number] else "") + escaped(name)

    def _visit(self, owner, path):
        known = self._numbers.get(identity(owner))
        if known is not None:
            return known
        self._numbers[identity(owner)] = len(self.objects)
        self.objects.append(owner)
        self.paths.append(path)
        return len(self.objects) - 1

    def number_of(self, owner):
        return self._numbers.get(identity(owner))

    def _add_slots(self):
        count = len(self.objects)
        self.slots = [[] for _ in range(count)]
        for number in range(count):
            optimizer = self.objects[number]
            for slot_name, of_variable in slots_of(optimizer):
                for variable_number in range(count):
                    variable = self.objects[variable_number]
                    slot = of_variable(variable) if isinstance(variable, _native.Variable) else None
                    if slot is None or self.number_of(slot) is not None:
                        continue
                    path = "%s/.OPTIMIZER_SLOT/%s/%s" % (self.paths[variable_number], self.paths[number], escaped(slot_name))
                    self.slots[number].append((variable_number, slot_name, self._visit(slot, path)))
                    self.children.append([])

    def leaves(self):
        """(number, object, key in the file) of what has a value."""
        return [(number, owner, "%s/.ATTRIBUTES/%s" % (self.paths[number], attribute_of(owner))) for number, owner in enumerate(self.objects) if is_leaf(owner)]

    def message(self):
        """What stands in the file beside the values."""
        graph = TrackableObjectGraph()
        with_values = self._with_values()
        for number, named in enumerate(self.children):
            node = graph.nodes.add(children=[ObjectReference(node_id=child, local_name=name) for name, child in named])
            for variable, slot_name, slot in self.slots[number] if number < len(self.slots) else ():
                node.slot_variables.add(original_variable_node_id=variable, slot_name=slot_name, slot_variable_node_id=slot)
            node.has_checkpoint_values = _Flag(value=number in with_values)
        for number, owner, key in self.leaves():
            graph.nodes[number].attributes.add(name=attribute_of(owner), full_name=full_name_of(owner), checkpoint_key=key)
        return graph

    def _with_values(self):
        found = {number for number, _, _ in self.leaves()} | {number for number, slots in enumerate(self.slots) if slots}
        parents = _collections.defaultdict(list)
        for number, named in enumerate(self.children):
            for _, child in named:
                parents[child].append(number)
        waiting = list(found)
        while waiting:
            for parent in parents[waiting.pop()]:
                if parent not in found:
                    found.add(parent)
                    waiting.append(parent)
        return found


def identity(owner):
    """Which object it is: variables are handles, of which several stand for one."""
    if isinstance(owner, _native.Variable):
        return ("variable", owner)  # compares as one
    return id(owner)


# ---- what waits for objects that are not there yet

_waiting = []  # of restorations
_lock = _threading.Lock()  # of the list alone: what binds objects may come here again


def wait(restoration):
    """From now on sync() looks for its objects; one of the same root before it has been replaced."""
    root = restoration.root()
    with _lock:
        ended = list(_waiting)  # held until the lock is free: the end of a restoration warns
        _waiting[:] = [other for other in _waiting if other.tops() and other.root() is not root]
        _waiting.append(restoration)
    del ended


_paused = _threading.local()


class Paused:
    """In its block, and this thread, nothing is said to wait: objects that are made there get their values behind it, by sync()."""

    def __enter__(self):
        self._before, _paused.now = getattr(_paused, "now", False), True

    def __exit__(self, kind, value, traceback):
        _paused.now = self._before


def is_waiting():
    return bool(_waiting) and not getattr(_paused, "now", False)


def sync():
    """Gives objects that came since the values that were restored for them. Whether there were any."""
    found = False
    with _lock:
        waiting = list(_waiting)
    for restoration in waiting:
        found = restoration.bind() or found
        if not restoration.tops() or restoration.is_complete:
            with _lock:
                _waiting[:] = [other for other in _waiting if other is not restoration]
    return found
