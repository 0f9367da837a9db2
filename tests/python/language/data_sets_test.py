"""tensorflow.examples.tutorials.mnist.input_data.DataSet, made of a program's own images."""

import pickle
import struct
import tempfile
import unittest
import warnings
from pathlib import Path
from unittest import mock

import numpy as np

from flowray import tf
from flowray.tf.examples.tutorials.mnist import input_data
from flowray.tf.examples.tutorials.mnist.input_data import DataSet


class DataSetTest(unittest.TestCase):
    images = np.arange(5 * 2 * 3, dtype=np.uint8).reshape(5, 2, 3)
    labels = np.array([1, 0, 9, 3, 3], dtype=np.uint8)

    def test_batches_in_order(self):
        for images in (self.images, self.images[..., np.newaxis]):
            data = DataSet(images, self.labels, one_hot=True)
            batch, classes = data.next_batch(2, shuffle=False)
            np.testing.assert_allclose(batch, self.images[:2].reshape(2, 6) / 255, rtol=1e-6)
            np.testing.assert_array_equal(classes, np.eye(10)[[1, 0]])
            self.assertEqual((data.num_examples, data.epochs_completed), (5, 0))
            back = pickle.loads(pickle.dumps(data))
            np.testing.assert_array_equal(back.next_batch(2, shuffle=False)[1], np.eye(10)[[9, 3]])

    def test_bytes_and_shapes(self):
        data = DataSet(self.images, self.labels, dtype=tf.uint8, reshape=False)
        batch, classes = data.next_batch(5, shuffle=False)
        self.assertEqual((batch.shape, batch.dtype, classes.dtype), ((5, 2, 3, 1), np.uint8, np.uint8))
        np.testing.assert_array_equal(batch[..., 0], self.images)
        np.testing.assert_array_equal(classes, self.labels)

    def test_seeds(self):
        def order(seed):
            return DataSet(self.images, self.labels, dtype=tf.uint8, seed=seed).next_batch(5)[0][:, 0].tolist()

        self.assertEqual(order(3), order(3))
        self.assertEqual(sorted(order(3)), self.images[:, 0, 0].tolist())
        self.assertGreater(len({tuple(order(seed)) for seed in range(10)}), 1)

    def test_other_images_than_those_asked_for_are_told_of(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(input_data, "_FASHION_MNIST", folder), \
                mock.patch.dict("os.environ", FLOWRAY_MNIST_DIR=""):
            for name in ("train", "t10k"):
                (Path(folder) / f"{name}-images-idx3-ubyte").write_bytes(struct.pack(">4I", 2051, 1, 28, 28) + bytes(784))
                (Path(folder) / f"{name}-labels-idx1-ubyte").write_bytes(struct.pack(">2I", 2049, 1) + bytes(1))
            with self.assertWarnsRegex(RuntimeWarning, f"'no-such-folder' has none of MNIST's files, so these are Fashion-MNIST's, of {folder}"):
                input_data.read_data_sets("no-such-folder", validation_size=0)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                self.assertEqual(input_data.read_data_sets(folder, validation_size=0).train.num_examples, 1)

    def test_what_is_refused(self):
        for arguments, kind in (((self.images, self.labels[:3]), ValueError), ((self.images[0], self.labels), ValueError),
                                ((self.images.astype(np.float32), self.labels), ValueError)):
            with self.assertRaises(kind):
                DataSet(*arguments)
        with self.assertRaisesRegex(NotImplementedError, "fake_data"):
            DataSet(self.images, self.labels, fake_data=True)
        with self.assertRaises(TypeError):
            DataSet(self.images, self.labels, dtype=tf.int32)


if __name__ == "__main__":
    unittest.main()
