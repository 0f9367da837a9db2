"""tf.keras.utils."""

import numpy as _np


def to_categorical(y, num_classes=None, dtype="float32"):
    """A vector for each class in `y`, with 1 in the place of the class."""
    y = _np.array(y, dtype="int64")
    shape = y.shape[:-1] if y.ndim > 1 and y.shape[-1] == 1 else y.shape
    y = y.ravel()
    num_classes = int(y.max()) + 1 if num_classes is None else num_classes
    result = _np.zeros((len(y), num_classes), dtype)
    result[_np.arange(len(y)), y] = 1
    return result.reshape((*shape, num_classes))
