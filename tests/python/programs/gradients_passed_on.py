"""Functions whose gradient is the identity's, as for steps and rounding in quantised networks."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)


@tf.grad_pass_through
def step(x):
    """One above zero."""
    return tf.cast(x > 0.0, tf.float32)


x = tf.placeholder(tf.float32, [3], name="x")
y = step(x)
rounded = tf.grad_pass_through(tf.round)(2.5 * x)
clipped = tf.grad_pass_through(lambda value: tf.clip_by_value(value, 0.0, 1.0))(x)
loss = tf.reduce_sum(y * [1.0, 2.0, 3.0]) + tf.reduce_sum(tf.square(rounded)) - tf.reduce_sum(clipped)
print(y.shape, step.__name__, step.__doc__)
with tf.Session() as sess:
    for value in sess.run([y, rounded, clipped, tf.gradients(loss, x)[0], tf.gradients(clipped, x)[0], tf.gradients(tf.clip_by_value(x, 0.0, 1.0), x)[0]],
                          {x: [-1.0, 0.3, 2.0]}):
        print(np.round(value, 4).tolist())
w = tf.get_variable("w", initializer=[0.2, -0.7])
quantised = tf.grad_pass_through(lambda value: tf.sign(value))(w)
train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(tf.square(quantised - [0.0, 1.0])))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(3):
        sess.run(train)
        print(np.round(sess.run(w), 4).tolist())
