"""What programs ask of operations and tensors that TensorFlow keeps behind an underscore, or tells as messages."""

from flowray import _native
from flowray.tf import _messages

_op_defs = {}


def _allowed_values(dtypes, texts):
    listed = {}
    if dtypes:
        listed["type"] = [_native.as_dtype(name).as_datatype_enum for name in dtypes]
    if texts:
        listed["s"] = [text.encode() for text in texts]
    return _messages.AttrValue(list=_messages.AttrValue.ListValue(**listed)) if listed else None


def _attr_def(name, kind, default, minimum, dtypes, texts):
    made = _messages.OpDef.AttrDef(name=name, type=kind)
    if default is not None:
        made.default_value.MergeFromString(default)
    if minimum is not None:
        made.has_minimum, made.minimum = True, minimum
    allowed = _allowed_values(dtypes, texts)
    if allowed is not None:
        made.allowed_values.CopyFrom(allowed)
    return made


def op_def(op):
    """The tf.OpDef of an op: its inputs, outputs and attributes."""
    if op not in _op_defs:
        parts = _native._op_parts(op)
        fields = ("name", "type", "type_attr", "number_attr", "type_list_attr", "is_ref")
        args = {key: [_messages.OpDef.ArgDef(**dict(zip(fields, arg))) for arg in parts[key]] for key in ("input_arg", "output_arg")}
        _op_defs[op] = _messages.OpDef(name=op, attr=[_attr_def(*attr) for attr in parts["attr"]], is_stateful=parts["is_stateful"],
                                       **args)
    return _op_defs[op]


def _value(message):
    """An attribute as Python has it; shapes and tensors stay messages."""
    kind = message.WhichOneof("value")
    if kind is None:
        return []
    if kind == "list":
        filled = [values for name, values in ((name, list(getattr(message.list, name)))
                                              for name in ("s", "i", "f", "b", "type", "shape", "tensor")) if values]
        if not filled:
            return []
        return [_native.as_dtype(item) for item in filled[0]] if message.list.type else filled[0]
    value = getattr(message, kind)
    return _native.as_dtype(value) if kind == "type" else value


def _get_attr(self, name):
    """The value of an attribute; ValueError where there is none of this name."""
    attrs = self.node_def.attr
    if name not in attrs:
        raise ValueError("Operation '%s' has no attr named '%s'." % (self.name, name))
    return _value(attrs[name])


def _set_attr(self, attr_name, attr_value):
    """Sets an attribute to a tf.AttrValue, of an operation that no step has run yet."""
    self._set_attr_message(attr_name, attr_value.SerializeToString())


_native.Operation.op_def = property(lambda self: op_def(self.type))
_native.Operation.get_attr = _get_attr
_native.Operation._set_attr = _set_attr
_native.Operation._id = property(lambda self: self.graph.get_operations().index(self))
_native.Operation._control_inputs = property(lambda self: list(self.control_inputs))
_native.Operation.values = lambda self: tuple(self.outputs)
_native.Operation.colocation_groups = lambda self: (
    list(self.get_attr("_class")) if "_class" in self.node_def.attr else [b"loc:@" + self.name.encode()])
_native.Tensor._op = property(lambda self: self.op)
_native.Tensor._shape = property(lambda self: self.shape)
_native.Tensor._dtype = property(lambda self: self.dtype)
_native.Tensor._value_index = property(lambda self: self.value_index)
