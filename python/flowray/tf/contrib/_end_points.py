"""What layers give, in collections by the names of the layers: tf.contrib.layers.utils."""

import collections as _collections

from flowray import _native
from flowray import tf as _tf

_ALIASES = "_aliases_of_outputs"  # a collection of pairs: names belong to the graph, and live as long


def collect_named_outputs(collections, alias, outputs):
    """`outputs`, which are in the collections by this name from now on."""
    if collections:
        _tf.add_to_collection(_ALIASES, (outputs.name, alias.rstrip("/")))
        _tf.add_to_collections(collections, outputs)
    return outputs


def get_tensor_aliases(tensor):
    """The names that a tensor was collected by; its own where there is none."""
    named = [alias for name, alias in _tf.get_collection(_ALIASES) if name == tensor.name]
    return named or [tensor.name.removesuffix(":0")]


def gather_tensors_aliases(tensors):
    return [alias for tensor in tensors for alias in get_tensor_aliases(tensor)]


def convert_collection_to_dict(collection, clear_collection=False):
    """{name of a layer: what it gave}, in the order of the collection."""
    found = _collections.OrderedDict((alias, tensor) for tensor in _tf.get_collection(collection) for alias in get_tensor_aliases(tensor))
    if clear_collection:
        _native.get_default_graph().clear_collection(collection)
    return found


def collected(collections, outputs):
    """... by the scope in which the operations of a layer stand that was just called."""
    if not collections:
        return outputs
    with _native.name_scope("inner") as inner:
        outer = inner.rstrip("/").rpartition("/")[0]
    own = outputs.op.name[len(outer) + 1 if outer else 0:].partition("/")[0]
    return collect_named_outputs(collections, outer + "/" + own if outer else own, outputs)
