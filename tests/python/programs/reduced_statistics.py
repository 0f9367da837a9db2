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

three = tf.data.Dataset.range(3)
one, two = np.int64(1), np.int64(2)
vector = np.zeros([1], np.int64)
CHANGES = {
    "one of two": ((one, two), lambda state, n: state[0]),
    "two of one": (one, lambda state, n: (state, n)),
    "three of two": ((one, two), lambda state, n: (state[0], state[1], n)),
    "another dtype behind": (one, lambda state, n: (state, 1.0)),
    "in a tuple": (one, lambda state, n: (state + n,)),
    "out of a tuple": ((one,), lambda state, n: state[0] + n),
    "list for tuple": ((one, two), lambda state, n: [state[0] + n, state[1]]),
    "list for one": (one, lambda state, n: [state + n]),
    "list as state": ([1, 2], lambda state, n: state + tf.cast(n, tf.int32)),
    "tuple for list": ([1, 2], lambda state, n: (state[0], state[1])),
    "list in a tuple": ((one, np.zeros([2], np.int64)), lambda state, n: (state[0] + n, [state[0], n])),
    "other keys": ({"a": one, "b": two}, lambda state, n: {"a": state["a"] + n, "c": state["b"]}),
    "tuple for dict": ({"a": one, "b": two}, lambda state, n: (state["a"] + n, state["b"])),
    "flat for nested": ((one, (two, two)), lambda state, n: (state[0] + n, state[1][0], state[1][1])),
    "nested otherwise": (((one, two), two), lambda state, n: (state[0][0], (state[0][1] + n, state[1]))),
    "nothing": (one, lambda state, n: ()),
    "None": (one, lambda state, n: None),
    "dtype": (one, lambda state, n: tf.cast(state, tf.float32)),
    "dtypes": ((one, 1.5), lambda state, n: (state[1], state[0])),
    "longer": (vector, lambda state, n: tf.concat([state, [n]], 0)),
    "another rank": (one, lambda state, n: tf.reshape(state + n, [1])),
    "shape in a tuple": ((one, vector), lambda state, n: (state[0] + n, tf.concat([state[1], [n]], 0))),
    "one vector of two": ((one, two), lambda state, n: tf.stack([state[0], state[1]]))}
with tf.Session() as sess:
    for title, (initial, change) in CHANGES.items():
        for dataset in (three, three.take(0)):
            try:
                final = dataset.reduce(initial, change)
                print(title, [str(tensor.dtype.name) for tensor in tf.nest.flatten(final)], "tuple" if isinstance(final, tuple) else sorted(final) if isinstance(final, dict) else "")
                print("  ", tf.nest.map_structure(lambda value: np.asarray(value).tolist(), sess.run(final)))
            except tf.errors.InvalidArgumentError as error:
                print("  ", type(error).__name__, [line for line in str(error).splitlines() if "number of components" in line][0].strip())
            except (TypeError, ValueError) as error:
                sentence = str(error).splitlines()[0]
                print(title, type(error).__name__, sentence if "Expected" in sentence else "")
for scanned in (lambda: three.scan(one, lambda state, n: [state + n, (state, n)]), lambda: three.scan([1, 2], lambda state, n: (state, [n, n])),
                lambda: three.scan((one, 1.5), lambda state, n: ((state[1], state[0]), n))):
    try:
        print([str(shape) for shape in tf.nest.flatten(tf.data.get_output_shapes(scanned()))])
    except TypeError as error:
        print(type(error).__name__, error)
