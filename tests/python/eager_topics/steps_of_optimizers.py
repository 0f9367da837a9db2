"""Optimizers of tf.train and of Keras: minimize and apply_gradients."""

import tensorflow.compat.v1 as tf

from keras_numbers import rounded

for make in (lambda: tf.train.GradientDescentOptimizer(0.1), lambda: tf.train.AdamOptimizer(0.1), lambda: tf.train.MomentumOptimizer(0.1, 0.9), lambda: tf.keras.optimizers.SGD(0.1, momentum=0.9),
             lambda: tf.keras.optimizers.Adam(0.1), lambda: tf.keras.optimizers.RMSprop(0.1), lambda: tf.keras.optimizers.Adagrad(0.1)):
    optimizer, v = make(), tf.Variable([1.0, -2.0])
    for _ in range(3):
        if "keras" in type(optimizer).__module__:
            optimizer.minimize(lambda: tf.reduce_sum(v * v), [v])
        else:
            optimizer.minimize(lambda: tf.reduce_sum(v * v))
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(v * v)
    optimizer.apply_gradients([(tape.gradient(loss, v), v)])
    print(type(optimizer).__name__, rounded(v.numpy(), 4))
