#!/usr/bin/env python3
"""Records graphs that call functions - control flow of version 2, tf.function, Defun - and what real TensorFlow computes with
them, as tests/golden/functions.json.

Usage: record_functions.py
The format is that of control_flow.json, see tests/golden/README.md.
"""

import json
import os

from record_control_flow import placeholder, record
from tensorflow_v1 import GOLDEN, np, tf, write_if_changed

from tensorflow.python.framework import function
from tensorflow.python.ops import functional_ops, gen_resource_variable_ops, list_ops


def cond_simple():
    p, x = placeholder(tf.bool, [], "p"), placeholder(tf.float32, [2], "x")
    y = tf.cond(p, lambda: x + 1.0, lambda: x * 2.0)
    return [y, y * x], [{p: True, x: [1, 2]}, {p: False, x: [1, 2]}]


def cond_of_captures_only():
    p, x, y = placeholder(tf.bool, [], "p"), placeholder(tf.float32, [], "x"), placeholder(tf.float32, [], "y")
    return [tf.cond(p, lambda: x, lambda: y)], [{p: True, x: 1, y: 2}, {p: False, x: 1, y: 2}]


def cond_two_outputs_of_other_shapes():
    p, x = placeholder(tf.bool, [], "p"), placeholder(tf.float32, [None], "x")
    a, b = tf.cond(p, lambda: (x + 1.0, tf.reduce_sum(x)), lambda: (x[:1], tf.constant(7.0)))
    return [a, b, a * b], [{p: True, x: [1, 2]}, {p: False, x: [1, 2]}, {p: False, x: [5, 4, 3]}]


def cond_with_known_predicate():
    x = placeholder(tf.float32, [3], "x")
    return [tf.cond(tf.constant(True), lambda: x - 1.0, lambda: tf.exp(x))], [{x: [1, 2, 3]}]


def cond_nested():
    p, q, x = placeholder(tf.bool, [], "p"), placeholder(tf.bool, [], "q"), placeholder(tf.float32, [], "x")
    y = tf.cond(p, lambda: tf.cond(q, lambda: x + 1.0, lambda: x + 2.0), lambda: tf.cond(q, lambda: x * 10.0, lambda: -x))
    return [y, y + x], [{p: a, q: b, x: 3} for a in (True, False) for b in (True, False)]


def cond_with_resource_variables():
    p = placeholder(tf.bool, [], "p")
    v = tf.get_variable("v", initializer=10.0, use_resource=True)
    n = tf.get_variable("n", initializer=0, use_resource=True)
    update = tf.cond(p, lambda: tf.identity(v.assign_add(1.0)), lambda: tf.identity(v.assign_sub(3.0)))
    with tf.control_dependencies([update]):
        count = tf.identity(n.assign_add(1))
    return [count, update], [{p: True}, {p: False}, {p: False}], [tf.global_variables_initializer()]


def cond_updates_that_nobody_reads():
    p = placeholder(tf.bool, [], "p")
    v = tf.get_variable("v", initializer=[1.0, 2.0], use_resource=True)

    def update():
        v.assign_add([1.0, 1.0])
        return tf.constant(1)

    with tf.control_dependencies([v.read_value()]):
        before = v.read_value()  # nothing in the graph orders the update before anything
    with tf.control_dependencies([before]):
        done = tf.cond(p, update, lambda: tf.constant(2))
    return [before, done], [{p: True}, {p: False}, {p: True}], [tf.global_variables_initializer()]


def cond_gradient():
    p, x = placeholder(tf.bool, [], "p"), placeholder(tf.float32, [3], "x")
    y = tf.cond(p, lambda: tf.reduce_sum(x * x), lambda: tf.reduce_sum(tf.exp(x)))
    return [y, tf.gradients(y, x)[0]], [{p: True, x: [1, 2, 3]}, {p: False, x: [0, 1, 2]}]


def defun_pair(value_of_true, value_of_false):
    @function.Defun(tf.float32)
    def on(x):
        return x + value_of_true

    @function.Defun(tf.float32)
    def off(x):
        return x + value_of_false

    return on, off


def if_by(dtype, shape, values):
    p, x = placeholder(dtype, shape, "p"), placeholder(tf.float32, [], "x")
    on, off = defun_pair(100.0, 200.0)
    return [functional_ops.If(p, [x], on, off)[0]], [{p: value, x: 1} for value in values]


def if_by_int():
    return if_by(tf.int32, [], [0, 7, -1])


def if_by_float():
    return if_by(tf.float32, [], [0.0, -0.0, 0.5, float("nan")])


def if_by_string():
    return if_by(tf.string, [], [b"", b"0"])


def if_by_vector():
    return if_by(tf.float32, [None], [np.zeros([0]), [0.0], [1.0, 2.0]])


def if_by_scalar_or_vector():
    return if_by(tf.bool, None, [False, True, [False], np.zeros([0])])


def while_by_number():
    n = placeholder(tf.int32, [], "n")

    @function.Defun(tf.int32, tf.float32)
    def condition(i, x):
        return i

    @function.Defun(tf.int32, tf.float32)
    def body(i, x):
        return i - 1, x * 2.0

    return list(functional_ops.While([n, 1.5], condition, body)), [{n: 3}, {n: 0}]


def switch_case():
    i, x = placeholder(tf.int32, [], "i"), placeholder(tf.float32, [2], "x")
    y = tf.switch_case(i, [lambda: x, lambda: x * 2.0, lambda: tf.exp(x), lambda: -x])
    return [y, y + 1.0], [{i: k, x: [1, 2]} for k in (0, 1, 2, 3, 4, -1, 100)]


def switch_case_of_one_and_two():
    i, x = placeholder(tf.int32, [], "i"), placeholder(tf.float32, [2], "x")
    one = tf.switch_case(i, [lambda: x + 1.0])
    two = tf.switch_case(i, [lambda: (x * 2.0, x), lambda: (x, x * 3.0)])
    return [one, two[1]], [{i: k, x: [1, 2]} for k in (0, 1, 2, -1)]


def switch_case_nested():
    i, j, x = placeholder(tf.int32, [], "i"), placeholder(tf.int32, [], "j"), placeholder(tf.float32, [], "x")

    def inner():
        return tf.switch_case(j, [lambda: x + 1.0, lambda: x + 2.0, lambda: x + 3.0])

    y = tf.switch_case(i, [inner, lambda: x * 10.0, lambda: inner() * 100.0])
    return [y], [{i: a, j: b, x: 0.5} for a in (0, 1, 2) for b in (0, 1, 2)]


def while_counter():
    n = placeholder(tf.int32, [], "n")
    return [tf.while_loop(lambda i: i < n, lambda i: i + 1, [tf.constant(0)])], [{n: 10}, {n: 0}, {n: 1}]


def while_two_variables():
    n, x = placeholder(tf.int32, [], "n"), placeholder(tf.float32, [2], "x")
    i, y = tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * 1.5 + x), [tf.constant(0), x])
    return [i, y, tf.reduce_sum(y)], [{n: 5, x: [1, -1]}, {n: 0, x: [1, -1]}, {n: 2, x: [0.5, 3]}]


def while_one_of_two_outputs():
    n, x = placeholder(tf.int32, [], "n"), placeholder(tf.float32, [2], "x")
    loop = tf.while_loop(lambda i, y, z: i < n, lambda i, y, z: (i + 1, y + z, z * 2.0), [tf.constant(0), x, x])
    return [loop[1]], [{n: 5, x: [1, -1]}, {n: 0, x: [1, -1]}]


def while_swaps():
    n = placeholder(tf.int32, [], "n")
    loop = tf.while_loop(lambda i, a, b: i < n, lambda i, a, b: (i + 1, b, a), [0, tf.constant([1.0]), tf.constant([2.0])])
    return list(loop), [{n: 3}, {n: 4}, {n: 0}]


def while_growing():
    n = placeholder(tf.int32, [], "n")
    _, row = tf.while_loop(lambda i, r: i < n, lambda i, r: (i + 1, tf.concat([r, r * 2.0], 0)), [0, tf.constant([1.0])],
                           shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])])
    return [row, tf.shape(row)], [{n: 0}, {n: 1}, {n: 4}]


def while_nested():
    n = placeholder(tf.int32, [], "n")

    def outer(i, total):
        _, inner = tf.while_loop(lambda j, s: j <= i, lambda j, s: (j + 1, s + j * i), [0, total])
        return i + 1, inner

    return [tf.while_loop(lambda i, t: i < n, outer, [0, 0])[1]], [{n: 4}, {n: 0}, {n: 7}]


def cond_in_while_in_cond():
    p, n = placeholder(tf.bool, [], "p"), placeholder(tf.int32, [], "n")

    def collatz():
        def body(i, steps):
            return tf.cond(tf.equal(i % 2, 0), lambda: i // 2, lambda: 3 * i + 1), steps + 1

        return tf.while_loop(lambda i, s: i > 1, body, [n, 0])[1]

    return [tf.cond(p, collatz, lambda: n)], [{p: True, n: 6}, {p: True, n: 27}, {p: False, n: 27}, {p: True, n: 1}]


def while_with_resource_variable():
    v = tf.get_variable("v", initializer=1.0, use_resource=True)
    n = placeholder(tf.int32, [], "n")

    def body(i):
        v.assign(v * 2.0)
        return i + 1

    loop = tf.while_loop(lambda i: i < n, body, [0])
    with tf.control_dependencies([loop]):
        after = v.read_value()
    return [loop, after], [{n: 3}, {n: 2}, {n: 0}], [tf.global_variables_initializer()]


def while_with_update_that_is_read():
    v = tf.get_variable("v", initializer=1.0, use_resource=True)
    n = placeholder(tf.int32, [], "n")

    def body(i):
        with tf.control_dependencies([v.assign(v * 2.0)]):
            return i + 1

    loop = tf.while_loop(lambda i: i < n, body, [0])
    with tf.control_dependencies([loop]):
        after = v.read_value()
    return [loop, after], [{n: 3}, {n: 2}, {n: 0}], [tf.global_variables_initializer()]


def effects_of_functions():
    x = placeholder(tf.float32, [], "x")
    v = tf.get_variable("v", initializer=1.0, use_resource=True)
    with tf.control_dependencies([v.read_value()]):
        before = v.read_value()

    @function.Defun(tf.float32, tf.resource)
    def count(a, handle):
        gen_resource_variable_ops.assign_add_variable_op(handle, a)
        return a + 1.0

    @function.Defun(tf.float32, tf.resource)
    def nothing(a, handle):
        return a

    with tf.control_dependencies([before]):
        called = count(x, v.handle)
    with tf.control_dependencies([called]):
        chosen = functional_ops.If(x > 0, [x, v.handle], count, nothing)[0]
    return [before, called, chosen * 2.0], [{x: 1}, {x: -1}, {x: 10}, {x: 0}], [tf.global_variables_initializer()]


def while_of_version_1_around_functions():
    n, x = placeholder(tf.int32, [], "n"), placeholder(tf.float32, [], "x")

    @tf.function
    def step(a, i):
        return tf.cond(tf.equal(i % 2, 0), lambda: a * x, lambda: a + tf.cast(i, tf.float32)) + tf.constant(0.5)

    tf.disable_control_flow_v2()
    loop = tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, step(a, i)), [0, 1.0])
    guarded = tf.cond(n > 3, lambda: step(loop[1], n) * 2.0, lambda: step(x, 1))
    tf.enable_control_flow_v2()
    return [loop[1], guarded], [{n: 0, x: 2}, {n: 3, x: 2}, {n: 6, x: -1.5}]


def functions_with_version_1_inside():
    tf.disable_control_flow_v2()

    @function.Defun(tf.float32, tf.int32)
    def power(x, n):
        x = tf.reshape(x, [])
        y = tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a * x), [0, 1.0])[1]
        return tf.cond(n > 2, lambda: y, lambda: -y)

    x, n, p = placeholder(tf.float32, [], "x"), placeholder(tf.int32, [], "n"), placeholder(tf.bool, [], "p")
    twice = power(x, n) + power(x + 1.0, n)
    tf.enable_control_flow_v2()
    y = tf.cond(p, lambda: power(x, n), lambda: x)
    return [twice, y], [{x: 2, n: 3, p: True}, {x: 2, n: 1, p: True}, {x: 2, n: 4, p: False}]


def function_call():
    x = placeholder(tf.float32, [None], "x")

    @tf.function
    def f(a):
        return a * 2.0, tf.reduce_sum(a)

    y, total = f(x)
    return [y + 1.0, total], [{x: [1, 2]}, {x: [3]}]


def function_calls_function():
    x = placeholder(tf.float32, [2], "x")

    @tf.function
    def inner(a, b):
        return a * b

    @tf.function
    def outer(a):
        return inner(a, a + 1.0) + inner(a, a)

    return [outer(x), outer(outer(x))], [{x: [1, 2]}]


def function_with_captured_variable():
    x = placeholder(tf.float32, [], "x")
    v = tf.get_variable("v", initializer=3.0, use_resource=True)

    @tf.function
    def add(a):
        v.assign_add(a)
        return v * 1.0

    first = add(x)
    with tf.control_dependencies([first]):
        second = add(x * 10.0)
    return [first, second], [{x: 1}, {x: 2}], [tf.global_variables_initializer()]


def function_for_its_effect():
    x = placeholder(tf.float32, [], "x")
    v = tf.get_variable("v", initializer=3.0, use_resource=True)

    @tf.function
    def add(a):
        v.assign_add(a)
        return tf.constant(1)

    with tf.control_dependencies([add(x)]):
        after = v.read_value()
    return [after], [{x: 1}, {x: 2}], [tf.global_variables_initializer()]


def defun_direct_call():
    @function.Defun(tf.float32, tf.float32)
    def f(a, b):
        return a - b, a * b

    x = placeholder(tf.float32, [2], "x")
    d, m = f(x, x + 1.0)
    d2, _ = f(m, d)
    return [d, m, d2], [{x: [1, 2]}]


def defun_of_lists():
    @function.Defun(tf.float32, tf.float32, tf.float32)
    def f(a, b, c):
        parts = tf.split(tf.concat([a, b, c], 0), 3)
        return tf.stack([parts[2], parts[0]]), tf.add_n([parts[1], parts[1], parts[0]])

    x = placeholder(tf.float32, [2], "x")
    return list(f(x, x * 2.0, x * 3.0)), [{x: [1, 2]}]


def random_in_two_calls():
    @tf.function
    def draw():
        return tf.random_uniform([3], seed=11)

    return [draw() + 0.0, draw() + 0.0], [{}, {}], [tf.no_op()]  # behind a node: what is fetched is not inlined


def random_in_while():
    n = placeholder(tf.int32, [], "n")

    def body(i, a):
        with tf.control_dependencies([a]):
            return i + 1, a * 2.0 + tf.random_uniform([2], seed=5)

    loop = tf.while_loop(lambda i, a: i < n, body, [0, tf.zeros([2])])
    return [loop[1]], [{n: 3}, {n: 1}], [tf.no_op()]


def custom_gradient():
    x = placeholder(tf.float32, [3], "x")

    @tf.custom_gradient
    def log1pexp(a):
        e = tf.exp(a)

        def grad(dy):
            return dy * (1.0 - 1.0 / (1.0 + e)) * 3.0

        return tf.math.log(1.0 + e), grad

    y = log1pexp(x)
    return [y, tf.gradients(y, x)[0]], [{x: [-1, 0, 2]}]


def cond_v2_inside_function_gradient():
    p, x = placeholder(tf.bool, [], "p"), placeholder(tf.float32, [2], "x")

    @tf.function
    def f(a):
        return tf.cond(p, lambda: tf.exp(a), lambda: a * a)

    y = f(x)
    return [y, tf.gradients(y, x)[0]], [{p: True, x: [0, 1]}, {p: False, x: [3, 4]}]


def while_gradient():
    x = placeholder(tf.float32, [], "x")
    loop = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, x])
    return [loop[1], tf.gradients(loop[1], x)[0]], [{x: 2}, {x: -0.5}]


def while_gradient_of_matrix():
    n, w = placeholder(tf.int32, [], "n"), placeholder(tf.float32, [2, 2], "w")
    _, state = tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, tf.tanh(tf.matmul(s, w))), [0, tf.constant([[1.0, -0.5]])])
    return [state, tf.gradients(tf.reduce_sum(state), w)[0]], [{n: 3, w: [[0.5, -0.3], [0.2, 0.8]]}, {n: 0, w: [[1, 0], [0, 1]]}]


def while_nested_gradient():
    x = placeholder(tf.float32, [], "x")

    def outer(i, y):
        return i + 1, tf.while_loop(lambda j, z: j < i, lambda j, z: (j + 1, z * x), [0, y])[1]

    loop = tf.while_loop(lambda i, y: i < 4, outer, [0, x])
    return [loop[1], tf.gradients(loop[1], x)[0]], [{x: 1.5}]


def while_second_gradient():
    x = placeholder(tf.float32, [], "x")
    loop = tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, x])
    first = tf.gradients(loop[1], x)[0]
    return [first, tf.gradients(first, x)[0]], [{x: 2}, {x: -0.5}]


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


def map_gradient():
    x = placeholder(tf.float32, [None, 2], "x")
    y = tf.map_fn(lambda e: tf.reduce_sum(e * e), x)
    return [y, tf.gradients(y, x)[0]], [{x: [[1, 2], [3, 4]]}, {x: np.zeros([0, 2])}]


def scan_gradient():
    x = placeholder(tf.float32, [3], "x")
    sums = tf.scan(lambda a, e: a * e, x)
    return [sums, tf.gradients(sums, x)[0]], [{x: [1, 2, 3]}]


def tensor_array_writes():
    n = placeholder(tf.int32, [], "n")
    out = tf.TensorArray(tf.float32, size=0, dynamic_size=True, element_shape=[2])
    loop = tf.while_loop(lambda i, _: i < n, lambda i, o: (i + 1, o.write(i, [tf.cast(i, tf.float32), 1.0])), [0, out])
    return [loop[1].stack(), loop[1].size()], [{n: 4}, {n: 1}, {n: 0}]


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


def list_of_tensors():
    x = placeholder(tf.float32, [None, 2], "x")
    kind = {"element_dtype": tf.float32}
    made = list_ops.tensor_list_from_tensor(x, element_shape=[2])
    longer = list_ops.tensor_list_push_back(made, tf.constant([7.0, 8.0]))
    shorter, last = list_ops.tensor_list_pop_back(longer, **kind)
    other = list_ops.tensor_list_set_item(longer, 0, [0.0, 0.5])
    both = list_ops.tensor_list_concat_lists(other, made, **kind)
    return [list_ops.tensor_list_stack(made, **kind), list_ops.tensor_list_length(longer), last,
            list_ops.tensor_list_stack(shorter, **kind), list_ops.tensor_list_get_item(other, 0, **kind),
            list_ops.tensor_list_stack(both, **kind), list_ops.tensor_list_get_item(longer, 0, **kind),
            list_ops.tensor_list_element_shape(made, tf.int64),
            list_ops.tensor_list_gather(longer, [1, 0, 1], **kind)], [{x: [[1, 2], [3, 4]]}, {x: [[5, 6], [1, 1], [2, 2]]}]


def list_of_nothing_yet():
    n = placeholder(tf.int32, [], "n")
    made = list_ops.tensor_list_reserve([2], n, tf.float32)
    one = list_ops.tensor_list_set_item(made, 1, [1.0, 2.0])
    unknown = list_ops.tensor_list_set_item(list_ops.tensor_list_reserve(None, n, tf.float32), 1, [1.0, 2.0, 3.0])
    grown = list_ops.tensor_list_resize(one, n + 2)
    return [list_ops.tensor_list_stack(one, tf.float32), list_ops.tensor_list_get_item(made, 0, tf.float32),
            list_ops.tensor_list_stack(unknown, tf.float32), list_ops.tensor_list_stack(grown, tf.float32),
            list_ops.tensor_list_length(made), list_ops.tensor_list_element_shape(unknown, tf.int32)], [{n: 3}, {n: 2}]


def list_concat_and_split():
    x = placeholder(tf.float32, [None, 2], "x")
    lengths = placeholder(tf.int64, [None], "lengths")
    made = list_ops.tensor_list_split(x, element_shape=[None, 2], lengths=lengths)
    values = list_ops.tensor_list_concat(made, tf.float32, element_shape=[None, 2])
    scattered = list_ops.tensor_list_scatter(x, [2, 0, 1], element_shape=[2])
    into = list_ops.tensor_list_scatter(x, [1, 0, 1], input_handle=list_ops.tensor_list_reserve([2], 4, tf.float32))
    return [list_ops.tensor_list_length(made), list_ops.tensor_list_get_item(made, 0, tf.float32), values,
            list_ops.tensor_list_stack(scattered, tf.float32), list_ops.tensor_list_stack(into, tf.float32)], [
                {x: [[1, 2], [3, 4], [5, 6]], lengths: [2, 1]}, {x: [[1, 2], [3, 4], [5, 6]], lengths: [0, 3]}]


def list_sums_and_zeros():
    x = placeholder(tf.float32, [2, 2], "x")
    a = list_ops.tensor_list_from_tensor(x, element_shape=[2])
    b = list_ops.tensor_list_set_item(list_ops.tensor_list_reserve([2], 2, tf.float32), 0, [10.0, 20.0])
    return [list_ops.tensor_list_stack(tf.add_n([a, b, a]), tf.float32),
            list_ops.tensor_list_stack(tf.zeros_like(a), tf.float32)], [{x: [[1, 2], [3, 4]]}]


PROGRAMS = [value for value in list(globals().values())
            if callable(value) and getattr(value, "__module__", None) == "__main__" and value.__name__ not in ("defun_pair", "if_by")]


def main():
    recorded = {}
    for program in PROGRAMS:
        try:
            recorded[program.__name__] = record(program, control_flow_v2=True)
        except Exception as error:
            raise RuntimeError(program.__name__) from error
    path = os.path.join(GOLDEN, "functions.json")
    if write_if_changed(path, json.dumps(recorded, indent=1) + "\n"):
        print(path)


if __name__ == "__main__":
    main()
