"""Convolutions and pools of one, two and three dimensions, with gaps, by depth, transposed."""

from programs import program
from tensorflow_v1 import tf


def images(shape=(2, 8, 9, 3), name="x"):
    return tf.placeholder(tf.float32, shape, name=name)


def kernel(*shape):
    return tf.ones(shape)


@program
def convolutions_of_depth():
    x = images()
    tf.nn.depthwise_conv2d(x, kernel(3, 2, 3, 2), [1, 2, 2, 1], "SAME")
    tf.nn.depthwise_conv2d(x, kernel(3, 2, 3, 2), [1, 1, 1, 1], "VALID", rate=[2, 2], name="gaps")
    tf.nn.depthwise_conv2d_native(x, kernel(3, 2, 3, 1), [1, 1, 1, 1], "VALID", name="plain")
    tf.nn.separable_conv2d(x, kernel(3, 3, 3, 2), kernel(1, 1, 6, 4), [1, 1, 1, 1], "SAME")
    tf.nn.separable_conv2d(x, kernel(3, 3, 3, 2), kernel(1, 1, 6, 4), [1, 1, 1, 1], "SAME", rate=[2, 3], name="apart")


@program
def convolutions_of_one_dimension():
    x = images([2, 9, 3])
    tf.nn.conv1d(x, kernel(3, 3, 4), 2, "SAME")
    tf.nn.conv1d(x, kernel(3, 3, 4), stride=1, padding="VALID", dilations=2, name="gaps")
    tf.nn.conv1d_transpose(x, kernel(3, 5, 3), [2, 18, 5], 2)
    tf.nn.conv1d_transpose(x, kernel(3, 5, 3), [2, 11, 5], 1, padding="VALID", name="back")


@program
def convolutions_of_three_dimensions():
    x = images([2, 5, 6, 7, 3])
    tf.nn.conv3d(x, kernel(2, 3, 2, 3, 4), [1, 1, 2, 1, 1], "SAME")
    tf.nn.conv3d(x, kernel(2, 3, 2, 3, 4), strides=[1, 1, 1, 1, 1], padding="VALID", name="inside")
    tf.nn.conv3d_transpose(x, kernel(2, 2, 2, 4, 3), [2, 10, 12, 14, 4], [1, 2, 2, 2, 1])
    tf.nn.conv3d_transpose(x, kernel(2, 2, 2, 4, 3), [2, 6, 7, 8, 4], [1, 1, 1, 1, 1], "VALID", name="back")


@program
def convolutions_of_any_dimension():
    tf.nn.convolution(images([2, 9, 3], "line"), kernel(3, 3, 4), "SAME")
    tf.nn.convolution(images(), kernel(3, 3, 3, 4), "VALID", strides=[2, 2], name="steps")
    tf.nn.convolution(images([2, 5, 6, 7, 3], "room"), kernel(2, 2, 2, 3, 4), padding="SAME")
    tf.nn.convolution(images((2, 8, 9, 3), "known"), kernel(3, 3, 3, 4), "SAME", dilation_rate=[2, 2])
    tf.nn.convolution(images((None, None, None, 3), "unknown"), kernel(3, 3, 3, 4), "VALID", dilation_rate=[2, 3], name="gaps")
    tf.nn.convolution(images((2, 9, 3), "row"), kernel(3, 3, 4), "SAME", dilation_rate=[2], name="row_gaps")


@program
def convolutions_with_holes():
    tf.nn.atrous_conv2d(images(), kernel(3, 3, 3, 4), 2, "SAME")
    tf.nn.atrous_conv2d(images((None, None, None, 3), "unknown"), kernel(3, 3, 3, 4), 3, "VALID", name="holes")
    tf.nn.atrous_conv2d(images((2, 8, 9, 3), "y"), kernel(3, 3, 3, 4), 1, "SAME", name="none")


@program
def convolutions_with_holes_transposed():
    tf.nn.atrous_conv2d_transpose(images((2, 8, 8, 4)), kernel(3, 3, 3, 4), [2, 8, 8, 3], 2, "SAME")
    tf.nn.atrous_conv2d_transpose(images((2, 8, 8, 4), "y"), kernel(3, 3, 3, 4), [2, 10, 10, 3], 1, "VALID", name="none")


@program
def convolutions_transposed():
    tf.nn.conv_transpose(images((2, 9, 3), "line"), kernel(3, 5, 3), [2, 18, 5], 2)
    tf.nn.conv_transpose(images(), kernel(3, 3, 5, 3), [2, 16, 18, 5], [2, 2], name="plane")
    tf.nn.conv_transpose(images((2, 5, 6, 7, 3), "room"), kernel(2, 2, 2, 4, 3), [2, 10, 12, 14, 4], 2, "SAME")


@program
def pools_of_one_dimension():
    x = images([2, 9, 3])
    tf.nn.max_pool1d(x, 2, 2, "SAME")
    tf.nn.avg_pool1d(x, [3], [1], "VALID", name="mean")


@program
def pools_of_three_dimensions():
    x = images([2, 5, 6, 7, 3])
    tf.nn.max_pool3d(x, 2, 2, "SAME")
    tf.nn.max_pool3d(x, [1, 2, 3, 2, 1], [1, 1, 1, 1, 1], "VALID", name="greatest")
    tf.nn.avg_pool3d(x, [2, 3, 2], [1, 2, 1], "VALID", name="mean")


@program
def pools_of_second_version():
    tf.nn.max_pool_v2(images([2, 9, 3], "line"), 2, 2, "SAME")
    tf.nn.avg_pool_v2(images([2, 8, 9, 3], "plane"), [2, 2], [1, 1], "VALID", name="mean")
    tf.nn.max_pool_v2(images([2, 5, 6, 7, 3], "room"), 2, 2, "SAME", name="cubes")
    tf.nn.max_pool2d(images([2, 8, 9, 3], "other"), 2, 2, "SAME")
    tf.nn.avg_pool2d(images([2, 8, 9, 3], "last"), [1, 2, 3, 1], 1, "SAME")


@program
def pools_of_any_dimension():
    tf.nn.pool(images([2, 9, 3], "line"), [2], "MAX", "SAME")
    tf.nn.pool(images(), [2, 3], "AVG", "VALID", strides=[2, 1], name="mean")
    tf.nn.pool(images([2, 5, 6, 7, 3], "room"), [2, 2, 2], "MAX", "SAME")
    tf.nn.pool(images([2, 8, 9, 3], "known"), [2, 2], "MAX", "VALID", dilation_rate=[2, 2], name="gaps")
