"""Windows over a series: moving averages, inputs with what follows them, windows of several components."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

series = np.round(np.sin(np.arange(9)) * 10).astype(np.float32)
numbers = tf.data.Dataset.from_tensor_slices(series)


def show(title, dataset):
    element = tf.data.make_one_shot_iterator(dataset).get_next()
    with tf.Session() as sess:
        while True:
            try:
                print(title, [np.asarray(value).tolist() for value in tf.nest.flatten(sess.run(element))])
            except tf.errors.OutOfRangeError:
                return


def rows(windows, size):
    return windows.flat_map(lambda window: window.batch(size))


show("side by side", rows(numbers.window(4), 4))
show("moving", rows(numbers.window(3, shift=1, drop_remainder=True), 3).map(lambda row: tf.reduce_mean(row)).batch(10))
show("strided", rows(numbers.window(3, shift=2, stride=2), 3))
show("strided, whole", rows(numbers.window(3, shift=2, stride=2, drop_remainder=True), 3))
show("wider than all", rows(numbers.window(20), 20))
show("far apart", rows(numbers.window(2, shift=4), 2))
show("pairs", rows(numbers.window(4, shift=3, drop_remainder=True), 4).map(lambda row: (row[:-1], row[-1])).batch(2))
both = tf.data.Dataset.zip((numbers, tf.data.Dataset.range(100))).window(3, drop_remainder=True)
show("of two", both.flat_map(lambda values, places: tf.data.Dataset.zip((values.batch(3), places.map(lambda place: place * 10).batch(3)))))
named = tf.data.Dataset.from_tensor_slices({"a": series, "b": -series}).window(2, shift=5)
print(named.element_spec)
show("of names", named.flat_map(lambda window: tf.data.Dataset.zip({"b": window["b"].batch(2), "sum": window["a"].batch(2).map(tf.reduce_sum)})))
show("of matrices", rows(tf.data.Dataset.from_tensor_slices(series.reshape(3, 3)).window(2, shift=1), 2))
show("in order", numbers.window(3).flat_map(lambda window: window.skip(1).concatenate(window.take(1))).batch(9))
show("sums", numbers.window(4, shift=2, drop_remainder=True).flat_map(
    lambda window: tf.data.Dataset.from_tensors(window.reduce(0.0, lambda total, value: total + value))).batch(9))
for make in (lambda: numbers.window(0), lambda: numbers.window(2, shift=0), lambda: numbers.window(2, stride=0)):
    try:
        show("none", rows(make(), 2))
    except (tf.errors.InvalidArgumentError, ValueError) as error:
        print(type(error).__name__)
