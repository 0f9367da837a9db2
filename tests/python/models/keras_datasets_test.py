"""Files of tf.keras.datasets: what a pickle in them may not do, and what is said where they are not."""

import gzip
import os
import pickle
import tempfile
import unittest
from unittest import mock

import numpy as np

from flowray import tf


class Harmful:
    def __reduce__(self):
        return os.mkdir, ("made_by_a_pickle",)


class KerasDatasetsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.datasets = os.path.join(folder.name, "datasets")
        os.makedirs(os.path.join(self.datasets, "cifar-100-python"))
        environment = mock.patch.dict(os.environ, {"KERAS_HOME": folder.name})
        environment.start()
        self.addCleanup(environment.stop)

    def check_loads(self, load, parts):
        """`parts`: images and labels of training, then of tests."""
        (x_train, y_train), (x_test, y_test) = load()
        for loaded, part in zip((x_train, y_train, x_test, y_test), parts):
            self.assertEqual(loaded.dtype, np.uint8)
            np.testing.assert_array_equal(loaded, part)

    def parts(self):
        images = (np.arange(5 * 28 * 28) * 37 % 251).astype(np.uint8).reshape(5, 28, 28)
        return images[:3], np.array([7, 0, 9], np.uint8), images[3:], np.array([4, 1], np.uint8)

    def test_mnist(self):
        x_train, y_train, x_test, y_test = self.parts()
        for name in ("mnist.npz", "mine.npz"):
            np.savez(os.path.join(self.datasets, name), x_train=x_train, y_train=y_train, x_test=x_test, y_test=y_test)
        self.check_loads(tf.keras.datasets.mnist.load_data, self.parts())
        self.check_loads(lambda: tf.keras.datasets.mnist.load_data("mine.npz"), self.parts())

    def test_fashion_mnist(self):
        os.makedirs(os.path.join(self.datasets, "fashion-mnist"))
        names = ("train-images-idx3", "train-labels-idx1", "t10k-images-idx3", "t10k-labels-idx1")
        for name, part in zip(names, self.parts()):
            header = np.array([0x800 + part.ndim, *part.shape], ">i4").tobytes()
            with gzip.open(os.path.join(self.datasets, "fashion-mnist", name + "-ubyte.gz"), "wb") as file:
                file.write(header + part.tobytes())
        self.check_loads(tf.keras.datasets.fashion_mnist.load_data, self.parts())

    def test_pickles_call_nothing(self):
        harmful = np.empty(1, dtype=object)
        harmful[0] = Harmful()
        np.savez(os.path.join(self.datasets, "imdb.npz"), x_train=harmful, y_train=[0], x_test=harmful, y_test=[0])
        with open(os.path.join(self.datasets, "cifar-100-python", "train"), "wb") as file:
            pickle.dump({"data": Harmful()}, file)
        for load in (tf.keras.datasets.imdb.load_data, tf.keras.datasets.cifar100.load_data):
            with self.assertRaisesRegex(pickle.UnpicklingError, "mkdir is not read from a file of a data set"):
                load()
        self.assertFalse(os.path.exists("made_by_a_pickle"))

    def test_a_file_that_is_missing_is_named(self):
        for load, name in ((tf.keras.datasets.reuters.load_data, "reuters.npz"), (tf.keras.datasets.cifar10.load_data, "cifar-10-batches-py"),
                           (tf.keras.datasets.imdb.get_word_index, "imdb_word_index.json")):
            with self.assertRaisesRegex(FileNotFoundError, "there is no file " + name):
                load()


if __name__ == "__main__":
    unittest.main()
