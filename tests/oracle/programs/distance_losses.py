"""Log, Huber, hinge, cosine and pairwise losses, and weights whose shapes only the step knows."""

from programs import program
from tensorflow_v1 import tf


def pair(shape=(4, 3), suffix=""):
    return (tf.placeholder(tf.float32, shape, name="labels" + suffix), tf.placeholder(tf.float32, shape, name="predictions" + suffix))


@program
def losses_of_logarithms():
    labels, predictions = pair()
    tf.losses.log_loss(labels, predictions)
    tf.losses.log_loss(labels, predictions, weights=tf.placeholder(tf.float32, [4, 1], name="w"), epsilon=0.5, scope="weighted")


@program
def losses_of_huber():
    labels, predictions = pair()
    tf.losses.huber_loss(labels, predictions)
    tf.losses.huber_loss(labels, predictions, weights=2.0, delta=0.5, scope="near", reduction=tf.losses.Reduction.SUM)


@program
def losses_of_hinges():
    labels, predictions = pair()
    tf.losses.hinge_loss(labels, predictions)
    tf.losses.hinge_loss(tf.placeholder(tf.int32, [4, 3], name="n"), predictions, scope="of_integers")


@program
def losses_of_angles():
    labels, predictions = pair()
    tf.losses.cosine_distance(labels, predictions, axis=1)
    tf.losses.cosine_distance(labels, predictions, axis=0, weights=[[1.0, 2.0, 3.0]], scope="columns")


@program
def losses_of_pairs():
    labels, predictions = pair()
    tf.losses.mean_pairwise_squared_error(labels, predictions)
    tf.losses.mean_pairwise_squared_error(labels, predictions, weights=tf.placeholder(tf.float32, [4, 1], name="w"), scope="weighted")


@program
def losses_of_weights_of_unknown_shape():
    labels, predictions = pair((None, 3))
    tf.losses.mean_squared_error(labels, predictions, weights=tf.placeholder(tf.float32, [None, 1], name="w"))


@program
def losses_of_weights_of_unknown_rank():
    labels, predictions = pair((None, 3))
    tf.losses.absolute_difference(labels, predictions, weights=tf.placeholder(tf.float32, name="w"))
