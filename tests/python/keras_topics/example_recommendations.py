"""Users and films as vectors whose product is a rating."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import rounded, settled

layers = tf.keras.layers
optimizers = tf.keras.optimizers
user, film = tf.keras.Input((1,), dtype="int32"), tf.keras.Input((1,), dtype="int32")
u = layers.Flatten()(layers.Embedding(4, 3, embeddings_regularizer="l2", name="users")(user))
f = layers.Flatten()(layers.Embedding(5, 3, name="films")(film))
bias = layers.Flatten()(layers.Embedding(5, 1, embeddings_initializer="zeros")(film))
model = settled(tf.keras.Model([user, film], layers.Add()([layers.Dot(1)([u, f]), bias])))
model.compile(optimizers.Adam(0.05), "mse")
users, films, ratings = np.arange(8) % 4, np.arange(8) * 3 % 5, 1.0 + np.arange(8) % 5
print(rounded(model.fit([users, films], ratings, epochs=3, batch_size=4, shuffle=False, verbose=0).history), rounded(model.predict([users[:3], films[:3]])))
