"""Elementwise arithmetic, comparison and logic; operators and the functions behind them."""

from programs import program
from tensorflow_v1 import tf


def two_vectors(dtype=tf.float32):
    return tf.placeholder(dtype, [3], name="x"), tf.placeholder(dtype, [3], name="y")


@program
def operators_between_tensors():
    x, y = two_vectors()
    x + y, x - y, x * y, x / y, x // y, x % y, x**y, -x, abs(x)
    x < y, x <= y, x > y, x >= y


@program
def operators_number_on_the_right():
    x, _ = two_vectors()
    x + 1, x - 1, x * 2, x / 2, x // 2, x % 2, x**2
    x < 1, x <= 1, x > 1, x >= 1
    x + 1.5, x * 0.1


@program
def operators_number_on_the_left():
    x, _ = two_vectors()
    1 + x, 1 - x, 2 * x, 2 / x, 2 // x, 2 % x, 2**x
    1 < x, 1 <= x, 1 > x, 1 >= x


@program
def operators_int32():
    x, y = two_vectors(tf.int32)
    x + y, x - y, x * y, x / y, x // y, x % y, x**y, -x
    x + 1, 2 * x, x / 2, 7 // x, x % 2, x**2


@program
def operators_int64():
    x, y = two_vectors(tf.int64)
    x + 1, x * y, x / y, x // 2, 5 % x


@program
def operators_float64():
    x, y = two_vectors(tf.float64)
    x + y, 2 * x, x / y, x // y, 1 - x, x**2


@program
def operators_with_lists():
    x, _ = two_vectors()
    x + [1.0, 2.0, 3.0]
    [1.0, 2.0, 3.0] * x
    x - [[1.0], [2.0]]


@program
def operators_on_bools():
    x, y = two_vectors(tf.bool)
    x & y, x | y, x ^ y, ~x
    tf.logical_and(x, y)
    tf.logical_or(x, y)
    tf.logical_not(x)
    tf.logical_xor(x, y)
    tf.logical_and(x, True, name="named")


@program
def operators_in_a_name_scope():
    x, y = two_vectors()
    with tf.name_scope("s"):
        x + y
        x / y + 1.0
        x * y


@program
def broadcasting_shapes():
    a = tf.placeholder(tf.float32, [2, 1, 3])
    b = tf.placeholder(tf.float32, [4, 1])
    c = tf.placeholder(tf.float32, [None, 3])
    d = tf.placeholder(tf.float32, [None, 1])
    e = tf.placeholder(tf.float32)
    a + b, a + c, b + c, c + d, a + e, e + e, c + 1.0
    f = tf.placeholder(tf.float32, [1])
    f + c, f + d


@program
def binary_functions():
    x, y = two_vectors()
    tf.add(x, y)
    tf.subtract(x, y)
    tf.multiply(x, y)
    tf.divide(x, y)
    tf.div(x, y)
    tf.truediv(x, y)
    tf.floordiv(x, y)
    tf.realdiv(x, y)
    tf.mod(x, y)
    tf.floormod(x, y)
    tf.maximum(x, y)
    tf.minimum(x, y)
    tf.pow(x, y)
    tf.squared_difference(x, y)
    tf.div_no_nan(x, y)


@program
def binary_functions_named():
    x, y = two_vectors()
    tf.add(x, y, name="plus")
    tf.subtract(x, 1.0, name="minus")
    tf.multiply(2.0, x, name="times")
    tf.divide(x, y, name="over")
    tf.truediv(x, 2.0, name="over_two")
    tf.pow(x, 2.0, name="squared")
    tf.maximum(x, 0.0, name="top")
    tf.minimum(x, 0.0, name="low")


@program
def binary_functions_with_numbers():
    x, _ = two_vectors()
    tf.add(x, 1)
    tf.subtract(1.0, x)
    tf.multiply(x, 2)
    tf.divide(x, 2)
    tf.maximum(x, 0)
    tf.minimum(0.0, x)
    tf.pow(x, 3)
    tf.divide(6, 3)
    tf.add(1, 2)


@program
def division_functions_int32():
    x, y = two_vectors(tf.int32)
    tf.div(x, y)
    tf.divide(x, y)
    tf.truediv(x, y)
    tf.floordiv(x, y)
    tf.floor_div(x, y)
    tf.truncatediv(x, y)
    tf.mod(x, y)
    tf.truncatemod(x, y)


@program
def unary_functions():
    x, _ = two_vectors()
    functions = (tf.negative, tf.abs, tf.square, tf.sqrt, tf.rsqrt, tf.exp, tf.log, tf.log1p, tf.expm1, tf.tanh)
    functions += (tf.sigmoid, tf.sin, tf.cos, tf.floor, tf.ceil, tf.round, tf.sign, tf.reciprocal, tf.erf, tf.is_nan)
    for function in functions:
        function(x)
    for function in functions[:11]:
        function(x, name="named_" + function.__name__)


@program
def unary_functions_of_numbers():
    tf.square(3.0)
    tf.exp([1.0, 2.0])
    tf.negative(1)
    tf.abs(-2.0)
    tf.sqrt([4.0])


@program
def comparisons():
    x, y = two_vectors()
    tf.equal(x, y)
    tf.not_equal(x, y)
    tf.less(x, y)
    tf.less_equal(x, y)
    tf.greater(x, y)
    tf.greater_equal(x, y)
    tf.equal(x, 1.0, name="same")
    tf.less(x, 0)
    tf.equal(tf.placeholder(tf.float32, [None, 1]), tf.placeholder(tf.float32, [None]))


@program
def where_and_select():
    condition = tf.placeholder(tf.bool, [3], name="condition")
    x, y = two_vectors()
    tf.where(condition, x, y)
    tf.where(condition, x, y, name="chosen")
    tf.where(condition)
    tf.where(x > 0.0, x, tf.zeros_like(x))
    tf.where(tf.placeholder(tf.bool, []), x, y)
    tf.where_v2(condition, x, 0.0)


@program
def casts():
    x, _ = two_vectors()
    tf.cast(x, tf.int32)
    tf.cast(x, tf.float32)
    tf.cast(x, "float64", name="wide")
    tf.cast(x > 0.0, tf.float32)
    tf.cast(3, tf.float32)
    tf.to_float(tf.placeholder(tf.int32, [2]))
    tf.to_float(x)
    tf.to_int32(x)
    tf.to_int64(x)
    tf.to_double(x)


@program
def clip_and_add_n():
    x, y = two_vectors()
    tf.clip_by_value(x, -1.0, 1.0)
    tf.add_n([x, y])
    tf.add_n([x])
    tf.add_n([x, y, x], name="three")
