"""Layers and models in float64, by their dtype or for all by set_floatx."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, refused, rounded, settled

layers, backend = tf.keras.layers, tf.keras.backend


def dtypes(model):
    return sorted({weight.dtype.base_dtype.name for weight in model.weights})


def trained(inner, x, y=None, optimizer="adam", loss="mse"):
    """What a model of these layers and Dense gives in training, and which dtypes it has."""
    backend.clear_session()
    y = numbers(len(x), 2) if y is None else y
    model = settled(tf.keras.Sequential([layers.InputLayer(x.shape[1:]), *inner,
                                         layers.Dense(2, activation="sigmoid" if "binary" in loss else "softmax" if "entropy" in loss else None)]))
    model.compile(optimizer, loss, metrics=["mae", "accuracy"])
    history = model.fit(x, y, epochs=2, shuffle=False, verbose=0, sample_weight=numbers(len(x))).history
    print(rounded(history["loss"], 6), rounded(history["mean_absolute_error"], 6), rounded(history["acc"]), dtypes(model), model.predict(x).dtype,
          model.layers[0].dtype, rounded(model.evaluate(x, y), 6))
    return model


# One model, one layer.
inputs = tf.keras.Input((3,), dtype="float64")
model = settled(tf.keras.Model(inputs, layers.Dense(2)(layers.Dense(4, activation="tanh")(inputs))))
print(inputs.dtype, dtypes(model), model.outputs[0].dtype, [weight.dtype for weight in model.get_weights()])
model.compile("sgd", "mse", metrics=["mae"])
print(rounded(model.fit(numbers(4, 3), numbers(4, 2), epochs=2, shuffle=False, verbose=0).history, 6), model.predict(numbers(4, 3)).dtype)
first = tf.keras.Sequential([layers.Dense(2, dtype="float64", input_shape=(3,))])
print(first.inputs[0].dtype, dtypes(first), first.layers[0].dtype, first.layers[0].get_config()["dtype"])
print(layers.Dense(2, dtype="float64")(tf.keras.Input((3,))).dtype, layers.Dense(2, dtype="float32")(inputs).dtype)
small = 1e-12
fine = tf.keras.Sequential([layers.Dense(1, use_bias=False, dtype="float64", input_shape=(1,))])
fine.set_weights([np.array([[1.0 + small]])])
print(fine.get_weights()[0][0, 0] - 1.0 > small / 2, fine.predict(np.array([[1.0]]))[0, 0] - 1.0 > small / 2)

# All of them.
print(refused(backend.set_floatx, "float"))
backend.set_floatx("float64")
try:
    print(backend.floatx(), backend.variable(np.ones(2)).dtype.base_dtype.name, backend.constant(1.0).dtype, backend.placeholder((2,)).dtype,
          backend.cast_to_floatx(np.ones(1, np.float32)).dtype)
    for optimizer in ("sgd", "adam", "rmsprop", "adagrad", "adadelta", "adamax", "nadam", "ftrl"):
        trained([layers.Dense(3, activation="tanh")], numbers(6, 4), optimizer=optimizer)
    trained([layers.Dense(3, activation="tanh")], numbers(6, 4), optimizer=tf.keras.optimizers.SGD(0.1, momentum=0.9, clipnorm=1.0))
    trained([layers.Dense(3, activation="tanh")], numbers(6, 4), optimizer=tf.train.AdamOptimizer())
    trained([layers.Dense(3, activation="tanh")], numbers(6, 4), optimizer=tf.train.MomentumOptimizer(0.1, 0.9))
    for loss in ("mae", "categorical_crossentropy", "binary_crossentropy", "hinge", "logcosh", "huber", "cosine_similarity"):
        trained([layers.Dense(3, kernel_regularizer="l2", kernel_constraint="non_neg")], numbers(6, 4), loss=loss)
    trained([layers.Dense(3)], numbers(6, 4), y=np.arange(6) % 2, loss="sparse_categorical_crossentropy")
    for recurrent in (layers.LSTM(3), layers.GRU(3), layers.SimpleRNN(3), layers.Bidirectional(layers.LSTM(2))):
        trained([recurrent], numbers(6, 3, 2))
    trained([layers.Conv2D(3, 2), layers.BatchNormalization(momentum=0.0), layers.MaxPooling2D(), layers.Flatten()], numbers(6, 4, 4, 2))
    trained([layers.Conv1D(3, 2), layers.GlobalMaxPooling1D()], numbers(6, 3, 2))
    trained([layers.Dropout(0.0), layers.LayerNormalization(), layers.ReLU(threshold=0.1), layers.PReLU(), layers.LeakyReLU(), layers.ELU()],
            numbers(6, 4))
    trained([layers.SeparableConv2D(3, 2), layers.DepthwiseConv2D(2), layers.Conv2DTranspose(2, 2), layers.GlobalAveragePooling2D()],
            numbers(6, 4, 4, 2))
    backend.clear_session()
    table = settled(tf.keras.Sequential([layers.Embedding(5, 3, input_length=2), layers.Flatten(), layers.Dense(2)]))
    table.compile("adam", "mse")
    print(table.inputs[0].dtype, dtypes(table), rounded(table.train_on_batch(np.arange(12).reshape(6, 2) % 5, numbers(6, 2)), 6))
    deferred = tf.keras.Sequential([layers.Dense(3), layers.Dense(2)])
    deferred.compile("sgd", "mse")
    deferred.fit(numbers(6, 4), numbers(6, 2), verbose=0)
    print(dtypes(deferred), deferred.inputs[0].dtype)

    class Scale(layers.Layer):
        def build(self, input_shape):
            self.factor = self.add_weight("factor", shape=(input_shape[-1],))
            super().build(input_shape)

        def call(self, inputs):
            return inputs * self.factor

    print(dtypes(tf.keras.Sequential([Scale(input_shape=(4,)), layers.Dense(2)])))
finally:
    backend.set_floatx("float32")
