"""Queues: how they are made and what is done with them."""

from programs import program
from tensorflow_v1 import tf


@program
def queue_fifo():
    q = tf.FIFOQueue(3, [tf.float32], shapes=[[2]])
    x = tf.placeholder(tf.float32, [2], name="x")
    q.enqueue([x])
    q.enqueue(x, name="put")
    q.enqueue([1.0, 2.0] * x)
    q.enqueue_many([tf.placeholder(tf.float32, [None, 2], name="xs")])
    q.dequeue()
    q.dequeue(name="get")
    q.dequeue_many(5)
    q.dequeue_up_to(tf.placeholder(tf.int32, [], name="n"))
    q.size()
    q.is_closed()
    q.close()
    q.close(cancel_pending_enqueues=True, name="end")


@program
def queue_of_several_components():
    q = tf.FIFOQueue(3, [tf.float32, tf.int32], shapes=[[2], []], shared_name="shared", name="pairs")
    q.enqueue([[1.0, 2.0], 3])
    q.enqueue_many([[[1.0, 2.0]], [3]])
    x, y = q.dequeue_many(4)
    tf.reduce_sum(x)
    tf.negative(y)


@program
def queue_in_a_scope():
    with tf.name_scope("input"):
        q = tf.FIFOQueue(3, tf.float32)
        q.enqueue(1.0)
        with tf.control_dependencies([q.size()]):
            q.dequeue()
    q.dequeue()


@program
def queue_random_shuffle():
    q = tf.RandomShuffleQueue(30, 10, tf.int64, shapes=[[]], seed=3)
    q.enqueue_many([tf.placeholder(tf.int64, [None])])
    q.dequeue_many(2)
    tf.set_random_seed(7)
    tf.RandomShuffleQueue(30, 10, tf.int64, name="by_the_graphs_seed")


@program
def queue_padding_and_priority():
    q = tf.PaddingFIFOQueue(5, [tf.int32, tf.string], shapes=[[None, 2], []])
    q.enqueue([tf.placeholder(tf.int32, [None, 2]), "a"])
    q.dequeue_many(2)
    p = tf.PriorityQueue(5, [tf.string], shapes=[[]])
    p.enqueue([tf.constant(5, tf.int64), "five"])
    p.dequeue()
    p.dequeue_up_to(3)
