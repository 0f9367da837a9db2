"""Limits of dtypes, which NumPy knows, and which of them are quantized."""

from flowray import _native

_QUANTIZED = [_native.as_dtype(name) for name in ("qint8", "quint8", "qint16", "quint16", "qint32")]
QUANTIZED_DTYPES = frozenset(_QUANTIZED + [dtype._as_ref for dtype in _QUANTIZED])


def limits(dtype):
    import numpy
    numpy_type = dtype.as_numpy_dtype
    if dtype.is_bool:
        return False, True
    if dtype.is_integer:
        info = numpy.iinfo(numpy_type)
        return info.min, info.max
    if dtype.is_floating:
        info = numpy.finfo(numpy_type)
        return info.min, info.max
    raise TypeError("Cannot find minimum value of %s." % dtype)


_WITHOUT_CLIPPED_LIMITS = ("float16", "bfloat16")  # TensorFlow's table has them for no float of 16 bits


def _clipped_limits(self):
    """(0, the greatest number): between which images of the dtype lie."""
    if self.name in _WITHOUT_CLIPPED_LIMITS or self in QUANTIZED_DTYPES or not (self.is_bool or self.is_integer or self.is_floating):
        raise ValueError("<dtype: '%s'> does not have defined limits." % self.name)
    return 0, 1 if self.is_floating else limits(self)[1]


_native.DType.limits = property(_clipped_limits)
