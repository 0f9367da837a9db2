"""Random ops and how graph and op seeds become their attributes."""

from programs import program
from tensorflow_v1 import tf


@program
def random_uniforms():
    tf.random_uniform([2, 3])
    tf.random_uniform([2], -1.0, 1.0)
    tf.random_uniform([2], 0, 10, dtype=tf.int32)
    tf.random_uniform([2], maxval=100, dtype=tf.int64, name="wide")
    tf.random_uniform([], dtype=tf.float64)
    tf.random_uniform([2], seed=7)


@program
def random_normals():
    tf.random_normal([2, 3])
    tf.random_normal([2], 1.0, 0.1, name="named")
    tf.random_normal([2], stddev=0.5, dtype=tf.float64, seed=1)
    tf.truncated_normal([2, 3])
    tf.truncated_normal([2], mean=1.0, stddev=0.1, seed=2, name="cut")


@program
def random_dynamic_shape():
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    tf.random_uniform(tf.shape(x))
    tf.random_normal([tf.shape(x)[0], 3])
    tf.random_uniform([2], x[0, 0], x[0, 1])


@program
def random_shuffles():
    tf.random_shuffle([1, 2, 3])
    tf.random_shuffle([1, 2, 3], seed=3, name="mixed")
    tf.multinomial(tf.zeros([2, 3]), 4)


@program
def seeds_of_ops():
    tf.random_uniform([1])
    tf.random_uniform([1], seed=0)
    tf.random_uniform([1], seed=1)
    tf.random_uniform([1], seed=-1)
    tf.random_normal([1], seed=123456789)


@program
def seeds_of_graph():
    tf.set_random_seed(0)
    tf.random_uniform([1])
    tf.random_uniform([1])
    tf.constant(0)
    tf.random_uniform([1], seed=0)
    tf.random_uniform([1], seed=5)
    tf.set_random_seed(42)
    tf.random_uniform([1])
    tf.random_normal([1])


@program
def seeds_in_scopes():
    tf.set_random_seed(3)
    with tf.name_scope("a"):
        tf.random_uniform([1])
    tf.Variable(tf.truncated_normal([2], seed=8))
    tf.nn.dropout(tf.zeros([2]), rate=0.5)
