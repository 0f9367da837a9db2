"""Statistics of a dataset that no memory could hold at once: count, mean and variance in one pass, histograms, the longest text."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

values = np.array([2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0], np.float32)
dataset = tf.data.Dataset.from_tensor_slices(values)


def welford(state, value):
    count, mean, squares = state
    count += 1
    change = value - mean
    mean += change / count
    return count, mean, squares + change * (value - mean)


count, mean, squares = dataset.reduce((0.0, 0.0, 0.0), welford)
histogram = dataset.reduce(tf.zeros([10], tf.int32), lambda bins, value: bins + tf.one_hot(tf.cast(value, tf.int32), 10, dtype=tf.int32))
texts = tf.data.Dataset.from_tensor_slices(["a", "cherry", "fig", "banana"])
longest = texts.reduce("", lambda best, text: tf.where(tf.strings.length(text) > tf.strings.length(best), text, best))
pairs = tf.data.Dataset.from_tensor_slices({"x": values, "w": values[::-1]})
weighted = pairs.reduce({"sum": 0.0, "weight": 0.0}, lambda state, pair: {"sum": state["sum"] + pair["x"] * pair["w"],
                                                                           "weight": state["weight"] + pair["w"]})
joined = texts.reduce(tf.constant([], tf.string), lambda seen, text: tf.concat([[text], seen], 0))
product = tf.data.Dataset.from_tensor_slices(np.stack([np.eye(2) * n for n in (1.0, 2.0, 3.0)])).reduce(
    np.array([[1.0, 1.0], [0.0, 1.0]]), lambda state, matrix: tf.matmul(state, matrix))
running = dataset.scan((0.0, 0.0), lambda state, value: ((state[0] + value, state[1] + 1), (state[0] + value) / (state[1] + 1)))
means = tf.data.make_one_shot_iterator(running.batch(8)).get_next()
limit = tf.get_variable("limit", initializer=4.5)
above = dataset.reduce(0, lambda total, value: total + tf.cast(value > limit, tf.int32))
nothing = dataset.take(0).reduce(7, lambda state, value: state + 1)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    print([float(value) for value in sess.run([count, mean, squares / count])], values.mean(), values.var())
    print(sess.run(histogram).tolist(), np.bincount(values.astype(int), minlength=10).tolist())
    print(sess.run(longest), sess.run(joined).tolist())
    print({key: float(value) for key, value in sorted(sess.run(weighted).items())})
    print(sess.run(product).tolist(), np.round(sess.run(means), 4).tolist())
    print(sess.run(above), sess.run(limit.assign(1.0)), sess.run(above), sess.run(nothing))
    print(int(sess.run(dataset.map(lambda value: tf.cast(value, tf.int64)).reduce(np.int64(0), tf.maximum))))
for make in (lambda: dataset.reduce(0, lambda total, value: value),):
    try:
        print("accepted", make())
    except (TypeError, ValueError) as error:
        print(type(error).__name__)
