"""tf.keras.datasets.mnist."""

import numpy as _np

from flowray.tf.keras.datasets import _files


def load_data(path="mnist.npz"):
    """(images, digits) for training and for tests, of a file mnist.npz."""
    with _np.load(_files.found(path, "mnist.load_data")) as file:
        return (file["x_train"], file["y_train"]), (file["x_test"], file["y_test"])
