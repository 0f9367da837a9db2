"""Cases as nodes of a graph, and their runs in a session."""

import dataclasses
import re

import numpy as np
from tensorflow_client import tf
from tensorflow.core.protobuf import rewriter_config_pb2
from tensorflow.python.framework import error_interpolation, op_def_library

import values
from case import Handle, Ref

# An error's text as it came, without the lines of Python that made the node.
error_interpolation.interpolate_graph = lambda message, graph: message

STEP_LIMIT_MS = 30_000
# Of these dtypes a value times one is itself, in every server.
CHAINED = ("float32", "float64", "int32", "int64")


@dataclasses.dataclass
class Program:
    """What to fetch and to feed for a case. `chained` is the same op with inputs that are computed and outputs that go on: the engine
    may fuse it with its neighbours and let it write over its inputs."""

    case: object
    fetches: list
    chained: list
    feeds: dict
    op: object


@dataclasses.dataclass
class Failure:
    kind: str  # the class, such as InvalidArgumentError
    code: int
    text: str

    def first_line(self):
        """Without the task that a server names before it, the functions it came through, and the numbers that a process gives to what it
        makes."""
        text = self.text.partition("\n")[2] if self.text.startswith("From /job:") else self.text
        text = re.sub(r"^(\{\{function_node [^}]*\}\} )+", "", text)
        line = text.split("\n")[0].split("[[")[0].strip()
        return re.sub(r"'_\d+_|(?<=Stack\[)(\w+?)(?:_\d+)?(?=\])", r"\1", line)


class Unbuildable(Exception):
    """TensorFlow's client does not make such a node."""


def build(case, shapes=lambda array: None):
    """Adds the case to the default graph. `shapes` says what is known of a fed array's shape before the step."""
    try:
        with tf.name_scope(case.name):
            feeds, ones = {}, {}
            stand_ins = [_each(value, lambda item: _stand_in(item, feeds, shapes)) for value in case.inputs]
            op, fetches = _node(case, stand_ins)
            if not case.is_fed:
                del feeds[stand_ins[0][0] if isinstance(stand_ins[0], list) else stand_ins[0]]
            chained = _chain(case, stand_ins, ones) if case.kind != "malformed" and fetches else []
            return Program(case, fetches, chained, {**feeds, **ones}, op)
    except (TypeError, ValueError, RuntimeError, tf.errors.OpError) as error:
        raise Unbuildable(str(error).split("\n")[0]) from error


def _each(value, function):
    return [function(item) for item in value] if isinstance(value, list) else function(value)


@dataclasses.dataclass
class _Variable:
    tensor: object  # what the op takes
    ready: object  # the assignment of the initial value
    read: object  # a function that makes the node that reads it


def _stand_in(item, feeds, shapes):
    array = item.value if isinstance(item, (Ref, Handle)) else item
    dtype = tf.as_dtype(values.dtype_name(array.dtype))
    placeholder = tf.placeholder(dtype, shapes(array))
    feeds[placeholder] = array
    if isinstance(item, Ref):
        variable = tf.raw_ops.VariableV2(shape=array.shape, dtype=dtype)
        assigned = _apply("Assign", ref=variable, value=placeholder)
        return _Variable(assigned, assigned.op, lambda: tf.identity(variable))
    if isinstance(item, Handle):
        handle = _apply("VarHandleOp", dtype=dtype, shape=array.shape, shared_name=placeholder.op.name)
        assigned = _apply("AssignVariableOp", resource=handle, value=placeholder)
        return _Variable(handle, assigned, lambda: _apply("ReadVariableOp", resource=handle, dtype=dtype))
    return placeholder


def _apply(name, **arguments):
    """A node of the op; attributes that are not given have the op's defaults."""
    definition = tf.get_default_graph().op_def_for_type(name)
    inferred = {key for arg in definition.input_arg for key in (arg.type_attr, arg.number_attr, arg.type_list_attr)}
    defaults = {attr.name: None for attr in definition.attr if attr.name not in inferred}  # None is the op's default
    return op_def_library.apply_op(name, **{**defaults, **arguments})


def _node(case, stand_ins):
    definition = tf.get_default_graph().op_def_for_type(case.op)
    flat = [item for value in stand_ins for item in (value if isinstance(value, list) else [value])]
    variables = [item for item in flat if isinstance(item, _Variable)]
    tensors = [_each(value, lambda item: item.tensor if isinstance(item, _Variable) else item) for value in stand_ins]
    arguments = {argument.name: tensor for argument, tensor in zip(definition.input_arg, tensors, strict=True)}
    attrs = {key: tf.as_dtype(value) if _is_type(definition, key) else value for key, value in case.attrs.items()}
    with tf.control_dependencies([variable.ready for variable in variables]):
        result = _apply(case.op, **arguments, **attrs)
    op = result if isinstance(result, tf.Operation) else _first_tensor(result).op
    fetches = [output for output in op.outputs if output.dtype.base_dtype not in (tf.resource, tf.variant)]
    with tf.control_dependencies([op]):
        fetches += [variable.read() for variable in variables]
    return op, fetches or [op]


def _is_type(definition, key):
    return any(attr.name == key and attr.type == "type" for attr in definition.attr)


def _first_tensor(result):
    while isinstance(result, (list, tuple)):
        result = result[0]
    return result


def _chain(case, stand_ins, ones):
    """The op among neighbours, unless it has state or its dtype has no product."""
    flat = [item for value in stand_ins for item in (value if isinstance(value, list) else [value])]
    definition = tf.get_default_graph().op_def_for_type(case.op)
    if definition.is_stateful or any(isinstance(item, _Variable) for item in flat):
        return []
    main = next((value for value in flat if value.dtype.is_floating), flat[0] if flat else None)
    if main is None or main.dtype.name not in CHAINED:
        return []

    def times_one(tensor):
        if tensor.dtype.name not in CHAINED:
            return tf.identity(tensor)
        if tensor.dtype not in ones_of:
            ones_of[tensor.dtype] = tf.placeholder(tensor.dtype, [])
            ones[ones_of[tensor.dtype]] = tensor.dtype.as_numpy_dtype(1)
        return tensor * ones_of[tensor.dtype]

    ones_of = {}
    inputs = [_each(value, lambda item: times_one(item) if item.dtype == main.dtype else item) for value in stand_ins]
    op, fetches = _node(case, inputs)
    return [times_one(output) for output in fetches] if fetches != [op] else []


def gradient(program, outputs, rng):
    """A program with TensorFlow's gradient graph of the outputs (of which `outputs` are the values), or None where it has none."""
    tensors = [t for t in program.op.outputs if t.dtype.is_floating and t.dtype in (tf.float32, tf.float64)]
    by = [t for t in program.feeds if t.dtype in (tf.float32, tf.float64) and t in _inputs(program.op)]
    if not tensors or not by or any(isinstance(value, (Ref, Handle)) for value in program.case.inputs):
        return None
    feeds = dict(program.feeds)
    try:
        with tf.name_scope(program.case.name + "_gradient"):
            given = []
            for tensor, value in zip(program.op.outputs, outputs):
                if tensor in tensors:
                    given.append(tf.placeholder(tensor.dtype, value.shape))
                    feeds[given[-1]] = np.asarray(rng.uniform(-2, 2, value.shape)).astype(value.dtype)
            results = [g for g in tf.gradients(tensors, by, given) if g is not None]
            results = [tf.convert_to_tensor(g) for g in results]
    except (LookupError, TypeError, ValueError, NotImplementedError, AttributeError, tf.errors.OpError):
        return None
    return Program(program.case, results, [], feeds, program.op) if results else None


def _inputs(op):
    return list(op.inputs)


def config(fused, threads, **options):
    """A ConfigProto; where it is not fused, neither TensorFlow's passes nor ours change the graph."""
    graph_options = tf.GraphOptions()
    if not fused:
        graph_options.optimizer_options.opt_level = tf.OptimizerOptions.L0
        rewrites = graph_options.rewrite_options
        rewrites.disable_meta_optimizer = True
        rewrites.constant_folding = rewriter_config_pb2.RewriterConfig.OFF
    return tf.ConfigProto(
        graph_options=graph_options,
        intra_op_parallelism_threads=threads,
        inter_op_parallelism_threads=threads,
        operation_timeout_in_ms=STEP_LIMIT_MS,
        **options,
    )


def run(session, fetches, feeds):
    """The values, or the Failure."""
    try:
        results = session.run(fetches, feeds)
    except tf.errors.OpError as error:
        return Failure(type(error).__name__, error.error_code, error.message)
    return [np.asarray(result) if result is not None else None for result in results]
