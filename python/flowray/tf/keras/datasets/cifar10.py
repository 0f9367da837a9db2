"""tf.keras.datasets.cifar10."""

import os as _os

import numpy as _np

from flowray.tf.keras.datasets import _files, _pickles


def images_of(path, labels="labels"):
    """(images [count, 32, 32, 3], classes [count, 1]) of one file."""
    found = _pickles.dictionary_of(path)
    images = _np.asarray(found["data"]).reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
    return images, _np.asarray(found[labels], dtype=_np.uint8 if labels == "labels" else None).reshape(-1, 1)


def load_data():
    """(images, classes) for training and for tests, of a folder cifar-10-batches-py."""
    folder = _files.found("cifar-10-batches-py", "cifar10.load_data")
    parts = [images_of(_os.path.join(folder, "data_batch_%d" % number)) for number in range(1, 6)]
    train = tuple(_np.concatenate(part) for part in zip(*parts))
    return train, images_of(_os.path.join(folder, "test_batch"))
