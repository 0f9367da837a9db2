"""Ops of sparse and ragged tensors: coordinates in order and out of it, of rows that are empty, and such as cannot be."""

import numpy as np

from case import draft, malformed
from families import family

ORDERED = [(0, 1), (1, 0), (1, 2)]
MIXED = [(1, 2), (0, 1), (1, 0)]


def longs(m, values):
    return m.array(np.array(values, np.int64), "int64")


def sparse(m, indices=ORDERED, dims=(2, 3)):
    """Indices, values and shape."""
    return longs(m, np.array(indices, np.int64).reshape(-1, len(dims))), m.values(len(indices)), longs(m, dims)


@family("SparseReorder", is_fragile=True)
def reorder(m):
    yield draft(*sparse(m))
    yield draft(*sparse(m, MIXED))
    yield draft(*sparse(m, []))
    yield draft(*sparse(m, [(2, 0, 1), (0, 1, 0)], (3, 2, 2)))
    indices, numbers, dims = sparse(m)
    yield malformed(longs(m, (0, 1)), numbers, dims)
    yield malformed(indices, m.values(3, 1), dims)
    yield malformed(indices, numbers, longs(m, [(2, 3)]))


@family("SerializeSparse", is_fragile=True)
def serialize(m):
    yield draft(*sparse(m))
    yield draft(*sparse(m, []))
    yield draft(*sparse(m, [(2, 0, 1), (0, 1, 0)], (3, 2, 2)))
    indices, numbers, dims = sparse(m)
    yield malformed(longs(m, (0, 1)), numbers, dims)
    yield malformed(indices, m.values(3, 1), dims)
    yield malformed(indices, numbers, longs(m, [(2, 3)]))
    yield malformed(indices, m.values(2), dims)


@family("SerializeManySparse", is_fragile=True)
def serialize_rows(m):
    yield draft(*sparse(m))
    yield draft(*sparse(m, [(0, 0, 1), (2, 1, 0)], (3, 2, 2)))
    yield draft(*sparse(m, []))
    yield malformed(*sparse(m, [(0,), (1,)], (3,)))
    yield malformed(*sparse(m, [(0, 1), (3, 0)]))
    yield malformed(longs(m, ORDERED), m.values(2), longs(m, (2, 3)))


@family("SparseReshape", is_fragile=True)
def reshape(m):
    for new in ((3, 2), (6,), (-1, 2), (1, 2, 3), (2, 3)):
        yield draft(longs(m, ORDERED), longs(m, (2, 3)), longs(m, new))
    yield draft(longs(m, np.zeros((0, 2))), longs(m, (2, 3)), longs(m, (3, 2)))
    for new in ((-1, -1), (4,), (5, -1), (-2, 3)):
        yield malformed(longs(m, ORDERED), longs(m, (2, 3)), longs(m, new))


@family("SparseAdd", is_fragile=True)
def add(m):
    if m.dtype("Treal") != np.zeros((), m.dtype("T")).real.dtype:
        return  # TensorFlow reads the threshold as the values' type, and aborts where it is of another
    for other, least in ((MIXED[1:], 0), (ORDERED, 1), ([], 0)):
        yield draft(*sparse(m), *sparse(m, sorted(other)), m.array(least, "Treal"))
    yield malformed(*sparse(m), *sparse(m, ORDERED, (2, 4)), m.array(0, "Treal"))


@family("SparseAddGrad", is_fragile=True)
def add_grad(m):
    yield draft(m.values(3), longs(m, [(0, 1), (1, 2)]), longs(m, [(1, 0)]), longs(m, ORDERED))
    yield draft(m.values(0), *[longs(m, np.zeros((0, 2)))] * 3)
    yield malformed(m.values(2), longs(m, [(0, 1), (1, 2)]), longs(m, [(1, 0)]), longs(m, ORDERED))
    yield malformed(m.values(3), longs(m, (0, 1)), longs(m, [(1, 0)]), longs(m, ORDERED))


@family("SparseSparseMaximum", "SparseSparseMinimum", is_fragile=True)
def compared(m):
    yield draft(*sparse(m), *sparse(m, [(0, 0), (1, 2)]))
    yield draft(*sparse(m), *sparse(m, []))
    yield malformed(*sparse(m), *sparse(m, ORDERED, (2, 4)))


@family("SparseTensorDenseAdd", is_fragile=True)
def dense_add(m):
    indices = m.array(ORDERED, "Tindices")
    yield draft(indices, m.values(3), m.array((2, 3), "Tindices"), m.values(2, 3))
    yield draft(m.array(np.zeros((0, 2)), "Tindices"), m.values(0), m.array((2, 3), "Tindices"), m.values(2, 3))
    yield malformed(m.array([(0, 5)], "Tindices"), m.values(1), m.array((2, 3), "Tindices"), m.values(2, 3))
    yield malformed(indices, m.values(3), m.array((2, 3), "Tindices"), m.values(2, 4))


@family("SparseDenseCwiseAdd", "SparseDenseCwiseMul", "SparseDenseCwiseDiv", is_fragile=True)
def elementwise(m):
    for shape in ((2, 3), (3,), (2, 1), ()):
        yield draft(*sparse(m), m.values(*shape, low=1, high=9))
    yield draft(*sparse(m, []), m.values(2, 3, low=1, high=9))
    yield malformed(*sparse(m), m.values(4))


@family("SparseSoftmax", is_fragile=True, tolerance=4)
def softmax(m):
    yield draft(*sparse(m))
    yield draft(*sparse(m, [(0, 0, 1), (0, 0, 2), (1, 1, 0)], (2, 2, 3)))
    yield draft(*sparse(m, []))
    yield malformed(*sparse(m, [(0,), (1,)], (3,)))


@family("SparseConcat", is_fragile=True)
def concat(m):
    for axis in (0, 1, -1):
        yield draft([longs(m, ORDERED), longs(m, [(0, 2)])], [m.values(3), m.values(1)], [longs(m, (2, 3)), longs(m, (2, 3))],
                    concat_dim=axis)
    yield draft([longs(m, np.zeros((0, 2)))] * 2, [m.values(0)] * 2, [longs(m, (2, 3))] * 2, concat_dim=1)
    for axis, dims in ((5, (2, 3)), (0, (2, 4)), (0, (2, 3, 1))):
        yield malformed([longs(m, ORDERED), longs(m, [(0, 2)])], [m.values(3), m.values(1)], [longs(m, (2, 3)), longs(m, dims)],
                        concat_dim=axis)


@family("SparseSlice", is_fragile=True)
def slice_of(m):
    for start, size in (((0, 0), (2, 3)), ((1, 0), (1, 1)), ((0, 1), (5, 5))):
        yield draft(*sparse(m), longs(m, start), longs(m, size))
    yield draft(*sparse(m, []), longs(m, (0, 0)), longs(m, (2, 3)))
    yield malformed(*sparse(m), longs(m, (0,)), longs(m, (2, 3)))
    yield malformed(*sparse(m), longs(m, (0, 0)), longs(m, (2,)))


@family("SparseSliceGrad", is_fragile=True)
def slice_grad(m):
    yield draft(m.values(1), longs(m, ORDERED), longs(m, (1, 0)), longs(m, [(0, 0)]))
    yield draft(m.values(0), longs(m, ORDERED), longs(m, (1, 0)), longs(m, np.zeros((0, 2))))
    yield malformed(m.values(2), longs(m, ORDERED), longs(m, (1, 0)), longs(m, [(0, 0)]))
    yield malformed(m.values(1), longs(m, ORDERED), longs(m, (1,)), longs(m, [(0, 0)]))


@family("SparseSplit", is_fragile=True)
def split(m):
    for axis, count in ((0, 2), (1, 2), (1, 3)):
        yield draft(longs(m, axis), *sparse(m), num_split=count)
    yield draft(longs(m, 1), *sparse(m, []), num_split=3)
    yield draft(longs(m, -1), *sparse(m), num_split=2)
    for axis, count in ((5, 2), (-3, 2), (0, 4)):
        yield malformed(longs(m, axis), *sparse(m), num_split=count)


@family("SparseFillEmptyRows", is_fragile=True)
def fill_rows(m):
    yield draft(*sparse(m, [(0, 1), (2, 0), (2, 2)], (4, 3)), m.values())
    yield draft(*sparse(m, [(2, 0), (0, 1)], (3, 3)), m.values())
    yield draft(*sparse(m), m.values())
    yield draft(*sparse(m, []), m.values())
    yield malformed(*sparse(m, [(5, 0)], (2, 3)), m.values())


@family("SparseFillEmptyRowsGrad", is_fragile=True)
def fill_rows_grad(m):
    yield draft(longs(m, (2, 0)), m.values(4))
    yield draft(longs(m, ()), m.values(3))
    yield malformed(longs(m, (2, 4)), m.values(4))
    yield malformed(longs(m, (2, -1)), m.values(4))
    yield malformed(longs(m, [(2, 0)]), m.values(4))
    yield malformed(longs(m, (2, 0)), m.values(4, 1))


@family("SparseReduceSum", "SparseReduceSumSparse", "SparseReduceMax", "SparseReduceMaxSparse", is_fragile=True, is_accumulated=True)
def reduce(m):
    for axes in ((0,), (1,), (-1,), (0, 1)):
        for keep in (False, True):
            yield draft(*sparse(m, MIXED, (3, 3)), m.array(axes, "int32"), keep_dims=keep)
    yield draft(*sparse(m, []), m.array((1,), "int32"))
    yield malformed(*sparse(m), m.array((2,), "int32"))


@family("DenseToDenseSetOperation", is_fragile=True)
def dense_sets(m):
    for operation in ("a-b", "b-a", "intersection", "union"):
        yield draft(m.values(2, 3), m.values(2, 2), set_operation=operation)
        yield draft(m.values(2, 0), m.values(2, 2), set_operation=operation)
    yield malformed(m.values(2, 3), m.values(3, 2), set_operation="union")
    yield malformed(m.values(2, 3), m.values(2, 2, 2), set_operation="union")


@family("DenseToSparseSetOperation", is_fragile=True)
def dense_and_sparse_sets(m):
    for operation in ("a-b", "b-a", "intersection", "union"):
        yield draft(m.values(2, 3), *sparse(m), set_operation=operation)
        yield draft(m.values(2, 3), *sparse(m, []), set_operation=operation)
    yield malformed(m.values(3, 3), *sparse(m), set_operation="union")
    yield malformed(m.values(2, 3), *sparse(m, MIXED), set_operation="union")


@family("SparseToSparseSetOperation", is_fragile=True)
def sparse_sets(m):
    for operation in ("a-b", "b-a", "intersection", "union"):
        yield draft(*sparse(m), *sparse(m, [(0, 0), (1, 2)]), set_operation=operation)
        yield draft(*sparse(m), *sparse(m, []), set_operation=operation)
    yield malformed(*sparse(m), *sparse(m, ORDERED, (3, 3)), set_operation="union")
    yield malformed(*sparse(m), *sparse(m, MIXED), set_operation="union")


@family("SetSize", is_fragile=True)
def set_size(m):
    yield draft(*sparse(m))
    yield draft(*sparse(m, []))
    yield malformed(*sparse(m, MIXED))


@family("RaggedRange", is_fragile=True)
def ragged_range(m):
    yield draft(m.array((2, 5, 8)), m.array((5, 5, 2)), m.array((1, 1, -3)))
    yield draft(m.array(0), m.array((3, 0)), m.array(1))
    yield draft(m.array(()), m.array(()), m.array(()))
    yield malformed(m.array(0), m.array(3), m.array(0))
    yield malformed(m.array((0, 1)), m.array((3, 3, 3)), m.array(1))
    yield malformed(m.array([(0, 1)]), m.array(3), m.array(1))


@family("RaggedTensorToSparse", is_fragile=True)
def ragged_to_sparse(m):
    yield draft([m.array((0, 2, 2, 3), "Tsplits")], m.values(3))
    yield draft([m.array((0, 1, 3), "Tsplits"), m.array((0, 2, 2, 3), "Tsplits")], m.values(3))
    yield draft([m.array((0,), "Tsplits")], m.values(0))
    yield draft([m.array((0, 2, 3), "Tsplits")], m.values(3, 2))
    yield malformed([m.array((0, 2, 2, 4), "Tsplits")], m.values(3))
    yield malformed([m.array((1, 2, 2, 3), "Tsplits")], m.values(3))
    yield malformed([m.array((0, 2, 1, 3), "Tsplits")], m.values(3))
    yield malformed([m.array((), "Tsplits")], m.values(3))


@family("RaggedTensorToTensor", is_fragile=True)
def ragged_to_tensor(m):
    kinds = ["ROW_SPLITS"]
    for shape in ((-1, -1), (2, 1), (5, 4)):
        yield draft(m.array(shape, "Tshape"), m.values(3), m.values(), [m.array((0, 2, 2, 3), "Tindex")], row_partition_types=kinds)
    yield draft(m.array((-1, -1), "Tshape"), m.values(3), m.values(), [m.array(4, "Tindex"), m.array((0, 0, 3), "Tindex")],
                row_partition_types=["FIRST_DIM_SIZE", "VALUE_ROWIDS"])
    yield draft(m.array((-1, -1), "Tshape"), m.values(0), m.values(), [m.array((0, 0), "Tindex")], row_partition_types=kinds)
    yield malformed(m.array((-1, -1), "Tshape"), m.values(3), m.values(), [m.array((1, 2, 3), "Tindex")], row_partition_types=kinds)
    yield malformed(m.array((-1, -1), "Tshape"), m.values(3), m.values(), [m.array((0, 2, 1, 3), "Tindex")], row_partition_types=kinds)
    yield malformed(m.array((-1, -1, -1), "Tshape"), m.values(3), m.values(), [m.array((0, 2, 3), "Tindex")], row_partition_types=kinds)


@family("RaggedGather", is_fragile=True)
def ragged_gather(m):
    splits = m.array((0, 2, 2, 3), "Tsplits")
    yield draft([splits], m.values(3), m.array((2, 0, 0), "Tindices"), OUTPUT_RAGGED_RANK=1)
    yield draft([splits], m.values(3, 2), m.array((2, 1), "Tindices"), OUTPUT_RAGGED_RANK=1)
    yield draft([splits], m.values(3), m.array((), "Tindices"), OUTPUT_RAGGED_RANK=1)
    for index in (3, -1, 99):
        yield malformed([splits], m.values(3), m.array((0, index), "Tindices"), OUTPUT_RAGGED_RANK=1)
    yield malformed([m.array((0, 2, 2, 9), "Tsplits")], m.values(3), m.array((2,), "Tindices"), OUTPUT_RAGGED_RANK=1)


def parts_as_bytes(*parts):
    """What SerializeSparse makes of indices, values and shape."""
    from tensorflow.python.framework import tensor_util

    return [tensor_util.make_tensor_proto(part).SerializeToString() for part in parts]


@family("DeserializeSparse", "DeserializeManySparse", is_fragile=True)
def deserialize(m):
    def texts(*rows):
        return np.array([parts_as_bytes(*row) for row in rows], object)

    one, other, none = (sparse_of(m, places) for places in (ORDERED, [(0, 0)], []))
    is_many = m.signature.name == "DeserializeManySparse"
    if not is_many:
        yield draft(texts(one)[0])
        yield draft(texts(none)[0])
        yield draft(texts(one, other, none, one).reshape(2, 2, 3))
    yield draft(texts(one, other))
    yield draft(texts(none, one, none))
    yield draft(texts(one)[:0])
    wider = (*one[:2], np.array((2, 4), np.int64))
    deeper = sparse_of(m, [(0, 1, 0)], (1, 2, 2))
    for bad in ((one, wider), (one, deeper)):
        yield malformed(texts(*bad))
    yield malformed(texts(one)[:, :2])
    yield malformed(np.array([[b"", b"", b""]], object))
    yield malformed(texts((one[1], one[0], one[2])))
    yield malformed(texts((one[0], one[1][:2], one[2])))
    yield malformed(texts((one[0], one[1], one[2][:1])))
    yield malformed(np.array(b"", object))


def sparse_of(m, indices, dims=(2, 3)):
    values = m.values(len(indices), of="dtype")
    return np.array(indices, np.int64).reshape(-1, len(dims)), values, np.array(dims, np.int64)


def crossed_features(numbers):
    """Of two rows: words, words or numbers; and two columns that are dense."""
    def words(*of):
        return np.array([str(one).encode() for one in of], object) if not numbers else np.array(of, np.int64)

    indices = [np.array(((0, 0), (1, 0), (1, 1)), np.int64), np.array(((0, 0), (1, 0)), np.int64)]
    values = [np.array([b"a", b"b", b"c"], object), words(3, 5)]
    return indices, values, [np.array((2, 2), np.int64), np.array((2, 1), np.int64)], [words(7, 9, 8, 6).reshape(2, 2)]


def unfit_features(make):
    """What no cross takes, as make(indices, values, shapes, dense)."""
    indices, values, shapes, dense = crossed_features(numbers=False)
    yield make([indices[0][:, :1], indices[1]], values, shapes, dense)
    yield make([indices[0][0], indices[1]], values, shapes, dense)
    yield make(indices, [values[0][:2], values[1]], shapes, dense)
    yield make(indices, [values[0].reshape(3, 1), values[1]], shapes, dense)
    yield make(indices, values, [shapes[0][:1], shapes[1]], dense)
    yield make(indices, values, [shapes[0], np.array((3, 1), np.int64)], dense)
    yield make(indices, values, [shapes[0].reshape(1, 2), shapes[1]], dense)
    yield make(indices, values, shapes, [dense[0][0]])


@family("SparseCross", is_fragile=True)
def cross(m):
    def settings(hashed, buckets=0, internal="int64"):
        return {"hashed_output": hashed, "num_buckets": buckets, "hash_key": 956888297470, "out_type": "int64" if hashed else "string",
                "internal_type": internal}

    if m.types != {"out_type": "int64", "internal_type": "int64"}:
        return  # the types of the output and of the columns hang together
    for numbers in (False, True):
        parts = crossed_features(numbers)
        yield draft(*parts, **settings(True))
        yield draft(*parts, **settings(True, 100))
        yield draft(*parts, **settings(False))
        yield draft(*[part[:1] for part in parts[:3]], [], **settings(True))
    yield draft(*crossed_features(numbers=False), **settings(False, internal="string"))
    yield draft(*crossed_features(numbers=False), **settings(True, internal="string"))
    empty = [np.zeros((0, 2), np.int64)], [np.array([], object)], [np.array((2, 0), np.int64)]
    yield draft(*empty, [], **settings(True))
    yield malformed(*crossed_features(numbers=True), **settings(False, internal="string"))
    yield from unfit_features(lambda *parts: malformed(*parts, **settings(True)))


@family("SparseCrossV2", is_fragile=True)
def cross_with_separator(m):
    for separator in (b"_X_", b"", b"-"):
        for numbers in (False, True):
            yield draft(*crossed_features(numbers), np.array(separator, object))
    yield draft([np.zeros((0, 2), np.int64)], [np.array([], object)], [np.array((2, 0), np.int64)], [], np.array(b"-", object))
    yield malformed(*crossed_features(numbers=False), np.array([b"a", b"b"], object))
    yield from unfit_features(lambda *parts: malformed(*parts, np.array(b"-", object)))


@family("SparseCrossHashed", is_fragile=True)
def cross_hashed(m):
    """TensorFlow reads a dense number as an address where the hash is strong, so that those are words here."""
    def settings(buckets=0, strong=False, salt=(137, -173)):
        return np.array(buckets, np.int64), np.array(strong), np.array(salt, np.int64)

    for numbers in (False, True):
        for buckets in (0, 100, -1):
            yield draft(*crossed_features(numbers), *settings(buckets))
        yield draft(*[part[:1] for part in crossed_features(numbers)[:3]], [], *settings(7))
    for buckets in (0, 100):
        yield draft(*crossed_features(numbers=False), *settings(buckets, strong=True))
    yield draft(*crossed_features(numbers=True)[:3], [], *settings(strong=True))
    yield draft([np.zeros((0, 2), np.int64)], [np.array([], object)], [np.array((2, 0), np.int64)], [], *settings())
    for salt in ((1,), (1, 2, 3), ()):
        yield malformed(*crossed_features(numbers=False), *settings(salt=salt))
    yield from unfit_features(lambda *parts: malformed(*parts, *settings()))


@family("SparseBincount", is_fragile=True)
def sparse_bincount(m):
    """TensorFlow reads beyond weights that are too few."""
    rows, dims = longs(m, [(0, 0), (0, 2), (1, 1)]), longs(m, (2, 3))
    line, length = longs(m, [(0,), (2,), (3,)]), longs(m, (4,))

    def numbers(*values):
        return m.array(values, "Tidx")

    for binary in (False, True):
        for weights in (m.values(0, of="T"), m.values(3, of="T")):
            for size in (0, 2, 5):
                yield draft(rows, numbers(1, 3, 1), dims, m.array(size, "Tidx"), weights, binary_output=binary)
                yield draft(line, numbers(1, 3, 1), length, m.array(size, "Tidx"), weights, binary_output=binary)
    none = m.values(0, of="T")
    yield draft(rows, numbers(1, -3, 1), dims, m.array(4, "Tidx"), none)
    yield draft(longs(m, np.zeros((0, 2))), numbers(), dims, m.array(4, "Tidx"), none)
    yield draft(longs(m, [(0, 0, 0), (1, 2, 0)]), numbers(1, 1), longs(m, (2, 3, 1)), m.array(4, "Tidx"), none)
    yield malformed(line, numbers(1, -3, 1), length, m.array(4, "Tidx"), none)
    yield malformed(line, numbers(1, 3, 1), length, m.array(4, "Tidx"), m.values(2, of="T"))
    for size in (-1, (2, 3)):
        yield malformed(rows, numbers(1, 3, 1), dims, m.array(size, "Tidx"), none)
    for bad in ((0, 3), (3,), (2, 3, 1), ((2, 3),), (-2, 3), (2, 1)):
        yield malformed(rows, numbers(1, 3, 1), longs(m, bad), m.array(4, "Tidx"), none)
    yield malformed(longs(m, (0, 1, 2)), numbers(1, 3, 1), dims, m.array(4, "Tidx"), none)
    yield malformed(longs(m, [(0, 0), (-1, 2), (1, 1)]), numbers(1, 3, 1), dims, m.array(4, "Tidx"), none)
    yield malformed(rows, numbers(1, 3), dims, m.array(4, "Tidx"), none)
    yield malformed(rows, m.array([(1, 3, 1)], "Tidx"), dims, m.array(4, "Tidx"), none)


@family("RaggedBincount", is_fragile=True)
def ragged_bincount(m):
    """TensorFlow reads beyond weights that are too few."""
    none = m.values(0, of="T")
    for binary in (False, True):
        for weights in (none, m.values(3, of="T")):
            for size in (0, 2, 5):
                yield draft(longs(m, (0, 2, 2, 3)), m.array((1, 3, 1), "Tidx"), m.array(size, "Tidx"), weights, binary_output=binary)
    yield draft(longs(m, (0,)), m.array((), "Tidx"), m.array(4, "Tidx"), none)
    for splits in ((0, 2, 1, 3), (0, -2, 3), ((0, 2, 3),)):
        yield draft(longs(m, splits), m.array((1, 3, 1), "Tidx"), m.array(4, "Tidx"), none)
    for splits in ((), (0,), (1, 2, 3), (0, 2), (0, 2, 7)):
        yield malformed(longs(m, splits), m.array((1, 3, 1), "Tidx"), m.array(4, "Tidx"), none)
    yield malformed(longs(m, (0, 3)), m.array((1, -3, 1), "Tidx"), m.array(4, "Tidx"), none)
    for size in (-1, (2, 3)):
        yield malformed(longs(m, (0, 3)), m.array((1, 3, 1), "Tidx"), m.array(size, "Tidx"), none)


@family("RaggedCountSparseOutput", is_fragile=True)
def ragged_count(m):
    none = m.values(0, of="output_type")
    numbers = m.array((1, 3, 1), "T")
    for binary in (False, True):
        for lengths in ({}, {"minlength": 7}, {"maxlength": 2}):
            yield draft(longs(m, (0, 2, 2, 3)), numbers, none, binary_output=binary, **lengths)
    yield draft(longs(m, (0, 2, 2, 3)), numbers, m.values(3, of="output_type"), binary_output=False)
    yield draft(longs(m, (0, 0)), m.array((), "T"), none, binary_output=False)
    yield draft(longs(m, (0, 2, 1, 3)), m.array([(1, 3, 1)], "T"), none, binary_output=False)
    for splits in ((), (0,), (1, 2, 3), (0, 2), (0, 2, 7)):
        yield malformed(longs(m, splits), numbers, none, binary_output=False)
    yield malformed(longs(m, (0, 3)), m.array((1, -3, 1), "T"), none, binary_output=False)
    for shape in ((2,), (4,), (3, 1)):
        yield malformed(longs(m, (0, 3)), numbers, m.values(*shape, of="output_type"), binary_output=False)


@family("CTCGreedyDecoder", is_fragile=True, is_accumulated=True)
def greedy_decoder(m):
    for merge in (False, True):
        yield draft(m.values(4, 2, 3), m.array((4, 2), "int32"), merge_repeated=merge)
    yield draft(m.values(4, 0, 3), m.array((), "int32"))
    yield malformed(m.values(4, 2, 3), m.array((5, 2), "int32"))
    yield malformed(m.values(4, 2, 3), m.array((4,), "int32"))
    yield malformed(m.values(2, 3), m.array((4, 2), "int32"))


def as_floats(_, array):
    """TensorFlow takes logarithms of doubles as floats here."""
    array = np.asarray(array)
    return array.astype(np.float32) if array.dtype == np.float64 else array


@family("CTCLoss", is_fragile=True, is_accumulated=True, tolerance=8, compare=as_floats)
def loss(m):
    labels = longs(m, [(0, 0), (0, 1), (1, 0)]), m.array((0, 1, 1), "int32")
    yield draft(m.values(4, 2, 3), *labels, m.array((4, 3), "int32"))
    yield draft(m.values(4, 2, 3), *labels, m.array((4, 3), "int32"), ctc_merge_repeated=False)
    yield draft(m.values(4, 2, 3), longs(m, np.zeros((0, 2))), m.array((), "int32"), m.array((4, 3), "int32"))
    yield malformed(m.values(4, 2, 3), longs(m, [(0, 0)]), m.array((1,), "int32"), m.array((4, 3), "int32"))
    yield malformed(m.values(4, 2, 3), *labels, m.array((5, 3), "int32"))
    yield malformed(m.values(4, 2, 3), *labels, m.array((4,), "int32"))
    yield malformed(m.values(4, 2, 3), longs(m, [(0, 0)]), *labels[1:], m.array((4, 3), "int32"))
    for numbers in ((0, 7, 1), (7, 0, 1), (0, -1, 1), (0, 2, 1)):
        yield malformed(m.values(4, 2, 3), labels[0], m.array(numbers, "int32"), m.array((4, 3), "int32"))


@family("CTCBeamSearchDecoder", is_fragile=True, is_accumulated=True, tolerance=8, compare=as_floats)
def beam_search(m):
    yield draft(m.values(4, 2, 3), m.array((4, 2), "int32"), beam_width=6, top_paths=2, merge_repeated=False)
    yield draft(m.values(4, 0, 3), m.array((), "int32"), beam_width=6, top_paths=1)
    yield malformed(m.values(4, 2, 3), m.array((5, 2), "int32"), beam_width=6, top_paths=1)
    yield malformed(m.values(4, 2, 3), m.array((4,), "int32"), beam_width=6, top_paths=1)
    yield malformed(m.values(2, 3), m.array((4, 2), "int32"), beam_width=6, top_paths=1)


@family("EditDistance", is_fragile=True)
def edit_distance(m):
    hypothesis = longs(m, [(0, 0), (0, 1), (2, 0)])
    truth = longs(m, [(0, 0), (0, 1), (0, 2), (1, 0), (2, 1)])
    values = (lambda *numbers: m.array([b"%d" % n for n in numbers])) if m.dtype().kind == "O" else lambda *numbers: m.array(numbers)
    for normalize in (True, False):
        for first, second in (((3, 2), (3, 3)), ((4, 2), (3, 3)), ((3, 2), (5, 3))):
            yield draft(hypothesis, values(1, 0, 1), longs(m, first), truth, values(1, 1, 0, 0, 1), longs(m, second), normalize=normalize)
        yield draft(longs(m, np.zeros((0, 3))), m.values(0), longs(m, (2, 2, 0)), longs(m, [(0, 1, 0), (1, 0, 0)]), m.values(2), longs(m, (2, 2, 1)),
                    normalize=normalize)
    one = longs(m, [(0, 0)]), m.values(1), longs(m, (1, 1))
    for wrong in ((longs(m, (0, 0)), m.values(1), longs(m, (1, 1))), (one[0], m.values(1, 1), one[2]), (one[0], m.values(1), longs(m, [(1, 1)])),
                  (one[0], m.values(2), one[2]), (one[0], m.values(1), longs(m, (1, 1, 1))), (longs(m, [(2, 0)]), m.values(1), one[2])):
        yield malformed(*wrong, *one)
        yield malformed(*one, *wrong)
    yield malformed(longs(m, [(0,)]), m.values(1), longs(m, (1,)), longs(m, [(0,)]), m.values(1), longs(m, (1,)))
