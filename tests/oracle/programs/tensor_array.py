"""tf.TensorArray, and the loops over rows of tensors that are made of it: tf.map_fn, tf.foldl, tf.foldr and tf.scan."""

from programs import program
from tensorflow_v1 import tf


def floats(shape, name):
    return tf.placeholder(tf.float32, shape, name=name)


@program
def tensor_array_by_element():
    x = floats([3], "x")
    array = tf.TensorArray(tf.float32, size=3)
    array = array.write(0, x).write(1, x * 2.0)
    array.read(1)
    array.write(2, tf.zeros([3]), name="last").stack("rows")
    array.size()
    array.close()


@program
def tensor_array_as_a_whole():
    x = floats([4, 2], "x")
    array = tf.TensorArray(tf.float32, 4, name="rows", element_shape=[2], clear_after_read=False).unstack(x)
    array.gather([0, 2])
    array.concat()
    array.identity().scatter([1, 3], tf.ones([2, 2])).read(0, name="first")
    parts = tf.TensorArray(tf.float32, 2, infer_shape=False, dynamic_size=True).split(x, [1, 3])
    parts.stack()
    parts.concat()


@program
def tensor_array_of_unknown_size():
    x = floats([None, 5], "x")
    n = tf.shape(x)[0]
    array = tf.TensorArray(tf.float32, n, tensor_array_name="rows").unstack(x)
    with tf.name_scope("scope"):
        array.stack()


@program
def tensor_array_in_a_loop():
    x = floats([2], "x")

    def body(i, array, s):
        return i + 1, array.write(i, s), s * 2.0
    _, array, _ = tf.while_loop(lambda i, array, s: i < 5, body, (0, tf.TensorArray(tf.float32, 5), x))
    tf.gradients(array.stack(), [x])


@program
def map_fn_of_a_function():
    x = floats([4, 2], "x")
    tf.map_fn(lambda row: row * 2.0 + 1.0, x)


@program
def map_fn_of_several():
    x, n = floats([None, 2], "x"), tf.placeholder(tf.int64, [None], name="n")
    tf.map_fn(lambda pair: (pair[0] * tf.to_float(pair[1]), pair[1]), (x, n), dtype=(tf.float32, tf.int64), name="both",
              parallel_iterations=3, back_prop=False, swap_memory=True)
    tf.map_fn(tf.reduce_sum, x, infer_shape=False)


@program
def gradients_of_map_fn():
    x, w = floats([4, 2], "x"), floats([2], "w")
    y = tf.map_fn(lambda row: row * w, x)
    tf.gradients(y, [x, w])


@program
def foldl_and_foldr():
    x = floats([5], "x")
    tf.foldl(lambda a, b: a + b, x)
    tf.foldr(lambda a, b: a * b, x, initializer=2.0, name="product")
    tf.foldl(lambda a, b: a + b[0] * b[1], (x, x), initializer=tf.constant(0.0), back_prop=False)


@program
def scans():
    x = floats([5, 3], "x")
    tf.scan(lambda a, b: a + b, x)
    tf.scan(lambda a, b: a * b, x, initializer=tf.ones([3]), reverse=True, name="backwards")
    tf.scan(lambda a, _: (a[1], a[0] + a[1]), tf.zeros([6]), initializer=(0, 1))


@program
def scan_of_unknown_length():
    x, h = floats([None, 3], "x"), floats([3], "h")
    y = tf.scan(lambda a, b: tf.tanh(a + b), x, initializer=h)
    tf.gradients(y, [h])
