"""Methods of variables, tensors, scopes and graphs that are functions of the language by another way to call them."""

import flowray.tf as _tf
from flowray import _native


class Reference:
    """A tensor or variable as the key of a dict or the member of a set: equal where it stands for the same one."""

    __slots__ = ("_wrapped",)

    def __init__(self, wrapped):
        self._wrapped = wrapped

    def deref(self):
        """The tensor or variable."""
        return self._wrapped

    def __hash__(self):
        return hash(self._wrapped)  # several objects may stand for one tensor or variable, which their hash knows

    def __eq__(self, other):
        if not isinstance(other, Reference):
            return NotImplemented
        return type(self._wrapped) is type(other._wrapped) and hash(self) == hash(other)

    def __repr__(self):
        return "<Reference wrapping %r>" % (self._wrapped,)


def _ref(self):
    """What stands for it in dicts and sets; deref() gives it back."""
    return Reference(self)


def _scatter_rows(kind):
    def scatter(self, sparse_delta, use_locking=False, name=None):
        if not isinstance(sparse_delta, _tf.IndexedSlices):
            raise TypeError("sparse_delta is not IndexedSlices: %s" % (sparse_delta,))
        return getattr(_tf, "scatter_" + kind)(self, sparse_delta.indices, sparse_delta.values, use_locking=use_locking, name=name)
    scatter.__name__ = "scatter_" + kind
    scatter.__doc__ = "tf.scatter_%s of the rows that a tf.IndexedSlices has." % kind
    return scatter


def _scatter_elements(kind):
    def scatter(self, indices, updates, name=None):
        return getattr(_tf, "scatter_nd_" + kind)(self, indices, updates, name=name)
    scatter.__name__ = "scatter_nd_" + kind
    scatter.__doc__ = "tf.scatter_nd_%s of this variable." % kind
    return scatter


def _in_scope(collection):
    def variables(self):
        return self.get_collection(getattr(_tf.GraphKeys, collection))
    variables.__doc__ = "The variables of this scope in %s." % collection
    return variables


def _collection_of_scope(self, name):
    """What a collection has whose names begin with the scope's."""
    return _tf.get_collection(name, self.name + "/" if self.name else "")


def _name_scope_of_graph(self):
    """The open name scope, without the slash at its end; "" outside of all."""
    return self.unique_name("x", mark_as_used=False).rpartition("/")[0]


def _add_to_collections(self, names, value):
    """Adds a value to several collections, to each once."""
    for name in (names,) if isinstance(names, str) else set(names):
        self.add_to_collection(name, value)


for _kind in ("add", "sub", "update", "mul", "div", "min", "max"):
    setattr(_native.Variable, "scatter_" + _kind, _scatter_rows(_kind))
for _kind in ("add", "sub", "update"):
    setattr(_native.Variable, "scatter_nd_" + _kind, _scatter_elements(_kind))
for _kind in (_native.Variable, _native.Tensor):
    _kind.ref = _kind.experimental_ref = _ref
_native.VariableScope.get_collection = _collection_of_scope
_native.VariableScope.global_variables = _in_scope("GLOBAL_VARIABLES")
_native.VariableScope.local_variables = _in_scope("LOCAL_VARIABLES")
_native.VariableScope.trainable_variables = _in_scope("TRAINABLE_VARIABLES")
_native.Graph.get_name_scope = _name_scope_of_graph
_native.Graph.add_to_collections = _add_to_collections
_native.Graph.collections = property(lambda self: self.get_all_collection_keys())
_native.Graph.building_function = False
