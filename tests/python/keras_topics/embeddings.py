"""A row for each number."""

import tensorflow.compat.v1 as tf

from keras_numbers import studied

layers = tf.keras.layers
studied(lambda: layers.Embedding(5, 3), -4, 6)
studied(lambda: layers.Embedding(6, 2, input_length=3, embeddings_initializer="ones", embeddings_regularizer="l2"), -2, 3)
studied(lambda: layers.Embedding(5, 2, mask_zero=True), -2, 4)
model = tf.keras.Sequential([layers.Embedding(4, 2, input_length=3), layers.Flatten(), layers.Dense(1)])
print(model.output_shape, model.count_params(), [layer.output_shape for layer in model.layers])
