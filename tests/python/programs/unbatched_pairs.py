"""Batches that are taken apart and put together in other sizes, with components of several dtypes and ranks."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()


def show(title, dataset, most=12):
    print(title, [str(shape) for shape in tf.nest.flatten(tf.data.get_output_shapes(dataset))])
    element = tf.data.make_one_shot_iterator(dataset).get_next()
    with tf.Session() as sess:
        for _ in range(most):
            try:
                print("  ", [np.asarray(value).tolist() for value in tf.nest.flatten(sess.run(element))])
            except tf.errors.OutOfRangeError:
                return
            except tf.errors.InvalidArgumentError as error:
                print("  ", type(error).__name__)


pairs = tf.data.Dataset.from_tensor_slices({"image": np.arange(14, dtype=np.float32).reshape(7, 2), "label": np.array(list("abcdefg"))})
show("rebatched", pairs.batch(3).unbatch().batch(2, drop_remainder=True))
show("the same", pairs.batch(2).apply(tf.data.experimental.unbatch()).skip(5))
show("twice", tf.data.Dataset.range(8).batch(2).batch(2).unbatch().unbatch().batch(8))
show("rows of one", tf.data.Dataset.from_tensors(np.arange(6).reshape(3, 2)).unbatch())
show("augmented", tf.data.Dataset.range(3).map(lambda n: tf.stack([n, -n])).unbatch().batch(6))
show("of several sizes", tf.data.Dataset.range(4).map(lambda n: (tf.range(n), tf.fill([n], tf.as_string(n)))).unbatch())
show("flat", pairs.batch(4).flat_map(lambda batch: tf.data.Dataset.from_tensor_slices(batch)).map(lambda pair: pair["label"]))
show("dropped", tf.data.Dataset.range(5).batch(2, drop_remainder=True).unbatch())
sizes = tf.data.Dataset.from_tensor_slices(([1, 2, 0, 3, 0, 2], [1, 3, 1, 2, 0, 2]))
show("of two sizes", sizes.map(lambda n, m: (tf.range(n), tf.fill([m], m))).unbatch())
show("scalars among them", tf.data.Dataset.from_tensor_slices([0, 1, 0, 2]).map(
    lambda n: (tf.reshape(tf.range(n * n), tf.fill([n], n)), tf.range(2))).unbatch())
element = tf.data.make_one_shot_iterator(tf.data.Dataset.range(2).batch(2).unbatch()).get_next()
with tf.Session() as sess:
    for _ in range(5):
        try:
            print(sess.run(element))
        except tf.errors.OutOfRangeError:
            print("end")
for make in (lambda: tf.data.Dataset.from_tensors((np.zeros(2), np.zeros(3))).unbatch(), lambda: tf.data.Dataset.range(3).unbatch(), lambda: tf.data.Dataset.from_tensor_slices(3.0), lambda: pairs.batch(2.5)):
    try:
        make()
    except (ValueError, TypeError) as error:
        print(type(error).__name__)
