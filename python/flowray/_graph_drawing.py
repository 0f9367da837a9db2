"""A drawing of a graph: boxes in layers, from what is fed down to what is fetched."""

import html

_MOST_BOXES = 60
_WIDTH, _HEIGHT, _GAP_X, _GAP_Y = 150, 34, 14, 36
_COLOURS = {"Placeholder": "#dbe9f6", "Const": "#eeeeee", "VariableV2": "#fde5c8", "VarHandleOp": "#fde5c8"}


def _depth_for(names):
    """How many parts of the names tell boxes apart, such that these are not too many."""
    for depth in range(max((name.count("/") for name in names), default=0) + 1, 1, -1):
        if len({tuple(name.split("/")[:depth]) for name in names}) <= _MOST_BOXES:
            return depth
    return 1


class _Boxes:
    """Operations by the beginning of their names; which box gets something from which."""

    def __init__(self, operations):
        depth = _depth_for([operation.name for operation in operations])
        self.operations, self.sources, self.layers = {}, {}, {}
        for operation in operations:
            name = "/".join(operation.name.split("/")[:depth])
            self.operations.setdefault(name, []).append(operation)
            sources = self.sources.setdefault(name, {})
            layer = self.layers.setdefault(name, 0)
            for source in [*(tensor.op for tensor in operation.inputs), *operation.control_inputs]:
                other = "/".join(source.name.split("/")[:depth])
                if other == name or other not in self.layers:
                    continue
                sources[other] = True
                layer = max(layer, self.layers[other] + 1)
            self.layers[name] = layer

    def in_layers(self):
        """The names, layer by layer, each under those that it gets something from."""
        rows = [[] for _ in range(max(self.layers.values(), default=-1) + 1)]
        for name, layer in self.layers.items():
            rows[layer].append(name)
        place = {}
        for row in rows:
            row.sort(key=lambda name: _mean([place[source] for source in self.sources[name] if source in place]))
            place.update({name: (i + 0.5) / len(row) for i, name in enumerate(row)})
        return [row for row in rows if row]


def _mean(numbers):
    return sum(numbers) / len(numbers) if numbers else 0.5


def _box(name, operations, x, y):
    only = operations[0] if len(operations) == 1 else None
    below = only.type if only is not None else "%d operations" % len(operations)
    colour = _COLOURS.get(only.type if only is not None else None, "#ffffff")
    tip = name if only is None else "%s = %s(%s)" % (name, only.type, ", ".join(tensor.name for tensor in only.inputs))
    shown = name if len(name) <= 22 else "..." + name[-20:]
    return ('<g><title>%s</title><rect x="%d" y="%d" width="%d" height="%d" rx="5" fill="%s" stroke="#555"/>'
            '<text x="%d" y="%d" text-anchor="middle">%s</text>'
            '<text x="%d" y="%d" text-anchor="middle" fill="#777" font-size="9">%s</text></g>'
            % (html.escape(tip), x, y, _WIDTH, _HEIGHT, colour, x + _WIDTH // 2, y + 15, html.escape(shown),
               x + _WIDTH // 2, y + 28, html.escape(below)))


def _line(start, end):
    (x1, y1), (x2, y2) = start, end
    middle = (y1 + y2) // 2
    return '<path d="M%d,%d C%d,%d %d,%d %d,%d" fill="none" stroke="#999"/>' % (x1, y1, x1, middle, x2, middle, x2, y2)


def drawn(graph):
    """The SVG of a tf.Graph."""
    boxes = _Boxes(graph.get_operations())
    rows = boxes.in_layers()
    widest = max((len(row) for row in rows), default=1)
    width = widest * (_WIDTH + _GAP_X) + _GAP_X
    height = len(rows) * (_HEIGHT + _GAP_Y) + _GAP_X
    at = {}
    for layer, row in enumerate(rows):
        left = (width - len(row) * (_WIDTH + _GAP_X) + _GAP_X) // 2
        at.update({name: (left + i * (_WIDTH + _GAP_X), _GAP_X + layer * (_HEIGHT + _GAP_Y)) for i, name in enumerate(row)})
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="11">' % (width, height)]
    for name, sources in boxes.sources.items():
        parts += [_line((at[source][0] + _WIDTH // 2, at[source][1] + _HEIGHT), (at[name][0] + _WIDTH // 2, at[name][1]))
                  for source in sources]
    parts += [_box(name, boxes.operations[name], *at[name]) for name in at]
    return "\n".join([*parts, "</svg>"])
