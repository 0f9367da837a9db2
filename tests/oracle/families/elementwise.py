"""Elementwise ops: arithmetic with broadcasting, comparison, logic, functions and their gradients, casts."""

from families import family
from families.values import FLOATS, INTS, SPECIAL, numbers
from op_cases import raw
from tensorflow_v1 import np, tf

# Pairs of shapes: equal, scalar on a side, broadcast on either side and on both, empty, odd sizes.
SHAPES = [
    ((), ()),
    ((5,), (5,)),
    ((2, 3), ()),
    ((), (2, 3)),
    ((2, 3), (3,)),
    ((3,), (2, 3)),
    ((2, 1, 3), (4, 1)),
    ((0, 3), (3,)),
    ((17, 1), (1, 3)),
]
LARGE = ((3, 33), (33,))
EQUAL = [((), ()), ((17,), (17,)), ((2, 3, 4), (4,)), ((0,), (0,)), ((1,), (5,))]

BINARY = "AddV2 Add Sub Mul RealDiv Div Maximum Minimum SquaredDifference FloorDiv FloorMod DivNoNan".split()
BINARY_INT = "AddV2 Sub Mul Maximum Minimum SquaredDifference FloorDiv FloorMod TruncateDiv Div".split()
COMPARISONS = "Equal NotEqual Less LessEqual Greater GreaterEqual".split()


@family
def binary_float():
    for op in BINARY:
        for dtype in FLOATS:
            for a, b in SHAPES if dtype == np.float32 else SHAPES[1:7:2]:
                yield raw(op, numbers(a, dtype), numbers(b, dtype, seed=1))
        yield raw(op, numbers(LARGE[0]), numbers(LARGE[1], seed=1))
        yield raw(op, numbers(LARGE[1]), numbers(LARGE[0], seed=1))


@family
def binary_special():
    values = np.array(SPECIAL, np.float32)
    for op in BINARY + ["Pow"]:
        yield raw(op, values.reshape(-1, 1), np.array([0.0, -0.0, 1.0, -2.0, np.inf, np.nan], np.float32))


@family
def binary_int():
    for op in BINARY_INT:
        for dtype in INTS:
            for a, b in EQUAL + [((2, 1, 3), (4, 1))]:
                right = numbers(b, dtype, 1, 9, seed=1) * np.where(numbers(b, np.bool_, seed=2), 1, -1).astype(dtype)
                yield raw(op, numbers(a, dtype, -50, 50), right)
    for dtype in INTS:
        low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
        for op in ("AddV2", "Sub", "Mul"):  # wraps around
            yield raw(op, np.array([low, high, high], dtype), np.array([-1, 1, high], dtype))


@family
def powers():
    for dtype in FLOATS:
        for a, b in SHAPES:
            yield raw("Pow", numbers(a, dtype, 0, 4), numbers(b, dtype, -3, 3, seed=1))
        yield raw("Pow", numbers((6,), dtype), np.array([2.0], dtype))
        yield raw("Pow", numbers((6,), dtype), np.array([-1.0, 0.0, 0.5, 1.0, 3.0, 2.0], dtype))
    for dtype in INTS:
        yield raw("Pow", numbers((5,), dtype, -5, 5), numbers((5,), dtype, 0, 6, seed=1))


@family
def comparisons():
    for op in COMPARISONS:
        for dtype in FLOATS + INTS:
            for a, b in EQUAL + [((2, 1, 3), (4, 1))]:
                yield raw(op, numbers(a, dtype, -2, 2), np.rint(numbers(b, dtype, -2, 2, seed=1)).astype(dtype))
        special = np.array(SPECIAL[:7], np.float32)
        yield raw(op, special.reshape(-1, 1), special)
    for op in ("Equal", "NotEqual"):
        yield raw(op, numbers((2, 3), np.bool_), numbers((3,), np.bool_, seed=1))


@family
def logic():
    for a, b in SHAPES:
        for op in ("LogicalAnd", "LogicalOr"):
            yield raw(op, numbers(a, np.bool_), numbers(b, np.bool_, seed=1))
        yield raw("LogicalNot", numbers(a, np.bool_))


UNARY = "Neg Abs Square Sqrt Rsqrt Exp Log Log1p Expm1 Tanh Sigmoid Sin Cos Floor Ceil Round Rint Sign Reciprocal Inv Erf"
POSITIVE = ("Sqrt", "Rsqrt", "Log", "Log1p")


@family
def unary_float():
    for op in UNARY.split():
        low = 0.01 if op in POSITIVE else -5.0
        for dtype in FLOATS:
            for shape in ((), (2, 3), (0, 4), (33,)):
                yield raw(op, numbers(shape, dtype, low, 5.0))
        yield raw(op, np.array(SPECIAL, np.float32))
        yield raw(op, np.array(SPECIAL + [1e-300, 1e300, 700.0], np.float64))
        yield raw(op, numbers((17,), np.float32, 0 if op in POSITIVE else -90.0, 90.0))


@family
def unary_other():
    for op in ("Neg", "Abs", "Square", "Sign"):
        for dtype in INTS:
            yield raw(op, numbers((2, 3), dtype, -50, 50))
            yield raw(op, np.array([np.iinfo(dtype).min, np.iinfo(dtype).max, 0], dtype))
    for op in ("IsNan", "IsInf", "IsFinite"):
        for dtype in FLOATS:
            yield raw(op, np.array(SPECIAL, dtype))


ACTIVATIONS = "Relu Relu6 Elu Selu Softplus Softsign".split()


@family
def activations():
    for op in ACTIVATIONS:
        for dtype in FLOATS:
            for shape in ((), (2, 3), (0, 4), (3, 11)):
                yield raw(op, numbers(shape, dtype, -8.0, 8.0))
        yield raw(op, np.array(SPECIAL, np.float32))
    yield raw("Relu", numbers((2, 3), np.int32, -5, 5))
    yield raw("Relu", numbers((2, 3), np.int64, -5, 5))
    yield raw("LeakyRelu", numbers((2, 3)), alpha=0.1)


@family
def unary_gradients():
    for op in ("SigmoidGrad", "TanhGrad", "SqrtGrad", "RsqrtGrad", "ReciprocalGrad", "InvGrad"):
        for dtype in FLOATS:
            for shape in ((), (2, 3), (0,), (33,)):
                yield raw(op, numbers(shape, dtype, 0.1, 0.9), numbers(shape, dtype, seed=1))
    for op in ("ReluGrad", "Relu6Grad", "EluGrad", "SeluGrad", "SoftplusGrad", "SoftsignGrad"):
        for dtype in FLOATS:
            for shape in ((), (2, 3), (0,), (33,)):
                yield raw(op, numbers(shape, dtype), numbers(shape, dtype, -8.0, 8.0, seed=1))
        edges = np.array([0.0, -0.0, 6.0, -1.0, 1.0, 7.0], np.float32)
        yield raw(op, np.full(6, 2.5, np.float32), edges)
    yield raw("LeakyReluGrad", numbers((6,)), numbers((6,), seed=1), alpha=0.1)


CASTS = (np.float32, np.float64, np.int32, np.int64, np.bool_, np.uint8, np.int8, np.int16, np.float16)


@family
def casts():
    for source in CASTS:
        unsigned = source in (np.uint8, np.bool_)
        values = numbers((11,), source, 0 if unsigned else -100, 100)
        for target in CASTS:
            signless = target == np.uint8 and not unsigned  # a negative fraction as an unsigned number is undefined in C++
            yield raw("Cast", np.abs(values) if signless else values, DstT=tf.as_dtype(target))
    for target in (np.float32, np.float64, np.float16, np.bool_):
        yield raw("Cast", np.array(SPECIAL, np.float32), DstT=tf.as_dtype(target))
    yield raw("Cast", np.array([2.5, -2.5, 0.99, -0.99, 1e9], np.float32), DstT=tf.int32)
    yield raw("Cast", np.array([2**31 + 5, -(2**31) - 5, 300], np.int64), DstT=tf.int32)
    yield raw("Cast", np.array([300, -1, 128], np.int32), DstT=tf.int8)
    yield raw("Cast", np.array([0.1, 1e30, -3.0, 1.00390625], np.float32), DstT=tf.bfloat16)
    yield raw("Cast", np.array([0.1, 1e30, 16777217.0], np.float64), DstT=tf.float32)


@family
def selection():
    for dtype in FLOATS + INTS + (np.bool_,):
        for shape in ((), (5,), (2, 3), (0, 2)):
            yield raw("Select", numbers(shape, np.bool_), numbers(shape, dtype), numbers(shape, dtype, seed=1))
        yield raw("Select", numbers((3,), np.bool_), numbers((3, 2), dtype), numbers((3, 2), dtype, seed=1))
        yield raw("Select", np.array(True), numbers((3, 2), dtype), numbers((3, 2), dtype, seed=1))
        yield raw("SelectV2", numbers((3, 1), np.bool_), numbers((2,), dtype), numbers((), dtype, seed=1))
        yield raw("SelectV2", numbers((2, 3), np.bool_), numbers((3,), dtype), numbers((2, 1), dtype, seed=1))
    for shape in ((5,), (2, 3), (2, 2, 2), (0,)):
        yield raw("Where", numbers(shape, np.bool_))
    yield raw("Where", np.array([0.0, 1.5, -0.0], np.float32))


@family
def sums_of_many():
    for dtype in FLOATS + INTS:
        for count in (1, 2, 5, 9):
            yield raw("AddN", [numbers((2, 3), dtype, seed=i) for i in range(count)])


@family
def narrow_types():
    halves = (np.float16, tf.bfloat16.as_numpy_dtype)
    narrow = (np.int8, np.int16, np.uint8, np.uint16, np.uint32, np.uint64)
    for dtype in halves:
        x, y = numbers((3, 5), np.float32).astype(dtype), numbers((5,), np.float32, seed=1).astype(dtype)
        for op in BINARY + COMPARISONS:
            yield raw(op, x, y)
        for op in "Abs Neg Sign Square Exp Sin Cos Tanh Sigmoid Erf Floor Ceil Rint IsNan".split():
            yield raw(op, x)
        for op in "Sqrt Rsqrt Log Log1p".split():
            yield raw(op, np.abs(x))
    for dtype in narrow:
        info = np.iinfo(dtype)
        x = np.array([1, 2, info.max, info.min, 100, 7], dtype)
        y = np.array([3, 5, 2, 1, 100, info.max // 2], dtype)
        for op in "AddV2 Sub Mul FloorDiv FloorMod Maximum Minimum Div".split() + COMPARISONS:
            if dtype == np.uint64 and op not in ("AddV2", "Sub", "Mul", "Equal", "NotEqual"):
                continue
            yield raw(op, x, y)
        yield raw("Square", x)
    for dtype in (np.int8, np.int16):
        for op in ("Abs", "Neg", "Sign"):
            yield raw(op, np.array([1, -2, np.iinfo(dtype).min, 0], dtype))
