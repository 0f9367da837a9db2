"""A linear model fitted by a tape."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers

x, noise = numbers(20), numbers(20) * 0.1
y = 3.0 * x + 2.0 + noise
w, b = tf.Variable(0.0), tf.Variable(0.0)
for step in range(40):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(w * x + b - y))
    dw, db = tape.gradient(loss, [w, b])
    w.assign_sub(0.3 * dw)
    b.assign_sub(0.3 * db)
    if step % 10 == 0:
        print(step, round(float(loss), 4))
print(round(float(w), 3), round(float(b), 3))
