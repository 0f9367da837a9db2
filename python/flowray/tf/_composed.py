"""The native functions that make several operations, by TensorFlow 1's names where these are others or more than one."""

from flowray import _native

_NAMES = {
    "accumulate_n": "math.accumulate_n",
    "argsort": "",
    "batch_gather": "",
    "boolean_mask": "",
    "count_nonzero": "math.count_nonzero",
    "einsum": "linalg.einsum",
    "eye": "linalg.eye",
    "histogram_fixed_width": "",
    "histogram_fixed_width_bins": "",
    "is_non_decreasing": "math.is_non_decreasing debugging.is_non_decreasing",
    "is_strictly_increasing": "math.is_strictly_increasing debugging.is_strictly_increasing",
    "lbeta": "math.lbeta",
    "log_sigmoid": "math.log_sigmoid",
    "meshgrid": "",
    "norm": "linalg.norm",
    "print": "",
    "random_crop": "image.random_crop",
    "random_gamma": "random.gamma",
    "repeat": "",
    "saturate_cast": "dtypes.saturate_cast",
    "scalar_mul": "math.scalar_mul",
    "sequence_mask": "",
    "sort": "",
    "trace": "linalg.trace",
    "unsorted_segment_mean": "math.unsorted_segment_mean",
    "unsorted_segment_sqrt_n": "math.unsorted_segment_sqrt_n",
}

# Both tf.assert_equal and tf.debugging.assert_equal.
_CHECKS = """equal none_equal less less_equal greater greater_equal positive negative non_negative non_positive near rank rank_at_least
    rank_in integer type scalar same_float_dtype"""
_NAMES.update(("assert_" + _word, "debugging.assert_" + _word) for _word in _CHECKS.split())


def assert_proper_iterable(values):
    """Raises TypeError for what cannot be gone through, or only by accident: tensors, arrays, text."""
    import numpy
    if isinstance(values, (_native.Tensor, _native.Variable, numpy.ndarray, str, bytes)):
        raise TypeError('Expected argument "values" to be a "proper" iterable.  Found: %s' % type(values))
    if not hasattr(values, "__iter__"):
        raise TypeError('Expected argument "values" to be iterable.  Found: %s' % type(values))


def is_numeric_tensor(tensor):
    """Whether it is a tensor of numbers."""
    return isinstance(tensor, _native.Tensor) and (tensor.dtype.is_floating or tensor.dtype.is_integer or tensor.dtype.is_complex)


ENDPOINTS = {"hessians": _native.train.hessians, "assert_proper_iterable": assert_proper_iterable,
             "debugging.assert_proper_iterable": assert_proper_iterable, "is_numeric_tensor": is_numeric_tensor,
             "debugging.is_numeric_tensor": is_numeric_tensor}
for _name, _others in _NAMES.items():
    for _endpoint in [_name] + _others.split():
        ENDPOINTS[_endpoint] = getattr(_native, _name)
for _namespace in ("image", "linalg", "math", "signal"):
    for _name, _function in vars(getattr(_native, _namespace)).items():
        if callable(_function):
            ENDPOINTS[_namespace + "." + _name] = _function


class ResizeMethod:
    """How tf.image.resize finds pixels."""

    BILINEAR, NEAREST_NEIGHBOR, BICUBIC, AREA = range(4)


ENDPOINTS["image.ResizeMethod"] = ResizeMethod
ENDPOINTS["image.resize_images"] = _native.image.resize
ENDPOINTS["image.resize_image_with_crop_or_pad"] = _native.image.resize_with_crop_or_pad
ENDPOINTS["image.transpose_image"] = _native.image.transpose
