"""Layers called on tensors and placeholders, trained by tf.train."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded

layers = tf.keras.layers
x = tf.placeholder(tf.float32, (None, 3))
hidden = layers.Dense(4, activation="tanh", kernel_initializer="ones", name="hidden")
outputs = layers.Dense(1, kernel_initializer="ones")(layers.Dropout(0.0)(hidden(x)))
loss = tf.reduce_mean(tf.keras.losses.mean_squared_error(tf.ones_like(outputs), outputs))
step = tf.train.AdamOptimizer(0.1).minimize(loss)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    print(rounded([session.run([loss, step], {x: numbers(4, 3)})[0] for _ in range(4)]), rounded(session.run(hidden.bias)))
print([variable.name for variable in tf.trainable_variables()], hidden.kernel.shape.as_list(), hidden(x).shape.as_list())
