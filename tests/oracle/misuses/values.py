"""Errors that turn up at run time: shapes and values that were not known while building."""

from misuses import misuse, run
from tensorflow_v1 import np, tf


def unknown(*values, dtype=tf.float32):
    """One placeholder of unknown shape per value, and the feeds for them."""
    tensors = [tf.placeholder(dtype, name="xyz"[i]) for i in range(len(values))]
    return tensors, dict(zip(tensors, values))


@misuse
def run_add_shapes():
    (x, y), feeds = unknown(np.zeros((2, 3)), np.zeros((2, 4)))
    run(tf.add(x, y), feeds)


@misuse
def run_matmul_shapes():
    (x, y), feeds = unknown(np.zeros((2, 3)), np.zeros((4, 5)))
    run(tf.matmul(x, y), feeds)


@misuse
def run_matmul_of_vectors():
    (x, y), feeds = unknown(np.zeros(3), np.zeros(3))
    run(tf.matmul(x, y), feeds)


@misuse
def run_reshape_size():
    (x,), feeds = unknown(np.zeros((2, 3)))
    run(tf.reshape(x, [4, 2]), feeds)


@misuse
def run_reshape_not_divisible():
    (x,), feeds = unknown(np.zeros((2, 3)))
    run(tf.reshape(x, [-1, 4]), feeds)


@misuse
def run_reshape_two_unknown():
    (x,), feeds = unknown(np.zeros((2, 3)))
    run(tf.reshape(x, tf.placeholder_with_default([-1, -1], [2])), feeds)


@misuse
def run_concat_shapes():
    (x, y), feeds = unknown(np.zeros((2, 3)), np.zeros((2, 4)))
    run(tf.concat([x, y], 0), feeds)


@misuse
def run_stack_shapes():
    (x, y), feeds = unknown(np.zeros(2), np.zeros(3))
    run(tf.stack([x, y]), feeds)


@misuse
def run_conv2d_channels():
    (x, y), feeds = unknown(np.zeros((1, 8, 8, 3)), np.zeros((3, 3, 4, 8)))
    run(tf.nn.conv2d(x, y, [1, 1, 1, 1], "SAME"), feeds)


@misuse
def run_bias_add_size():
    (x, y), feeds = unknown(np.zeros((2, 3)), np.zeros(4))
    run(tf.nn.bias_add(x, y), feeds)


@misuse
def run_gather_out_of_range():
    x = tf.placeholder(tf.int32, [None], name="x")
    run(tf.gather(tf.constant([1.0, 2.0, 3.0]), x), {x: [0, 3]})


@misuse
def run_gather_negative_index():
    x = tf.placeholder(tf.int32, [None], name="x")
    run(tf.gather(tf.constant([[1.0], [2.0]]), x), {x: [-1]})


@misuse
def run_int_division_by_zero():
    x = tf.placeholder(tf.int32, [2], name="x")
    run(x // 0, {x: [1, 2]})


@misuse
def run_int_division_by_zero_tensor():
    (x, y), feeds = unknown([1, 2], [1, 0], dtype=tf.int32)
    run(tf.floordiv(x, y), feeds)


@misuse
def run_int_mod_by_zero():
    (x, y), feeds = unknown([1, 2], [1, 0], dtype=tf.int32)
    run(x % y, feeds)


@misuse
def run_int_truncated_division_by_zero():
    (x, y), feeds = unknown([1, 2], [1, 0], dtype=tf.int64)
    run(tf.truncatediv(x, y), feeds)


@misuse
def run_int_negative_power():
    (x, y), feeds = unknown([1, 2], [1, -1], dtype=tf.int32)
    run(x**y, feeds)


@misuse
def run_argmax_axis():
    (x,), feeds = unknown(np.zeros((2, 3)))
    run(tf.argmax(x, 2), feeds)


@misuse
def run_several_bad_nodes():
    """Which of two errors is told: the first one that happens, so only one is possible here."""
    (x,), feeds = unknown(np.zeros((2, 3)))
    run([tf.reshape(x, [4, 2], name="bad"), tf.square(x)], feeds)


@misuse
def run_argmax_of_empty():
    (x,), feeds = unknown(np.zeros((2, 0)))
    run(tf.argmax(x, 1), feeds)


@misuse
def run_reduce_axis():
    (x,), feeds = unknown(np.zeros((2, 3)))
    run(tf.reduce_sum(x, 2), feeds)


@misuse
def run_reduce_axis_twice():
    (x,), feeds = unknown(np.zeros((2, 3)))
    run(tf.reduce_sum(x, [0, -2]), feeds)


@misuse
def run_transpose_permutation():
    (x,), feeds = unknown(np.zeros((2, 3)))
    run(tf.transpose(x, [0, 0]), feeds)


@misuse
def run_slice_beyond():
    (x,), feeds = unknown(np.zeros((2, 3)))
    run(tf.slice(x, [0, 2], [2, 3]), feeds)


@misuse
def run_index_beyond():
    (x,), feeds = unknown(np.zeros((2, 3)))
    run(x[2], feeds)


@misuse
def run_expand_dims_axis():
    (x,), feeds = unknown(np.zeros((2, 3)))
    run(tf.expand_dims(x, 4), feeds)


@misuse
def run_squeeze_axis():
    (x,), feeds = unknown(np.zeros((2, 3)))
    run(tf.squeeze(x, [0]), feeds)


@misuse
def run_tile_multiples():
    (x,), feeds = unknown(np.zeros((2, 3)))
    run(tf.tile(x, [2]), feeds)


@misuse
def run_split_not_divisible():
    (x,), feeds = unknown(np.zeros((5, 2)))
    run(tf.split(x, 3), feeds)


@misuse
def run_fill_negative():
    x = tf.placeholder(tf.int32, [1], name="x")
    run(tf.fill(x, 1.0), {x: [-1]})


@misuse
def run_where_shapes():
    condition = tf.placeholder(tf.bool, name="condition")
    (x, y), feeds = unknown(np.zeros(2), np.zeros(2))
    run(tf.where(condition, x, y), {condition: [True, False, True], **feeds})


@misuse
def run_sparse_labels_out_of_range():
    labels = tf.placeholder(tf.int32, [2], name="labels")
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=tf.zeros([2, 3]))
    run(loss, {labels: [0, 3]})


@misuse
def run_softmax_cross_entropy_shapes():
    (x, y), feeds = unknown(np.zeros((2, 3)), np.zeros((2, 4)))
    run(tf.nn.softmax_cross_entropy_with_logits_v2(labels=x, logits=y), feeds)


@misuse
def run_softmax_of_scalar():
    (x,), feeds = unknown(np.float32(1))
    run(tf.nn.softmax(x), feeds)


@misuse
def run_random_uniform_int_empty_range():
    run(tf.random_uniform([2], 5, 5, dtype=tf.int32))


@misuse
def run_random_uniform_negative_shape():
    x = tf.placeholder(tf.int32, [1], name="x")
    run(tf.random_uniform(x), {x: [-1]})


@misuse
def run_range_wrong_direction():
    x = tf.placeholder(tf.int32, [], name="x")
    run(tf.range(5, 0, x), {x: 1})


@misuse
def run_check_numerics():
    run(tf.check_numerics(tf.constant([1.0, float("nan")]), "x is not finite"))


@misuse
def run_conv2d_gradient_shape():
    x = tf.placeholder(tf.float32, [1, 4, 4, 1], name="x")
    g = tf.placeholder(tf.float32, name="g")
    gradient = tf.gradients(tf.nn.conv2d(x, tf.zeros([3, 3, 1, 1]), 1, "SAME"), x, grad_ys=[g])
    run(gradient, {x: np.zeros((1, 4, 4, 1)), g: np.zeros((1, 3, 3, 1))})
