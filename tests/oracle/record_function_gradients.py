#!/usr/bin/env python3
"""Records graphs that call functions - If, Case, While, PartitionedCall, functions by name - and what real TensorFlow gives for their
gradients where such a graph is imported, as tests/golden/function_gradients.json.

Usage: record_function_gradients.py
A program returns the ys, the xs, what is fed run by run, and perhaps initializers. Its graph is recorded without gradients; results are
those of the ys, of tf.gradients(ys, xs), and of the gradients of the sum of these ("second"), null where there is none.
"""

import json
import os

from record_control_flow import placeholder, value_bytes
from tensorflow_v1 import GOLDEN, np, tf, write_if_changed

from tensorflow.python.framework import function
from tensorflow.python.ops import functional_ops


def if_of_two_kinds():
    p, x = placeholder(tf.bool, [], "p"), placeholder(tf.float32, [3], "x")
    y = tf.cond(p, lambda: tf.exp(x) * x, lambda: tf.sin(x * x))
    return [y], [x], [{p: True, x: [1, 2, 3]}, {p: False, x: [0, 1, -2]}]


def if_of_unknown_shapes():
    p, x = placeholder(tf.bool, [], "p"), placeholder(tf.float32, None, "x")
    y = tf.cond(p, lambda: tf.reduce_mean(tf.tanh(x)), lambda: tf.reduce_sum(tf.reshape(x, [-1]) ** 3.0))
    return [y], [x], [{p: True, x: [[1, 2], [3, 4]]}, {p: False, x: [0.5, 1]}]


def if_with_gradient_of_one_branch():
    p = placeholder(tf.bool, [], "p")
    x, z = placeholder(tf.float32, [2], "x"), placeholder(tf.float32, [2], "z")
    y = tf.cond(p, lambda: x * x, lambda: z + 1.0)
    return [y], [x, z], [{p: True, x: [1, 2], z: [3, 4]}, {p: False, x: [1, 2], z: [3, 4]}]


def if_of_several_results():
    p, x = placeholder(tf.bool, [], "p"), placeholder(tf.float32, [2], "x")
    a, b, n = tf.cond(p, lambda: (tf.exp(x), x * 3.0, tf.constant(1)), lambda: (x, tf.cos(x) * x, tf.constant(2)))
    return [a * tf.cast(n, tf.float32), tf.reduce_sum(b * b)], [x], [{p: True, x: [1, 2]}, {p: False, x: [1, -2]}]


def if_inside_if():
    p, q, x = placeholder(tf.bool, [], "p"), placeholder(tf.bool, [], "q"), placeholder(tf.float32, [], "x")
    y = tf.cond(p, lambda: tf.cond(q, lambda: tf.exp(x) * x, lambda: x * x) * x, lambda: tf.cond(q, lambda: tf.sin(x), lambda: -x))
    return [y], [x], [{p: a, q: b, x: 0.7} for a in (True, False) for b in (True, False)]


def if_with_rows():
    p, x = placeholder(tf.bool, [], "p"), placeholder(tf.float32, [4, 2], "x")
    y = tf.cond(p, lambda: tf.gather(x, [0, 2, 2]) ** 2.0, lambda: tf.gather(x * x, [1, 1, 1]))
    return [y], [x], [{p: a, x: np.arange(8).reshape(4, 2)} for a in (True, False)]


def if_with_variable():
    p = placeholder(tf.bool, [], "p")
    v = tf.get_variable("v", initializer=[1.0, -2.0], use_resource=True)
    y = tf.cond(p, lambda: v * v, lambda: tf.exp(v.read_value()))
    return [y], [v.handle], [{p: True}, {p: False}], [tf.global_variables_initializer()]


def if_of_functions():
    n, x = placeholder(tf.bool, [], "n"), placeholder(tf.float32, [], "x")

    @function.Defun(tf.float32)
    def on(a):
        return tf.sin(a) * a

    @function.Defun(tf.float32)
    def off(a):
        return tf.square(a)

    return [functional_ops.If(n, [x], on, off)[0]], [x], [{n: True, x: 2}, {n: False, x: 2}]


def case_of_three():
    i, x = placeholder(tf.int32, [], "i"), placeholder(tf.float32, [2], "x")
    y = tf.switch_case(i, [lambda: x * x, lambda: tf.exp(x), lambda: tf.constant([1.0, 2.0])])
    return [y], [x], [{i: k, x: [1, 2]} for k in (0, 1, 2, -1, 7)]


def while_of_powers():
    n, x = placeholder(tf.int32, [], "n"), placeholder(tf.float32, [], "x")
    y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * x), [0, x])[1]
    return [y], [x], [{n: 3, x: 2}, {n: 0, x: 2}, {n: 1, x: -0.5}]


def while_of_matrix():
    n, w = placeholder(tf.int32, [], "n"), placeholder(tf.float32, [2, 2], "w")
    s = tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, tf.tanh(tf.matmul(s, w))), [0, tf.constant([[1.0, -0.5]])])[1]
    return [tf.reduce_sum(s * s)], [w], [{n: 3, w: [[0.5, -0.3], [0.2, 0.8]]}, {n: 0, w: [[1, 0], [0, 1]]}]


def while_that_swaps():
    n, x = placeholder(tf.int32, [], "n"), placeholder(tf.float32, [2], "x")
    _, a, b, c = tf.while_loop(lambda i, a, b, c: i < n, lambda i, a, b, c: (i + 1, b * c, a, c + 1.0), [0, x, tf.exp(x), x * 0.5])
    return [a, b], [x], [{n: k, x: [0.5, -1]} for k in (0, 1, 4)]


def while_with_unused_start():
    n, x, z = placeholder(tf.int32, [], "n"), placeholder(tf.float32, [], "x"), placeholder(tf.float32, [], "z")
    y = tf.while_loop(lambda i, y, t: i < n, lambda i, y, t: (i + 1, y * x, x + 1.0), [0, x, z])[1]
    return [y], [x, z], [{n: 2, x: 2, z: 5}]


def while_inside_while():
    x = placeholder(tf.float32, [], "x")

    def outer(i, y):
        return i + 1, tf.while_loop(lambda j, z: j < i, lambda j, z: (j + 1, tf.sin(z * x)), [0, y])[1]

    return [tf.while_loop(lambda i, y: i < 4, outer, [0, x])[1]], [x], [{x: 1.5}]


def if_inside_while():
    x = placeholder(tf.float32, [], "x")

    def body(i, y):
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: tf.exp(y * 0.1) * x, lambda: y + x * y)

    return [tf.while_loop(lambda i, y: i < 4, body, [0, x])[1]], [x], [{x: 1.5}]


def while_inside_if():
    p, x = placeholder(tf.bool, [], "p"), placeholder(tf.float32, [2], "x")

    def loop():
        return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * y * x), [0, x])[1]

    return [tf.cond(p, loop, lambda: x * 2.0)], [x], [{p: True, x: [0.5, 1.1]}, {p: False, x: [0.5, 1.1]}]


def while_with_variable():
    n = placeholder(tf.int32, [], "n")
    v = tf.get_variable("v", initializer=[0.5, 2.0], use_resource=True)
    y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * v), [0, tf.constant([1.0, -1.0])])[1]
    return [y], [v.handle], [{n: 3}, {n: 0}], [tf.global_variables_initializer()]


def while_over_a_list():
    x = placeholder(tf.float32, [None], "x")
    return [tf.map_fn(lambda e: tf.sin(e) * e, x)], [x], [{x: [1, 2, 3]}, {x: [4]}]


def function_called():
    x = placeholder(tf.float32, [2], "x")

    @tf.function
    def f(a):
        return tf.exp(a) * a, tf.reduce_sum(a)

    y, total = f(x)
    return [y * total], [x], [{x: [0.5, -1]}]


def functions_by_name():
    @function.Defun(tf.float32, tf.float32)
    def f(a, b):
        return a * tf.sin(b), tf.exp(a)

    x = placeholder(tf.float32, [2], "x")
    d, m = f(x, x + 1.0)
    d2, _ = f(m, d)
    return [d, m, d2], [x], [{x: [1, 2]}]


def two_calls_of_one_chain():
    p, x = placeholder(tf.bool, [], "p"), placeholder(tf.float32, [2], "x")
    y = tf.cond(p, lambda: tf.exp(x), lambda: x * x)
    z = tf.cond(p, lambda: tf.sin(y) * x, lambda: y * y * y)
    return [z, y], [x, y], [{p: True, x: [0.5, -1]}, {p: False, x: [0.5, -1]}]


WITHOUT_SECOND = ("function_called", "functions_by_name")  # TensorFlow cannot differentiate a SymbolicGradient
PROGRAMS = [value for value in list(globals().values())
            if callable(value) and getattr(value, "__module__", None) == "__main__" and value.__name__ != "placeholder"]


def gradients(ys, xs):
    return [g if g is None else tf.convert_to_tensor(g) for g in tf.gradients(ys, xs)]


def record(program):
    tf.reset_default_graph()
    tf.enable_control_flow_v2()
    result = program()
    ys, xs, feeds, initializers = result if len(result) == 4 else (*result, [])
    names = {"ys": [y.name for y in ys], "xs": [x.name for x in xs], "initializers": [op.name for op in initializers]}
    feeds = [{tensor.name: np.asarray(value, tensor.dtype.as_numpy_dtype) for tensor, value in feed.items()} for feed in feeds]
    message = tf.get_default_graph().as_graph_def()
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(message, name="")
        ys, xs = [[graph.get_tensor_by_name(name) for name in names[key]] for key in ("ys", "xs")]
        first = gradients(ys, xs)
        second = []
        if program.__name__ not in WITHOUT_SECOND:
            second = gradients([g for g in first if g is not None], xs)
        runs = []
        with tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=1)) as session:
            session.run(names["initializers"])
            for feed in feeds:
                run = {"feeds": {name: value_bytes(value, graph.get_tensor_by_name(name).dtype) for name, value in feed.items()}}
                for key, tensors in (("ys", ys), ("first", first), ("second", second)):
                    run[key] = [None if t is None else value_bytes(session.run(t, feed), t.dtype) for t in tensors]
                runs.append(run)
    return {"graph": message.SerializeToString().hex(), **names, "runs": runs}


def main():
    recorded = {}
    for program in PROGRAMS:
        try:
            recorded[program.__name__] = record(program)
        except Exception as error:
            raise RuntimeError(program.__name__) from error
    path = os.path.join(GOLDEN, "function_gradients.json")
    if write_if_changed(path, json.dumps(recorded, indent=1) + "\n"):
        print(path)


if __name__ == "__main__":
    main()
