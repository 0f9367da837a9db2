"""Attention and AdditiveAttention, with a mask and without."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
query, value = tf.keras.Input((2, 3)), tf.keras.Input((4, 3))
for layer in (layers.Attention(), layers.Attention(use_scale=True), layers.AdditiveAttention(), layers.AdditiveAttention(use_scale=False)):
    model = tf.keras.Model([query, value], layer([query, value]))
    if model.get_weights():
        settled(model)
    print(layer.name, rounded(model.predict([numbers(2, 2, 3), numbers(2, 4, 3)])), [weight.name for weight in layer.weights])
