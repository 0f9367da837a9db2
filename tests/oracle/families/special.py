"""Functions of mathematical physics, bits, complex numbers: elementwise ops beyond arithmetic."""

from families import family
from families.values import FLOATS, numbers
from op_cases import raw
from tensorflow_v1 import np, tf

HALVES = (np.float16, tf.bfloat16.as_numpy_dtype)
INTEGERS = (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64)


def complexes(shape, dtype=np.complex64, seed=0):
    return (numbers(shape, np.float64, seed=seed) + 1j * numbers(shape, np.float64, seed=seed + 50)).astype(dtype)


@family
def inverse_hyperbolic():
    for dtype in (*FLOATS, *HALVES):
        yield raw("Asinh", numbers((2, 9), np.float32, -5, 5).astype(dtype))
        yield raw("Acosh", numbers((17,), np.float32, 0.5, 5).astype(dtype))
        yield raw("Atanh", numbers((17,), np.float32, -1.1, 1.1).astype(dtype))
    for op in ("Asinh", "Acosh", "Atanh"):
        yield raw(op, np.array([0, 1, -1, np.inf, -np.inf, np.nan], np.float32))
        yield raw(op, np.zeros((0, 3), np.float32))
        for dtype in (np.complex64, np.complex128):
            yield raw(op, complexes((9,), dtype))


@family
def gamma_functions():
    special = np.array([0, 1, 2, 0.5, -0.5, -1, -2, 10, 30, np.inf, np.nan], np.float32)
    for op in ("Lgamma", "Digamma"):
        yield raw(op, special)
        for dtype in (*FLOATS, np.float16):
            yield raw(op, numbers((3, 7), np.float32, 0.01, 9).astype(dtype))
    for dtype in FLOATS:
        yield raw("Digamma", numbers((9,), dtype, -3, 0))
        yield raw("Polygamma", np.array([0, 1, 2, 3], dtype).reshape(4, 1), numbers((7,), dtype, 0.1, 9))
        yield raw("Zeta", np.array([2, 1.5, 4], dtype).reshape(3, 1), numbers((7,), dtype, 0.1, 9))
        a, x = numbers((5, 1), dtype, 0.1, 9), numbers((7,), dtype, 0.0, 12)
        for op in ("Igamma", "Igammac", "IgammaGradA"):
            yield raw(op, a, x)
        yield raw("RandomGammaGrad", a, numbers((7,), dtype, 0.1, 12))
        yield raw("Betainc", numbers((2, 3), dtype, 0.1, 5), numbers((2, 3), dtype, 0.1, 5, 1), numbers((2, 3), dtype, 0, 1))
        yield raw("Betainc", numbers((), dtype, 0.1, 5), numbers((), dtype, 0.1, 5, 1), numbers((4,), dtype, 0, 1))
        yield raw("Igamma", np.array([1, -1, 0, 1], dtype), np.array([-1, 1, 0, 0], dtype))


@family
def normal_and_bessel():
    for dtype in FLOATS:
        yield raw("Erfinv", np.array([-1, -0.999, -0.5, 0, 0.1, 0.7, 0.99, 1, 1.5], dtype))
        yield raw("Ndtri", np.array([0, 0.001, 0.2, 0.5, 0.7, 0.99, 1], dtype))
    for dtype in (*FLOATS, *HALVES):
        for op in ("BesselI0e", "BesselI1e"):
            yield raw(op, numbers((3, 7), np.float32, -12, 12).astype(dtype))


@family
def forgiving_products():
    x = np.array([0, 1, -2, 0, 3, 0], np.float64)
    y = np.array([2, 0, 3, 0, np.nan, np.nan], np.float64)
    for dtype in (*FLOATS, *HALVES, np.complex64):
        for op in ("Xdivy", "Xlogy", "Xlog1py", "MulNoNan"):
            if dtype != np.complex64:
                yield raw(op, x.astype(dtype), y.astype(dtype))
                yield raw(op, np.abs(numbers((2, 1, 3), np.float32)).astype(dtype), np.abs(numbers((4, 1), np.float32)).astype(dtype))
            else:
                yield raw(op, complexes((5,)), complexes((5,), seed=1))
    for dtype in FLOATS:
        yield raw("NextAfter", np.array([0, 1, -1, 1, 2], dtype), np.array([1, 2, 1, -3, 2], dtype))


@family
def bits():
    for dtype in INTEGERS:
        info = np.iinfo(dtype)
        x = np.array([info.min, info.max, 0, 1, 77, 100], dtype)
        y = np.array([1, 3, 7, 0, 2, 5], dtype)
        for op in ("BitwiseAnd", "BitwiseOr", "BitwiseXor", "LeftShift", "RightShift"):
            yield raw(op, x, y)
            yield raw(op, x.reshape(6, 1), y[:3])
        yield raw("LeftShift", x, np.full(6, 100, dtype))
        yield raw("RightShift", x, np.full(6, 100, dtype))
        yield raw("Invert", x)
        yield raw("PopulationCount", x)
