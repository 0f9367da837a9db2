"""tf.assert_*: what holds or does not, found out when the graph is made or when it runs."""

from programs import program
from tensorflow_v1 import tf


@program
def comparisons_of_elements():
    x = tf.placeholder(tf.float32, [2, None], name="x")
    y = tf.placeholder(tf.float32, [2, None], name="y")
    tf.assert_equal(x, y)
    tf.assert_none_equal(x, y, message="Bad:")
    tf.assert_less(x, y, data=["less:", x], name="named")
    tf.assert_less_equal(x, 3.0, summarize=5)
    n = tf.placeholder(tf.int32, [None], name="n")
    tf.assert_greater(n, 0)
    tf.assert_greater_equal(n, [1, 2])
    tf.assert_equal(n, n)
    tf.debugging.assert_equal(tf.constant([1, 2]), [1, 2], name="known")


@program
def signs_of_elements():
    x = tf.placeholder(tf.float32, [2, None], name="x")
    n = tf.placeholder(tf.int32, [None], name="n")
    tf.assert_positive(x)
    tf.assert_negative(n)
    tf.assert_non_negative(n, message="Bad", name="named")
    tf.assert_non_positive(x, data=[x], summarize=2)
    tf.assert_positive(tf.constant([1, 2]))


@program
def nearness_of_elements():
    x = tf.placeholder(tf.float32, [2, None], name="x")
    y = tf.placeholder(tf.float32, [2, None], name="y")
    tf.assert_near(x, y)
    tf.assert_near(x, y, rtol=0.1, atol=0.01, message="Far", name="named")
    tf.assert_near(tf.placeholder(tf.float64, [2], name="wide"), [1.0, 2.0])


@program
def checks_of_ranks():
    x = tf.placeholder(tf.float32, [2, None], name="x")
    of_any_rank = tf.placeholder(tf.float32, name="of_any_rank")
    n = tf.placeholder(tf.int32, [], name="n")
    tf.assert_rank(x, 2)
    tf.assert_rank(of_any_rank, 2, message="Bad")
    tf.assert_rank(x, n, name="named")
    tf.assert_rank_at_least(x, 1)
    tf.assert_rank_at_least(of_any_rank, 1)
    tf.assert_rank_in(x, [1, 2])
    tf.assert_rank_in(of_any_rank, (1, 2), name="one_of")


@program
def checks_of_dtypes():
    x = tf.placeholder(tf.float32, [2, None], name="x")
    n = tf.placeholder(tf.int32, [], name="n")
    tf.assert_integer(n)
    tf.assert_integer([1, 2], name="named")
    tf.assert_type(x, tf.float32)
    tf.debugging.assert_scalar(n)
    tf.assert_scalar(3, name="scalar")
    tf.assert_same_float_dtype([x])
