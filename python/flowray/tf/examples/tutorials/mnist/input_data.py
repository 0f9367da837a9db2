"""tensorflow.examples.tutorials.mnist.input_data: files in MNIST's format, batch by batch.

Nothing is downloaded: the four files must lie in the folder that is named, in that of the environment variable
FLOWRAY_MNIST_DIR, or in Debian's package dataset-fashion-mnist.
"""

import collections
import os
import pickle
import warnings

import numpy as np

from flowray import _native

Datasets = collections.namedtuple("Datasets", ["train", "validation", "test"])
_FASHION_MNIST = "/usr/share/datasets/fashion-mnist"  # of Debian's dataset-fashion-mnist


class DataSet:
    """Labelled images, batch by batch.

    Args:
        images: uint8 [N, rows, columns], or with a 1 behind. They are not copied.
        labels: uint8 [N], classes below 10.
        one_hot: batches have float32 [n, 10] labels, with a one at the class.
        dtype: of the images of batches: tf.float32, from 0 to 1, or tf.uint8.
        reshape: they are [n, rows * columns], else [n, rows, columns, 1].
        seed: of their order; None: another one each time.
    """

    def __init__(self, images, labels, fake_data=False, one_hot=False, dtype=_native.as_dtype("float32"), reshape=True, seed=None):
        if fake_data:
            raise NotImplementedError("DataSet(fake_data=True) is not supported: give images and labels of zeros")
        images = np.asarray(images)
        images = images.reshape(images.shape[:3]) if images.ndim == 4 and images.shape[3] == 1 else images
        self._native = _native.DataSet(images, np.asarray(labels), one_hot, dtype, reshape, seed)
        self._arrays = {}

    @classmethod
    def _of(cls, native):
        made = cls.__new__(cls)
        made._native, made._arrays = native, {}
        return made

    def _array(self, name):
        if name not in self._arrays:
            self._arrays[name] = getattr(self._native, name)()
        return self._arrays[name]

    @property
    def images(self):
        return self._array("images")

    @property
    def labels(self):
        return self._array("labels")

    @property
    def num_examples(self):
        return self._native.num_examples()

    @property
    def epochs_completed(self):
        return self._native.epochs_completed()

    def next_batch(self, batch_size, fake_data=False, shuffle=True):
        _refuse_fake_data(fake_data, "next_batch")
        return self._native.next_batch(batch_size, shuffle)

    def __reduce_ex__(self, protocol):
        """A copy gives the batches that this one would have given."""
        held = _native._ray.data_set_bytes(self._native)
        return _data_set, (pickle.PickleBuffer(held) if protocol >= 5 else bytes(held),)


def _refuse_fake_data(fake_data, function):
    if fake_data:
        raise NotImplementedError("%s(fake_data=True) is not there: a program that wants no images makes arrays of its own" % function)


def _data_set(held):
    return DataSet._of(_native._ray.read_data_set(held))


def _has_files(folder):
    name = os.path.join(folder, "train-images-idx3-ubyte")
    return os.path.exists(name) or os.path.exists(name + ".gz")


def _folder(train_dir):
    for folder in (train_dir, os.environ.get("FLOWRAY_MNIST_DIR", ""), _FASHION_MNIST):
        if folder and _has_files(folder):
            if folder == _FASHION_MNIST and train_dir != folder:
                warnings.warn("%r has none of MNIST's files, so these are Fashion-MNIST's, of %s, which are harder to tell apart.\n"
                              "Put MNIST's there, or name their folder in FLOWRAY_MNIST_DIR." % (train_dir, folder), RuntimeWarning, stacklevel=3)
            return folder
    return train_dir


def read_data_sets(train_dir, fake_data=False, one_hot=False, dtype=_native.as_dtype("float32"), reshape=True,
                   validation_size=5000, seed=None, source_url=None):
    """The training, validation and test images of `train_dir`. Nothing is fetched from `source_url`: the files are there."""
    _refuse_fake_data(fake_data, "read_data_sets")
    try:
        sets = _native.read_data_sets(_folder(train_dir), one_hot, dtype, reshape, validation_size, seed)
    except Exception as error:
        from flowray.tf.errors import NotFoundError
        if not isinstance(error, NotFoundError):
            raise
        raise NotFoundError(None, None, "%s\nPut MNIST's files there, set FLOWRAY_MNIST_DIR to their folder, or install images "
                            "in their format: apt-get install dataset-fashion-mnist" % error.message) from None
    return Datasets(*[DataSet._of(one) for one in sets])


def load_mnist(train_dir="MNIST-data"):
    return read_data_sets(train_dir)
