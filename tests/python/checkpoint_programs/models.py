"""Weights of Keras' models, and what their optimizers keep, in checkpoints: `models.py save PREFIX`, `models.py load PREFIX`."""

import sys

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
saves, prefix = sys.argv[1] == "save", sys.argv[2]
layers = tf.keras.layers
x = np.arange(60).reshape(4, 5, 3) * 37 % 11 / 11.0


def sequence():
    return tf.keras.Sequential([layers.LSTM(3, return_sequences=True, input_shape=(5, 3)), layers.Bidirectional(layers.GRU(2)),
                                layers.BatchNormalization(), layers.Dropout(0.0), layers.Dense(2)])


def functional():
    inputs = tf.keras.Input((5, 3))
    h = layers.TimeDistributed(layers.Dense(4, activation="relu"))(inputs)
    h = layers.Conv1D(3, 2)(h)
    inner = tf.keras.Sequential([layers.Dense(2, input_shape=(3,))])
    return tf.keras.Model(inputs, layers.Add()([inner(layers.GlobalMaxPooling1D()(h)), layers.Dense(2)(layers.Flatten()(inputs))]))


for number, (make, rule) in enumerate(((sequence, tf.keras.optimizers.Adam(0.01)), (functional, tf.keras.optimizers.SGD(0.05, momentum=0.9)),
                                       (sequence, tf.keras.optimizers.RMSprop(0.01)))):
    model = make()
    model.compile(rule, "mse")
    path = "%s-%d" % (prefix, number)
    if saves:
        # Always the same, so that no rounded number is at its edge by chance; a variance may not be negative.
        model.set_weights([0.3 + 0.2 * np.sin(np.arange(w.size) + i).reshape(w.shape) for i, w in enumerate(model.get_weights())])
        model.fit(x, x[:, 0, :2], epochs=2, verbose=0, shuffle=False)
        model.save_weights(path)
    else:
        status = model.load_weights(path)
        status.assert_existing_objects_matched()
    print(np.round(model.predict(x), 4).tolist())
    print([round(value, 5) for value in model.fit(x, x[:, 0, :2], epochs=3, verbose=0, shuffle=False).history["loss"]])
