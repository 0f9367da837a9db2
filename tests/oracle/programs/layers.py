"""tf.layers, tf.losses and the learning rates of tf.train beyond the programs of nn.py and optimizers.py."""

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


@program
def layers_dense_of_more_dimensions():
    x = tf.placeholder(tf.float32, [2, 5, 4], name="x")
    tf.layers.dense(x, 3, activation=tf.tanh)
    y = tf.placeholder(tf.float32, [None, 5, 4], name="y")
    tf.layers.dense(y, 3, use_bias=False, name="second")
    tf.layers.dense(tf.placeholder(tf.float32, [None, None, 2, 4], name="z"), 1)


@program
def layers_conv2d_dilated():
    tf.layers.conv2d(images(), 4, 3, dilation_rate=2)
    tf.layers.conv2d(images(), 4, 3, padding="SAME", dilation_rate=(2, 1), name="same")
    tf.layers.conv2d(tf.placeholder(tf.float32, [None, None, None, 3], name="any"), 4, [2, 3], padding="same", dilation_rate=[1, 3])
    tf.layers.conv2d(tf.placeholder(tf.float32, [2, 9, 9, 3], name="known"), 4, 3, padding="same", dilation_rate=3)


@program
def layers_channels_first():
    x = tf.placeholder(tf.float32, [None, 3, 8, 8], name="x")
    y = tf.layers.conv2d(x, 4, 3, strides=(2, 1), data_format="channels_first", activation=tf.nn.relu)
    tf.layers.conv2d(x, 4, 3, data_format="channels_first", use_bias=False, name="plain")
    y = tf.layers.max_pooling2d(y, 2, (1, 2), data_format="channels_first")
    y = tf.layers.average_pooling2d(y, 2, 1, data_format="channels_first", padding="same")
    tf.layers.flatten(y, data_format="channels_first")
    tf.layers.flatten(tf.placeholder(tf.float32, [None, None, 2], name="z"), data_format="channels_first")


@program
def layers_by_words():
    x = tf.placeholder(tf.float32, [2, 4], name="x")
    x = tf.layers.dense(x, 3, activation="relu", kernel_initializer="zeros", bias_initializer="ones")
    x = tf.layers.dense(x, 3, activation="tanh", kernel_initializer="glorot_uniform")
    x = tf.layers.dense(x, 3, activation="sigmoid", bias_initializer=None)
    x = tf.layers.dense(x, 3, activation="softmax", kernel_initializer=tf.zeros_initializer)
    tf.layers.dense(x, "2", activation="linear")


@program
def layers_dropout_noise():
    x = tf.placeholder(tf.float32, [None, 8, 4], name="x")
    tf.layers.dropout(x, 0.5, noise_shape=[None, 1, 4], training=True)
    tf.layers.dropout(x, tf.constant(0.5), noise_shape=[2, 8, 1], training=1)
    tf.layers.dropout(x, 0.0, training=True)
    tf.layers.dropout(x, 0, training=True)


@program
def layers_flatten_unknown():
    tf.layers.flatten(tf.placeholder(tf.float32, name="x"))
    tf.layers.flatten(tf.placeholder(tf.float32, [5], name="vector"))
    tf.layers.flatten(tf.placeholder(tf.int32, [None, 2, 0], name="empty"))


def known():
    return tf.placeholder(tf.float32, [2, 3], name="logits"), tf.placeholder(tf.float32, [2, 3], name="labels")


@program
def losses_with_weights():
    logits, labels = known()
    tf.losses.mean_squared_error(labels, logits, weights=[[1.0], [2.0]])
    tf.losses.mean_squared_error(labels, logits, weights=[[1.0, 0.0, 2.0], [2.0, 1.0, 1.0]], scope="all")
    tf.losses.absolute_difference(labels, logits, weights=tf.placeholder(tf.float32, [1, 3], name="w"))
    tf.losses.softmax_cross_entropy(labels, logits, weights=[0.5, 0.25])
    tf.losses.mean_squared_error(labels, logits, weights=tf.constant(2))
    tf.losses.mean_squared_error(labels, logits, weights=3)


@program
def losses_reduced_otherwise():
    logits, labels = logits_and_labels()
    reductions = tf.losses.Reduction
    for reduction in (reductions.NONE, reductions.SUM, reductions.MEAN, reductions.SUM_OVER_BATCH_SIZE,
                      reductions.SUM_OVER_NONZERO_WEIGHTS):
        tf.losses.mean_squared_error(labels, logits, 0.5, reduction=reduction)
    logits, labels = known()
    tf.losses.softmax_cross_entropy(labels, logits, reduction=reductions.SUM_OVER_BATCH_SIZE)
    tf.losses.sigmoid_cross_entropy(labels, logits, reduction=reductions.NONE)
    tf.losses.compute_weighted_loss(logits, reduction=reductions.MEAN, loss_collection=None)
    tf.losses.compute_weighted_loss([1, 2], 2, scope="of_numbers")


@program
def losses_smoothed():
    logits, labels = logits_and_labels()
    tf.losses.softmax_cross_entropy(labels, logits, label_smoothing=0.1)
    tf.losses.sigmoid_cross_entropy(labels, logits, label_smoothing=0.2)
    logits, labels = known()
    tf.losses.softmax_cross_entropy(labels, logits, label_smoothing=0.25)
    tf.losses.sigmoid_cross_entropy(labels, logits, label_smoothing=-0.2)


@program
def losses_of_squeezed_classes():
    logits = tf.placeholder(tf.float32, [4, 10], name="logits")
    classes = tf.placeholder(tf.int32, [4, 1], name="classes")
    tf.losses.sparse_softmax_cross_entropy(classes, logits)
    tf.losses.sparse_softmax_cross_entropy(classes, logits, weights=[[1.0], [2.0], [0.0], [1.0]])
    tf.losses.sparse_softmax_cross_entropy([1, 2, 0, 3], logits, weights=[1.0, 2.0, 0.0, 1.0])


@program
def losses_together():
    logits, labels = known()
    tf.add_to_collection("losses", tf.constant(1.0, name="mine"))
    tf.losses.add_loss(tf.constant(2.0, name="mine_too"))
    tf.losses.mean_squared_error(labels, logits, scope="named")
    tf.add_to_collection("regularization_losses", tf.constant(3.0, name="small"))
    tf.losses.get_regularization_loss()
    tf.losses.get_total_loss()
    tf.losses.get_total_loss(add_regularization_losses=False, name="without")
    tf.losses.get_total_loss(scope="mine|small", name="some")
    tf.losses.get_regularization_loss(scope="nothing")
    tf.add_n(tf.losses.get_losses("na"), name="of_one")
