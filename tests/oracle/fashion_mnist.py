"""Reads the MNIST-format files of Debian's dataset-fashion-mnist."""

import gzip
import os

import numpy as np

FOLDER = os.environ.get("FLOWRAY_FASHION_MNIST", "/usr/share/datasets/fashion-mnist")


def _read(name, header_bytes):
    with gzip.open(os.path.join(FOLDER, name)) as file:
        return np.frombuffer(file.read(), np.uint8, offset=header_bytes)


def load(part):
    """Images [n, 784] float32, each pixel / 255 in double, and labels [n] uint8, of `part` ("train" or "t10k")."""
    images = _read(part + "-images-idx3-ubyte.gz", 16).reshape(-1, 784)
    return (images / 255.0).astype(np.float32), _read(part + "-labels-idx1-ubyte.gz", 8)


def one_hot(labels, dtype=np.float32):
    return np.eye(10, dtype=dtype)[labels]
