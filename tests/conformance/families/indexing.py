"""Ops that pick elements by their place, put them there, or tell where they are."""

import numpy as np

from case import draft, malformed
from families import family
from families.arrays import SHAPES


@family("Gather")
def gather(m):
    for shape, indices in (((4, 3), (3, 0, 0, 2)), ((5,), 3), ((4, 3), ((0, 1), (2, 3))), ((5,), ()), ((2, 3, 2), (1,))):
        yield draft(m.values(*shape), m.array(indices, "Tindices"))
    for index in (4, -1):
        yield malformed(m.values(4, 3), m.array((0, index), "Tindices"))


@family("GatherV2")
def gather_along(m):
    for shape, indices, axis, batch in (((4, 3), (3, 0, 0, 2), 0, 0), ((4, 3), (2, 1), 1, 0), ((4, 3), (2, 1), -1, 0), ((5,), (), 0, 0),
                                        ((4, 3), ((0, 1), (2, 3)), 0, 0), ((2, 4, 3), ((0, 1), (2, 3)), 1, 0), ((5,), 3, 0, 0),
                                        ((2, 4), ((0, 1), (3, 3)), 1, 1), ((2, 3, 4), ((0, 1), (2, 2)), 2, 1)):
        yield draft(m.values(*shape), m.array(indices, "Tindices"), m.array(axis, "Taxis"), batch_dims=batch)
    for index, axis in ((4, 0), (-1, 0), (3, 1), (0, 2), (0, -3)):
        yield malformed(m.values(4, 3), m.array((0, index), "Tindices"), m.array(axis, "Taxis"))


@family("GatherNd")
def gather_nd(m):
    for shape, indices in (((3, 4), ((0, 1), (2, 3))), ((3, 4), ((2,), (0,))), ((3, 4, 2), ((0, 1, 1), (2, 3, 0))), ((3, 4), np.zeros((0, 2))),
                           ((3, 4), (((1,),), ((2,),))), ((3, 4), ((), ())), ((5,), ((4,),))):
        yield draft(m.values(*shape), m.array(indices, "Tindices"))
    for indices in (((3, 0),), ((0, -1),), ((0, 0), (1, 4))):
        yield malformed(m.values(3, 4), m.array(indices, "Tindices"))
    yield malformed(m.values(3, 4), m.array(((0, 0, 0),), "Tindices"))


@family("ScatterNd")
def scatter_nd(m):
    for indices, updates, shape in ((((1,), (3,), (1,)), (3,), (5,)), (((1, 0), (0, 1)), (2, 2), (2, 2, 2)), (np.zeros((0, 1)), (0, 2), (2, 2)),
                                    (((0,), (2,)), (2, 3), (3, 3))):
        yield draft(m.array(indices, "Tindices"), m.values(*updates), m.array(shape, "Tindices"))
    for indices in (((5,), (0,)), ((-1,), (0,))):
        yield malformed(m.array(indices, "Tindices"), m.values(2), m.array((5,), "Tindices"))


@family("TensorScatterAdd", "TensorScatterSub", "TensorScatterUpdate", "TensorScatterMin", "TensorScatterMax")
def scatter_tensor(m):
    for shape, indices in (((5,), ((1,), (3,), (0,))), ((3, 4), ((0, 1), (2, 3))), ((3, 4), ((2,), (0,))), ((3, 4), np.zeros((0, 1)))):
        indices = np.array(indices)
        updates = indices.shape[:-1] + shape[indices.shape[-1]:]
        yield draft(m.values(*shape), m.array(indices, "Tindices"), m.values(*updates))
    if "Update" not in m.signature.name:
        yield draft(m.values(5), m.array(((1,), (1,), (4,)), "Tindices"), m.values(3))
    for index in (5, -1):
        yield malformed(m.values(5), m.array(((index,),), "Tindices"), m.values(1))


@family("OneHot")
def one_hot(m):
    on_off = m.array(1), m.array(0)
    low = 0 if m.dtype("TI").kind == "u" else -1
    for axis in (-1, 0):
        yield draft(m.array((0, 2, low, 5), "TI"), m.array(3, "int32"), *on_off, axis=axis)
    for axis in (-1, 0, 1, 2):
        yield draft(m.array(((0, 1), (2, 0)), "TI"), m.array(3, "int32"), m.values(), m.values(), axis=axis)
    yield draft(m.array(1, "TI"), m.array(3, "int32"), *on_off, axis=-1)
    yield draft(m.array([], "TI"), m.array(3, "int32"), *on_off, axis=-1)
    yield draft(m.array([0, 1], "TI"), m.array(0, "int32"), *on_off, axis=-1)
    yield malformed(m.array([0, 1], "TI"), m.array(-1, "int32"), *on_off, axis=-1)
    yield malformed(m.array([0, 1], "TI"), m.array(2, "int32"), *on_off, axis=2)


@family("NthElement")
def nth_element(m):
    for shape, n in (((3, 7), 3), ((3, 7), 0), ((2, 2, 4), 3), ((5,), 1), ((0, 3), 2)):
        for reverse in (False, True):
            yield draft(m.distinct(*shape), m.array(n, "int32"), reverse=reverse)
    for n in (3, -1):
        yield malformed(m.values(2, 3), m.array(n, "int32"))


@family("TopKV2", "TopK")
def top_k(m):
    def k(count):
        return [m.array(count, "Tk")] if m.signature.name == "TopKV2" else []

    for shape, count in (((3, 7), 3), ((3, 7), 0), ((3, 7), 7), ((5,), 1), ((2, 2, 3), 2), ((0, 3), 2), ((2, 40), 5)):
        extra = {} if m.signature.name == "TopKV2" else {"k": count}
        yield draft(m.values(*shape, low=-50, high=50), *k(count), **extra)
    if m.signature.name == "TopKV2":
        yield draft(m.array([2, 5, 2, 5, 5, 1]), m.array(4, "Tk"))
        yield malformed(m.values(3, 2), m.array(3, "Tk"))
        yield malformed(m.values(3, 2), m.array(-1, "Tk"))


@family("Unique", "UniqueWithCounts")
def unique(m):
    for count in (8, 1, 0, 40):
        yield draft(m.array(m.values(count, low=0, high=5) if m.is_number() is False else np.rint(m.values(count, low=0, high=5).real)))
    yield malformed(m.values(2, 2))


@family("UniqueV2", "UniqueWithCountsV2")
def unique_along(m):
    for shape, axis in (((6,), ()), ((6,), (0,)), ((4, 2), (0,)), ((2, 5), (1,)), ((0,), (0,))):
        yield draft(m.values(*shape, low=0, high=1.9), m.array(axis, "Taxis"))
    if m.is_number():
        yield draft(m.array([[0, 1], [2, 3], [0, 1], [2, 1]]), m.array((0,), "Taxis"))
        yield draft(m.array([[0, 1, 0], [2, 3, 2]]), m.array((-1,), "Taxis"))
    for axis in ((2,), (-3,), (0, 1), ()):
        yield malformed(m.values(4, 2), m.array(axis, "Taxis"))


@family("ListDiff")
def list_diff(m):
    for a, b in (((1, 2, 3, 4, 3), (2, 4)), ((), (1,)), ((1, 2), ()), ((5, 5, 6), (7,))):
        yield draft(m.array(a), m.array(b))


@family("Where")
def where(m):
    for shape in SHAPES:
        yield draft(m.values(*shape, low=-1.4, high=1.4))
    yield draft(m.array([0, 0, 0]))


@family("DynamicPartition")
def partition(m):
    for shape, parts, count in (((5,), (0, 1, 0, 2, 1), 3), ((4, 2), (1, 0, 1, 2), 4), ((2, 2), ((1, 0), (0, 0)), 2), ((0, 3), (), 2)):
        yield draft(m.values(*shape), m.array(parts, "int32"), num_partitions=count)
    yield malformed(m.values(2), m.array((0, 2), "int32"), num_partitions=2)


@family("DynamicStitch", "ParallelDynamicStitch")
def stitch(m):
    for indices, shapes in ((((0, 4, 2), (1, 3)), ((3, 2), (2, 2))), (((0, 1, 2), (3,)), ((3,), (1,))), ((1, (0, 2)), ((), (2,))), (((), (0,)), ((0, 3), (1, 3)))):
        yield draft([m.array(i, "int32") for i in indices], [m.values(*s) for s in shapes])
    if m.signature.name == "DynamicStitch":
        yield draft([m.array((0, 1, 1), "int32"), m.array((1, 2), "int32")], [m.values(3), m.values(2)])
    yield malformed([m.array((0, -1), "int32")], [m.values(2)])


@family("SparseToDense")
def sparse_to_dense(m):
    yield draft(m.array(((0, 1), (1, 0)), "Tindices"), m.array((2, 3), "Tindices"), m.values(2), m.values())
    yield draft(m.array((1, 3), "Tindices"), m.array((5,), "Tindices"), m.values(), m.values())
    yield draft(m.array(np.zeros((0, 2)), "Tindices"), m.array((2, 3), "Tindices"), m.values(0), m.values())
    yield draft(m.array(2, "Tindices"), m.array((4,), "Tindices"), m.values(), m.values())
    for indices in ((3, 1), (1, 1), (1, 9), (-1, 2)):
        yield malformed(m.array(indices, "Tindices"), m.array((5,), "Tindices"), m.values(2), m.values())




@family("UnravelIndex")
def unravel(m):
    for indices in ([0, 7, 23], 5, []):
        yield draft(m.array(indices, "Tidx"), m.array([2, 3, 4], "Tidx"))
    yield draft(m.array([3, 1], "Tidx"), m.array([4], "Tidx"))
    yield draft(m.array(0, "Tidx"), m.array([], "Tidx"))
    for indices, dims in (([24], [2, 3, 4]), ([-1], [2, 3]), ([0], [2, 0]), ([[0]], [2, 3]), ([0], [[2, 3]]), ([0], 2), ([0], [-2, 3])):
        yield malformed(m.array(indices, "Tidx"), m.array(dims, "Tidx"))
