"""What notebooks show: graphs and curves as drawings, arrays as tables and pictures.

    %load_ext flowray                                   # arrays are shown with their shape, and as pictures where they are some
    graph                                               # a tf.Graph is drawn; so are references and actors, as a line
    flowray.display.curves({"loss": losses})            # a line for each list of numbers
    flowray.display.images(digits[:20])                 # pictures side by side

Nothing else is needed: drawings are SVG and pictures PNG, written here.
"""

import base64
import html
import struct
import zlib

from flowray._graph_drawing import drawn as _drawn

__all__ = ["Drawing", "Picture", "curves", "graph", "images"]

_COLOURS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#7f7f7f")


class Drawing:
    """An SVG."""

    def __init__(self, svg):
        self.svg = svg

    def _repr_svg_(self):
        return self.svg

    def __repr__(self):
        return "<a drawing of %d bytes>" % len(self.svg)


class Picture:
    """A PNG."""

    def __init__(self, png):
        self.png = png

    def _repr_png_(self):
        return self.png

    def __repr__(self):
        return "<a picture of %d bytes>" % len(self.png)


def graph(graph):
    """A tf.Graph as a Drawing: its operations, or, where they are many, their name scopes, and what goes from one to another."""
    return Drawing(_drawn(graph))


def _bounds(lines):
    numbers = [y for ys in lines.values() for y in ys if y == y]
    low, high = min(numbers, default=0.0), max(numbers, default=1.0)
    return (low, high) if high > low else (low - 0.5, high + 0.5)


def curves(lines, width=560, height=280):
    """A Drawing of {name: numbers}: each a line over 0, 1, 2, ... in a colour of its own. NaNs are left out."""
    lines = {str(name): [float(y) for y in ys] for name, ys in lines.items()}
    low, high = _bounds(lines)
    most = max((len(ys) for ys in lines.values()), default=1)
    left, top, right, bottom = 60, 10, width - 10, height - 30

    def place(i, y):
        return "%.1f,%.1f" % (left + (right - left) * i / max(most - 1, 1), bottom - (bottom - top) * (y - low) / (high - low))

    parts = ['<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">' % (width, height),
             '<path d="M%d,%d V%d H%d" fill="none" stroke="#888"/>' % (left, top, bottom, right),
             '<text x="%d" y="%d" text-anchor="end">%.4g</text>' % (left - 5, top + 10, high),
             '<text x="%d" y="%d" text-anchor="end">%.4g</text>' % (left - 5, bottom, low),
             '<text x="%d" y="%d" text-anchor="end">%d</text>' % (right, height - 10, most - 1)]
    for number, (name, ys) in enumerate(lines.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        points = " ".join(place(i, y) for i, y in enumerate(ys) if y == y)
        parts.append('<polyline points="%s" fill="none" stroke="%s" stroke-width="1.5"/>' % (points, colour))
        parts.append('<text x="%d" y="%d" fill="%s">%s</text>' % (left + 10 + 120 * number, height - 10, colour, html.escape(name)))
    return Drawing("\n".join([*parts, "</svg>"]))


def _chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _png(pixels):
    """Of an array of uint8 [height, width] or [height, width, 3]."""
    height, width = pixels.shape[:2]
    head = struct.pack(">IIBBBBB", width, height, 8, 0 if pixels.ndim == 2 else 2, 0, 0, 0)
    rows = b"".join(b"\0" + pixels[i].tobytes() for i in range(height))
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(rows)) + _chunk(b"IEND", b"")


def _pixels(array):
    """As uint8: numbers of bytes as they are, others from their least, black, to their greatest, white."""
    import numpy as np
    if array.dtype == np.uint8:
        return array
    array = np.nan_to_num(np.asarray(array, np.float64))
    low, high = (array.min(), array.max()) if array.size else (0.0, 1.0)
    return np.round((array - low) * (255.0 / ((high - low) or 1.0))).astype(np.uint8)


def images(array, columns=10, scale=2):
    """A Picture of images [number, height, width], with 1 or 3 channels behind or none, in rows of `columns`; rows of squares, as MNIST's
    784 numbers, are images, too.

    Args:
        scale: how many points of the screen a pixel is wide.
    """
    import numpy as np
    array = np.asarray(array)
    if array.ndim == 2 and int(array.shape[1] ** 0.5) ** 2 == array.shape[1]:
        side = int(array.shape[1] ** 0.5)
        array = array.reshape(-1, side, side)
    if array.ndim == 4 and array.shape[3] == 1:
        array = array[:, :, :, 0]
    if array.ndim not in (3, 4) or array.ndim == 4 and array.shape[3] != 3 or not array.size:
        raise ValueError("images() shows arrays [number, height, width], [number, height, width, 1 or 3] or [number, side * side]. Given: %s"
                         % (array.shape,))
    pixels = _pixels(array)
    number, height, width = pixels.shape[:3]
    rows = -(-number // columns)
    sheet = np.full((rows * (height + 1), min(number, columns) * (width + 1), *pixels.shape[3:]), 255, np.uint8)
    for i in range(number):
        y, x = i // columns * (height + 1), i % columns * (width + 1)
        sheet[y:y + height, x:x + width] = pixels[i]
    return Picture(_png(sheet.repeat(scale, 0).repeat(scale, 1)))


def _shown_as_image(array):
    return array.ndim == 2 and array.dtype.kind in "fu" and min(array.shape) >= 8 and max(array.shape) <= 1024


def _array_as_html(array):
    """What %load_ext flowray shows of an array: what it is, and what is in it."""
    import numpy as np
    text = html.escape(np.array2string(array, threshold=60, edgeitems=3, precision=4))
    head = "array %s of %s, %s bytes" % (list(array.shape), html.escape(str(array.dtype)), format(array.nbytes, ","))
    if _shown_as_image(array):
        scale = max(1, 160 // max(array.shape))
        png = _png(_pixels(array).repeat(scale, 0).repeat(scale, 1))
        return "<div>%s<br/><img src='data:image/png;base64,%s'/></div>" % (head, base64.b64encode(png).decode())
    return "<div>%s<pre>%s</pre></div>" % (head, text)


def show_arrays(ipython):
    """For %load_ext flowray."""
    formatter = ipython.display_formatter.formatters["text/html"]
    formatter.for_type_by_name("numpy", "ndarray", _array_as_html)


def hide_arrays(ipython):
    """For %unload_ext flowray."""
    import numpy as np
    ipython.display_formatter.formatters["text/html"].pop(np.ndarray, None)
