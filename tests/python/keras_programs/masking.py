"""Masks: Masking and Embedding(mask_zero) through layers over time, merging layers, poolings, losses and metrics."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
layers, K = tf.keras.layers, tf.keras.backend


def numbers(*shape):
    return (np.arange(np.prod(shape), dtype=np.float64).reshape(shape) * 37 % 11) / 11.0


def with_weights(model):
    model.set_weights([((np.arange(w.size).reshape(w.shape) * 7 % 5) - 2) / 10.0 if w.ndim > 1 else w for w in model.get_weights()])
    return model


def rounded(values):
    return [round(float(value), 4) + 0.0 for value in np.asarray(values).ravel()]


x = numbers(6, 5, 3)
x[0, 3:], x[1, :2], x[2, 2], x[3, 1:] = 0, 0, 0, 0
words = np.arange(30).reshape(6, 5) * 7 % 5
words[2] = 0


def of_sequences(*makes, y=None, **compiled):
    with tf.Graph().as_default():
        model = tf.keras.Sequential([layers.Masking(0.0, input_shape=(5, 3)), *(make() for make in makes)])
        model.compile("sgd", "mse", metrics=["mae"], **compiled)
        with_weights(model)
        targets = numbers(*((6,) + model.output_shape[1:]) if None not in model.output_shape[1:] else (6, 5, 2))
        history = model.fit(x, targets, epochs=3, batch_size=4, shuffle=False, verbose=0)
        print([layer.name for layer in model.layers], {name: rounded(values) for name, values in sorted(history.history.items())})
        print("  ", rounded(model.evaluate(x, targets, verbose=0)), rounded(model.predict(x))[:12])


of_sequences(lambda: layers.LSTM(4))
of_sequences(lambda: layers.LSTM(4, return_sequences=True), lambda: layers.Dense(2))
of_sequences(lambda: layers.GRU(3, return_sequences=True), lambda: layers.SimpleRNN(2))
of_sequences(lambda: layers.GRU(3, go_backwards=True))
of_sequences(lambda: layers.Bidirectional(layers.LSTM(2, return_sequences=True)), lambda: layers.Dropout(0.0), lambda: layers.GRU(2))
of_sequences(lambda: layers.Bidirectional(layers.GRU(3), merge_mode="sum"))
of_sequences(lambda: layers.TimeDistributed(layers.Dense(2)))
of_sequences(lambda: layers.Dense(3, activation="relu"), lambda: layers.LeakyReLU(0.1), lambda: layers.GlobalAveragePooling1D())

print("words")
with tf.Graph().as_default():
    inputs = tf.keras.Input((5,))
    embedded = layers.Embedding(6, 4, mask_zero=True)(inputs)
    left, right = layers.LSTM(3, return_sequences=True)(embedded), layers.GRU(3, return_sequences=True)(embedded)
    both = layers.Concatenate()([layers.Add()([left, right]), left])
    out = layers.TimeDistributed(layers.Dense(4, activation="softmax"))(both)
    model = tf.keras.Model(inputs, out)
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    y = (words % 4)[..., np.newaxis]
    history = with_weights(model).fit(words, y, epochs=3, batch_size=4, shuffle=False, verbose=0)
    print({name: rounded(values) for name, values in sorted(history.history.items())})
    print(rounded(model.evaluate(words, y, verbose=0, batch_size=4)), rounded(model.predict(words))[:8])


class Sum(layers.Layer):
    """Takes the mask itself."""

    def __init__(self):
        super().__init__()
        self.supports_masking = True

    def call(self, inputs, mask=None):
        return tf.reduce_sum(inputs * tf.cast(mask, tf.float32)[..., tf.newaxis], axis=1)

    def compute_mask(self, inputs, mask=None):
        return None


with tf.Graph().as_default():
    model = tf.keras.Sequential([layers.Embedding(6, 3, mask_zero=True, input_length=5), Sum(), layers.Dense(1)])
    model.compile("sgd", "mse")
    print(rounded(with_weights(model).predict(words)))
with tf.Graph().as_default():
    inputs = tf.keras.Input((5, 3))
    masked = layers.Masking()(inputs)
    print(rounded(K.function([inputs], layers.LSTM(2, return_sequences=True, return_state=True,
                                                   kernel_initializer="ones", recurrent_initializer="ones")(masked))([x])[1]))
of_sequences(lambda: layers.Flatten(), lambda: layers.Dense(2))
of_sequences(lambda: layers.Conv1D(2, 2), lambda: layers.LSTM(2))
