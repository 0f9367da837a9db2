"""Keras programs run by tf_keras and here print the same, and weights in HDF5 files cross to and from it. Skipped without TensorFlow,
which tests/interop/run installs. Each program has a process to itself: tf_keras takes long to make a model."""

import sys
import tempfile
import unittest
from pathlib import Path

from both_ways_test import HERE, TENSORFLOW, has_tensorflow, output_of

MODEL = """
import sys
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
layers = tf.keras.layers
inputs = tf.keras.Input((5, 3))
h = layers.Bidirectional(layers.LSTM(4, return_sequences=True))(inputs)
h = layers.BatchNormalization()(layers.Conv1D(6, 2)(h))
h = tf.keras.Sequential([layers.GRU(3, input_shape=(4, 6)), layers.Dense(4, activation="relu")])(h)
model = tf.keras.Model(inputs, layers.Dense(2)(h))
x = np.arange(60).reshape(4, 5, 3) * 37 % 11 / 11.0
if sys.argv[1] == "save":
    model.compile("adam", "mse")
    model.fit(x, x[:, 0, :2], epochs=2, verbose=0)
    model.save_weights(sys.argv[2])
else:
    model.load_weights(sys.argv[2])
print(np.round(model.predict(x), 4).tolist())
"""
OURS = [sys.executable, "-m", "flowray"]


@unittest.skipUnless(has_tensorflow(), "no TensorFlow in build/interop-venv (tests/interop/run makes it)")
class KerasProgramsTest(unittest.TestCase):
    maxDiff = None

    def check(self, name):
        program = str(HERE / "keras_programs" / name)
        self.assertEqual(output_of([*OURS, program]), output_of([TENSORFLOW, program]))

    def test_functional_models(self):
        self.check("functional.py")

    def test_layers(self):
        self.check("layers.py")

    def test_files_and_callbacks(self):
        self.check("files.py")

    def test_weights_cross(self):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "program.py"
            program.write_text(MODEL)
            for writer, reader in ((OURS, [TENSORFLOW]), ([TENSORFLOW], OURS)):
                path = str(Path(folder) / "weights.h5")
                written = output_of([*writer, str(program), "save", path])
                self.assertEqual(output_of([*reader, str(program), "load", path]), written)
