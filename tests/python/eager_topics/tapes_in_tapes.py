"""Second derivatives and jacobians."""

import tensorflow.compat.v1 as tf

from keras_numbers import rounded

x = tf.Variable([1.0, 2.0])
with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        y = tf.reduce_sum(x ** 3)
    first = inner.gradient(y, x)
print(first.numpy().tolist(), outer.gradient(first, x).numpy().tolist())
with tf.GradientTape(persistent=True) as tape:
    y = tf.stack([x[0] * x[1], tf.sin(x[0])])
print(rounded(tape.jacobian(y, x).numpy()), rounded(tape.gradient(y, x, output_gradients=tf.constant([1.0, 2.0])).numpy()))
