"""tf.layers, tf.losses and the learning rates of tf.train beyond the programs of neural.py and optimizers.py."""

from programs import program
from tensorflow_v1 import tf


def images(channels=3):
    return tf.placeholder(tf.float32, [None, 8, 8, channels], name="images")


@program
def layers_conv2d():
    x = tf.layers.conv2d(images(), 4, 3, padding="same", activation=tf.nn.relu)
    x = tf.layers.conv2d(x, 6, [3, 2], strides=(2, 1), use_bias=False, name="second")
    tf.layers.conv2d(x, 2, 1, kernel_initializer=tf.zeros_initializer(), bias_initializer=tf.ones_initializer())


@program
def layers_pools():
    x = tf.layers.max_pooling2d(images(), 2, 2)
    x = tf.layers.average_pooling2d(x, [2, 1], 1, padding="same", name="mean")
    tf.layers.max_pooling2d(x, (2, 2), (1, 2))


@program
def layers_dropout():
    x = images()
    training = tf.placeholder(tf.bool, [], name="training")
    tf.layers.dropout(x, 0.4, training=True)
    tf.layers.dropout(x)
    tf.layers.dropout(x, rate=0.25, training=training, seed=3, name="some")


@program
def layers_share_variables():
    x = tf.placeholder(tf.float32, [2, 4], name="x")
    with tf.variable_scope("net"):
        tf.layers.dense(x, 3, name="layer")
        tf.layers.dense(x, 3)
    with tf.variable_scope("net", reuse=True):
        tf.layers.dense(x, 3, name="layer")
    tf.layers.dense(x, 3, name="again", reuse=tf.AUTO_REUSE)
    tf.layers.dense(x, 3, name="again", reuse=tf.AUTO_REUSE, trainable=False)


def logits_and_labels():
    return tf.placeholder(tf.float32, [None, 10], name="logits"), tf.placeholder(tf.float32, [None, 10], name="labels")


@program
def losses_softmax_cross_entropy():
    logits, labels = logits_and_labels()
    tf.losses.softmax_cross_entropy(labels, logits)


@program
def losses_sparse_softmax_cross_entropy():
    logits = tf.placeholder(tf.float32, [None, 10], name="logits")
    labels = tf.placeholder(tf.int64, [None], name="labels")
    tf.losses.sparse_softmax_cross_entropy(labels=labels, logits=logits)


@program
def losses_of_differences():
    logits, labels = logits_and_labels()
    tf.losses.absolute_difference(labels, logits)
    tf.losses.mean_squared_error(labels, logits, weights=0.5)
    tf.losses.sigmoid_cross_entropy(labels, logits)
    tf.losses.get_total_loss()


@program
def rates_that_decay():
    step = tf.Variable(0, trainable=False, name="step")
    tf.train.exponential_decay(0.1, step, 100, 0.96)
    tf.train.natural_exp_decay(0.1, step, 100, 0.5)
    tf.train.inverse_time_decay(0.1, step, 100, 0.5, staircase=True)
    tf.train.polynomial_decay(0.1, step, 100)
    tf.train.polynomial_decay(0.1, step, 100, 0.01, power=0.5, cycle=True, name="cycled")


@program
def rates_that_jump():
    step = tf.Variable(0, trainable=False, name="step")
    tf.train.piecewise_constant(step, [10, 20], [0.1, 0.01, 0.001])
