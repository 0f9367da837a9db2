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
