"""Layers called on values, in training and not."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded

layers = tf.keras.layers
dense = layers.Dense(2, kernel_initializer="ones", kernel_regularizer="l2")
print(rounded(dense(numbers(2, 3)).numpy()), dense.built, [weight.name for weight in dense.weights], rounded([loss.numpy() for loss in dense.losses]))
norm = layers.BatchNormalization()
print(rounded(norm(numbers(4, 2), training=True).numpy()[0]), rounded(norm.moving_mean.numpy()), rounded(norm(numbers(4, 2)).numpy()[0]))
drop = layers.Dropout(0.5)
print(rounded(drop(tf.ones((1, 4))).numpy()), sorted(set(drop(tf.ones((1, 200)), training=True).numpy().ravel().tolist())))
rnn = layers.LSTM(2, kernel_initializer="ones", recurrent_initializer="ones", return_sequences=True)
print(rounded(rnn(numbers(1, 3, 2)).numpy()), rounded(layers.Conv2D(1, 2, kernel_initializer="ones")(numbers(1, 3, 3, 1)).numpy().ravel()))
