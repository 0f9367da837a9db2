"""custom_gradient of values."""

import tensorflow.compat.v1 as tf

@tf.custom_gradient
def log1pexp(x):
    e = tf.exp(x)

    def grad(dy):
        return dy * (1 - 1 / (1 + e))
    return tf.log(1 + e), grad


x = tf.constant(100.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = log1pexp(x)
print(tape.gradient(y, x).numpy())


@tf.custom_gradient
def clipped(x, y):
    return x * y, lambda dz: (tf.clip_by_value(dz * y, -1.0, 1.0), dz * x)


a, b = tf.Variable(2.0), tf.Variable(5.0)
with tf.GradientTape() as tape:
    c = clipped(a, b)
print(c.numpy(), [one.numpy() for one in tape.gradient(c, [a, b])])
