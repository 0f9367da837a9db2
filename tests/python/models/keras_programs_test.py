"""Keras programs run by tf_keras and here print the same, and weights in HDF5 files cross to and from it. Skipped without TensorFlow,
which tests/interop/run installs. Each program has a process to itself: tf_keras takes long to make a model."""

import sys
import tempfile
import unittest
from pathlib import Path

from two_systems import PYTHON_TESTS, TENSORFLOW, check_same_but_for_rounding, has_module, has_tensorflow, output_of

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
WHOLE = """
import json
import sys
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
layers = tf.keras.layers
x = np.arange(60).reshape(4, 5, 3) * 37 % 11 / 11.0
if sys.argv[1] == "save":
    inputs = tf.keras.Input((5, 3))
    h = layers.Bidirectional(layers.LSTM(3, return_sequences=True))(layers.Masking()(inputs))
    h, state = layers.GRU(3, return_sequences=True, return_state=True)(layers.TimeDistributed(layers.Dense(3, kernel_regularizer="l2"))(h))
    inner = tf.keras.Sequential([layers.Dense(2, activation="relu", input_shape=(3,)), layers.LayerNormalization()])
    model = tf.keras.Model(inputs, layers.Concatenate()([inner(state), layers.GlobalMaxPooling1D()(layers.Conv1D(2, 2)(h))]))
    model.compile(tf.keras.optimizers.Adam(0.01), "mse", metrics=["mae"])
    model.fit(x, x[:, 0, :1] * np.ones(4), epochs=3, verbose=0, shuffle=False)
    model.save(sys.argv[2])
else:
    model = tf.keras.models.load_model(sys.argv[2])
print(np.round(model.predict(x), 4).tolist(), [layer.name for layer in model.layers])
print([np.round(value, 4).tolist() for value in model.fit(x, x[:, 0, :1] * np.ones(4), epochs=3, verbose=0, shuffle=False).history["loss"]])
"""
OPERATIONS = """
import sys
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
layers = tf.keras.layers
x = np.arange(24).reshape(6, 4) * 37 % 11 / 11.0
if sys.argv[1] == "save":
    inputs = tf.keras.Input((4,))
    h = tf.concat([tf.nn.relu(layers.Dense(3)(inputs)), tf.matmul(inputs[:, :2], [[1.0, 2.0], [3.0, 4.0]])], axis=-1)
    first, second = tf.split(h - tf.reduce_max(h, axis=1, keepdims=True), [2, 3], axis=1)
    model = tf.keras.Model(inputs, layers.Dense(2)(tf.clip_by_value(tf.reshape(second, (-1, 3)), -1.0, 0.5) + first[:, :1]))
    model.compile("sgd", "mse")
    model.fit(x, x[:, :2], epochs=2, verbose=0)
    model.save(sys.argv[2])
else:
    model = tf.keras.models.load_model(sys.argv[2])
print(np.round(model.predict(x), 4).tolist(), [layer.name for layer in model.layers])
"""
TOGETHER = """
import runpy, sys
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
for path in sys.argv[1:]:
    print("#", path)
    tf.keras.backend.clear_session()
    runpy.run_path(path)
"""
OURS = [sys.executable, "-m", "flowray"]


class RecordedProgramsTest(unittest.TestCase):
    """Programs print what tf_keras 2.21 printed, which stands beside them."""

    maxDiff = None

    def check(self, name):
        program = PYTHON_TESTS / "keras_programs" / name
        self.assertEqual(output_of([*OURS, str(program)]), program.with_suffix(".txt").read_text())

    def test_image_batches(self):
        """tf_keras needs SciPy and Pillow for it (1.17 and 13 made the text), which not every machine with TensorFlow has."""
        self.check("image_batches.py")

    @unittest.skipUnless(has_module(sys.executable, "PIL"), "no Pillow here")
    def test_tables_of_images(self):
        """tf_keras needs SciPy, pandas and Pillow for it (1.17, 3.1 and 13 made the text)."""
        self.check("tables_of_images.py")

    def test_architectures(self):
        """tf_keras takes minutes to make them."""
        self.check("architectures.py")


@unittest.skipUnless(has_tensorflow(), "no TensorFlow in build/interop-venv (tests/interop/run makes it)")
class KerasProgramsTest(unittest.TestCase):
    maxDiff = None

    def check(self, name):
        program = str(PYTHON_TESTS / "keras_programs" / name)
        check_same_but_for_rounding(self, output_of([*OURS, program]), output_of([TENSORFLOW, program]))

    def test_functional_models(self):
        self.check("functional.py")

    def test_layers(self):
        self.check("layers.py")

    def test_names(self):
        self.check("names.py")

    def test_files_and_callbacks(self):
        self.check("files.py")

    def test_backend(self):
        self.check("backend_layers.py")

    def test_callbacks(self):
        self.check("callbacks.py")

    def check_together(self, *names):
        """One process each runs them all."""
        programs = [str(PYTHON_TESTS / "keras_programs" / (name + ".py")) for name in names]
        with tempfile.TemporaryDirectory() as folder:
            together = Path(folder) / "together.py"
            together.write_text(TOGETHER)
            check_same_but_for_rounding(self, output_of([*OURS, str(together), *programs]),
                                        output_of([TENSORFLOW, str(together), *programs]))

    def test_every_layer(self):
        self.check_together("every_layer")

    def test_own_layers_masks_and_cells(self):
        self.check_together("own_layers", "masking", "cells")

    def test_whole_models_and_streams(self):
        self.check_together("saving", "streams")

    def test_metrics(self):
        self.check_together("metrics")

    def test_small_examples(self):
        self.check_together("small_examples")

    def test_normalization(self):
        self.check("normalization.py")

    def test_operations_between_layers(self):
        self.check("operation_layers.py")

    def test_masks_of_calls_directions_and_layers_that_go(self):
        self.check("masks_of_calls.py")

    def test_input_shapes(self):
        self.check("input_shapes.py")

    def test_kept_states(self):
        self.check("kept_states.py")

    def test_added_scores(self):
        self.check("added_scores.py")

    def test_sessions(self):
        self.check("sessions.py")

    def test_callbacks_of_batches(self):
        self.check("heard_batches.py")

    def test_preprocessing(self):
        self.check("words_and_sequences.py")

    def test_pickled_datasets(self):
        self.check("pickled_datasets.py")

    def test_whole_files(self):
        self.check("whole_files.py")

    def test_subclassed_models(self):
        self.check("subclassed.py")

    def test_utilities(self):
        self.check("utilities.py")

    def test_hundred_steps(self):
        """Losses of eight models, each within 1e-5 of tf_keras' in each of a hundred steps."""
        program = str(PYTHON_TESTS / "keras_programs" / "hundred_steps.py")
        ours, theirs = (output_of([*command, program]).splitlines() for command in (OURS, [TENSORFLOW]))
        self.assertEqual(len(ours), 8)
        for mine, other in zip(ours, theirs, strict=True):
            mine, other = mine.split(), other.split()
            losses = len([word for word in other if word[0].isdigit()])
            self.assertEqual((losses, mine[:-losses]), (100, other[:-losses]))
            for step, (loss, expected) in enumerate(zip(mine[-losses:], other[-losses:], strict=True)):
                self.assertAlmostEqual(float(loss), float(expected), delta=1e-5, msg="%s, step %d" % (" ".join(other[:-losses]), step))

    def test_weights_cross(self):
        self.check_crossing(MODEL)

    def test_whole_models_cross(self):
        self.check_crossing(WHOLE)

    def test_operations_between_layers_cross(self):
        self.check_crossing(OPERATIONS)

    def check_crossing(self, text):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder) / "program.py"
            program.write_text(text)
            for writer, reader in ((OURS, [TENSORFLOW]), ([TENSORFLOW], OURS)):
                path = str(Path(folder) / "weights.h5")
                written = output_of([*writer, str(program), "save", path])
                self.assertEqual(output_of([*reader, str(program), "load", path]), written)
