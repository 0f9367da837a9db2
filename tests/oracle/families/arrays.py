"""Ops that move values about or speak of shapes."""

from families import family
from families.values import FLOATS, INTS, ints, numbers, scalar
from op_cases import raw
from tensorflow_v1 import np, tf

TYPES = FLOATS + INTS + (np.bool_,)


@family
def shapes():
    for shape in ((), (5,), (2, 0, 3), (2, 3, 4)):
        for out in (tf.int32, tf.int64):
            yield raw("Shape", numbers(shape), out_type=out)
            yield raw("Size", numbers(shape), out_type=out)
        yield raw("Rank", numbers(shape))
        yield raw("ShapeN", [numbers(shape), numbers((1, 2))])
        for dtype in TYPES:
            yield raw("ZerosLike", numbers(shape, dtype))
            yield raw("OnesLike", numbers(shape, dtype))
            yield raw("Identity", numbers(shape, dtype))
        yield raw("StopGradient", numbers(shape))


@family
def reshapes():
    for dtype in TYPES:
        yield raw("Reshape", numbers((2, 6), dtype), ints(3, 4))
    for shape, to in (((2, 6), (-1,)), ((12,), (2, -1, 3)), ((1,), ()), ((0, 3), (3, 0)), ((), (1, 1)), ((2, 0), (0, -1))):
        for index in INTS:
            yield raw("Reshape", numbers(shape), np.array(to, index))
    for axis in (0, 1, -1, 2):
        yield raw("ExpandDims", numbers((2, 3)), scalar(axis))
    yield raw("ExpandDims", numbers(()), scalar(-1, np.int64))
    for dims in ([], [1], [-1], [1, 3]):
        yield raw("Squeeze", numbers((2, 1, 3, 1)), squeeze_dims=dims)
    yield raw("Squeeze", numbers((1, 1)))


@family
def fills():
    for dtype in TYPES:
        yield raw("Fill", ints(2, 3), np.array(1, dtype))
    yield raw("Fill", ints(), scalar(2.5, np.float32))
    yield raw("Fill", ints(0, 4), scalar(2.5, np.float32))
    yield raw("Fill", ints(33, dtype=np.int64), scalar(-1.5, np.float64))
    for start, limit, delta in ((0, 5, 1), (1, 10, 3), (5, 0, -2), (3, 3, 1)):
        for dtype in INTS + FLOATS:
            yield raw("Range", scalar(start, dtype), scalar(limit, dtype), scalar(delta, dtype))
    for step in (0.1, 0.25, 0.3):
        for dtype in FLOATS:
            yield raw("Range", scalar(0, dtype), scalar(1, dtype), scalar(step, dtype))
    for dtype in FLOATS:
        yield raw("LinSpace", scalar(-1, dtype), scalar(1, dtype), scalar(7))
        yield raw("LinSpace", scalar(2, dtype), scalar(3, dtype), scalar(1))


@family
def transposes():
    for dtype in TYPES:
        yield raw("Transpose", numbers((2, 3), dtype), ints(1, 0))
    for perm in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)):
        yield raw("Transpose", numbers((2, 3, 4)), ints(*perm))
    yield raw("Transpose", numbers((5,)), ints(0))
    yield raw("Transpose", numbers(()), ints())
    yield raw("Transpose", numbers((0, 3)), ints(1, 0))
    yield raw("Transpose", numbers((17, 33)), ints(1, 0))
    yield raw("Transpose", numbers((2, 3, 2, 3)), ints(0, 3, 1, 2))
    yield raw("Transpose", numbers((2, 1, 3, 2, 2)), ints(4, 2, 0, 3, 1, dtype=np.int64))
    for dtype in INTS:
        yield raw("InvertPermutation", np.array([3, 0, 2, 1], dtype))
        yield raw("InvertPermutation", np.array([], dtype))


@family
def concats():
    for dtype in TYPES:
        yield raw("ConcatV2", [numbers((2, 3), dtype), numbers((4, 3), dtype, seed=1)], scalar(0))
    for axis in (0, 1, 2, -1):
        first, second = [2, 3, 2], [2, 3, 2]
        second[axis] = 4
        yield raw("ConcatV2", [numbers(first), numbers(second, seed=1), numbers(first, seed=2)], scalar(axis))
    yield raw("ConcatV2", [numbers((0, 3)), numbers((2, 3)), numbers((0, 3))], scalar(0, np.int64))
    yield raw("ConcatV2", [numbers((5,)), numbers((17,)), numbers((33,))], scalar(0))
    yield raw("ConcatOffset", scalar(1), [ints(2, 3, 4), ints(2, 5, 4), ints(2, 1, 4)])
    yield raw("ConcatOffset", scalar(-1), [ints(2, 3), ints(2, 5)])
    for dtype in TYPES:
        yield raw("Pack", [numbers((3,), dtype), numbers((3,), dtype, seed=1)], axis=0)
        yield raw("Unpack", numbers((3, 2), dtype), num=3, axis=0)
    for axis in (0, 1, 2, -1):
        yield raw("Pack", [numbers((2, 3)), numbers((2, 3), seed=1)], axis=axis)
    for axis in (0, 1, -1, -2):
        shape = (2, 3, 4)
        yield raw("Unpack", numbers(shape), num=shape[axis], axis=axis)
    yield raw("Pack", [scalar(1), scalar(2), scalar(3)], axis=0)


@family
def splits():
    for dtype in TYPES:
        yield raw("Split", scalar(0), numbers((6, 2), dtype), num_split=3)
        yield raw("SplitV", numbers((6, 2), dtype), ints(1, 2, 3), scalar(0), num_split=3)
    for axis in (1, -1):
        yield raw("Split", scalar(axis), numbers((3, 4)), num_split=2)
        yield raw("SplitV", numbers((3, 4)), ints(1, -1), scalar(axis), num_split=2)
    yield raw("Split", scalar(0), numbers((2, 3)), num_split=1)
    yield raw("SplitV", numbers((3, 4)), ints(0, 3, dtype=np.int64), scalar(0), num_split=2)


@family
def slices():
    for dtype in TYPES:
        yield raw("Slice", numbers((4, 5), dtype), ints(1, 0), ints(2, 3))
    yield raw("Slice", numbers((4, 5)), ints(1, 2, dtype=np.int64), ints(-1, -1, dtype=np.int64))
    yield raw("Slice", numbers((4, 5)), ints(4, 0), ints(0, 5))
    yield raw("Slice", numbers((2, 3, 4)), ints(0, 1, 2), ints(2, 1, 2))
    yield raw("Slice", numbers(()), ints(), ints())
    yield raw("Slice", numbers((33,)), ints(16), ints(17))


# begin, end, strides and masks; the shape is that of the sliced tensor.
STRIDED = [
    ((5,), (1,), (4,), (1,), {}),
    ((5,), (0,), (5,), (2,), {}),
    ((5,), (0,), (0,), (-1,), {"begin_mask": 1, "end_mask": 1}),
    ((5,), (-2,), (0,), (1,), {"end_mask": 1}),
    ((5,), (3,), (0,), (-2,), {}),
    ((5,), (2,), (2,), (1,), {}),
    ((5,), (1,), (2,), (1,), {"shrink_axis_mask": 1}),
    ((5,), (-1,), (0,), (1,), {"shrink_axis_mask": 1}),
    ((5,), (-9,), (9,), (1,), {}),
    ((4, 5), (1,), (3,), (1,), {}),
    ((4, 5), (1, 0), (3, 0), (1, 2), {"begin_mask": 2, "end_mask": 2}),
    ((4, 5), (0, 1), (0, 2), (1, 1), {"begin_mask": 1, "end_mask": 1, "shrink_axis_mask": 2}),
    ((4, 5), (1, 2), (2, 3), (1, 1), {"shrink_axis_mask": 3}),
    ((4, 5), (0, 0), (0, 0), (-1, -2), {"begin_mask": 3, "end_mask": 3}),
    ((4, 5), (0, 0), (0, 0), (1, 1), {"ellipsis_mask": 1, "new_axis_mask": 2}),
    ((4, 5), (0, 0), (0, 0), (1, 1), {"new_axis_mask": 1, "begin_mask": 2, "end_mask": 2}),
    ((2, 3, 4), (0, 1), (0, 2), (1, 1), {"ellipsis_mask": 1, "shrink_axis_mask": 2}),
    ((2, 3, 4), (1, 0, 1), (2, 0, 3), (1, 1, 1), {"shrink_axis_mask": 1, "ellipsis_mask": 2}),
    ((2, 3, 4), (0, 2, 3), (2, 0, 0), (1, -1, -2), {"begin_mask": 1}),
    ((2, 3, 4), (1, 0, 0, 1), (2, 0, 0, 2), (1, 1, 1, 1), {"shrink_axis_mask": 9, "new_axis_mask": 2, "ellipsis_mask": 4}),
    ((0, 3), (0,), (0,), (1,), {"begin_mask": 1, "end_mask": 1}),
    ((17, 2), (1,), (17,), (3,), {}),
]


@family
def strided_slices():
    for shape, begin, end, strides, masks in STRIDED:
        yield raw("StridedSlice", numbers(shape), ints(*begin), ints(*end), ints(*strides), **masks)
    for dtype in TYPES:
        yield raw("StridedSlice", numbers((4, 5), dtype), ints(1, 0), ints(3, 5), ints(1, 2))
    yield raw("StridedSlice", numbers((4, 5)), *(np.array(v, np.int64) for v in ([1, 0], [3, 5], [1, 2])))


@family
def strided_slice_gradients():
    for shape, begin, end, strides, masks in STRIDED:
        case = raw("StridedSlice", numbers(shape), ints(*begin), ints(*end), ints(*strides), **masks)
        with tf.Graph().as_default():
            out = case.build(tf.zeros(shape), *map(tf.constant, case.values[1:])).shape.as_list()
        dy = numbers(out, seed=3)
        yield raw("StridedSliceGrad", ints(*shape), ints(*begin), ints(*end), ints(*strides), dy, **masks)


@family
def gathers():
    for dtype in TYPES:
        for index in INTS:
            yield raw("GatherV2", numbers((4, 3), dtype), np.array([3, 0, 0, 2], index), scalar(0))
    yield raw("GatherV2", numbers((4, 3)), ints(2, 1), scalar(1))
    yield raw("GatherV2", numbers((4, 3)), ints(2, 1), scalar(-1))
    yield raw("GatherV2", numbers((4, 3)), np.array([[0, 1], [2, 3]], np.int32), scalar(0))
    yield raw("GatherV2", numbers((2, 4, 3)), np.array([[0, 1], [2, 3]], np.int32), scalar(1))
    yield raw("GatherV2", numbers((5,)), scalar(3), scalar(0))
    yield raw("GatherV2", numbers((5,)), ints(), scalar(0))
    yield raw("GatherV2", numbers((2, 4)), np.array([[0, 1], [3, 3]], np.int32), scalar(1), batch_dims=1)
    yield raw("GatherNd", numbers((3, 4)), np.array([[0, 1], [2, 3]], np.int32))
    yield raw("GatherNd", numbers((3, 4)), np.array([[2], [0]], np.int32))
    for dtype in FLOATS + INTS:
        for index in INTS:
            yield raw("UnsortedSegmentSum", numbers((4, 2), dtype), np.array([2, 0, 2, -1], index), scalar(3))
    yield raw("UnsortedSegmentSum", numbers((2, 2, 3)), np.array([[1, 0], [1, 1]], np.int32), scalar(2))


@family
def one_hots():
    for dtype in TYPES:
        for axis in (-1, 0):
            on, off = np.array(1, dtype), np.array(0, dtype)
            yield raw("OneHot", ints(0, 2, -1, 5), scalar(3), on, off, axis=axis)
    on, off = scalar(5.0, np.float32), scalar(-1.0, np.float32)
    for axis in (-1, 0, 1, 2):
        yield raw("OneHot", np.array([[0, 1], [2, 0]], np.int64), scalar(3), on, off, axis=axis)
    yield raw("OneHot", scalar(1), scalar(3), on, off, axis=-1)
    yield raw("OneHot", np.array([], np.int32), scalar(3), on, off, axis=-1)


@family
def tiles():
    for dtype in TYPES:
        yield raw("Tile", numbers((2, 3), dtype), ints(2, 1))
        yield raw("BroadcastTo", numbers((3, 1), dtype), ints(2, 3, 2))
    for multiples in ((1, 1), (1, 3), (2, 2), (0, 1)):
        yield raw("Tile", numbers((2, 3)), ints(*multiples))
    yield raw("Tile", numbers(()), ints())
    yield raw("Tile", numbers((1, 2, 1)), ints(2, 1, 3, dtype=np.int64))
    yield raw("BroadcastTo", numbers(()), ints(2, 2))
    yield raw("BroadcastTo", numbers((1, 3)), ints(0, 3))
    yield raw("BroadcastTo", numbers((4, 1, 3)), ints(4, 2, 3))
    for dtype in FLOATS + INTS:
        yield raw("Pad", numbers((2, 3), dtype), np.array([[1, 0], [0, 2]], np.int32))
        yield raw("PadV2", numbers((3,), dtype), np.array([[2, 1]], np.int32), np.array(7, dtype))
        yield raw("ReverseV2", numbers((2, 3), dtype), ints(1))
    yield raw("ReverseV2", numbers((2, 3, 2)), ints(0, -1))


@family
def gradient_shapes():
    """Ops that gradients use to speak of shapes."""
    pairs = [((2, 3), (3,)), ((2, 3), (2, 3)), ((2, 1, 3), (4, 1)), ((), (2, 3)), ((2, 3), ()), ((1,), (1,)), ((1, 3), (3,))]
    pairs += [((0, 3), (1, 3)), ((1,), ()), ((5, 1, 1), (5, 1, 4)), ((), ())]
    for dtype in INTS:
        for a, b in pairs:
            yield raw("BroadcastGradientArgs", np.array(a, dtype), np.array(b, dtype))
            yield raw("BroadcastGradientArgs", np.array(b, dtype), np.array(a, dtype))
            yield raw("BroadcastArgs", np.array(a, dtype), np.array(b, dtype))
    for dtype in FLOATS + INTS:
        first, second = numbers((3, 2), dtype), numbers((2, 2), dtype, seed=1)
        yield raw("DynamicStitch", [ints(0, 4, 2), ints(1, 3)], [first, second])
        yield raw("DynamicStitch", [ints(0, 1, 2), ints(1)], [numbers((3,), dtype), numbers((1,), dtype, seed=1)])
    yield raw("DynamicStitch", [scalar(1), ints(0, 3)], [numbers(()), numbers((2,), seed=1)])
    yield raw("DynamicPartition", numbers((5,)), ints(0, 1, 0, 2, 1), num_partitions=3)


@family
def top_ks():
    for dtype in FLOATS + INTS:
        values = numbers((3, 7), dtype)
        for k in (0, 1, 3, 7):
            yield raw("TopKV2", values, np.int32(k))
    yield raw("TopKV2", np.array([2, 5, 2, 5, 5, 1], np.int32), np.int32(4))
    yield raw("TopKV2", numbers((2, 2, 3), np.float32), np.int64(2), index_type=tf.int64)


@family
def uniques():
    for dtype in (np.float32, np.float64, np.int32, np.int64, np.uint8):
        x = np.array([3, 1, 3, 2, 1, 0], dtype)
        for op in ("Unique", "UniqueWithCounts"):
            yield raw(op, x)
            yield raw(op, x, out_idx=tf.int64)
    yield raw("Unique", np.zeros(0, np.int32))
    yield raw("Unique", np.array([True, False, True]))


@family
def coordinates():
    for dtype in (np.float32, np.float64, np.int32, np.int64):
        x = numbers((3, 4, 2), dtype)
        for indices in ([[0, 1, 1], [2, 3, 0]], [[2, 0], [2, 0]], [[[1]], [[2]]], [[], []], np.zeros((0, 2))):
            yield raw("GatherNd", x, np.array(indices, np.int32))
        yield raw("ScatterNd", np.array([[1], [3], [1]], np.int32), numbers((3,), dtype), np.array([5], np.int32))
        yield raw("ScatterNd", np.array([[1, 0], [0, 1]], np.int64), numbers((2, 2), dtype), np.array([2, 2, 2], np.int64))
        yield raw("ScatterNd", np.zeros((0, 1), np.int32), numbers((0, 2), dtype), np.array([2, 2], np.int32))


@family
def arrangements():
    for dtype in FLOATS + INTS:
        yield raw("Roll", numbers((2, 3), dtype), ints(1, -1), ints(0, 1))
        yield raw("Roll", numbers((4,), dtype), ints(1, 2), ints(0, 0))
        yield raw("DynamicPartition", numbers((4, 2), dtype), ints(1, 0, 1, 2), num_partitions=4)
        yield raw("DynamicPartition", numbers((2, 2), dtype), np.array([[1, 0], [0, 0]], np.int32), num_partitions=2)
        yield raw("SparseToDense", np.array([[0, 1], [1, 0]]), np.array([2, 3]), numbers((2,), dtype), np.array(7, dtype))
        yield raw("SparseToDense", ints(1, 3), ints(5), np.array(7, dtype), np.array(-1, dtype))
        for lower, upper in ((0, -1), (-1, 0), (1, 1), (0, 0), (-1, -1), (2, 1)):
            yield raw("MatrixBandPart", numbers((2, 3, 4), dtype), np.int64(lower), np.int64(upper))
        yield raw("DenseBincount", ints(1, 2, 2, 5), np.int32(6), np.zeros(0, dtype))
        yield raw("DenseBincount", np.array([[1, 2, 2], [0, 0, 9]]), np.int64(4), numbers((2, 3), dtype))
        yield raw("DenseBincount", ints(1, 2, 2), np.int32(4), np.zeros(0, dtype), binary_output=True)


@family
def decompositions():
    for dtype in FLOATS:
        square = numbers((2, 3, 3), dtype)
        positive = square @ np.swapaxes(square, -1, -2) + np.eye(3, dtype=dtype)
        for shape in ((3, 2), (2, 3), (2, 3, 3), (0, 2)):
            for full in (False, True):
                yield raw("Qr", numbers(shape, dtype), full_matrices=full)
        yield raw("Cholesky", positive)
        for adjoint in (False, True):
            yield raw("MatrixInverse", square, adjoint=adjoint)
            yield raw("MatrixSolve", square, numbers((2, 3, 2), dtype), adjoint=adjoint)
        yield raw("MatrixDeterminant", square)
        yield raw("MatrixDeterminant", np.zeros((0, 0), dtype))
        yield raw("SelfAdjointEigV2", positive)
        for shape in ((3, 2), (2, 3), (2, 3, 3)):
            for full in (False, True):
                yield raw("Svd", numbers(shape, dtype), full_matrices=full)


@family
def diagonals():
    for dtype in (np.float32, np.float64, np.int32, np.int64):
        yield raw("Diag", numbers((3,), dtype))
        yield raw("Diag", numbers((2, 3), dtype))
        yield raw("DiagPart", numbers((3, 3), dtype))
        yield raw("DiagPart", numbers((2, 3, 2, 3), dtype))
