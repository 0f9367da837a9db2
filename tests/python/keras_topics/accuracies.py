"""Metrics of classes, as functions, by name and as objects."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
backend = tf.keras.backend
metrics = tf.keras.metrics
truth, guess = tf.constant([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]), tf.constant([[0.2, 0.7, 0.1], [0.3, 0.3, 0.4], [0.1, 0.2, 0.7]])
print(rounded([backend.eval(one) for one in (metrics.categorical_accuracy(truth, guess), metrics.binary_accuracy(truth, guess), metrics.binary_accuracy(tf.transpose(truth), tf.transpose(guess)),
                                             metrics.sparse_categorical_accuracy([1, 0, 2], guess), metrics.top_k_categorical_accuracy(truth, guess, k=2),
                                             metrics.sparse_top_k_categorical_accuracy([0, 0, 0], guess, k=2))]))
for outputs, loss, labels in ((3, "categorical_crossentropy", np.eye(3)[[0, 1, 2, 0]]), (1, "binary_crossentropy", np.array([0, 1, 1, 0])), (3, "sparse_categorical_crossentropy", np.array([0, 1, 2, 0]))):
    model = tf.keras.Sequential([layers.Dense(outputs, activation="softmax" if outputs > 1 else "sigmoid", input_shape=(2,))])
    settled(model).compile("sgd", loss, metrics=["accuracy"])
    print(model.metrics_names, rounded(model.test_on_batch(numbers(4, 2), labels)))
