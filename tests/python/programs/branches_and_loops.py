"""tf.cond, tf.case and tf.while_loop with values and gradients, in the ways that programs use them."""

import collections

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.disable_resource_variables()


def show(name, value):
    print(name, np.round(np.asarray(value, np.float64), 4).tolist())


def run(name, values, feeds=None):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for i, value in enumerate(sess.run(values, feeds)):
            show(f"{name} {i}", value)


x = tf.placeholder(tf.float32, [3])
w = tf.get_variable("w", initializer=tf.constant([0.5, -0.25, 2.0]))
feeds = [{x: [1.0, 2.0, 3.0]}, {x: [-1.0, 0.5, 0.25]}]

chosen = tf.cond(tf.reduce_sum(x) > 3.0, lambda: x * w, lambda: {"deep": [tf.exp(x)]}["deep"][0] - w)
nested = tf.cond(x[0] > 0.0, lambda: tf.cond(x[1] > 1.0, lambda: x * x, lambda: w * w), lambda: x)
Pair = collections.namedtuple("Pair", "a, b")
pair = tf.cond(x[0] > 0.0, lambda: Pair(x, w * 2.0), lambda: Pair(-x, x * w))
cased = tf.case([(x[0] > 5.0, lambda: x), (x[0] > 0.0, lambda: x * w * 3.0)], default=lambda: -w)
for feed in feeds:
    run("cond", [chosen, nested, pair.a, pair.b, cased] + tf.gradients(chosen, [x, w]) + tf.gradients(nested, [x, w])
        + tf.gradients(pair.b, [x, w]) + tf.gradients(cased, [w]), feed)

_, power = tf.while_loop(lambda i, a: i < 4, lambda i, a: (i + 1, tf.tanh(a * w) + x), [0, x])
one = tf.while_loop(lambda a: tf.reduce_sum(a) < 100.0, lambda a: a * a + tf.square(w), [x], maximum_iterations=6)
state = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, Pair(s.b, s.a + s.b * w)), (0, Pair(x, tf.ones([3]))))


def outer(i, a):
    def inner(j, b):
        return j + 1, tf.cond(tf.reduce_max(b) > 4.0, lambda: b / w, lambda: b * b * 0.5 + x)
    return i + 1, tf.sin(tf.while_loop(lambda j, b: j <= i, inner, [0, a])[1])


_, deep = tf.while_loop(lambda i, a: i < 4, outer, [0, x])
growing = tf.while_loop(lambda i, m: i < 3, lambda i, m: [i + 1, tf.concat([m, m * w], 0)], [0, tf.reshape(x, [1, 3])],
                        shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, 3])])[1]
guarded = tf.cond(x[0] > 0.0, lambda: tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), [0, w])[1], lambda: x * 2.0)
for feed in feeds:
    run("while", [power, one, state[1].a, state[1].b, deep, growing, guarded], feed)
    run("d power", tf.gradients(power, [x, w]), feed)
    run("d one", tf.gradients(one, [x, w]), feed)
    run("d state", tf.gradients(state[1].b, [x, w]), feed)
    run("d deep", tf.gradients(deep, [x, w]), feed)
    run("d growing", tf.gradients(growing, [x, w]), feed)
    run("d guarded", tf.gradients(guarded, [x, w]), feed)

unknown = tf.placeholder(tf.float32, None)
total = tf.while_loop(lambda i, a, b: i < 3, lambda i, a, b: (i + 1, a * unknown, b + a), [0, unknown, unknown],
                      shape_invariants=[tf.TensorShape([]), tf.TensorShape(None), tf.TensorShape(None)])[2]
run("d total", tf.gradients(total, [unknown]), {unknown: [1.0, 2.0]})

loss = tf.reduce_sum(tf.square(tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * w), [0, x])[1] - 1.0))
train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
count = tf.get_variable("count", [], initializer=tf.zeros_initializer(), trainable=False)
with tf.control_dependencies([train]):
    counted = tf.cond(loss < 2.0, lambda: count.assign_add(1.0), lambda: tf.identity(count))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(8):
        value, times = sess.run([loss, counted], {x: [0.5, 1.5, 0.7]})
        show("loss", [value, times])

for name, wrong in {
        "different dtypes": lambda: tf.cond(x[0] > 0.0, lambda: 1, lambda: 1.0),
        "a bool": lambda: tf.cond(True, lambda: 1, lambda: 2),
        "nothing": lambda: tf.cond(x[0] > 0.0, lambda: None, lambda: 1.0),
        "not callable": lambda: tf.cond(x[0] > 0.0, x, lambda: 1.0),
        "no variables": lambda: tf.while_loop(lambda: True, lambda: None, []),
        "another shape": lambda: tf.while_loop(lambda m: True, lambda m: tf.concat([m, m], 0), [tf.ones([2, 2])]),
        "from inside": lambda: leak() + 1.0}.items():
    def leak():
        kept = []
        tf.while_loop(lambda a: a < 1.0, lambda a: kept.append(a) or a + 1.0, [0.0], name="leak")
        return kept[0]
    try:
        wrong()
    except (TypeError, ValueError) as error:
        print(name, "-", type(error).__name__, str(error).splitlines()[0])
