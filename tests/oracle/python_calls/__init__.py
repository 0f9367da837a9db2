"""Calls of TensorFlow 1's functions, as text: what record_python_calls.py records the graphs of, and what record_python_names.py learns
functions of one op from. Each module has CALLS, a call a line; names in them that are not `tf` are ARGUMENTS.

The first call of a function has a tensor for each argument that may be one and another value than the default for the rest, so that
record_python_names.py can tell which argument is what.
"""

import ast

# Name: dtype, shape, and what stands for it where the call is made of Python's own values (None: nothing does).
ARGUMENTS = {
    "f": ("float32", [3], [0.25, 0.5, -0.75]),
    "g": ("float32", [3], [1.5, 2.0, 3.0]),
    "d": ("float64", [3], None),
    "h": ("float16", [3], None),
    "scalar": ("float32", [], 0.5),
    "other_scalar": ("float32", [], 2.5),
    "third_scalar": ("float32", [], 1.25),
    "m": ("float32", [3, 3], [[1.0, 0.0, 0.5], [0.0, 2.0, 0.0], [0.5, 0.0, 3.0]]),
    "n": ("float32", [3, 3], [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]),
    "cube": ("float32", [2, 3, 3], None),
    "unknown": ("float32", None, None),
    "other_unknown": ("float32", None, None),
    "unknown_waves": ("complex64", [None, None], None),
    "unknown_words": ("string", None, None),
    "waves": ("complex64", [3, 4], None),
    "sizes": ("int32", [2], None),
    "c": ("complex64", [3], None),
    "i": ("int32", [3], [2, 0, 1]),
    "j": ("int32", [3], [1, 1, 2]),
    "k": ("int32", [], 2),
    "other_k": ("int32", [], 1),
    "vector": ("int32", [1], [5]),
    "pair": ("int32", [2], [2, 3]),
    "column": ("int32", [3, 1], [[0], [1], [2]]),
    "paddings": ("int32", [2, 2], [[1, 1], [0, 0]]),
    "l": ("int64", [3], [2, 0, 1]),
    "column64": ("int64", [3, 1], [[0], [1], [2]]),
    "k64": ("int64", [], 2),
    "seeds": ("int32", [2], [1, 2]),
    "t": ("string", [3], ["a", "b c", "1.5"]),
    "word": ("string", [], "a"),
    "other_word": ("string", [], "b"),
    "pattern": ("string", [], "a+"),
    "rewrite": ("string", [], "b"),
    "logits": ("float32", [2, 3], [[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]]),
    "images": ("float32", [1, 4, 4, 3], None),
    "batches": ("float32", [4, 4, 4, 3], None),
    "volumes": ("float32", [1, 4, 4, 4, 3], None),
    "signals": ("float32", [1, 8, 3], None),
    "filters": ("float32", [2, 2, 3], None),
    "kernel": ("float32", [2, 2, 3, 4], None),
    "kernel3d": ("float32", [2, 2, 2, 3, 4], None),
    "depths": ("float32", [3], [0.5, 1.0, 2.0]),
    "shifts": ("float32", [3], [0.0, 1.0, 2.0]),
    "means": ("float32", [3], [0.5, 0.25, 0.125]),
    "variances": ("float32", [3], [1.0, 1.5, 2.5]),
    "pixels": ("uint8", [4, 4, 3], None),
    "boxes": ("float32", [2, 4], [[0.0, 0.0, 1.0, 1.0], [0.0, 0.25, 0.5, 1.0]]),
    "image_boxes": ("float32", [1, 2, 4], [[[0.0, 0.0, 1.0, 1.0], [0.0, 0.25, 0.5, 1.0]]]),
    "colors": ("float32", [2, 3], [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]),
    "scores": ("float32", [2], [0.5, 0.75]),
    "overlaps": ("float32", [2, 2], [[1.0, 0.5], [0.5, 1.0]]),
    "threshold": ("float32", [], 0.4),
    "score_threshold": ("float32", [], 0.1),
    "classes": ("int64", [2, 1], [[1], [2]]),
    "candidates": ("int64", [3], [1, 2, 3]),
    "size": ("int32", [2], [3, 3]),
    "sizes4": ("int32", [4], [2, 2, 3, 4]),
    "image_size": ("int32", [3], [4, 4, 3]),
    "image_sizes": ("int32", [4], [1, 4, 4, 3]),
    "out": ("float32", [1, 4, 4, 4], None),
    "serialized": ("string", [2], None),
    "ragged_splits": ("int64", [3], [0, 1, 3]),
    "offsets": ("float32", [1, 2], [[0.0, 0.5]]),
}
# Variables stand for themselves: name, initial value.
VARIABLES = {
    "variable": [1.0, 2.0, 3.0],
    "matrix_variable": [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]],
    "counter": 0,
}


# TensorFlow 2.21 hands the names of these ops' nodes on as another attribute, which no kernel knows; ours are the nodes' names.
WITH_LOST_NAMES = ("scatter_nd_update", "scatter_nd_add", "scatter_nd_sub")


def calls():
    """(module, call) in order."""
    import importlib
    import pkgutil
    for module in sorted(info.name for info in pkgutil.iter_modules(__path__)):
        for line in importlib.import_module(__name__ + "." + module).CALLS.strip().splitlines():
            if line.strip() and not line.startswith("#"):
                yield module, line.strip()


def endpoint(call):
    """tf.math.erfinv(...): math.erfinv."""
    return call[len("tf."):call.index("(")]


def arguments_of(call):
    """The names of ARGUMENTS and VARIABLES in a call, in the order of their first use."""
    names = [node.id for node in ast.walk(ast.parse(call)) if isinstance(node, ast.Name)]
    return [name for name in dict.fromkeys(names) if name in ARGUMENTS or name in VARIABLES]


def with_name(call):
    return call[:-1] + ", name='given')"


def make_arguments(tf, call, literal=False):
    """What the names in a call are: in the default graph, or Python's own values where there are."""
    made = {}
    for name in arguments_of(call):
        if name in VARIABLES:
            made[name] = tf.Variable(VARIABLES[name], name=name, dtype=tf.int32 if VARIABLES[name] == 0 else tf.float32)
            continue
        dtype, shape, value = ARGUMENTS[name]
        made[name] = value if literal and value is not None else tf.placeholder(dtype, shape, name=name)
    return made


def has_literals(call):
    return any(ARGUMENTS[name][2] is not None for name in arguments_of(call) if name in ARGUMENTS)
