"""Arrays of every dtype that cases are made of, and how two of them are compared."""

import numpy as np
from tensorflow_client import tf

WORDS = ("", "a", "Abc", "x y", "été", "日本", "0.5", "-7", "%d\n", "tail\0", "UPPER lower", "12345678901234567890")
# Relative tolerance of a single operation. What lies below the smallest normal number counts as zero: TensorFlow's threads flush it.
TOLERANCE = {"float16": 2e-3, "bfloat16": 1.6e-2, "float32": 2e-6, "float64": 4e-14, "complex64": 4e-6, "complex128": 1e-13}
SMALLEST = {"float16": 6e-5, "bfloat16": 1.2e-38, "float32": 1.2e-38, "float64": 2.3e-308, "complex64": 1e-37, "complex128": 1e-307}


def as_numpy(name):
    return np.dtype(object if name == "string" else tf.as_dtype(name).as_numpy_dtype)


def dtype_name(dtype):
    return "string" if dtype.kind == "O" else tf.as_dtype(dtype).name


def is_float(dtype):
    return dtype.kind == "f" or dtype_name(dtype) == "bfloat16"


def random(rng, shape, dtype, low, high):
    count = int(np.prod(shape))
    if dtype.kind == "O":
        return np.array([WORDS[i].encode() for i in rng.randint(0, len(WORDS), count)], object).reshape(shape)
    if dtype == np.bool_:
        return rng.randint(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        smallest = max(int(np.ceil(low)), np.iinfo(dtype).min)
        return rng.randint(smallest, max(int(high), smallest) + 1, shape).astype(dtype)
    numbers = np.round(rng.uniform(low, high, shape), 3)
    if dtype.kind == "c":
        numbers = numbers + 1j * np.round(rng.uniform(low, high, shape), 3)
    return np.asarray(numbers).astype(dtype)


def special(dtype):
    if dtype.kind == "O":
        return np.array([word.encode() for word in WORDS], object)
    if dtype == np.bool_:
        return np.array([True, False])
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return np.array(sorted({limits.min, limits.min + 1, max(-1, limits.min), 0, 1, 2, 7, limits.max - 1, limits.max}), dtype)
    plain = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, 10.0, -20.0]
    if dtype.kind == "c":
        return np.array([complex(a, b) for a in plain[:6] for b in plain[:6]], dtype)
    limits = np.finfo(dtype) if dtype.kind == "f" else None
    extremes = [float(limits.max), float(limits.min), float(limits.tiny)] if limits else [3e38, -3e38, 1.2e-38]
    return np.array(plain + extremes + [88.0, -104.0, np.inf, -np.inf, np.nan], dtype)


def unfit(array, is_index):
    """Arrays that the op may not take in place of `array`."""
    yield array[None]
    if array.ndim > 0 and array.shape[0] > 0:
        yield array[0] if array.ndim > 1 else np.asarray(array[0], array.dtype)
    if array.ndim > 0 and array.size > 0:
        yield np.concatenate([array, array[..., -1:]], axis=-1)
        yield array[:0]
    if is_index and array.size > 0:
        for value in (99, -99):
            if np.iinfo(array.dtype).min <= value:
                other = array.copy()
                other.flat[-1] = value
                yield other


def difference(expected, ours, tolerance, is_accumulated, least_size=0, units=None):
    """None where they are the same within `tolerance` times that of the dtype, else what is different and by how much. Errors of what
    is accumulated count against the largest element, which is at least `least_size`. `units` in the last place instead of that are for
    float32 and float64."""
    expected, ours = np.asarray(expected), np.asarray(ours)
    if expected.dtype != ours.dtype:
        return f"dtype {dtype_name(ours.dtype)} for {dtype_name(expected.dtype)}", None
    if expected.shape != ours.shape:
        return f"shape {list(ours.shape)} for {list(expected.shape)}", None
    name = dtype_name(expected.dtype)
    if name not in TOLERANCE:
        same = expected == ours
        return None if np.all(same) else (_first(expected, ours, ~np.asarray(same)), None)
    a = expected.astype(np.complex128 if expected.dtype.kind == "c" else np.float64)
    b = ours.astype(a.dtype)
    unit = np.spacing(np.abs(expected)).astype(np.float64) if units and name in ("float32", "float64") else None
    return _float_difference(a, b, TOLERANCE[name] * tolerance, SMALLEST[name], least_size if is_accumulated else None, unit, units)


def _float_difference(a, b, tolerance, smallest, least_size, unit, units):
    with np.errstate(all="ignore"):
        finite = np.isfinite(a) & np.isfinite(b)
        size = np.abs(a)
        if least_size is not None and finite.any():
            size = np.maximum(size, max(np.max(size[finite]), least_size))
        error = np.where(finite, np.abs(a - b) / np.maximum(size, smallest), 0)
        close = error <= tolerance if unit is None else np.abs(a - b) <= units * unit
        same = (a == b) | (np.isnan(a) & np.isnan(b)) | (finite & (close | (np.abs(a - b) <= smallest)))
        if np.all(same):
            return None
        return _first(a, b, ~same), float(np.max(error))


def _first(a, b, wrong):
    where = tuple(int(i[0]) for i in np.nonzero(np.atleast_1d(wrong)))
    expected, ours = np.atleast_1d(a)[where], np.atleast_1d(b)[where]
    return f"at {list(where)}: {ours!r} for {expected!r} ({int(np.sum(wrong))} of {np.size(wrong)})"
