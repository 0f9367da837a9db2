"""Sorting, and whether something is sorted."""

from programs import program
from tensorflow_v1 import tf


@program
def sorted_values():
    x = tf.placeholder(tf.float32, [2, 3], name="x")
    open_x = tf.placeholder(tf.float32, [None, None, 4], name="open_x")
    numbers = tf.placeholder(tf.int32, [5], name="numbers")
    tf.sort(x)
    tf.sort(x, direction="DESCENDING", name="named")
    tf.sort(open_x, axis=1)
    tf.sort(numbers)
    tf.sort(open_x, axis=-2, direction="DESCENDING")
    tf.sort(tf.placeholder(tf.uint8, [5], name="bytes"))
    tf.sort(tf.placeholder(tf.float32, name="of_any_rank"))
    tf.sort([3.0, 1.0, 2.0])


@program
def sorted_order():
    x = tf.placeholder(tf.float32, [2, 3], name="x")
    numbers = tf.placeholder(tf.int64, [5], name="numbers")
    tf.argsort(x)
    tf.argsort(x, direction="DESCENDING", name="named")
    tf.argsort(x, axis=0, stable=True)
    tf.argsort(numbers)
    tf.argsort(tf.placeholder(tf.uint16, [5], name="words"))
    tf.argsort(tf.placeholder(tf.float32, name="of_any_rank"))


@program
def increasing_values():
    x = tf.placeholder(tf.float32, [4], name="x")
    tf.is_non_decreasing(x)
    tf.is_strictly_increasing(x)
    tf.is_strictly_increasing(tf.placeholder(tf.int32, name="of_any_rank"), name="named")
    tf.is_non_decreasing([1, 2, 2])
