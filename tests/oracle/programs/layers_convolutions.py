"""tf.layers of one and three dimensions, and by depth."""

from programs import program
from tensorflow_v1 import tf


def placeholder(*shape, name="x"):
    return tf.placeholder(tf.float32, shape, name=name)


@program
def layers_of_lines():
    x = placeholder(2, 9, 3)
    tf.layers.conv1d(x, 4, 3)
    tf.layers.conv1d(x, 4, [3], strides=2, padding="same", activation=tf.nn.relu, use_bias=False, name="second")
    tf.layers.conv1d(x, 4, 3, dilation_rate=2, padding="same", name="gaps")


@program
def layers_of_rooms():
    x = placeholder(2, 5, 6, 7, 3)
    tf.layers.conv3d(x, 4, 2)
    tf.layers.conv3d(x, 4, (2, 3, 2), strides=(1, 2, 1), padding="same", name="second", activation=tf.nn.relu)


@program
def layers_by_depth():
    x = placeholder(2, 8, 9, 3)
    tf.layers.separable_conv2d(x, 4, 3)
    tf.layers.separable_conv2d(x, 4, (3, 2), strides=2, padding="same", depth_multiplier=2, use_bias=False, name="second",
                               activation=tf.nn.relu)
    tf.layers.separable_conv2d(x, 4, 3, dilation_rate=2, name="gaps")


@program
def layers_of_pools():
    line, room = placeholder(2, 9, 3, name="line"), placeholder(2, 5, 6, 7, 3, name="room")
    tf.layers.max_pooling1d(line, 2, 2)
    tf.layers.average_pooling1d(line, 3, 1, padding="same", name="mean")
    tf.layers.max_pooling3d(room, 2, 2)
    tf.layers.average_pooling3d(room, (2, 3, 2), (1, 2, 1), padding="same", name="mean_of_rooms")


@program
def layers_of_lines_that_see_no_later_step():
    x = placeholder(None, 9, 3)
    tf.layers.conv1d(x, 4, 3, padding="causal")
    tf.layers.conv1d(x, 4, 2, padding="causal", dilation_rate=3, name="gaps")
    tf.layers.separable_conv1d(x, 4, 3, padding="causal", name="separable")


@program
def layers_of_lines_by_depth():
    x = placeholder(2, 9, 3)
    tf.layers.separable_conv1d(x, 4, 3)
    tf.layers.separable_conv1d(x, 4, [2], strides=2, padding="same", depth_multiplier=2, use_bias=False, name="second", activation=tf.nn.relu)
    tf.layers.separable_conv1d(x, 4, 3, dilation_rate=2, name="gaps")


@program
def layers_conv3d_transpose():
    x = tf.layers.conv3d_transpose(placeholder(None, 2, 3, 2, 3), 2, 3, strides=2, padding="same", activation=tf.nn.relu)
    tf.layers.conv3d_transpose(x, 4, [3, 2, 1], use_bias=False, name="second")


@program
def layers_with_constraints():
    def halved(x):
        return x / 2.0

    x = placeholder(2, 6, 6, 3)
    y = tf.layers.conv2d(x, 4, 3, kernel_constraint=halved, bias_constraint=halved)
    y = tf.layers.separable_conv2d(y, 4, 2, depthwise_constraint=halved, pointwise_constraint=halved)
    y = tf.layers.batch_normalization(tf.layers.flatten(y), beta_constraint=halved, gamma_constraint=halved, training=True)
    y = tf.layers.dense(y, 2, kernel_constraint=halved)
    tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(y))
