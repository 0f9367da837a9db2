"""One op run by TensorFlow: what a case is, how it is run, how it is written as JSON."""

import json

from shortest import shortest
from tensorflow_v1 import np, tf

from tensorflow.python.framework import op_def_library

SUMMARY_ABOVE = 64  # outputs of random ops with more elements are recorded by their ends and sum
SUMMARY_ENDS = 8


class Ref:
    """An input that is a reference variable with this value."""

    def __init__(self, value):
        self.value = np.asarray(value)


class Case:
    """`build` gets one tensor per value (a placeholder of its shape, a variable for a Ref) and returns the op's outputs.

    `build` must make a single op whose inputs are these tensors in this order. `runs` is how often the op is run in one
    session: more than once shows the state of random ops.
    """

    def __init__(self, build, *values, runs=1):
        self.build, self.values, self.runs = build, values, runs


def raw(name, *values, runs=1, **attrs):
    """A case of the op `name` whose inputs, in the order of its definition, are `values`; a list of values is a list input."""
    definition = _op_def(name)
    names = [arg.name for arg in definition.input_arg]
    inferred = {key for arg in definition.input_arg for key in (arg.type_attr, arg.number_attr, arg.type_list_attr)}
    defaults = {attr.name: None for attr in definition.attr if attr.name not in inferred}  # None is the op's default
    if len(names) != len(values):
        raise ValueError(f"{name} has inputs {names}, given {len(values)}")
    flat = [item for value in values for item in (value if isinstance(value, list) else [value])]

    def build(*tensors):
        rest, arguments = list(tensors), {}
        for key, value in zip(names, values):
            arguments[key] = [rest.pop(0) for _ in value] if isinstance(value, list) else rest.pop(0)
        return op_def_library.apply_op(name, **arguments, **{**defaults, **attrs})

    return Case(build, *flat, runs=runs)


def _op_def(name):
    with tf.Graph().as_default() as graph:
        return graph.op_def_for_type(name)


def run(case):
    """The case as a dictionary ready for `write`."""
    config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        tensors, feeds, refs = _inputs(case.values)
        result = case.build(*tensors)
        op = _operation(result)
        sources = [tensor.name for tensor in op.inputs]
        if sources != [getattr(tensor, "_variable", tensor).name for tensor in tensors]:
            raise ValueError(f"{op.type} takes {sources}: build must make one op of the given inputs")
        session.run([ref.initializer for ref in refs])
        runs = [session.run(op.outputs, feeds) for _ in range(case.runs)]
        record = {"op": op.type, "attrs": _attrs(op), "inputs": [_input(value) for value in case.values]}
        if refs:
            record["after"] = [_array(value) for value in session.run([ref.value() for ref in refs])]
        elif case.runs > 1:
            record["runs"] = [[_summary(np.asarray(value)) for value in values] for values in runs]
        else:
            record["outputs"] = [_array(np.asarray(value)) for value in runs[0]]
    return record


def _inputs(values):
    tensors, feeds, refs = [], {}, []
    for value in values:
        if isinstance(value, Ref):
            refs.append(tf.Variable(value.value, dtype=value.value.dtype))
            tensors.append(refs[-1]._ref())
        else:
            array = np.asarray(value)
            tensors.append(tf.placeholder(array.dtype, array.shape))
            feeds[tensors[-1]] = array
    return tensors, feeds, refs


def _operation(result):
    if isinstance(result, tf.Operation):
        return result
    while isinstance(result, (list, tuple)):
        result = result[0]
    return result.op


def _dtype_name(dtype):
    return tf.as_dtype(dtype).name


def _attrs(op):
    attrs = {}
    for key in sorted(op.node_def.attr):
        if not key.startswith("_"):
            attr = op.node_def.attr[key]
            kind = attr.WhichOneof("value")
            attrs[key] = _attr_list(attr.list) if kind == "list" else {kind: _attr(kind, getattr(attr, kind))}
    return attrs


def _attr_list(value):
    for kind in ("s", "i", "f", "b", "type", "shape"):
        if len(getattr(value, kind)):
            return {"list_" + kind: [_attr(kind, item) for item in getattr(value, kind)]}
    return {"list": []}


def _attr(kind, value):
    if kind == "type":
        return _dtype_name(value)
    if kind == "s":
        return value.decode()
    if kind == "shape":
        return None if value.unknown_rank else [dim.size for dim in value.dim]
    return np.float32(value) if kind == "f" else value


def _input(value):
    if isinstance(value, Ref):
        return {**_array(value.value), "ref": True}
    return _array(np.asarray(value))


def _array(array):
    array = np.asarray(array)
    name = _dtype_name(array.dtype)
    values = array.astype(np.float32) if name in ("float16", "bfloat16") else array
    if name == "uint64":
        values = array.astype(np.int64)  # readers go to 64 bits with a sign
    if name.startswith("complex"):
        values = np.stack([array.real, array.imag], -1)
    return {"dtype": name, "shape": list(array.shape), "data": list(values.reshape(-1))}


def _summary(array):
    record = _array(array)
    if array.size > SUMMARY_ABOVE:
        data = record.pop("data")
        record.update(first=data[:SUMMARY_ENDS], last=data[-SUMMARY_ENDS:], sum=np.sum(array, dtype=np.float64))
    return record


def write(value):
    """JSON text of a record. Floats as shortest() prints them; nan, inf and -inf as strings."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{json.dumps(key)}:{write(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(write(item) for item in value) + "]"
    if isinstance(value, (float, np.floating)):
        text = shortest(value)
        return text if np.isfinite(value) else f'"{text}"'
    if isinstance(value, (np.bool_, np.integer)):
        value = value.item()
    if isinstance(value, bytes):
        value = value.decode()
    return json.dumps(value)
