"""tf.keras.applications.imagenet_utils: images as the networks were trained with them."""

import numpy as _np

from flowray import _native
from flowray import tf as _tf

# Of each channel over ImageNet, red first.
_MEANS, _DEVIATIONS = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
_BLUE_FIRST = (103.939, 116.779, 123.68)


def preprocess_input(x, data_format=None, mode="caffe"):
    """Images of 0 to 255, as arrays or tensors. "caffe": blue first, without the means; "tf": -1 to 1; "torch": 0 to 1, normalised."""
    if mode not in ("caffe", "tf", "torch"):
        raise ValueError("Expected mode to be one of `caffe`, `tf` or `torch`. Received: mode=%s" % mode)
    if data_format not in (None, "channels_last"):
        raise NotImplementedError("preprocess_input(data_format=%r) is not there yet: leave it out" % (data_format,))
    if not isinstance(x, _native.Tensor):
        x = _np.asarray(x)
        x = x.astype(_np.float32) if not _np.issubdtype(x.dtype, _np.floating) else x.copy()
    elif not x.dtype.is_floating:
        x = _tf.cast(x, _tf.float32)
    kind = x.dtype if isinstance(x, _np.ndarray) else x.dtype.as_numpy_dtype
    if mode == "tf":
        return x / 127.5 - 1.0
    if mode == "torch":
        return (x / 255.0 - _np.asarray(_MEANS, kind)) / _np.asarray(_DEVIATIONS, kind)
    turned = x[..., ::-1] if isinstance(x, _np.ndarray) else _tf.reverse(x, [-1])
    return turned - _np.asarray(_BLUE_FIRST, kind)


def decode_predictions(preds, top=5):
    """Raises NotImplementedError: the names of ImageNet's classes are in a file that would have to be downloaded."""
    raise NotImplementedError("decode_predictions is not there: nothing is downloaded, and the names of ImageNet's classes are in no file here")
