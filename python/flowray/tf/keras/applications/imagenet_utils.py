"""tf.keras.applications.imagenet_utils: images as the networks were trained with them."""

import numpy as _np

from flowray import _native
from flowray import tf as _tf
from flowray.tf.keras import backend as _backend

# Of each channel over ImageNet, red first.
_MEANS, _DEVIATIONS = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
_BLUE_FIRST = (103.939, 116.779, 123.68)


def preprocess_input(x, data_format=None, mode="caffe"):
    """Images of 0 to 255, as arrays or tensors. "caffe": blue first, without the means; "tf": -1 to 1; "torch": 0 to 1, normalised."""
    if mode not in ("caffe", "tf", "torch"):
        raise ValueError("Expected mode to be one of `caffe`, `tf` or `torch`. Received: mode=%s" % mode)
    data_format = _backend.image_data_format() if data_format is None else data_format
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError("Expected data_format to be one of `channels_first` or `channels_last`. Received: data_format=%s" % data_format)
    if not isinstance(x, _native.Tensor):
        x = _np.asarray(x)
        x = x.astype(_np.float32) if not _np.issubdtype(x.dtype, _np.floating) else x.copy()
    elif not x.dtype.is_floating:
        x = _tf.cast(x, _tf.float32)
    kind = x.dtype if isinstance(x, _np.ndarray) else x.dtype.as_numpy_dtype
    if mode == "tf":
        return x / 127.5 - 1.0
    is_first = data_format == "channels_first"

    def of_channels(numbers):
        numbers = _np.asarray(numbers, kind)
        return numbers.reshape(-1, 1, 1) if is_first else numbers
    if mode == "torch":
        return (x / 255.0 - of_channels(_MEANS)) / of_channels(_DEVIATIONS)
    axis = x.ndim - 3 if isinstance(x, _np.ndarray) else x.shape.ndims - 3
    axis = axis if is_first else -1
    turned = _np.flip(x, axis) if isinstance(x, _np.ndarray) else _tf.reverse(x, [axis])
    return turned - of_channels(_BLUE_FIRST)


def decode_predictions(preds, top=5):
    """Raises NotImplementedError: the names of ImageNet's classes are in a file that would have to be downloaded."""
    raise NotImplementedError("decode_predictions is not there: nothing is downloaded, and the names of ImageNet's classes are in no file here")
