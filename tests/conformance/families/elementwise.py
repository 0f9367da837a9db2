"""Functions of each element, of two and of three."""

import numpy as np

from case import draft, large, malformed
from families import family

SHAPES = ((7,), (3, 4, 5), (), (1,), (2, 0, 3), (2, 3, 2, 2), (33,))


@family("Abs", "Ceil", "Conj", "Cos", "Erf", "Erfc", "Exp", "Expm1", "Floor", "Inv", "IsFinite", "IsInf", "IsNan", "Log", "Log1p",
        "LogicalNot", "Neg", "OnesLike", "Reciprocal", "Relu", "Relu6", "Rint", "Round", "Rsqrt", "Sigmoid", "Sign",
        "Softsign", "Sqrt", "Square", "Tanh", "ZerosLike", "Invert", "Identity", "StopGradient", "Snapshot", "L2Loss",
        "PopulationCount", "DeepCopy", "PreventGradient", "Sin", "BesselI0", "BesselI0e", "BesselI1", "BesselI1e", "BesselJ0", "BesselJ1",
        "BesselK0", "BesselK0e", "BesselK1", "BesselK1e", "BesselY0", "BesselY1", units=9)
def unary(m):
    yield from unary_drafts(m)


# TensorFlow takes one from an exponential: next to zero its result has fewer digits than ours.
@family("Selu", "Elu", "Softplus", tolerance=2, is_accumulated=True)
def unary_cancelling(m):
    yield from unary_drafts(m)


def unary_drafts(m):
    for shape in SHAPES:
        yield draft(m.values(*shape))
    yield draft(m.special())
    yield draft(m.values(17, low=0.01, high=40))
    if m.signature.name in ("Rint", "LogicalNot"):
        for shape in ((1, 1), (3, 0), (64,), (65,), (5, 7, 3, 2, 2)):
            yield draft(m.values(*shape))
        if m.is_float():
            yield draft(m.array((0.5, 1.5, 2.5, -0.5, -1.5, 4.5, 0.49999997, 8388607.5, -8388608.5, 16777217.0)))
    yield large(m.values(3, 40_000))


@family("Acos", "Asin", "Atanh", "Erfinv", tolerance=2, units=9)
def unary_within_one(m):
    for shape in SHAPES:
        yield draft(m.values(*shape, low=-0.99, high=0.99))
    yield draft(m.special())
    yield large(m.values(3, 20_000, low=-0.99, high=0.99))


@family("Acosh", "Asinh", "Atan", "Cosh", "Sinh", "Tan", "Digamma", "Lgamma", "Ndtri", tolerance=4, units=9)
def unary_positive(m):
    for shape in SHAPES:
        yield draft(m.values(*shape, low=1.01, high=4))
    yield draft(m.special())
    yield draft(m.values(17, low=-4, high=4))
    yield large(m.values(3, 20_000, low=1.01, high=4))


PAIRS = (((4,), (4,)), ((2, 3), (3,)), ((3,), (2, 3)), ((3, 1), (1, 4)), ((), (2, 3)), ((2, 0), (1,)), ((2, 1, 3), (4, 1)), ((1,), ()), ((5, 4, 3), (5, 4, 3)),
         ((1, 1, 4), (3, 2, 1)), ((0,), (0,)), ((8, 1), (1, 33)), ((2, 3, 1, 2), (1, 3, 4, 1)))


def pairs(m, **limits):
    for left, right in PAIRS:
        yield draft(m.values(*left, **limits), m.values(*right, **limits))


def special_pairs(m):
    edges = m.special()
    return draft(np.repeat(edges, len(edges)), np.tile(edges, len(edges)))


@family("Add", "AddV2", "Sub", "Mul", "Maximum", "Minimum", "SquaredDifference", "Equal", "NotEqual", "Greater", "GreaterEqual", "Less",
        "LessEqual", "LogicalAnd", "LogicalOr", "Atan2", "MulNoNan", "DivNoNan", "RealDiv", "Xdivy", "Xlogy", "Xlog1py",
        "BitwiseAnd", "BitwiseOr", "BitwiseXor", "NextAfter", units=6)
def binary(m):
    yield from pairs(m)
    yield special_pairs(m)
    yield large(m.values(3, 40_000), m.values(3, 40_000))
    yield large(m.values(200, 300), m.values(300))


@family("Div", "FloorDiv", "FloorMod", "Mod", "TruncateDiv", "TruncateMod", units=6)
def division(m):
    low = 1 if m.dtype().kind in "iu" else -3
    for left, right in PAIRS:
        yield draft(m.values(*left, low=-20, high=20), m.values(*right, low=low, high=5))
    if m.dtype().kind == "i":
        yield draft(m.array([7, -7, 7, -7, 0]), m.array([2, 2, -2, -2, -3]))
        yield draft(m.array([1, 2]), m.array([1, 0]))  # TensorFlow's error
    elif m.dtype().kind == "u":
        yield draft(m.array([1, 2]), m.array([1, 0]))
    else:
        yield special_pairs(m)
    yield large(m.values(3, 40_000, low=-90, high=90), m.values(3, 40_000, low=low, high=9))


@family("LeftShift", "RightShift")
def shifts(m):
    for left, right in PAIRS:
        yield draft(m.values(*left, low=-20, high=20), m.values(*right, low=0, high=6))
    yield draft(m.special(), m.array(3))


@family("Pow", tolerance=4, units=6)
def power(m):
    low = 0 if m.dtype().kind in "iu" else 0.1
    for left, right in PAIRS:
        yield draft(m.values(*left, low=low, high=3), m.values(*right, low=0, high=3))
    if m.dtype().kind == "i":
        yield draft(m.array([2, 3]), m.array([1, -1]))
    else:
        yield special_pairs(m)
    yield large(m.values(3, 20_000, low=low, high=3), m.values(3, 20_000, low=0, high=3))


@family("Igamma", "Igammac", "Polygamma", "Zeta", tolerance=16)
def positive_pairs(m):
    for left, right in PAIRS:
        yield draft(m.array(m.values(*left, low=1, high=4).round()), m.values(*right, low=1.1, high=4))


@family("Betainc", tolerance=16)
def three_positive(m):
    for shape in SHAPES:
        yield draft(m.values(*shape, low=0.5, high=4), m.values(*shape, low=0.5, high=4), m.values(*shape, low=0.05, high=0.95))


@family("SqrtGrad", "RsqrtGrad", "ReciprocalGrad", "InvGrad", "ReluGrad", "Relu6Grad", "SoftplusGrad", "SoftsignGrad", tolerance=2, units=6)
def gradients(m):
    yield from gradient_drafts(m)


@family("TanhGrad", "SigmoidGrad", "EluGrad", "SeluGrad", tolerance=2, is_accumulated=True)
def gradients_cancelling(m):
    yield from gradient_drafts(m)


def gradient_drafts(m):
    for shape in SHAPES:
        yield draft(m.values(*shape), m.values(*shape))
    yield draft(m.array((1, 2, 3, 1)), m.array((0, 1, 6, 7)))
    yield large(m.values(3, 20_000), m.values(3, 20_000))


@family("Cross", units=6)
def cross(m):
    for shape in ((3,), (2, 3), (0, 3), (2, 2, 3)):
        yield draft(m.values(*shape), m.values(*shape))
    yield malformed(m.values(2, 2), m.values(2, 2))


@family("LeakyRelu")
def leaky(m):
    for shape in SHAPES:
        yield draft(m.values(*shape))
        yield draft(m.values(*shape), alpha=0.4)
    yield draft(m.special())


@family("LeakyReluGrad")
def leaky_gradient(m):
    for shape in SHAPES:
        yield draft(m.values(*shape), m.values(*shape))
        yield draft(m.values(*shape), m.values(*shape), alpha=0.4)


@family("Real", "Imag", "Angle", "ComplexAbs")
def parts(m):
    for shape in SHAPES:
        yield draft(m.values(*shape))


@family("Complex")
def complex_of_parts(m):
    for left, right in PAIRS:
        yield draft(m.values(*left), m.values(*right))


@family("LowerBound", "UpperBound")
def bounds(m):
    for rows, columns, count in ((2, 5, 3), (1, 4, 1), (3, 1, 2), (0, 3, 2), (2, 3, 0), (2, 40, 9)):
        yield draft(np.sort(m.values(rows, columns), 1), m.values(rows, count))


@family("AddN", "AccumulateNV2")
def sums(m):
    extra = {"shape": None} if m.signature.name == "AccumulateNV2" else {}
    for shape in SHAPES:
        for count in (2, 1, 3, 9):
            more = {"shape": shape} if extra else {}
            yield draft([m.values(*shape) for _ in range(count)], **more)


@family("Select")
def select(m):
    for shape in SHAPES:
        yield draft(m.values(*shape, of="bool"), m.values(*shape), m.values(*shape))
    yield draft(m.array([True, False, True], "bool"), m.values(3, 2, 2), m.values(3, 2, 2))
    yield draft(m.array(True, "bool"), m.values(3, 2), m.values(3, 2))
    yield draft(m.array(False, "bool"), m.values(3, 2), m.values(3, 2))


@family("SelectV2")
def select_broadcast(m):
    for c, t, e in (((3,), (3,), (3,)), ((2, 1), (3,), ()), ((), (2, 3), (3,)), ((0, 1), (1, 3), (3,)), ((2, 3, 4), (4,), (3, 1)),
                    ((4, 1), (1, 5), (4, 5)), ((1,), (6,), (6,))):
        yield draft(m.values(*c, of="bool"), m.values(*t), m.values(*e))
    yield large(m.values(3, 20_000, of="bool"), m.values(3, 20_000), m.values(3, 20_000))


@family("ClipByValue")
def clip(m):
    for shape in SHAPES:
        yield draft(m.values(*shape), m.array(-1 if m.dtype().kind != "u" else 1), m.array(2))


OUT_OF_RANGE = np.array([0.5, -0.0, 1.9, -1.9, 127, 128, -129, 255, 256, 300, -1, -300, 32767, 32768, -32769, 65535, 65537, 70000, -70000, 2**31 - 1, 2**31, -2**31,
                         -2.0**31 - 256, 2.0**32, 5e9, -5e9, 9.3e18, -9.3e18, 1.9e19, 1e30, -1e30, np.inf, -np.inf, np.nan, -128, 31000, 2.5])


@family("Cast", "Bitcast")
def casts(m):
    source = m.dtype()
    safe = {"low": 0, "high": 100} if source.kind in "iubf" else {}
    if m.signature.name == "Cast" and (m.is_float() or m.is_complex()):
        with np.errstate(all="ignore"):  # what the integers do not hold, in the vectors and behind them
            for count in (len(OUT_OF_RANGE), 5 * len(OUT_OF_RANGE) + 7):
                yield draft(np.resize(OUT_OF_RANGE, count).astype(source))
    for shape in SHAPES[:5]:
        yield draft(m.values(*shape, **safe))
    if source.kind in "iub":
        yield draft(m.special())


@family("ApproximateEqual")
def nearly(m):
    for shape in SHAPES:
        a = m.values(*shape)
        yield draft(a, m.array(a + m.array(m.values(*shape, low=0, high=1))), tolerance=0.5)


@family("CheckNumerics", "CheckNumericsV2")
def check(m):
    for shape in SHAPES:
        yield draft(m.values(*shape), message="here")
    for bad in ([1, np.nan], [np.inf, 2], [np.nan, -np.inf], [-np.inf]):
        yield draft(m.array(bad), message="here")
