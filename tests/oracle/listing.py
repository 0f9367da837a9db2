"""Writes a tf.Graph as the text that tests/golden/README.md calls a listing."""

from shortest import shortest
from tensorflow_v1 import np, tf

MAX_VALUES = 16
COLLECTION_NAMES = {"variables": "global_variables"}
SKIPPED_COLLECTIONS = ("cond_context", "while_context")  # bookkeeping of control flow, not names of nodes


def listing(graph):
    """The whole listing of `graph`: its nodes in creation order, then its collections by name."""
    lines = [_node(op) for op in graph.get_operations()]
    collections = {}
    for key in graph.get_all_collection_keys():
        items = [_item(item) for item in graph.get_collection(key)]
        if items and not key.startswith("_") and key not in SKIPPED_COLLECTIONS:
            collections[COLLECTION_NAMES.get(key, key)] = items
    lines += [f"{key}: {' '.join(collections[key])}" for key in sorted(collections)]
    return "\n".join(lines) + "\n"


def _item(item):
    return item.op.name if hasattr(item, "initializer") else item.name  # of variables, of both kinds


def _node(op):
    inputs = [_input(tensor) for tensor in op.inputs] + sorted("^" + control.name for control in op.control_inputs)
    text = f"{op.name} = {op.type}({', '.join(inputs)})"
    for key in sorted(op.node_def.attr):
        if key == "_class":
            text += " _class=" + ",".join(s.decode() for s in op.get_attr("_class"))
        elif not key.startswith("_"):
            text += f" {key}={_attr(op.node_def.attr[key])}"
    if op.outputs:
        text += " -> " + ", ".join(_dtype(t.dtype) + _shape(t.shape.as_proto()) for t in op.outputs)
    return text


def _input(tensor):
    return tensor.op.name if tensor.value_index == 0 else f"{tensor.op.name}:{tensor.value_index}"


def _dtype(dtype):
    return tf.as_dtype(dtype).name


def _shape(proto):
    if proto.unknown_rank:
        return "?"
    return "[" + ",".join("?" if d.size < 0 else str(d.size) for d in proto.dim) + "]"


def _string(data):
    text = data.decode("utf-8") if isinstance(data, bytes) else data
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _value(value):
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (bytes, str)):
        return _string(value)
    if isinstance(value, (float, np.floating)):
        return shortest(value)
    return str(int(value))


def _tensor(proto):
    array = tf.make_ndarray(proto)
    if proto.dtype in (tf.float16.as_datatype_enum, tf.bfloat16.as_datatype_enum):
        array = array.astype(np.float32)
    values = [_value(value) for value in array.reshape(-1)[:MAX_VALUES]]
    if array.size > MAX_VALUES:
        values.append("...")
    dims = "[" + ",".join(str(d) for d in array.shape) + "]"
    return f"<{' '.join([_dtype(proto.dtype) + ' ' + dims] + values)}>"


def _attr(attr):
    kind = attr.WhichOneof("value")
    value = getattr(attr, kind)
    if kind == "list":
        return "[" + ",".join(_list_items(value)) + "]"
    return _scalar_attr(kind, value)


def _scalar_attr(kind, value):
    if kind == "type":
        return _dtype(value)
    if kind == "shape":
        return _shape(value)
    if kind == "func":
        return "<function>"  # its name counts the functions of the process
    if kind == "tensor":
        return _tensor(value)
    if kind == "s":
        return _string(value)
    if kind == "f":
        return shortest(np.float32(value))
    return _value(value)


def _list_items(value):
    for kind in ("s", "i", "f", "b", "type", "shape", "tensor", "func"):
        items = getattr(value, kind)
        if len(items):
            return [_scalar_attr(kind, item) for item in items]
    return []
