"""Which of tf_keras' layers are missing, with the reason of each: a layer that comes is taken from the list, and none may go."""

import os
import sys
import tempfile
import unittest

import numpy as np

from flowray import tf

from two_systems import TENSORFLOW, has_tensorflow, output_of

NAMES = "import tensorflow.compat.v1 as tf\nprint(' '.join(sorted(name for name in dir(tf.keras.layers) if name[0].isupper())))\n"
LATER = "is not in TensorFlow 1.15"
MISSING = {
    "AbstractRNNCell": "a base class without methods of its own: cells derive from Layer",
    "Wrapper": "a base class: layers that hold a layer derive from Layer",
    "CuDNNGRU": "for GPUs", "CuDNNLSTM": "for GPUs",
    **{name: LATER for name in (
        "CategoryEncoding", "CenterCrop", "Conv1DTranspose", "ConvLSTM1D", "ConvLSTM3D", "Convolution1DTranspose", "DepthwiseConv1D", "Discretization",
        "EinsumDense", "Hashing", "Identity", "MultiHeadAttention", "Normalization", "Rescaling", "Resizing")}}


class KerasLayersTest(unittest.TestCase):
    @unittest.skipUnless(has_tensorflow(), "no TensorFlow in build/interop-venv (tests/interop/run makes it)")
    def test_what_is_missing_is_known(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "names.py")
            with open(program, "w", encoding="utf-8") as file:
                file.write(NAMES)
            theirs = set(output_of([TENSORFLOW, program]).split())
            ours = set(output_of([sys.executable, "-m", "flowray", program]).split())
        self.assertEqual(theirs - ours, set(MISSING))
        self.assertEqual(ours - theirs, set())

    def test_a_mask_without_inputs_is_refused(self):
        for layer in (tf.keras.layers.LSTM(2), tf.keras.layers.Concatenate()):
            with self.assertRaisesRegex(ValueError, "was called with a mask for inputs, but without inputs"):
                layer([], mask=np.ones((2, 3), bool))


if __name__ == "__main__":
    unittest.main()
