"""Distances of sequences, tensors as bytes, places of elements, and slices that are left out."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)


def show(*fetches, **fed):
    with tf.Session() as sess:
        for fetch, value in zip(fetches, sess.run(fetches, {name + ":0": array for name, array in fed.items()})):
            print(fetch.name, fetch.shape, np.asarray(value).tolist())


def attempt(make):
    try:
        with tf.Session() as sess:
            sess.run(make())
    except Exception as error:
        print(type(error).__name__, "" if isinstance(error, tf.OpError) else error)


def words(*rows):
    """Letters of each word as a row of a sparse tensor."""
    indices = [[row, place] for row, word in enumerate(rows) for place in range(len(word))]
    return tf.SparseTensor(np.array(indices, np.int64).reshape(-1, 2), list("".join(rows)), [len(rows), max(map(len, rows))])


guesses, truths = words("kitten", "saturday", "", "same"), words("sitting", "sunday", "abc", "same")
show(tf.edit_distance(guesses, truths), tf.edit_distance(guesses, truths, normalize=False, name="edits"))
show(tf.edit_distance(truths, guesses, normalize=True), tf.edit_distance(words("a", "b"), words("a", "b", "c", "")))
value = tf.SparseTensorValue([[0, 0, 0], [1, 0, 1]], [1, 2], [2, 1, 2])
show(tf.edit_distance(tf.SparseTensor(*value), tf.SparseTensor([[0, 0, 0], [1, 0, 0]], [1, 3], [2, 1, 1])))
fed = tf.sparse_placeholder(tf.int64, name="fed")
rate = tf.reduce_mean(tf.edit_distance(fed, tf.SparseTensor([[0, 0], [0, 1]], tf.constant([1, 2], tf.int64), [1, 2])))
with tf.Session() as sess:
    print(sess.run(rate, {fed: tf.SparseTensorValue([[0, 0]], [2], [1, 1])}), rate.shape)
attempt(lambda: tf.edit_distance([1], truths))
attempt(lambda: tf.edit_distance(truths, tf.constant([1])))

for array in (np.array([[1.5, -2.0], [0.0, 3.25]], np.float32), np.int64(7), np.array(["a", "bc"], object), np.array([True, False]), np.zeros([0, 3])):
    serialized = tf.io.serialize_tensor(array)
    show(serialized, tf.io.parse_tensor(serialized, tf.as_dtype(array.dtype)))
attempt(lambda: tf.parse_tensor(tf.serialize_tensor([1, 2]), tf.float32))
attempt(lambda: tf.parse_tensor("no message", tf.float32))
print(tf.train.Example is not None, tf.serialize_tensor([1], name="named").name)

show(tf.unravel_index([22, 41, 37], (7, 6)), tf.unravel_index(1621, [6, 7, 8, 9]), tf.unravel_index(tf.constant([3], tf.int64), [4], name="flat"))
attempt(lambda: tf.unravel_index([6], [2, 3]))
attempt(lambda: tf.unravel_index([0], [2, 0]))
show(tf.strings.strip(["  a b ", "\tc\n", ""]), tf.string_strip("x "))

slices = tf.IndexedSlices(tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), tf.constant([7, 2, 5]), tf.constant([9, 2]))
masked = tf.sparse_mask(slices, [2, 9, 7])
show(masked.values, masked.indices, masked.dense_shape)
other = tf.sparse.mask(slices, tf.constant([], tf.int32), name="all")
show(other.values, other.indices)
