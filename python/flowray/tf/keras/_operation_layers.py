"""Layers that stand for operations of the graph between the tensors of a functional model, as in tf.keras of TensorFlow 1: one for each operation.
What an operation takes besides is a constant of its layer, with the value that it has when the layer is made."""

import base64 as _base64

import numpy as _np

from flowray import _native
from flowray import tf as _tf
from flowray.tf import _messages
from flowray.tf import _nest
from flowray.tf.keras import base_layer as _base_layer

_PREFIX = "tf_op_layer_"
# Nodes that only loops of graphs have. A layer for one of them would run beside the loop, not in it.
OF_LOOPS = {"Enter", "RefEnter", "Exit", "RefExit", "NextIteration", "RefNextIteration", "LoopCond"}
_VARIABLES = {"Variable", "VariableV2", "VarHandleOp"}
_DTYPES = ("DT_INVALID DT_FLOAT DT_DOUBLE DT_INT32 DT_UINT8 DT_INT16 DT_INT8 DT_STRING DT_COMPLEX64 DT_INT64 DT_BOOL DT_QINT8 DT_QUINT8 "
           "DT_QINT32 DT_BFLOAT16 DT_QINT16 DT_QUINT16 DT_UINT16 DT_COMPLEX128 DT_HALF DT_RESOURCE DT_VARIANT DT_UINT32 DT_UINT64").split()


# ---- nodes as configs have them: the JSON of protobuf

def _json_of_value(field, value):
    if field.is_message:
        return _json_of(value)
    if field.kind == "enum":
        return _DTYPES[value] if 0 <= value < len(_DTYPES) else value
    if field.kind == "bytes":
        return _base64.b64encode(value).decode()
    return str(value) if field.kind == "int64" else value


def _json_of(message):
    """{name: value} of a message's fields."""
    told = {}
    for field, value in message.ListFields():
        words = field.name.split("_")
        name = words[0] + "".join(word.title() for word in words[1:])
        if field.is_map:
            told[name] = {key: _json_of_value(field, one) for key, one in value.items()}
        else:
            told[name] = [_json_of_value(field, one) for one in value] if field.repeated else _json_of_value(field, value)
    return told


def _value_of_json(field, told):
    if field.is_message:
        return _message_of(field.kind, told)
    if field.kind == "enum":
        return _DTYPES.index(told) if isinstance(told, str) else told
    if field.kind == "bytes":
        return _base64.b64decode(told)
    return int(told) if field.kind == "int64" else told


def _message_of(cls, told):
    made = cls()
    fields = {field.name: field for field in cls._fields}
    for name, value in told.items():
        words = "".join("_" + letter.lower() if letter.isupper() else letter for letter in name)
        field = fields.get(words)
        if field is None:  # what TensorFlow notes about a node's types
            continue
        if field.is_map:
            getattr(made, words).update({key: _value_of_json(field, one) for key, one in value.items()})
        elif field.repeated:
            getattr(made, words).extend(_value_of_json(field, one) for one in value)
        else:
            setattr(made, words, _value_of_json(field, value))
    return made


# ---- the layer

class TensorFlowOpLayer(_native.keras.Layer):
    """An operation of the graph, with some of its inputs as constants: {number of the input: value}."""

    def __init__(self, node_def, name, constants=None, trainable=True, dtype=None):
        if dtype is not None:
            raise NotImplementedError("TensorFlowOpLayer(dtype=%r) is not there: its operation has dtypes" % (dtype,))
        super().__init__(name=_PREFIX + name, trainable=trainable)
        self._node = _message_of(_messages.NodeDef, node_def) if isinstance(node_def, dict) else _messages.NodeDef.FromString(node_def)
        self._constants = {int(index): value for index, value in (constants or {}).items()}
        self._set_built(True)

    def call(self, inputs):
        """What the operation makes of these."""
        tensors = list(_nest.flatten(inputs))
        for index in sorted(self._constants):
            tensors.insert(index, _tf.constant(self._constants[index]))
        node = _messages.NodeDef.FromString(self._node.SerializeToString())
        names = ["input_%d" % i for i in range(len(tensors))]
        del node.input[:]
        node.input.extend(names)
        if "_class" in node.attr:  # it stood beside another node than those here
            del node.attr["_class"]
        graph_def = _native.GraphDef.FromString(_messages.GraphDef(node=[node]).SerializeToString())
        made, = _tf.import_graph_def(graph_def, input_map={name + ":0": tensor for name, tensor in zip(names, tensors)},
                                     return_elements=[node.name], name="again")
        return made.outputs[0] if len(made.outputs) == 1 else list(made.outputs)

    def get_config(self):
        """The node and the constants."""
        return {"name": self.name[len(_PREFIX):], "trainable": self.trainable, "dtype": None, "node_def": _json_of(self._node),
                "constants": dict(self._constants)}


# ---- from operations to layers

def _ops_behind_layers(last):
    """The operations that make `last` of tensors of layers, each behind those whose outputs it takes."""
    ordered, opened, waiting = [], set(), [(last.op, False)]
    while waiting:
        op, is_done = waiting.pop()
        if is_done:
            ordered.append(op)
        elif op.name not in opened:
            opened.add(op.name)
            waiting.append((op, True))
            waiting += [(one.op, False) for one in op.inputs if isinstance(one, _native.keras.DerivedTensor)]
    return ordered


def _check_is_no_variable(tensor, last):
    seen, waiting = set(), [tensor.op]
    while waiting:
        op = waiting.pop()
        if op.name in seen:
            continue
        seen.add(op.name)
        if op.type in _VARIABLES:
            raise NotImplementedError("%s is made of the variable %s and of tensors of a functional model, which would keep the value that the "
                                      "variable has now.\nUse the variable in a layer of your own, which trains it." % (last.name, op.name))
        waiting += [one.op for one in op.inputs]


def keras_tensor_of(tensor):
    """A tensor that was made of those of layers, as the output of a layer."""
    now = tensor.op.outputs[tensor.value_index]
    if isinstance(now, _native.keras.KerasTensor):
        return now  # of the layer that another use of it has made
    graph = tensor.graph
    with graph.as_default():
        ops = _ops_behind_layers(tensor)
        for op in ops:
            if op.type in OF_LOOPS:
                raise NotImplementedError("%s: a loop of the graph (tf.while_loop, tf.map_fn) between the tensors of a functional model is not there "
                                          "yet: make it in a Lambda layer" % tensor.name)
        kinds = (_native.keras.KerasTensor, _native.keras.DerivedTensor)
        others = {one.name: one for op in ops for one in op.inputs if not isinstance(one, kinds)}
        for one in others.values():
            _check_is_no_variable(one, tensor)
        values = dict(zip(others, _tf.keras.backend.get_session().run(list(others.values())))) if others else {}
        made = {}
        for op in ops:
            _set_layer_behind(op, values, made)
    return made[tensor.name]


def _set_layer_behind(op, values, made):
    inputs = [made.get(one.name, one) for one in op.inputs if one.name not in values]
    constants = {i: values[one.name] for i, one in enumerate(op.inputs) if one.name in values}
    layer = TensorFlowOpLayer(op.node_def.SerializeToString(), op.name, constants)
    outputs = list(op.outputs)
    arguments = _base_layer.Arguments((inputs if len(inputs) > 1 else inputs[0],), {})
    arguments.outputs = [None] * len(outputs) if len(outputs) > 1 else None
    made.update((output.name, output) for output in layer._note_call(inputs, outputs, arguments))
