"""Tables of a model's layers that are wider or say more than what summary() prints without arguments."""

import re as _re

from flowray import _native
from flowray.tf.keras import _configs

_ENDS = ("),", "},", "],", "',")  # where a cell that is too long is broken, if it has one of them


class _Table:
    """Rows whose columns end at `positions`."""

    def __init__(self, width, positions):
        self.width, self.positions, self.lines = width, positions, []

    def rule(self, mark):
        self.lines.append(mark * self.width)

    def framed(self, level, mark, inner):
        """A line between the bars of the models around it."""
        self.lines.append("|" * level + mark * (self.width - 2 * inner) + "|" * level)

    def row(self, cells, level=0):
        rest = [str(cell) for cell in cells]
        while any(rest):
            line = "|" * level + " "
            for column, end in enumerate(self.positions[:len(rest)]):
                taken = self._cut(rest[column], column, level)
                line += rest[column][:taken]
                rest[column] = rest[column][taken:]
                is_last = column == len(self.positions) - 1
                line = line.ljust(end - (level if is_last else 0))
            self.lines.append(line + "|" * level)

    def _cut(self, cell, column, level):
        begin = self.positions[column - 1] if column else 0
        room = self.positions[column] - begin
        if column != len(self.positions) - 1:
            room -= 3
        part = cell[:room - (level if column == 0 else 0)]
        return min([part.find(end) + len(end) for end in _ENDS if end in part] or [len(part)])


def _range_of(layers, layer_range):
    """(first, one behind the last) of the layers that a table is about."""
    if layer_range is None:
        return 0, len(layers)
    if len(layer_range) != 2:
        raise ValueError("layer_range must be a list or tuple of length 2. Received: layer_range = %s of length %d" % (layer_range, len(layer_range)))
    if not all(isinstance(name, str) for name in layer_range):
        raise ValueError("layer_range should contain string type only. Received: %s" % (layer_range,))
    first, last = ([i for i, layer in enumerate(layers) if _re.match(name, layer.name)] for name in layer_range)
    if not first or not last:
        raise ValueError("Passed layer_names do not match the layer names in the model. Received: %s" % (layer_range,))
    return (min(last), max(first) + 1) if min(first) > max(last) else (min(first), max(last) + 1)


def _shape_of(layer, model):
    if isinstance(layer, _native.keras.InputLayer):
        return [tuple(layer._batch_input_shape.as_list())]
    if model._is_deferred:
        return "multiple"
    try:
        return layer.output_shape
    except AttributeError:
        return "multiple"


def _connections(model):
    """{name of a layer: where its inputs come from}"""
    found = {}
    for (name, _), (_, _, _, inputs, _, _, _) in sorted(_configs._calls_of(model).items()):
        for tensor in inputs or ():
            layer, number, index = tensor._history[:3]
            found.setdefault(name, []).append("%s[%d][%d]" % (layer.name, number, index))
    return found


def table(model, plain, line_length, positions, expand_nested, show_trainable, layer_range):
    """`plain`: what the table without arguments says, whose last lines it has, too."""
    plain = plain.splitlines()
    is_chain = "Connected to" not in plain[2]
    width = line_length or (65 if is_chain else 98)
    positions = list(positions or ((0.45, 0.85, 1.0) if is_chain else (0.3, 0.6, 0.7, 1.0)))
    if positions[-1] <= 1:
        positions = [int(width * part) for part in positions]
    head = ["Layer (type)", "Output Shape", "Param #"] + ([] if is_chain else ["Connected to"])
    if show_trainable:
        width += 11
        positions.append(width)
        head.append("Trainable")
    made = _Table(width, positions)
    made.lines.append(plain[0])
    made.rule("_")
    made.row(head)
    made.rule("=")
    connections = {} if is_chain else _connections(model)

    def add(layer, owner, level=0, is_last=False):
        cells = ["%s (%s)" % (layer.name, _configs.class_name_of(layer)), _shape_of(layer, owner), layer.count_params()]
        cells += [] if is_chain else [connections.get(layer.name, [])]
        made.row(cells + (["Y" if layer.trainable else "N"] if show_trainable else []), level)
        inner = list(getattr(layer, "layers", None) or ()) if expand_nested else []
        if inner:
            made.framed(level + 1, "¯", level + 1)
            for number, one in enumerate(inner):
                add(one, layer, level + 1, number == len(inner) - 1)
            made.framed(level, "¯", level)
        elif not is_last:
            made.framed(level, " ", level)

    first, end = _range_of(model.layers, layer_range)
    for layer in model.layers[first:end]:
        add(layer, model)
    made.rule("=")
    made.lines += plain[-4:-1]
    made.rule("_")
    return "\n".join(made.lines) + "\n"
