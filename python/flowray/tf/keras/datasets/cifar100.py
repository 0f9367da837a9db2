"""tf.keras.datasets.cifar100."""

import os as _os

from flowray.tf.keras.datasets import _files
from flowray.tf.keras.datasets.cifar10 import images_of as _images_of


def load_data(label_mode="fine"):
    """(images, classes) for training and for tests, of a folder cifar-100-python; `label_mode`: "fine" for 100 classes, "coarse" for 20."""
    if label_mode not in ("fine", "coarse"):
        raise ValueError("`label_mode` must be one of `\"fine\"`, `\"coarse\"`. Received: label_mode=%s." % label_mode)
    folder = _files.found("cifar-100-python", "cifar100.load_data")
    return tuple(_images_of(_os.path.join(folder, name), label_mode + "_labels") for name in ("train", "test"))
