#!/usr/bin/env python3
"""The rows of Keras' fit, which tf_keras serves to scripts/compare; under `python -m flowray` the same from Python.

An iteration is a batch: one step is model.fit over all of them.
"""

import os

os.environ["TF_USE_LEGACY_KERAS"] = "1"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"

import numpy as np  # noqa: E402
import tensorflow.compat.v1 as tf  # noqa: E402
from serving import serve  # noqa: E402

tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)
layers = tf.keras.layers


def pattern(shape, factor, scale):
    return ((np.arange(np.prod(shape), dtype=np.int64) * factor % 2000 / 1000 - 1) * scale).reshape(shape).astype(np.float32)


class Fit:
    """A model that is trained on the same batches again and again, from weights that are a pattern."""

    def __init__(self, input_shape, batch_size, batches, hears_batches=False):
        self.inputs = pattern([batch_size * batches, *input_shape], 7919, 1)
        self.labels = np.arange(len(self.inputs)) * 7 % 10
        self.batch_size, self.operations = batch_size, batches
        self.callbacks = [tf.keras.callbacks.LambdaCallback(on_batch_end=lambda batch, logs: None)] if hears_batches else []

    def prepare(self, threads):
        tf.keras.backend.clear_session()
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.session = tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=threads, inter_op_parallelism_threads=1))
            with self.session.as_default():
                self.model = self.make()
                self.fit()

    def make(self):
        model = tf.keras.Sequential([layers.Dense(64, activation="relu", input_shape=(32,)), layers.Dense(64, activation="relu"),
                                     layers.Dense(10, activation="softmax")])
        model.compile(tf.keras.optimizers.RMSprop(0.001), "sparse_categorical_crossentropy", metrics=["accuracy"])
        return model

    def fit(self):
        return self.model.fit(self.inputs, self.labels, batch_size=self.batch_size, epochs=1, shuffle=False, verbose=0, callbacks=self.callbacks)

    def begin(self):
        with self.graph.as_default(), self.session.as_default():
            self.model.set_weights([pattern(w.shape, 6007, 0.2) if w.ndim > 1 else w * 0 for w in self.model.get_weights()])

    def step(self):
        with self.graph.as_default(), self.session.as_default():
            return self.fit()

    def check(self):
        with self.graph.as_default(), self.session.as_default():
            self.begin()
            rows = slice(4 * self.batch_size)
            return self.model.evaluate(self.inputs[rows], self.labels[rows], batch_size=self.batch_size, verbose=0)


class FitLeNet5(Fit):
    """Two convolutions and three dense layers on images of 28 x 28."""

    def make(self):
        model = tf.keras.Sequential([layers.Conv2D(6, 5, padding="same", activation="relu", input_shape=(28, 28, 1)), layers.MaxPooling2D(),
                                     layers.Conv2D(16, 5, activation="relu"), layers.MaxPooling2D(), layers.Flatten(),
                                     layers.Dense(120, activation="relu"), layers.Dense(84, activation="relu"),
                                     layers.Dense(10, activation="softmax")])
        model.compile(tf.keras.optimizers.SGD(0.02, momentum=0.9), "sparse_categorical_crossentropy", metrics=["accuracy"])
        return model


ROWS = {
    "Keras fit, MLP batch 32": Fit([32], 32, 100),
    "Keras fit, MLP batch 32, a callback": Fit([32], 32, 100, hears_batches=True),
    "Keras fit, LeNet-5 batch 100": FitLeNet5([28, 28, 1], 100, 20),
}

if __name__ == "__main__":
    serve(ROWS)
