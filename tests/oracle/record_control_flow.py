#!/usr/bin/env python3
"""Records graphs with conditionals and loops, and what real TensorFlow computes with them, as tests/golden/control_flow.json.

Usage: record_control_flow.py
The format is in tests/golden/README.md.
"""

import json
import os

from tensorflow_v1 import GOLDEN, np, tf, write_if_changed


def placeholder(dtype, shape, name):
    return tf.placeholder(dtype, shape, name=name)


def cond_simple():
    p, x = placeholder(tf.bool, [], "p"), placeholder(tf.float32, [2], "x")
    y = tf.cond(p, lambda: x + 1.0, lambda: x * 2.0)
    return [y], [{p: True, x: [1, 2]}, {p: False, x: [1, 2]}]


def cond_of_captures_only():
    p, x, y = placeholder(tf.bool, [], "p"), placeholder(tf.float32, [], "x"), placeholder(tf.float32, [], "y")
    return [tf.cond(p, lambda: x, lambda: y)], [{p: True, x: 1, y: 2}, {p: False, x: 1, y: 2}]


def cond_of_constants():
    p = placeholder(tf.bool, [], "p")
    return [tf.cond(p, lambda: tf.constant([1, 2, 3]), lambda: tf.constant([4]))], [{p: True}, {p: False}]


def cond_with_known_predicate():
    x = placeholder(tf.float32, [3], "x")
    return [tf.cond(tf.constant(True), lambda: x - 1.0, lambda: tf.matmul([[1.0]], [[2.0]])[0])], [{x: [1, 2, 3]}]


def cond_two_outputs():
    p, x = placeholder(tf.bool, [], "p"), placeholder(tf.float32, [None], "x")
    a, b = tf.cond(p, lambda: (x + 1.0, tf.reduce_sum(x)), lambda: (x[:1], tf.constant(7.0)))
    return [a, b, a * b], [{p: True, x: [1, 2]}, {p: False, x: [1, 2]}, {p: False, x: [5, 4, 3]}]


def cond_nested():
    p, q, x = placeholder(tf.bool, [], "p"), placeholder(tf.bool, [], "q"), placeholder(tf.float32, [], "x")
    y = tf.cond(p, lambda: tf.cond(q, lambda: x + 1.0, lambda: x + 2.0), lambda: tf.cond(q, lambda: x * 10.0, lambda: -x))
    return [y, y + x], [{p: a, q: b, x: 3} for a in (True, False) for b in (True, False)]


def cond_nested_on_value_of_branch():
    p, x = placeholder(tf.bool, [], "p"), placeholder(tf.float32, [], "x")

    def inner():
        doubled = x * 2.0
        return tf.cond(doubled > 5.0, lambda: doubled + x, lambda: x - 1.0)

    return [tf.cond(p, inner, lambda: x)], [{p: True, x: 3}, {p: True, x: 2}, {p: False, x: 2}]


def conds_on_one_predicate_in_a_row():
    p, x = placeholder(tf.bool, [], "p"), placeholder(tf.float32, [2], "x")
    y = tf.cond(p, lambda: x + 1.0, lambda: x - 1.0)
    z = tf.cond(p, lambda: y * y, lambda: tf.reverse(y, [0]))
    w = tf.cond(tf.logical_not(p), lambda: z + x, lambda: z * x)
    return [y, z, w], [{p: True, x: [1, 2]}, {p: False, x: [1, 2]}]


def cond_with_updates():
    p = placeholder(tf.bool, [], "p")
    v = tf.Variable(10.0, name="v")
    n = tf.Variable(0, name="n")
    update = tf.cond(p, lambda: tf.assign_add(v, 1.0), lambda: tf.assign_sub(v, 3.0))
    with tf.control_dependencies([update]):
        count = tf.assign_add(n, 1)
    return [count, update], [{p: True}, {p: False}, {p: False}], [tf.global_variables_initializer()]


def cond_reads_variable():
    p = placeholder(tf.bool, [], "p")
    v = tf.Variable([1.0, 2.0], name="v")
    with tf.control_dependencies([tf.cond(p, lambda: tf.assign(v, v * 2.0).op, lambda: tf.no_op())]):
        after = v.read_value()
    with tf.control_dependencies([after]):
        later = tf.cond(p, lambda: v.read_value() + 0.0, lambda: v.read_value() * 100.0)
    return [after, later], [{p: True}, {p: False}], [tf.global_variables_initializer()]


def cond_gradient():
    p, x = placeholder(tf.bool, [], "p"), placeholder(tf.float32, [3], "x")
    y = tf.cond(p, lambda: tf.reduce_sum(x * x), lambda: tf.reduce_sum(tf.exp(x)))
    return [y, tf.gradients(y, x)[0]], [{p: True, x: [1, 2, 3]}, {p: False, x: [0, 1, 2]}]


def case_of_three():
    x = placeholder(tf.int32, [], "x")
    y = tf.case([(x < 1, lambda: tf.constant(17)), (x > 10, lambda: x * 2)], default=lambda: x + 100, exclusive=False)
    return [y], [{x: 0}, {x: 11}, {x: 5}]


def switch_and_merge():
    from tensorflow.python.ops import control_flow_ops

    p, x = placeholder(tf.bool, [], "p"), placeholder(tf.float32, [2], "x")
    off, on = control_flow_ops.switch(x, p)
    merged, index = control_flow_ops.merge([tf.exp(on), tf.negative(off)])
    return [merged, index, tf.shape(merged)], [{p: True, x: [0, 0]}, {p: False, x: [1, 2]}]


def while_counter():
    n = placeholder(tf.int32, [], "n")
    return [tf.while_loop(lambda i: i < n, lambda i: i + 1, [tf.constant(0)])], [{n: 10}, {n: 0}, {n: 1}]


def while_two_variables():
    n, x = placeholder(tf.int32, [], "n"), placeholder(tf.float32, [2], "x")
    i, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * 1.5 + x), [tf.constant(0), x])
    return [i, y, tf.reduce_sum(y)], [{n: 5, x: [1, -1]}, {n: 0, x: [1, -1]}, {n: 2, x: [0.5, 3]}]


def while_swaps():
    n = placeholder(tf.int32, [], "n")
    loop = tf.while_loop(lambda i, a, b: i < n, lambda i, a, b: (i + 1, b, a), [0, tf.constant([1.0]), tf.constant([2.0])])
    return list(loop), [{n: 3}, {n: 4}, {n: 0}]


def while_fibonacci():
    n = placeholder(tf.int64, [], "n")
    zero = tf.constant(0, tf.int64)
    loop = tf.while_loop(lambda i, a, b: i < n, lambda i, a, b: (i + 1, b, a + b), [zero, zero, zero + 1])
    return [loop[1]], [{n: 10}, {n: 50}]


def while_with_matmul():
    m = placeholder(tf.float64, [2, 2], "m")
    _, power = tf.while_loop(lambda i, a: i < 6, lambda i, a: (i + 1, tf.matmul(a, m)), [0, np.eye(2)])
    return [power], [{m: [[1, 1], [1, 0]]}]


def while_growing():
    n = placeholder(tf.int32, [], "n")
    start = tf.constant([1.0])
    _, row = tf.while_loop(lambda i, r: i < n, lambda i, r: (i + 1, tf.concat([r, r * 2.0], 0)), [0, start],
                           shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])])
    return [row, tf.shape(row)], [{n: 0}, {n: 1}, {n: 4}]


def while_nested():
    n = placeholder(tf.int32, [], "n")

    def outer(i, total):
        _, inner = tf.while_loop(lambda j, s: j <= i, lambda j, s: (j + 1, s + j * i), [0, total])
        return i + 1, inner

    return [tf.while_loop(lambda i, t: i < n, outer, [0, 0])[1]], [{n: 4}, {n: 0}, {n: 7}]


def cond_in_while():
    n = placeholder(tf.int32, [], "n")

    def body(i, steps):
        return tf.cond(tf.equal(i % 2, 0), lambda: i // 2, lambda: 3 * i + 1), steps + 1

    return list(tf.while_loop(lambda i, s: i > 1, body, [n, 0])), [{n: 6}, {n: 27}, {n: 1}]


def while_in_cond():
    p, n = placeholder(tf.bool, [], "p"), placeholder(tf.int32, [], "n")
    y = tf.cond(p, lambda: tf.while_loop(lambda i: i * i < n, lambda i: i + 1, [0]), lambda: n)
    return [y], [{p: True, n: 50}, {p: False, n: 50}]


def cond_in_condition():
    n = placeholder(tf.int32, [], "n")

    def going_on(i):
        return tf.cond(i > 5, lambda: i < n, lambda: tf.constant(True))

    return [tf.while_loop(going_on, lambda i: i + 2, [0])], [{n: 3}, {n: 20}]


def while_with_invariant_cond():
    p, x = placeholder(tf.bool, [], "p"), placeholder(tf.float32, [], "x")
    loop = tf.while_loop(lambda i, a: i < 4, lambda i, a: (i + 1, tf.cond(p, lambda: a + x, lambda: a * x)), [0, 1.0])
    return [loop[1]], [{p: True, x: 2}, {p: False, x: 3}]


def while_with_updates():
    v = tf.Variable(1.0, name="v")
    n = placeholder(tf.int32, [], "n")

    def body(i):
        with tf.control_dependencies([tf.assign(v, v * 2.0)]):
            return i + 1

    loop = tf.while_loop(lambda i: i < n, body, [0])
    with tf.control_dependencies([loop]):
        after = v.read_value()
    return [loop, after], [{n: 3}, {n: 2}, {n: 0}], [tf.global_variables_initializer()]


def whiles_in_a_row():
    n = placeholder(tf.int32, [], "n")
    a = tf.while_loop(lambda i: i < n, lambda i: i + 3, [0])
    b = tf.while_loop(lambda i, t: i < a, lambda i, t: (i + 1, t + a), [0, 0])
    return [a, b[0], b[1]], [{n: 7}, {n: 0}]


def while_with_strings():
    n = placeholder(tf.int32, [], "n")
    loop = tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, tf.strings.join([s, "ab"])), [0, ""])
    return [loop[1]], [{n: 0}, {n: 3}]


def while_condition_value_in_body():
    x = placeholder(tf.float32, [], "x")
    loop = tf.while_loop(lambda e, n: e > 0.1, lambda e, n: (tf.abs(e * 0.5), n + 1), [x, 0])
    return list(loop), [{x: 1}, {x: 0.05}]


def dropout_in_cond():
    p, x = placeholder(tf.bool, [], "p"), placeholder(tf.float32, [4], "x")
    y = tf.layers.dropout(x, rate=0.0, training=p)
    return [y], [{p: True, x: [1, 2, 3, 4]}, {p: False, x: [1, 2, 3, 4]}]


def batch_norm_in_cond():
    p, x = placeholder(tf.bool, [], "p"), placeholder(tf.float32, [4, 3], "x")
    y = tf.layers.batch_normalization(x, training=p, momentum=0.5)
    updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
    moved = [v for v in tf.global_variables() if "moving" in v.name]
    with tf.control_dependencies(updates):
        after = [v.read_value() for v in moved]
    feed = np.arange(12, dtype=np.float32).reshape(4, 3)
    return [y] + after, [{p: True, x: feed}, {p: False, x: feed}, {p: True, x: feed + 1}], [tf.global_variables_initializer()]


def while_gradient():
    x = placeholder(tf.float32, [], "x")
    loop = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, x])
    return [loop[1], tf.gradients(loop[1], x)[0]], [{x: 2}, {x: -0.5}]


def while_gradient_of_vector():
    n, w = placeholder(tf.int32, [], "n"), placeholder(tf.float32, [2, 2], "w")
    _, state = tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, tf.tanh(tf.matmul(s, w))), [0, tf.constant([[1.0, -0.5]])])
    return [state, tf.gradients(tf.reduce_sum(state), w)[0]], [{n: 3, w: [[0.5, -0.3], [0.2, 0.8]]}, {n: 0, w: [[1, 0], [0, 1]]}]


def while_nested_gradient():
    x = placeholder(tf.float32, [], "x")

    def outer(i, y):
        return i + 1, tf.while_loop(lambda j, z: j < i, lambda j, z: (j + 1, z * x), [0, y])[1]

    loop = tf.while_loop(lambda i, y: i < 4, outer, [0, x])
    return [loop[1], tf.gradients(loop[1], x)[0]], [{x: 1.5}]


def cond_in_while_gradient():
    x = placeholder(tf.float32, [], "x")

    def body(i, y):
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: y * x, lambda: y + x)

    loop = tf.while_loop(lambda i, y: i < 4, body, [0, x])
    return [loop[1], tf.gradients(loop[1], x)[0]], [{x: 1.5}]


def map_and_scan():
    x = placeholder(tf.float32, [None], "x")
    squares = tf.map_fn(lambda e: e * e, x)
    sums = tf.scan(lambda a, e: a + e, x)
    return [squares, sums, tf.foldl(lambda a, e: a * e, x)], [{x: [1, 2, 3]}, {x: [4]}]


def scan_gradient():
    x = placeholder(tf.float32, [3], "x")
    sums = tf.scan(lambda a, e: a * e, x)
    return [sums, tf.gradients(sums, x)[0]], [{x: [1, 2, 3]}]


def dynamic_rnn_by_hand():
    x = placeholder(tf.float32, [2, None, 3], "x")
    w = tf.constant(np.linspace(-0.5, 0.5, 20, dtype=np.float32).reshape(5, 4)[:, :2])
    time = tf.shape(x)[1]
    steps = tf.TensorArray(tf.float32, time).unstack(tf.transpose(x, [1, 0, 2]))
    outputs = tf.TensorArray(tf.float32, time)

    def body(t, state, out):
        state = tf.tanh(tf.matmul(tf.concat([steps.read(t), state], 1), w))
        return t + 1, state, out.write(t, state)

    _, state, out = tf.while_loop(lambda t, *_: t < time, body, [0, tf.zeros([2, 2]), outputs])
    stacked = out.stack()
    gradient = tf.gradients(tf.reduce_sum(stacked), x)[0]
    feed = np.linspace(-1, 1, 24, dtype=np.float32).reshape(2, 4, 3)
    return [state, stacked, gradient], [{x: feed}, {x: feed[:, :1]}]


PROGRAMS = [value for value in list(globals().values())
            if callable(value) and getattr(value, "__module__", None) == "__main__" and value.__name__ != "placeholder"]


def value_bytes(value, dtype):
    value = np.asarray(value)
    return tf.make_tensor_proto(value, dtype=dtype).SerializeToString().hex()


def record(program, control_flow_v2=False):
    tf.reset_default_graph()
    if control_flow_v2:
        tf.enable_control_flow_v2()
    else:
        tf.disable_control_flow_v2()
    result = program()
    fetches, feeds, initializers = result if len(result) == 3 else (*result, [])
    runs = []
    with tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=1)) as session:
        session.run(initializers)
        for feed in feeds:
            feed = {tensor: np.asarray(value, tensor.dtype.as_numpy_dtype) for tensor, value in feed.items()}
            values = session.run(fetches, feed)
            runs.append({"feeds": {t.name: value_bytes(v, t.dtype) for t, v in feed.items()},
                         "results": [value_bytes(v, t.dtype) for v, t in zip(values, fetches)]})
    return {"graph": tf.get_default_graph().as_graph_def().SerializeToString().hex(),
            "initializers": [op.name for op in initializers],
            "fetches": [tensor.name for tensor in fetches],
            "runs": runs}


def main():
    recorded = {program.__name__: record(program) for program in PROGRAMS}
    path = os.path.join(GOLDEN, "control_flow.json")
    if write_if_changed(path, json.dumps(recorded, indent=1) + "\n"):
        print(path)


if __name__ == "__main__":
    main()
