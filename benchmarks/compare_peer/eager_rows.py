#!/usr/bin/env python3
"""The rows of eager execution, which TensorFlow serves to scripts/compare; under `python -m flowray` the same from Python.

What is timed are the calls as a program writes them: `a + b`, a tape around the loss, and the same loss as a tf.function.
"""

import os

os.environ["TF_USE_LEGACY_KERAS"] = "1"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"

import numpy as np  # noqa: E402
import tensorflow.compat.v1 as tf  # noqa: E402
from serving import serve  # noqa: E402

tf.enable_eager_execution()
tf.logging.set_verbosity(tf.logging.ERROR)


class EagerAdd:
    """One addition of two float32 scalars."""

    def prepare(self, threads):
        self.one, self.two = tf.constant(1.0), tf.constant(2.0)

    def begin(self):
        pass

    def step(self):
        return self.one + self.two

    def check(self):
        return [float(tf.constant(1.5) + tf.constant(2.25))]


class EagerRegression:
    """A gradient descent step of y = w x + b on 100 points, under a GradientTape."""

    def prepare(self, threads):
        x = np.arange(100) / 100
        self.x, self.y = tf.constant(x, tf.float32), tf.constant(0.1 * x + 0.3, tf.float32)
        self.w, self.b = tf.Variable([-0.5]), tf.Variable([0.0])
        self.optimizer = tf.train.GradientDescentOptimizer(0.5)
        self.loss = self.make_loss()

    def make_loss(self):
        return lambda: tf.reduce_mean(tf.square(self.w * self.x + self.b - self.y))

    def begin(self):
        self.w.assign([-0.5])
        self.b.assign([0.0])

    def step(self):
        with tf.GradientTape() as tape:
            loss = self.loss()
        gradients = tape.gradient(loss, [self.w, self.b])
        self.optimizer.apply_gradients(zip(gradients, [self.w, self.b]))
        return loss

    def check(self):
        self.begin()
        return [float(self.step()) for _ in range(20)]


class FunctionRegression(EagerRegression):
    """The same with the loss as a tf.function."""

    def make_loss(self):
        return tf.function(super().make_loss())


ROWS = {
    "eager add": EagerAdd(),
    "eager regression step": EagerRegression(),
    "tf.function regression step": FunctionRegression(),
}

if __name__ == "__main__":
    serve(ROWS)
