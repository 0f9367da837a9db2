"""What tf.gradients builds."""

from programs import program
from tensorflow_v1 import tf


def floats(shape, name="x"):
    return tf.placeholder(tf.float32, shape, name=name)


@program
def gradients_of_broadcasting_mul():
    x, y = floats([2, 3]), floats([3], "y")
    tf.gradients(x * y, [x, y])


@program
def gradients_of_integers():
    x = floats([2])
    n = tf.placeholder(tf.int32, [2], name="n")
    tf.gradients(n * 2, n)
    tf.gradients(n, n)
    tf.gradients(tf.cast(x, tf.int32), x)
    tf.gradients([tf.argmax(x, 0), tf.square(x)], x)
    tf.gradients(x < 1.0, x)


@program
def gradients_of_mul_by_number():
    x = floats([2, 3])
    tf.gradients(2.0 * x * 3.0, x)


@program
def gradients_of_add_and_sub():
    x, y = floats([2, 3]), floats([2, 3], "y")
    tf.gradients((x + y) - (x - 1.0), [x, y])


@program
def gradients_with_unknown_shapes():
    x, y = floats(None), floats([None, 3], "y")
    tf.gradients((x - y) + y, [x, y])


@program
def gradients_with_unknown_batch():
    x, y = floats([None, 3]), floats([3], "y")
    tf.gradients(x * y + y, [x, y])


@program
def gradients_of_division():
    x, y = floats([2, 3]), floats([2, 1], "y")
    tf.gradients(x / y, [x, y])


@program
def gradients_of_pow():
    x, y = floats([3]), floats([3], "y")
    tf.gradients(x**y, [x, y])
    tf.gradients(x**2, x)


@program
def gradients_of_maximum_minimum():
    x, y = floats([3]), floats([3], "y")
    tf.gradients(tf.maximum(x, y) + tf.minimum(x, 0.0), [x, y])


@program
def gradients_of_unary_functions():
    for function in (tf.negative, tf.abs, tf.square, tf.sqrt, tf.rsqrt, tf.exp, tf.log, tf.tanh, tf.sigmoid):
        x = floats([3])
        tf.gradients(function(x), x)


@program
def gradients_of_more_unary_functions():
    for function in (tf.log1p, tf.expm1, tf.sin, tf.cos, tf.reciprocal, tf.sign, tf.floor, tf.erf):
        x = floats([3])
        tf.gradients(function(x), x)


@program
def gradients_of_squared_difference():
    x, y = floats([2, 3]), floats([3], "y")
    tf.gradients(tf.squared_difference(x, y), [x, y])


@program
def gradients_of_matmul():
    for a_turned in (False, True):
        for b_turned in (False, True):
            a = floats([3, 2] if a_turned else [2, 3], "a")
            b = floats([4, 3] if b_turned else [3, 4], "b")
            tf.gradients(tf.matmul(a, b, transpose_a=a_turned, transpose_b=b_turned), [a, b])


@program
def gradients_of_batched_matmul():
    a, b = floats([5, 2, 3], "a"), floats([5, 3, 4], "b")
    tf.gradients(tf.matmul(a, b), [a, b])


@program
def gradients_of_reduce_sum():
    x = floats([2, 3, 4])
    tf.gradients(tf.reduce_sum(x), x)
    tf.gradients(tf.reduce_sum(x, 1), x)
    tf.gradients(tf.reduce_sum(x, [0, 2], keepdims=True), x)


@program
def gradients_of_reduce_sum_unknown_batch():
    x = floats([None, 3])
    tf.gradients(tf.reduce_sum(x), x)
    tf.gradients(tf.reduce_sum(x, 1), x)
    tf.gradients(tf.reduce_sum(x, reduction_indices=[0]), x)


@program
def gradients_of_reduce_mean():
    x, y = floats([2, 3]), floats([None, 3], "y")
    tf.gradients(tf.reduce_mean(x), x)
    tf.gradients(tf.reduce_mean(x, 0), x)
    tf.gradients(tf.reduce_mean(y), y)
    tf.gradients(tf.reduce_mean(y, 1), y)


@program
def gradients_of_reduce_max_min():
    x, y = floats([2, 3]), floats([None, 3], "y")
    tf.gradients(tf.reduce_max(x, 1), x)
    tf.gradients(tf.reduce_min(y), y)


@program
def gradients_of_reduce_prod():
    x = floats([2, 3])
    tf.gradients(tf.reduce_prod(x, 1), x)


@program
def gradients_of_reshape_and_transpose():
    x, y = floats([2, 6]), floats([None, 4], "y")
    tf.gradients(tf.reshape(x, [3, 4]), x)
    tf.gradients(tf.reshape(y, [-1, 2, 2]), y)
    tf.gradients(tf.transpose(x), x)
    tf.gradients(tf.transpose(tf.reshape(x, [2, 2, 3]), [2, 0, 1]), x)


@program
def gradients_of_concat_and_stack():
    x, y = floats([2, 3]), floats([2, 4], "y")
    tf.gradients(tf.concat([x, y], 1), [x, y])
    tf.gradients(tf.stack([x, x]), x)
    tf.gradients(tf.concat([floats([None, 3], "u"), x], 0), x)
    tf.gradients(tf.concat([x, x, y], -1), [x, y])


@program
def gradients_of_split_and_unstack():
    x = floats([4, 6])
    tf.gradients(tf.split(x, 2)[0], x)
    tf.gradients(tf.unstack(x)[1], x)
    tf.gradients(tf.split(x, [1, 5], axis=1), x)


@program
def gradients_of_slices():
    x = floats([4, 5])
    tf.gradients(tf.slice(x, [1, 0], [2, 3]), x)
    tf.gradients(x[1:3, ::2], x)
    tf.gradients(x[0], x)
    tf.gradients(floats([None, 5], "y")[..., tf.newaxis, 0], x)


@program
def gradients_of_strided_slice_unknown_batch():
    y = floats([None, 5], "y")
    tf.gradients(y[1:, 0], y)


@program
def gradients_of_gather():
    x = floats([4, 5])
    (slices,) = tf.gradients(tf.gather(x, [0, 2]), x)
    tf.convert_to_tensor(slices)


@program
def gradients_of_gather_along_columns():
    x = floats([4, 5])
    tf.gradients(tf.gather(x, [1, 3], axis=1), x)


@program
def gradients_of_gather_from_variable():
    v = tf.Variable(tf.zeros([4, 2]), name="v")
    loss = tf.reduce_sum(tf.nn.embedding_lookup(v, [1, 3, 1]))
    tf.train.GradientDescentOptimizer(0.1).minimize(loss)


@program
def gradients_of_softmax_and_log():
    x, labels = floats([None, 10]), floats([None, 10], "labels")
    tf.gradients(tf.nn.softmax(x), x)
    tf.gradients(tf.nn.log_softmax(x), x)
    tf.gradients(-tf.reduce_sum(labels * tf.log(tf.nn.softmax(x))), x)


@program
def gradients_of_cross_entropies():
    x, labels = floats([5, 10]), floats([5, 10], "labels")
    tf.gradients(tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=x), [x, labels])
    tf.gradients(tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=x), x)
    tf.gradients(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=x), x)


@program
def gradients_of_cross_entropy_unknown_batch():
    x, labels = floats([None, 10]), floats([None, 10], "labels")
    tf.gradients(tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=x)), x)


@program
def gradients_of_sparse_cross_entropy():
    x = floats([None, 10])
    labels = tf.placeholder(tf.int32, [None], name="labels")
    tf.gradients(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=x), x)


@program
def gradients_of_activations():
    for function in (tf.nn.relu, tf.nn.relu6, tf.nn.elu, tf.nn.softplus):
        x = floats([3])
        tf.gradients(function(x), x)


@program
def gradients_of_conv_and_avg_pool():
    x, kernel = floats([None, 8, 8, 2]), floats([3, 3, 2, 4], "kernel")
    y = tf.nn.relu(tf.nn.conv2d(x, kernel, [1, 1, 1, 1], "SAME"))
    y = tf.nn.avg_pool(y, [1, 2, 2, 1], [1, 2, 2, 1], "VALID")
    tf.gradients(tf.reduce_mean(y), [x, kernel])


@program
def gradients_of_conv_and_max_pool():
    x, kernel, bias = floats([2, 8, 8, 2]), floats([3, 3, 2, 4], "kernel"), floats([4], "bias")
    y = tf.nn.bias_add(tf.nn.conv2d(x, kernel, [1, 2, 2, 1], "VALID"), bias)
    y = tf.nn.max_pool(y, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    tf.gradients(tf.reduce_sum(y), [kernel, bias])


@program
def gradients_of_bias_add_and_l2_loss():
    x, bias = floats([None, 4]), floats([4], "bias")
    tf.gradients(tf.nn.l2_loss(tf.nn.bias_add(x, bias)), [x, bias])


@program
def gradients_of_dropout():
    x = floats([2, 4])
    tf.gradients(tf.nn.dropout(x, rate=0.5, seed=1), x)


@program
def gradients_of_cast_tile_expand_squeeze():
    x = floats([2, 1])
    tf.gradients(tf.cast(x, tf.float64), x)
    tf.gradients(tf.tile(x, [1, 3]), x)
    tf.gradients(tf.expand_dims(x, 0), x)
    tf.gradients(tf.squeeze(x), x)
    tf.gradients(tf.broadcast_to(x, [2, 3]), x)


@program
def gradients_of_where():
    x, y = floats([3]), floats([3], "y")
    tf.gradients(tf.where(x > 0.0, x, y), [x, y])


@program
def gradients_fan_out():
    """Several uses of one tensor are summed by AddN."""
    x = floats([2])
    y = tf.identity(x, name="shared")
    tf.gradients(tf.exp(y) + tf.tanh(y) + y * 2.0, x)


@program
def gradients_of_several_ys():
    x = floats([2])
    tf.gradients([tf.exp(x), tf.tanh(x)], x)
    tf.gradients([x * 2.0, 3.0 * x], [x], name="mine")


@program
def gradients_with_grad_ys():
    x = floats([2])
    tf.gradients(tf.exp(x), x, grad_ys=[[1.0, 2.0]])
    tf.gradients([tf.exp(x), x * 2.0], x, grad_ys=[None, floats([2], "dy")])


@program
def gradients_with_stop_gradients():
    x = floats([2])
    y = tf.exp(x)
    tf.gradients(y * x, [x, y], stop_gradients=[y])
    tf.gradients(tf.stop_gradient(y) * x, x)


@program
def gradients_unconnected():
    x, y = floats([2]), floats([2], "y")
    tf.gradients(tf.exp(x), [x, y])
    tf.gradients(tf.exp(x), [y])
    tf.gradients(tf.exp(x), [y], unconnected_gradients="zero")
    tf.gradients(x, x)
    tf.gradients(tf.cast(tf.cast(x, tf.int32), tf.float32), x)


@program
def gradients_colocated():
    x = floats([2])
    tf.gradients(tf.exp(x) * 2.0, x, colocate_gradients_with_ops=True)


@program
def gradients_of_variables():
    w = tf.Variable([1.0, 2.0], name="w")
    tf.gradients(tf.reduce_sum(w * w), [w])
    tf.gradients(w * 3.0, [w.value(), w])


@program
def gradients_in_a_name_scope():
    x = floats([2])
    with tf.name_scope("s"):
        y = tf.exp(x)
        tf.gradients(y, x)
        tf.gradients(y, x)


@program
def gradients_of_gradients():
    x = floats([2])
    (first,) = tf.gradients(tf.square(tf.tanh(x)), x)
    tf.gradients(first, x)
