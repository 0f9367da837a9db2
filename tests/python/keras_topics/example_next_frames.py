"""Frames that follow from frames: two recurrent convolutions."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
model = tf.keras.Sequential([layers.ConvLSTM2D(2, 3, padding="same", return_sequences=True, input_shape=(None, 5, 5, 1)), layers.BatchNormalization(),
                             layers.ConvLSTM2D(2, 3, padding="same", return_sequences=True), layers.Conv3D(1, 3, activation="sigmoid", padding="same")])
settled(model).compile("adadelta", "binary_crossentropy")
movies = numbers(2, 4, 5, 5, 1)
print(rounded(model.fit(movies[:, :-1], movies[:, 1:], epochs=2, batch_size=1, shuffle=False, verbose=0).history), model.predict(movies[:1, :2]).shape)
