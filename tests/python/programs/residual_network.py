"""Residual blocks whose batch normalisation keeps moving averages by hand, within tf.cond; momentum with a decaying rate."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.set_random_seed(0)
images = tf.placeholder(tf.float32, [None, 6, 6, 2], "images")
kinds = tf.placeholder(tf.int64, [None], "kinds")
training = tf.placeholder(tf.bool, [], "training")


def convolved(inputs, filters, size, stride, name):
    kernel = tf.get_variable(name, [size, size, inputs.get_shape().as_list()[-1], filters],
                             initializer=tf.random_normal_initializer(stddev=0.2, seed=len(tf.global_variables())))
    return tf.nn.conv2d(inputs, kernel, [1, stride, stride, 1], "SAME")


def normalised(inputs, name):
    with tf.variable_scope(name):
        channels = inputs.get_shape()[-1]
        offset = tf.get_variable("offset", [channels], initializer=tf.zeros_initializer())
        scale = tf.get_variable("scale", [channels], initializer=tf.ones_initializer())
        mean, variance = tf.nn.moments(inputs, [0, 1, 2])
        averages = tf.train.ExponentialMovingAverage(decay=0.6)

        def of_batch():
            with tf.control_dependencies([averages.apply([mean, variance])]):
                return tf.identity(mean), tf.identity(variance)

        used = tf.cond(training, of_batch, lambda: (averages.average(mean), averages.average(variance)))
        return tf.nn.batch_normalization(inputs, used[0], used[1], offset, scale, 1e-3)


def block(inputs, filters, stride, name):
    with tf.variable_scope(name):
        past = inputs if stride == 1 else convolved(inputs, filters, 1, stride, "past")
        inner = tf.nn.relu(normalised(convolved(inputs, filters, 3, stride, "first"), "first_norm"))
        return tf.nn.relu(past + normalised(convolved(inner, filters, 3, 1, "second"), "second_norm"))


hidden = block(block(images, 2, 1, "one"), 4, 2, "two")
logits = tf.layers.dense(tf.reduce_mean(hidden, [1, 2]), 3, kernel_initializer=tf.variance_scaling_initializer(seed=2))
penalty = tf.add_n([tf.nn.l2_loss(variable) for variable in tf.trainable_variables() if "offset" not in variable.name])
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits, labels=kinds)) + 1e-3 * penalty
step = tf.train.get_or_create_global_step()
rate = tf.train.exponential_decay(0.1, step, 2, 0.9, staircase=True)
optimizer = tf.train.MomentumOptimizer(rate, 0.9, use_nesterov=True)
slopes, variables = zip(*optimizer.compute_gradients(loss))
slopes, norm = tf.clip_by_global_norm(slopes, 1.0)
train = optimizer.apply_gradients(zip(slopes, variables), global_step=step)
rng = np.random.RandomState(3)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for _ in range(4):
        feeds = {images: rng.randn(6, 6, 6, 2), kinds: rng.randint(0, 3, 6), training: True}
        print("%.4f %.4f %.4f" % tuple(session.run([loss, norm, rate, train], feeds)[:3]))
    feeds[training] = False
    print("%.4f" % session.run(loss, feeds))
print([variable.name for variable in tf.global_variables()][:12])
