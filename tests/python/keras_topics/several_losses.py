"""A loss and metrics of each output, with weights."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, refused, rounded, settled

layers = tf.keras.layers
inputs = tf.keras.Input((3,))
model = tf.keras.Model(inputs, [layers.Dense(1, name="size")(inputs), layers.Dense(2, activation="softmax", name="kind")(inputs)])
x, size, kind = numbers(6, 3), numbers(6, 1), np.arange(6) % 2
for loss, weights, scores in (({"size": "mse", "kind": "sparse_categorical_crossentropy"}, {"size": 0.5, "kind": 2.0}, {"kind": "accuracy", "size": ["mae", "mse"]}),
                              (["mae", "sparse_categorical_crossentropy"], [1.0, 0.1], [[], ["acc"]]), ("mse", None, None)):
    settled(model).compile("sgd", loss, loss_weights=weights, metrics=scores)
    targets = [size, kind if loss != "mse" else numbers(6, 2)]
    print(model.metrics_names, rounded(model.train_on_batch(x, targets)), rounded(model.evaluate(x, targets, verbose=0)))
print(refused(model.compile, "sgd", {"other": "mse"}), refused(model.compile, "sgd", ["mse"]))
