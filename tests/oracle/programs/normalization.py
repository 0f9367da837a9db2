"""Batch normalisation, moments and norms."""

from programs import program
from tensorflow_v1 import tf


def floats(shape, name="x"):
    return tf.placeholder(tf.float32, shape, name=name)


@program
def nn_moments():
    x = floats([None, 8])
    tf.nn.moments(x, [0])
    tf.nn.moments(floats([2, 4, 4, 3]), axes=[0, 1, 2], keep_dims=True, name="of_images")


@program
def nn_batch_normalization():
    x = floats([None, 8])
    mean, variance = tf.nn.moments(x, [0])
    scale, offset = tf.Variable(tf.ones([8]), name="scale"), tf.Variable(tf.zeros([8]), name="offset")
    tf.nn.batch_normalization(x, mean, variance, offset, scale, 1e-3)
    tf.nn.batch_normalization(x, mean, variance, None, None, 1e-5, name="plain")
    tf.nn.batch_normalization(x, mean, variance, offset, None, 1e-5)


@program
def nn_l2_normalize():
    x = floats([None, 8])
    tf.nn.l2_normalize(x, 1)
    tf.nn.l2_normalize(x, axis=[0, 1], epsilon=1e-6, name="all")


@program
def layers_batch_normalization_of_images():
    x = tf.layers.batch_normalization(floats([None, 4, 4, 3]), training=True)
    tf.layers.batch_normalization(x, name="second", momentum=0.9, epsilon=1e-5)


@program
def layers_batch_normalization_of_a_placeholder():
    training = tf.placeholder(tf.bool, [], name="training")
    tf.layers.batch_normalization(floats([None, 4, 4, 3]), training=training)


@program
def layers_batch_normalization_of_vectors():
    training = tf.placeholder(tf.bool, [], name="training")
    x = tf.layers.batch_normalization(floats([None, 6]), training=True)
    x = tf.layers.batch_normalization(x, training=False, center=False)
    tf.layers.batch_normalization(x, training=training, scale=False)


@program
def layers_batch_normalization_by_parts():
    training = tf.placeholder(tf.bool, [], name="training")
    tf.layers.batch_normalization(floats([None, 4, 4, 3]), training=True, fused=False)
    tf.layers.batch_normalization(floats([None, 4, 4, 3], "y"), training=training, fused=False, axis=1)
    tf.layers.batch_normalization(tf.placeholder(tf.float64, [2, 4, 4, 3], name="doubles"), training=True)


@program
def layers_batch_normalization_of_rooms():
    training = tf.placeholder(tf.bool, [], name="training")
    x = floats([2, 3, 4, 4, 3])
    tf.layers.batch_normalization(x, training=True)
    tf.layers.batch_normalization(x, axis=2, training=training)


@program
def layers_batch_normalization_of_halves():
    tf.layers.batch_normalization(tf.placeholder(tf.float16, [2, 4, 4, 3], name="images"), training=True)
    tf.layers.batch_normalization(tf.placeholder(tf.float16, [2, 3], name="vectors"), training=True)


@program
def layers_batch_renormalization():
    training = tf.placeholder(tf.bool, [], name="training")
    x = tf.layers.batch_normalization(floats([None, 6]), training=True, renorm=True)
    x = tf.layers.batch_normalization(x, training=training, renorm=True, renorm_momentum=0.9,
                                      renorm_clipping={"rmax": 3.0, "rmin": 0.3, "dmax": 5.0})
    tf.layers.batch_normalization(floats([None, 4, 4, 3], "images"), training=True, renorm=True, scale=False)


@program
def layers_batch_normalization_of_virtual_batches():
    training = tf.placeholder(tf.bool, [], name="training")
    tf.layers.batch_normalization(floats([8, 6]), training=True, virtual_batch_size=2)
    tf.layers.batch_normalization(floats([8, 4, 4, 3], "images"), training=training, virtual_batch_size=4)


@program
def nn_fully_connected():
    x = floats([None, 4])
    w, b = tf.Variable(tf.ones([4, 3]), name="w"), tf.Variable(tf.zeros([3]), name="b")
    tf.nn.xw_plus_b(x, w, b)
    tf.nn.relu_layer(x, w, b)
    tf.nn.xw_plus_b(x, w, b, name="named")


@program
def nn_transposed_convolution():
    x, w = floats([2, 4, 4, 3]), tf.Variable(tf.ones([3, 3, 2, 3]), name="w")
    tf.nn.conv2d_transpose(x, w, [2, 8, 8, 2], [1, 2, 2, 1])
    batch = tf.shape(x)[0]
    tf.nn.conv2d_transpose(x, w, tf.stack([batch, 8, 8, 2]), strides=2, padding="SAME", name="stacked")


@program
def layers_conv2d_transpose():
    x = tf.layers.conv2d_transpose(floats([None, 4, 4, 3]), 2, 5, strides=2, padding="same", activation=tf.nn.relu)
    tf.layers.conv2d_transpose(x, 4, [3, 2], use_bias=False, name="second")


@program
def nn_sampled_losses():
    inputs, labels = floats([5, 4]), tf.placeholder(tf.int64, [5, 1], name="labels")
    w, b = tf.Variable(tf.ones([20, 4]), name="w"), tf.Variable(tf.zeros([20]), name="b")
    tf.nn.nce_loss(w, b, labels, inputs, 3, 20)
    tf.nn.sampled_softmax_loss(w, b, labels, inputs, 3, 20)


@program
def nn_sampled_losses_of_int32_labels():
    inputs, labels = floats([6, 4]), tf.placeholder(tf.int32, [6, 1], name="labels")
    w, b = tf.Variable(tf.ones([20, 4]), name="w"), tf.Variable(tf.zeros([20]), name="b")
    tf.nn.nce_loss(weights=w, biases=b, labels=labels, inputs=inputs, num_sampled=3, num_classes=20, remove_accidental_hits=True,
                   name="loss")
    tf.nn.sampled_softmax_loss(w, b, labels, inputs, 3, 20, seed=3)
