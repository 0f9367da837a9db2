"""Summaries and savers."""

from programs import program
from tensorflow_v1 import tf


@program
def summaries():
    x = tf.placeholder(tf.float32, [None], name="x")
    with tf.name_scope("in"):
        tf.summary.scalar("loss function", x[0])
        tf.summary.scalar("loss", x[1], family="fam")
        tf.summary.scalar("loss", 1.5)
    tf.summary.histogram("h", x)
    tf.summary.image("i", tf.zeros([1, 2, 2, 1]), 2)
    tf.summary.audio("a", tf.zeros([1, 200]), 44100)
    tf.summary.merge_all()
    tf.summary.merge_all(name="all")


@program
def savers():
    tf.Variable([1.0, 2.0], name="b")
    a = tf.Variable(3, name="a")
    tf.train.Saver()
    tf.train.Saver([a], max_to_keep=1, name="only_a")
