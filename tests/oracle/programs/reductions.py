"""Reductions, matrix products, argmax."""

from programs import program
from tensorflow_v1 import tf


@program
def reduce_everything():
    x = tf.placeholder(tf.float32, [2, 3], name="x")
    b = tf.placeholder(tf.bool, [2, 3], name="b")
    for function in (tf.reduce_sum, tf.reduce_mean, tf.reduce_max, tf.reduce_min, tf.reduce_prod):
        function(x)
    tf.reduce_all(b)
    tf.reduce_any(b)


@program
def reduce_axes():
    x = tf.placeholder(tf.float32, [2, None, 4], name="x")
    tf.reduce_sum(x, 1)
    tf.reduce_sum(x, [0, 2])
    tf.reduce_sum(x, -1)
    tf.reduce_sum(x, axis=[-1, 0])
    tf.reduce_sum(x, [])
    tf.reduce_mean(x, axis=0, name="named")
    tf.reduce_max(x, axis=tf.constant([1]))


@program
def reduce_keeping_dimensions():
    x = tf.placeholder(tf.float32, [2, None, 4], name="x")
    tf.reduce_sum(x, keepdims=True)
    tf.reduce_mean(x, 1, keepdims=True)
    tf.reduce_max(x, [0, -1], keepdims=True)
    tf.reduce_min(x, 1, keep_dims=True)
    tf.reduce_all(x > 0.0, 1, keepdims=True)


@program
def reduce_old_argument_names():
    x = tf.placeholder(tf.float32, [None, 10], name="x")
    tf.reduce_sum(x, reduction_indices=[1])
    tf.reduce_mean(x, reduction_indices=0)
    tf.reduce_prod(x, reduction_indices=[0, 1])
    tf.reduce_any(x > 0.0, reduction_indices=1)


@program
def reduce_unknown_rank():
    x = tf.placeholder(tf.float32, name="x")
    tf.reduce_sum(x)
    tf.reduce_mean(x, 0)
    tf.reduce_max(x, keepdims=True)


@program
def reduce_other_types():
    tf.reduce_sum([1, 2, 3])
    tf.reduce_mean(tf.placeholder(tf.float64, [4]))
    tf.reduce_max(tf.placeholder(tf.int64, [4]), 0)
    tf.reduce_sum(3.0)
    tf.reduce_logsumexp(tf.placeholder(tf.float32, [2, 3]), 1)


@program
def matmuls():
    a = tf.placeholder(tf.float32, [2, 3], name="a")
    b = tf.placeholder(tf.float32, [3, 4], name="b")
    tf.matmul(a, b)
    tf.matmul(a, a, transpose_b=True)
    tf.matmul(a, a, transpose_a=True)
    tf.matmul(b, a, transpose_a=True, transpose_b=True, name="turned")
    tf.matmul(tf.placeholder(tf.float32, [None, 3]), b)
    tf.matmul([[1.0, 2.0]], [[3.0], [4.0]])
    tf.matmul(tf.placeholder(tf.float32), b)


@program
def matmul_batched():
    a = tf.placeholder(tf.float32, [5, 2, 3], name="a")
    b = tf.placeholder(tf.float32, [5, 3, 4], name="b")
    tf.matmul(a, b)
    tf.matmul(a, a, adjoint_b=True)
    tf.matmul(a, b[0])
    a @ b


@program
def tensordots():
    a = tf.placeholder(tf.float32, [2, 3], name="a")
    tf.tensordot(a, tf.placeholder(tf.float32, [3, 4]), 1)
    tf.tensordot(a, a, [[0], [0]])


@program
def argmaxes():
    x = tf.placeholder(tf.float32, [None, 10], name="x")
    tf.argmax(x, 1)
    tf.argmax(x, axis=0, name="best")
    tf.argmax(x)
    tf.argmax(x, -1, output_type=tf.int32)
    tf.argmin(x, 1)
    tf.argmax(x, dimension=1)


@program
def accuracy():
    y = tf.placeholder(tf.float32, [None, 10], name="y")
    labels = tf.placeholder(tf.float32, [None, 10], name="labels")
    correct = tf.equal(tf.argmax(y, 1), tf.argmax(labels, 1))
    tf.reduce_mean(tf.cast(correct, tf.float32))
    tf.nn.in_top_k(y, tf.argmax(labels, 1), 1)


@program
def top_k():
    tf.nn.top_k(tf.placeholder(tf.float32, [None, 10], name="x"), 3)
    tf.cumsum(tf.placeholder(tf.float32, [4]))
