"""What tf.metrics builds."""

from programs import program
from tensorflow_v1 import tf


@program
def metrics_means():
    tf.metrics.mean(tf.placeholder(tf.float32, [None], name="x"))
    tf.metrics.mean(tf.placeholder(tf.int32, [2, 3], name="n"), name="of_integers")


@program
def metrics_accuracies():
    labels = tf.placeholder(tf.int64, [None], name="labels")
    tf.metrics.accuracy(labels, tf.placeholder(tf.int64, [None], name="predictions"))
    tf.metrics.accuracy(labels, tf.placeholder(tf.int32, [None], name="others"), name="second")
