"""Layers of TensorFlow 1 that few programs have: batch renormalization, virtual batches, kernels that are kept small, lines by depth, and rooms
that grow. Trained from given weights on given numbers."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
rng = np.random.RandomState(7)


def numbers(*shape):
    return rng.uniform(-1, 1, shape).astype(np.float32)


def given(*shape):
    return tf.constant_initializer(numbers(*shape))


def trained(title, layer, batches, feeds=None):
    """What five steps of training make of the layer's variables, and what it gives afterwards."""
    tf.reset_default_graph()
    x = tf.placeholder(tf.float32, [None, *batches.shape[2:]], name="x")
    training = tf.placeholder(tf.bool, [], name="training")
    y = layer(x, training)
    loss = tf.reduce_mean(tf.square(y - 0.5))
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    print(title)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        for batch in batches:
            value, _ = session.run([loss, train], {x: batch, training: True})
            print("  loss %.4f" % value)
        for variable in tf.global_variables():
            print("  %s %s: %s" % (variable.op.name, variable.shape, np.round(session.run(variable).ravel()[:6], 3) + 0.0))
        print("  of the last batch:", np.round(session.run(y, {x: batches[-1], training: False}).ravel()[:5], 3) + 0.0)


vectors = 2.0 * numbers(5, 8, 3) + 1.0
images = numbers(5, 4, 3, 3, 2)

trained("renormalized", lambda x, training: tf.layers.batch_normalization(x, training=training, renorm=True, momentum=0.8), vectors)
trained("renormalized within limits",
        lambda x, training: tf.layers.batch_normalization(x, training=training, renorm=True, renorm_momentum=0.5, momentum=0.8,
                                                          renorm_clipping={"rmax": 1.5, "rmin": 0.8, "dmax": 0.3}), vectors)
trained("renormalized images", lambda x, training: tf.layers.batch_normalization(x, training=training, renorm=True, center=False), images)
trained("virtual batches", lambda x, training: tf.layers.batch_normalization(x, training=training, virtual_batch_size=4, momentum=0.7), vectors)
trained("images by parts", lambda x, training: tf.layers.batch_normalization(x, training=training, fused=False, momentum=0.7), images)
trained("channels first", lambda x, training: tf.layers.batch_normalization(x, training=training, fused=False, axis=1, momentum=0.7), images)

lines = numbers(5, 4, 7, 2)
rooms = numbers(5, 2, 2, 3, 2, 2)
trained("lines by depth", lambda x, training: tf.layers.separable_conv1d(
    x, 3, 3, padding="causal", depth_multiplier=2, dilation_rate=2, depthwise_initializer=given(3, 2, 2), pointwise_initializer=given(1, 4, 3)), lines)
trained("rooms that grow", lambda x, training: tf.layers.conv3d_transpose(
    x, 2, 2, strides=2, padding="same", activation=tf.tanh, kernel_initializer=given(2, 2, 2, 2, 2)), rooms)
trained("a kernel kept small", lambda x, training: tf.layers.dense(
    x, 2, kernel_initializer=given(3, 2), kernel_constraint=lambda kernel: tf.clip_by_norm(kernel, 0.5, axes=[0]),
    bias_constraint=tf.nn.relu), vectors)

for title, wrong in (
        ("clipping", dict(renorm=True, renorm_clipping={"rmaxx": 3.0})),
        ("a batch of no elements", dict(virtual_batch_size=0)),
        ("groups along the batch", dict(virtual_batch_size=2, axis=0)),
        ("axis", dict(axis="last"))):
    tf.reset_default_graph()
    try:
        tf.layers.batch_normalization(tf.placeholder(tf.float32, [4, 3]), **wrong)
        print(title, "passed")
    except (ValueError, TypeError) as error:
        print(title, type(error).__name__, str(error).split(". ")[0])
