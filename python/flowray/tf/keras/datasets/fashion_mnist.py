"""tf.keras.datasets.fashion_mnist."""

import gzip as _gzip
import os as _os

import numpy as _np

from flowray.tf.keras.datasets import _files


def load_data():
    """(images, kinds of clothing) for training and for tests, of the four files of fashion-mnist."""
    parts = []
    for name, begin in (("train-labels", 8), ("train-images", 16), ("t10k-labels", 8), ("t10k-images", 16)):
        path = _files.found(_os.path.join("fashion-mnist", "%s-idx%d-ubyte.gz" % (name, 1 if begin == 8 else 3)), "fashion_mnist.load_data")
        with _gzip.open(path, "rb") as file:
            numbers = _np.frombuffer(file.read(), _np.uint8, offset=begin)
        parts.append(numbers if begin == 8 else numbers.reshape(-1, 28, 28))
    return (parts[1], parts[0]), (parts[3], parts[2])
