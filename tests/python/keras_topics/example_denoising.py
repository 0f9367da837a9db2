"""An autoencoder that takes noise away."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
backend = tf.keras.backend
inputs = tf.keras.Input((8, 8, 1))
h = inputs
for filters in (2, 4):
    h = layers.Conv2D(filters, 3, strides=2, activation="relu", padding="same")(h)
shape = backend.int_shape(h)
encoder = tf.keras.Model(inputs, layers.Dense(4, name="latent")(layers.Flatten()(h)), name="encoder")
latent = tf.keras.Input((4,))
h = layers.Reshape(shape[1:])(layers.Dense(shape[1] * shape[2] * shape[3])(latent))
for filters in (4, 2):
    h = layers.Conv2DTranspose(filters, 3, strides=2, activation="relu", padding="same")(h)
decoder = tf.keras.Model(latent, layers.Activation("sigmoid")(layers.Conv2DTranspose(1, 3, padding="same")(h)), name="decoder")
model = settled(tf.keras.Model(inputs, decoder(encoder(inputs)), name="autoencoder"))
model.compile(loss="mse", optimizer="adam")
clean = numbers(4, 8, 8, 1)
noisy = np.clip(clean + 0.3 * numbers(4, 8, 8, 1)[::-1], 0.0, 1.0)
print(rounded(model.fit(noisy, clean, epochs=2, batch_size=2, shuffle=False, verbose=0).history), model.count_params(), rounded(encoder.predict(noisy[:1])))
