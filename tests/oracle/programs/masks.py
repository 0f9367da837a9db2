"""Rows that are chosen by masks, repeated, laid out as grids."""

from programs import program
from tensorflow_v1 import np, tf


@program
def boolean_masks():
    x = tf.placeholder(tf.float32, [2, 3, 4], name="x")
    open_rows = tf.placeholder(tf.float32, [None, 3], name="open_rows")
    rows = tf.placeholder(tf.bool, [2], name="rows")
    some = tf.placeholder(tf.bool, [None], name="some")
    tf.boolean_mask(x, rows)
    tf.boolean_mask(x, [[True, False, True], [False, False, True]])
    tf.boolean_mask(x, [True, False, True], axis=1)
    tf.boolean_mask(open_rows, some, name="named")
    tf.boolean_mask([1, 2, 3], [True, False, True])


@program
def sequence_masks():
    lengths = tf.placeholder(tf.int32, [None], name="lengths")
    tf.sequence_mask(lengths)
    tf.sequence_mask(lengths, 5)
    tf.sequence_mask(tf.placeholder(tf.int64, [2, 3], name="wide"), 5, dtype=tf.float32, name="named")
    tf.sequence_mask([1, 3, 2], tf.placeholder(tf.int32, [], name="most"))
    tf.sequence_mask(lengths, dtype=tf.float32)


@program
def grids():
    x = tf.placeholder(tf.float32, [3], name="x")
    y = tf.placeholder(tf.float32, [None], name="y")
    tf.meshgrid(x, y)
    tf.meshgrid(x, y, [1.0, 2.0], indexing="ij")
    tf.meshgrid([1, 2], [3, 4], name="named")
    tf.meshgrid(x, 2.0)


@program
def repeats():
    x = tf.placeholder(tf.float32, [2, 3], name="x")
    open_x = tf.placeholder(tf.float32, [None, 3], name="open_x")
    tf.repeat(x, 2)
    tf.repeat(x, 2, axis=0)
    tf.repeat(x, [1, 2], axis=0)
    tf.repeat(open_x, tf.placeholder(tf.int32, [None], name="counts"), axis=0, name="named")
    tf.repeat(x, [1, 2, 3], axis=-1)
    tf.repeat([1, 2], repeats=[2, 3])
    tf.repeat(open_x, 3, axis=0)


@program
def batches_of_rows():
    params = tf.placeholder(tf.float32, [2, 3, 4], name="params")
    indices = tf.placeholder(tf.int32, [2, 2], name="indices")
    tf.batch_gather(params, indices)
    tf.batch_gather(params, [[0], [1]], name="named")


@program
def identity_matrices():
    tf.eye(2)
    tf.eye(2, 3, dtype=tf.int32)
    tf.eye(3, 2, name="named")
    tf.eye(2, batch_shape=[4, 1])
    tf.eye(tf.placeholder(tf.int32, [], name="rows"))
    tf.eye(tf.placeholder(tf.int32, [], name="n"), 2, batch_shape=tf.placeholder(tf.int32, [None], name="batch"))


@program
def random_crops():
    x = tf.placeholder(tf.float32, [5, 4, 3], name="x")
    open_x = tf.placeholder(tf.float32, [None, None, 3], name="open_x")
    tf.random_crop(x, [2, 2, 3], seed=1)
    tf.random_crop(open_x, [2, 2, 3], seed=2, name="named")
    tf.image.random_crop(np.ones([3, 3], np.float32), [2, 2], seed=3)
