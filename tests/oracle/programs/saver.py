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


@program
def saver_that_reshapes():
    tf.get_variable("a", [2, 3])
    tf.Variable(tf.placeholder(tf.float32), validate_shape=False, name="any")
    tf.train.Saver(reshape=True)


@program
def saver_in_shards():
    tf.get_variable("a", [2], initializer=tf.zeros_initializer())
    tf.get_variable("b", [3], initializer=tf.zeros_initializer())
    tf.train.Saver(sharded=True)


@program
def saver_in_shards_of_tasks():
    with tf.device("/job:ps/task:0"):
        tf.get_variable("a", [2], initializer=tf.zeros_initializer())
    with tf.device("/job:ps/task:1"):
        tf.get_variable("b", [3], initializer=tf.zeros_initializer())
        tf.get_variable("c", [3], initializer=tf.zeros_initializer())
    tf.train.Saver(sharded=True)


@program
def saver_that_waits():
    tf.get_variable("a", [2], initializer=tf.zeros_initializer())
    saver = tf.train.Saver(defer_build=True, name="late")
    tf.get_variable("b", [2], initializer=tf.zeros_initializer())
    saver.build()
