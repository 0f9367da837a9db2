"""Limits of dtypes, which NumPy knows."""


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
