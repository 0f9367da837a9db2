"""tf.keras.datasets.boston_housing."""

import numpy as _np

from flowray.tf.keras.datasets import _files, _numbered_words, _pickles


def load_data(path="boston_housing.npz", test_split=0.2, seed=113):
    """(13 numbers of each place, prices in 1,000 dollars) for training and for tests, of a file boston_housing.npz."""
    if not 0 <= test_split < 1:
        raise ValueError("boston_housing.load_data: test_split is a part from 0 to below 1, not %r" % (test_split,))
    found = _pickles.arrays_of(_files.found(path, "boston_housing.load_data"))
    x, y = _numbered_words.shuffled(_np.random.RandomState(seed), found["x"], found["y"])
    count = int(len(x) * (1 - test_split))
    return (_np.array(x[:count]), _np.array(y[:count])), (_np.array(x[count:]), _np.array(y[count:]))
