"""Constants and placeholders."""

from programs import program
from tensorflow_v1 import np, tf


@program
def constant_scalars():
    tf.constant(1)
    tf.constant(2.5)
    tf.constant(True)
    tf.constant("hello")
    tf.constant(3, name="three")


@program
def constant_lists():
    tf.constant([1, 2, 3])
    tf.constant([[1.0, 2.0], [3.0, 4.0]])
    tf.constant([True, False])
    tf.constant(["a", 'quote " and \\'])
    tf.constant([], dtype=tf.float32)


@program
def constant_dtypes():
    for dtype in (tf.float64, tf.float32, tf.float16, tf.bfloat16, tf.int8, tf.uint8, tf.int16, tf.int64):
        tf.constant([1, 2], dtype=dtype)
    tf.constant([1, 2], tf.float32, name="named")
    tf.constant(np.array([1.5, 2.5]))
    tf.constant(np.arange(3))


@program
def constant_shape():
    tf.constant(7, shape=[2, 3])
    tf.constant([1, 2, 3, 4], shape=[2, 2])
    tf.constant([1, 2, 3], shape=[2, 2])
    tf.constant(0.5, dtype=tf.float64, shape=[])
    tf.constant(0.0, shape=[20])
    tf.constant(np.arange(20, dtype=np.float32))


@program
def constant_float_printing():
    tf.constant([0.1, 100000.0, 1e-7, 16777216.0, -0.0, float("inf"), float("-inf"), float("nan"), 1 / 3], tf.float32)
    tf.constant([0.1, 100000.0, 1e-7, 123456789.0, 1e300, 1 / 3], tf.float64)


@program
def placeholder_shapes():
    tf.placeholder(tf.float32)
    tf.placeholder(tf.float32, [])
    tf.placeholder(tf.float32, [None, 784])
    tf.placeholder(tf.int64, shape=[2, None, 3], name="ids")
    tf.placeholder(tf.bool, shape=())
    tf.placeholder(tf.string, 3)


@program
def placeholder_with_default():
    tf.placeholder_with_default([1.0, 2.0], [None])
    tf.placeholder_with_default(3, [], name="count")


@program
def names_made_unique():
    for _ in range(3):
        tf.constant(0, name="a")
    tf.constant(0, name="b_1")
    tf.constant(0, name="b")
    tf.constant(0, name="b")
    tf.constant(0, name="b_1")
    tf.constant(0, name="A")
    tf.constant(0, name="a/b")
    tf.constant(0, name="a/b")
    tf.constant(0, name="c/d")
    tf.constant(0, name="c")


@program
def names_with_final_slash():
    tf.constant(0, name="a/")
    tf.constant(0, name="b/c/")
    tf.constant(0, name=".start")
    tf.constant(0, name="x-y.z_1")
