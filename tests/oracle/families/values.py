"""Input values of op cases: repeatable, with few digits, so that the recorded files stay short."""

import zlib

from tensorflow_v1 import np

FLOATS = (np.float32, np.float64)
INTS = (np.int32, np.int64)


def numbers(shape, dtype=np.float32, low=-3.0, high=3.0, seed=0):
    """Values in [low, high] with three decimals (integers: whole), the same for the same arguments."""
    key = zlib.crc32(repr((tuple(np.atleast_1d(shape)), np.dtype(dtype).name, low, high, seed)).encode())
    values = np.random.RandomState(key).uniform(low, high, shape)
    if np.dtype(dtype) == np.bool_:
        return np.asarray(values > (low + high) / 2)
    if np.issubdtype(dtype, np.integer):
        return np.asarray(np.rint(values)).astype(dtype)
    return np.asarray(np.round(values, 3)).astype(dtype)


def ints(*values, dtype=np.int32):
    """A vector of integers: shapes, axes, permutations."""
    return np.array(values, dtype)


def scalar(value, dtype=np.int32):
    return np.array(value, dtype)


SPECIAL = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 2e-38, 1e38, -1e38, 0.5, -0.5, 1.5, 2.5, -2.5, 88.0, -104.0]
