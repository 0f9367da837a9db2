"""Shapes, slices, and moving values about."""

from programs import program
from tensorflow_v1 import tf


def matrix(columns=3):
    return tf.placeholder(tf.float32, [None, columns], name="x")


@program
def reshapes():
    x = matrix(4)
    tf.reshape(x, [-1])
    tf.reshape(x, [-1, 2, 2], name="named")
    tf.reshape(x, [6, 2])
    tf.reshape(x, tf.shape(x))
    tf.reshape(tf.zeros([2, 6]), [3, -1])
    tf.reshape(x, tf.constant([-1, 1]))
    tf.reshape(tf.constant([1]), [])


@program
def reshape_from_stacked_shape():
    x = matrix(4)
    rows = tf.shape(x)[0]
    tf.reshape(x, [rows, 2, 2])
    tf.reshape(x, tf.stack([rows * 2, 2]))


@program
def transposes():
    tf.transpose(tf.placeholder(tf.float32, [2, 3]))
    tf.transpose(tf.placeholder(tf.float32, [2, None, 4]), [2, 0, 1])
    tf.transpose(tf.placeholder(tf.float32, [None, 4]), perm=[1, 0], name="turned")
    tf.transpose(tf.placeholder(tf.float32))
    tf.matrix_transpose(tf.placeholder(tf.float32, [2, 3, 4]))


@program
def concats():
    x = matrix()
    tf.concat([x, x], 0)
    tf.concat([x, x, x], axis=1, name="wide")
    tf.concat([x, tf.zeros([2, 3])], 0)
    tf.concat([[1, 2], [3]], 0)
    tf.concat([x], 0)
    tf.concat([x, x], -1)


@program
def stacks():
    x = tf.placeholder(tf.float32, [2, 3])
    tf.stack([x, x])
    tf.stack([x, x], axis=1)
    tf.stack([x, x], axis=-1, name="last")
    tf.stack([1, 2, 3])
    tf.stack([tf.constant(1.0), 2.0])
    tf.unstack(x)
    tf.unstack(x, axis=1)
    tf.unstack(tf.placeholder(tf.float32, [None, 2]), num=2, name="parts")


@program
def splits():
    x = tf.placeholder(tf.float32, [6, 4])
    tf.split(x, 3)
    tf.split(x, 2, axis=1)
    tf.split(x, [1, 2, 3])
    tf.split(x, [1, -1], axis=1, name="pieces")


@program
def slices():
    x = tf.placeholder(tf.float32, [4, 5])
    tf.slice(x, [0, 1], [2, 3])
    tf.slice(x, [1, 0], [-1, 2], name="named")
    tf.slice(matrix(), [0, 1], [2, -1])


@program
def slice_by_index():
    x = tf.placeholder(tf.float32, [4, 5, 6], name="x")
    x[1]
    x[-1]
    x[1, 2]
    x[1, 2, 3]
    x[:, 1]


@program
def slice_by_range():
    x = tf.placeholder(tf.float32, [4, 5, 6], name="x")
    x[1:3]
    x[:2]
    x[2:]
    x[:]
    x[::2]
    x[::-1]
    x[1:3, ::2, -2:]
    x[3:0:-1]


@program
def slice_with_new_axis_and_ellipsis():
    x = tf.placeholder(tf.float32, [4, 5, 6], name="x")
    x[..., tf.newaxis]
    x[tf.newaxis]
    x[..., 0]
    x[0, ...]
    x[:, tf.newaxis, 1:2]
    x[1, ..., None, 2]


@program
def slice_by_tensor():
    x = tf.placeholder(tf.float32, [4, 5], name="x")
    i = tf.placeholder(tf.int32, [], name="i")
    x[i]
    x[i:]
    x[: i + 1]
    x[tf.constant(1)]
    x[1, i]


@program
def slice_of_unknown_shape():
    matrix()[0]
    matrix()[:, 0]
    matrix()[1:3]
    tf.placeholder(tf.float32)[0]
    tf.shape(matrix())[0]
    tf.shape(matrix())[-1]


@program
def gathers():
    x = tf.placeholder(tf.float32, [4, 5], name="x")
    i = tf.placeholder(tf.int32, [None], name="i")
    tf.gather(x, i)
    tf.gather(x, [0, 2])
    tf.gather(x, 1)
    tf.gather(x, i, axis=1)
    tf.gather(x, [[0, 1], [2, 3]], name="pairs")


@program
def gather_from_variable():
    v = tf.Variable(tf.zeros([4, 2]), name="v")
    tf.gather(v, [0, 2])
    tf.nn.embedding_lookup(v, [1, 3])


@program
def one_hots():
    labels = tf.placeholder(tf.int32, [None], name="labels")
    tf.one_hot(labels, 10)
    tf.one_hot([0, 2], 3, on_value=5.0, off_value=-1.0)
    tf.one_hot([0, 2], 3, axis=0, dtype=tf.int32)
    tf.one_hot(labels, depth=4, on_value=True, off_value=False, dtype=tf.bool, name="bits")


@program
def expand_and_squeeze():
    x = tf.placeholder(tf.float32, [2, 1, 3, 1], name="x")
    tf.expand_dims(x, 0)
    tf.expand_dims(x, -1)
    tf.expand_dims(x, axis=1, name="wider")
    tf.squeeze(x)
    tf.squeeze(x, [1])
    tf.squeeze(x, axis=-1)
    tf.squeeze(tf.placeholder(tf.float32, [None, 1]))
    tf.squeeze(tf.placeholder(tf.float32, [None, 1]), 1, name="column")


@program
def tiles_and_fills():
    x = tf.placeholder(tf.float32, [2, None], name="x")
    tf.tile(x, [1, 2])
    tf.tile([1, 2], [3], name="again")
    tf.fill([2, 3], 9)
    tf.fill([2], 0.5, name="halves")
    tf.fill(tf.shape(x), 1.0)
    tf.broadcast_to(tf.constant([1.0, 2.0]), [3, 2])


@program
def zeros_and_ones():
    tf.zeros([2, 3])
    tf.ones([2])
    tf.zeros([], tf.int32)
    tf.ones([2, 2], dtype=tf.float64, name="units")
    tf.zeros([2], tf.bool)
    tf.zeros([100, 100])
    tf.ones([1001])
    tf.zeros(tf.constant([2, 3]))
    tf.zeros(3)


@program
def zeros_of_dynamic_shape():
    x = matrix()
    tf.zeros(tf.shape(x))
    tf.ones([tf.shape(x)[0], 2])


@program
def zeros_and_ones_like():
    x = matrix()
    y = tf.placeholder(tf.int32, [2, 3])
    tf.zeros_like(x)
    tf.ones_like(x)
    tf.zeros_like(y)
    tf.ones_like(y)
    tf.zeros_like(y, dtype=tf.float32, name="blank")
    tf.ones_like(x, dtype=tf.int64)
    tf.ones_like([1.0, 2.0])
    tf.zeros_like(y, optimize=False)


@program
def shapes_sizes_ranks():
    x = matrix()
    y = tf.placeholder(tf.float32, [2, 3])
    z = tf.placeholder(tf.float32)
    for tensor in (x, y, z):
        tf.shape(tensor)
        tf.size(tensor)
        tf.rank(tensor)
    tf.shape(y, out_type=tf.int64, name="wide")
    tf.size(x, out_type=tf.int64)
    tf.shape_n([x, y])
    tf.shape([1, 2, 3])


@program
def ranges():
    tf.range(5)
    tf.range(1, 5)
    tf.range(1, 10, 3, name="threes")
    tf.range(0.0, 1.0, 0.25)
    tf.range(tf.placeholder(tf.int32, []))
    tf.range(tf.constant(3, tf.int64))
    tf.lin_space(0.0, 1.0, 5)


@program
def ranges_of_folded_floats():
    """The static size where a limit is a float that must be worked out, and in float32 (0.3 / 0.1 is 3 there, more as double)."""
    five = tf.cast(tf.constant(5), tf.float32)
    tf.range(0.0, five, 1.0)
    tf.range(five, 0.0, -1.5)
    two = tf.constant(2.0)
    tf.range(0.0, two * 3.0, 0.7)
    tf.range(0.0, tf.identity(tf.constant(0.3)), 0.1)
    wide = tf.cast(tf.constant(0.3), tf.float64)
    tf.range(0.0, wide, tf.constant(0.1, tf.float64))
    x = tf.zeros([7, 3])
    tf.range(0.0, tf.cast(tf.shape(x)[0], tf.float32), 1.0)
    tf.range(0.0, tf.cast(tf.size(x), tf.float32), 2.0)
    tf.range(0.0, tf.cast(tf.rank(x), tf.float32), 0.5)
    tf.range(0, tf.cast(tf.constant(5.7), tf.int32))


@program
def defaults_that_may_be_fed():
    """No shape follows from the default of a placeholder: something else may be fed."""
    tf.range(0.0, tf.placeholder_with_default(4.0, []), 1.0)
    count = tf.placeholder_with_default(4, [])
    tf.range(count)
    tf.range(2 * count)
    shape = tf.placeholder_with_default([2, 3], [2])
    tf.zeros(shape)
    six = tf.zeros([6])
    tf.reshape(six, shape)
    tf.reshape(six, tf.stack([2, count]))
    two_by_three = tf.zeros([2, 3])
    tf.reduce_sum(two_by_three, tf.placeholder_with_default(0, []))


@program
def pads_and_reverses():
    x = tf.placeholder(tf.float32, [2, None], name="x")
    tf.pad(x, [[1, 1], [0, 2]])
    tf.pad(x, [[1, 1], [0, 2]], constant_values=1)
    tf.pad(x, [[1, 1], [0, 2]], mode="REFLECT")
    tf.reverse(x, [0])
    tf.invert_permutation([2, 0, 1])


@program
def gathered_by_coordinates():
    params = tf.placeholder(tf.float32, [3, 4, 5], name="params")
    tf.gather_nd(params, [[0, 1], [2, 3]])
    tf.gather_nd(params, tf.placeholder(tf.int64, [None, 3], name="indices"), name="elements")
    tf.gather_nd(params, [[[0]], [[1]], [[2]]], batch_dims=1)
    tf.gather_nd(tf.placeholder(tf.float32, [None, None, 5], name="open"), tf.placeholder(tf.int32, [None, None, 2, 1], name="within"),
                 batch_dims=2, name="batches")
    variable = tf.get_variable("table", [3, 4], use_resource=True)
    tf.gather_nd(variable, [[0, 1]])
    tf.gather_nd(variable, [[2]], name="rows")
