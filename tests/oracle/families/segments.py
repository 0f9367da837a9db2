"""Rows put together by segments, rows scattered into arrays and variables."""

from families import family
from families.values import FLOATS, INTS, ints, numbers
from op_cases import Ref, raw
from tensorflow_v1 import np, tf

BFLOAT16 = tf.bfloat16.as_numpy_dtype
SMALL = (np.float16, BFLOAT16, np.int8, np.uint8, np.int16, np.uint16)
SEGMENTS = "SegmentSum SegmentMean SegmentProd SegmentMax SegmentMin".split()


def values(shape, dtype, seed=0):
    dtype = np.dtype(dtype)
    if dtype.kind == "c":
        return (numbers(shape, np.float64, seed=seed) + 1j * numbers(shape, np.float64, seed=seed + 9)).astype(dtype)
    if dtype.kind in "iu":
        return numbers(shape, np.int64, 0, 9, seed).astype(dtype)
    return numbers(shape, np.float32, seed=seed).astype(dtype)


@family
def sorted_segments():
    for op in SEGMENTS:
        for dtype in (*FLOATS, *INTS, *SMALL, np.uint32, np.uint64):
            yield raw(op, values((5, 2), dtype), ints(0, 0, 1, 3, 3))
        yield raw(op, values((5, 40), np.float32), ints(0, 0, 0, 0, 2, dtype=np.int64))
        yield raw(op, values((4,), np.float32), ints(0, 1, 1, 2))
        yield raw(op, values((0, 3), np.float32), np.zeros(0, np.int32))
        yield raw(op, values((2, 0), np.float32), ints(0, 1))
        yield raw(op, np.array([np.nan, 1, 2, np.inf], np.float32), ints(0, 0, 1, 1))
    for op in SEGMENTS[:3]:
        for dtype in (np.complex64, np.complex128):
            yield raw(op, values((5, 2), dtype), ints(0, 0, 1, 3, 3))
    for op in ("SegmentSumV2", "SegmentProdV2", "SegmentMaxV2", "SegmentMinV2"):
        for dtype in (np.float32, np.int32):
            yield raw(op, values((5, 2), dtype), ints(0, 0, 1, 3, 3), np.int32(6))


@family
def unsorted_segments():
    for op in ("UnsortedSegmentSum", "UnsortedSegmentProd", "UnsortedSegmentMax", "UnsortedSegmentMin"):
        for dtype in (*FLOATS, *INTS, *SMALL, np.uint32, np.uint64):
            yield raw(op, values((5, 2), dtype), ints(2, 0, -1, 2, 0), np.int32(4))
        yield raw(op, values((2, 3, 2), np.float32), ints(2, 0, -1, 2, 0, 1, dtype=np.int64).reshape(2, 3), np.int64(3))
        yield raw(op, values((3, 2), np.float32), np.int32(1), np.int32(2))
        yield raw(op, values((0, 2), np.float32), np.zeros(0, np.int32), np.int32(2))
        yield raw(op, values((5, 2), np.float32), ints(-2, -1, -1, -2, -7), np.int32(0))
    for op in ("UnsortedSegmentSum", "UnsortedSegmentProd"):
        yield raw(op, values((5, 2), np.complex64), ints(2, 0, -1, 2, 0), np.int32(4))


@family
def sparse_segments():
    indices, ids = ints(3, 0, 1, 3, 2), ints(0, 0, 2, 2, 3)
    for dtype in (*FLOATS, np.float16, BFLOAT16):
        for name in ("Sum", "Mean", "SqrtN"):
            yield raw("SparseSegment" + name, values((4, 3), dtype), indices, ids)
            yield raw("SparseSegment" + name, values((4, 3), dtype), indices.astype(np.int64), ids.astype(np.int64))
            yield raw(f"SparseSegment{name}WithNumSegments", values((4, 3), dtype), indices, ids, np.int32(6))
            yield raw(f"SparseSegment{name}Grad", values((4, 3), dtype), indices, ids, np.int32(5))
    for dtype in (*INTS, np.int8, np.uint8):
        yield raw("SparseSegmentSum", values((4, 3), dtype), indices, ids)
    yield raw("SparseSegmentMean", values((4,), np.float32), indices, ids)
    yield raw("SparseSegmentMean", values((4, 2), np.float32), np.zeros(0, np.int32), np.zeros(0, np.int32))


@family
def scatters():
    every = (*FLOATS, *INTS, np.float16, BFLOAT16, np.int8, np.uint8, np.int16, np.uint16)
    for dtype in every:
        for op in ("ScatterMul", "ScatterDiv", "ScatterMin", "ScatterMax"):
            if op in ("ScatterMin", "ScatterMax") and dtype in (np.int8, np.uint8, np.int16, np.uint16):
                continue
            divisor = np.maximum(values((3, 2), np.int64, 1), 1).astype(dtype)
            yield raw(op, Ref(values((4, 2), dtype)), ints(1, 3, 1), divisor)
        for op in ("ScatterAdd", "ScatterSub"):
            yield raw(op, Ref(values((4, 2), dtype)), ints(1, 3, 1, dtype=np.int64), values((3, 2), dtype, 1))
        for op in ("ScatterNdAdd", "ScatterNdSub", "ScatterNdUpdate"):
            indices = ints(1, 1, 0, 0, 3, 1).reshape(3, 2)
            yield raw(op, Ref(values((4, 2), dtype)), indices, values((3,), dtype, 1))
        for op in ("Add", "Sub", "Update", "Min", "Max"):
            yield raw("TensorScatter" + op, values((4, 2), dtype), ints(1, 0, 1).reshape(3, 1), values((3, 2), dtype, 1))
        yield raw("ScatterNd", ints(1, 0, 1).reshape(3, 1), values((3, 2), dtype, 1), ints(4, 2))
    yield raw("ScatterMul", Ref(values((4, 2), np.float32)), ints(1, 3, 1, 0).reshape(2, 2), np.float32(3))
    for op in ("Add", "Sub", "Update", "Min", "Max"):
        indices = ints(1, 1, 0, 0, 3, 1, 1, 1, dtype=np.int64).reshape(2, 2, 2)
        yield raw("TensorScatter" + op, values((4, 2, 3), np.float32), indices, values((2, 2, 3), np.float32, 1))
        yield raw("TensorScatter" + op, values((4, 2), np.float32), np.zeros((0, 1), np.int32), np.zeros((0, 2), np.float32))
    yield raw("TensorScatterUpdate", values((4, 2), np.float32) > 0, ints(1).reshape(1, 1), np.array([[True, False]]))
    yield raw("ScatterNdNonAliasingAdd", values((4,), np.float32), ints(1, 3).reshape(2, 1), values((2,), np.float32, 1))
