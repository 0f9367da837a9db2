"""tensorflow.compat: compat.v1 is flowray.tf itself, compat.v2 what of it version 2 has, too."""

import numbers as _numbers
import os as _os
import sys as _sys

from flowray import tf as v1

_sys.modules[__name__ + ".v1"] = v1
bytes_or_text_types = (bytes, str)


def __getattr__(name):
    if name == "v2":
        from flowray.tf import _inner
        return _inner.module("compat.v2")
    if name in ("integral_types", "real_types", "complex_types"):  # NumPy comes when it is asked for
        import numpy
        kinds = {"integral_types": (_numbers.Integral, numpy.integer), "real_types": (_numbers.Real, numpy.integer, numpy.floating),
                 "complex_types": (_numbers.Complex, numpy.number)}
        return kinds[name]
    raise AttributeError("module 'tensorflow.compat' has no attribute %r" % name)


def as_bytes(bytes_or_text, encoding="utf-8"):
    """Text in the encoding; bytes are themselves."""
    if isinstance(bytes_or_text, bytearray):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text
    raise TypeError("Expected binary or unicode string, got %r" % (bytes_or_text,))


def as_text(bytes_or_text, encoding="utf-8"):
    """Bytes in the encoding; text is itself."""
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError("Expected binary or unicode string, got %r" % (bytes_or_text,))


as_str = as_text


def as_str_any(value, encoding="utf-8"):
    """Bytes and text as text, and all else as Python shows it."""
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path):
    return as_str_any(_os.fspath(path) if hasattr(path, "__fspath__") else path)


def path_to_bytes(path):
    return as_bytes(_os.fspath(path) if hasattr(path, "__fspath__") else path)


def forward_compatible(year, month, day):
    """True: what is new is there."""
    return True
