"""GradientTape: watching, more than once, and what was not used."""

import tensorflow.compat.v1 as tf

from keras_numbers import refused

x, y = tf.constant(3.0), tf.Variable(2.0)
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    z = x * x * y
    w = z * z
print([one.numpy() for one in tape.gradient(z, [x, y])], tape.gradient(w, x).numpy(), tape.gradient(z, tf.Variable(1.0)), [v.numpy() for v in tape.watched_variables()])
with tf.GradientTape(watch_accessed_variables=False) as tape:
    z = y * y
print(tape.gradient(z, y))
with tf.GradientTape() as tape:
    z = y * y
    with tape.stop_recording():
        z = z + y * 100.0
print(tape.gradient(z, y), refused(tape.gradient, z, y)[0])
with tf.GradientTape() as tape:
    z = tf.stop_gradient(y) * y
print(tape.gradient(z, {"y": y})["y"].numpy())
