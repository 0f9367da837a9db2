"""A small U of convolutions with ways across."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
backend = tf.keras.backend
inputs = tf.keras.Input((8, 8, 1))
down = layers.Conv2D(2, 3, padding="same", activation="relu")(inputs)
bottom = layers.Conv2D(4, 3, padding="same", activation="relu")(layers.MaxPooling2D()(down))
up = layers.Concatenate()([layers.UpSampling2D()(bottom), down])
model = settled(tf.keras.Model(inputs, layers.Conv2D(1, 1, activation="sigmoid")(layers.Conv2D(2, 3, padding="same", activation="relu")(up))))


def dice(y_true, y_pred):
    return 1.0 - (2.0 * backend.sum(y_true * y_pred) + 1.0) / (backend.sum(y_true) + backend.sum(y_pred) + 1.0)


model.compile("adam", dice, metrics=["binary_accuracy"])
print(rounded(model.fit(numbers(4, 8, 8, 1), (numbers(4, 8, 8, 1) > 0.5).astype("float32"), epochs=2, batch_size=2, shuffle=False, verbose=0).history))
