"""Ops that count elements or add those that belong together."""

import numpy as np

from case import draft, malformed
from families import family


@family("DenseBincount")
def bincount(m):
    yield draft(m.array((1, 2, 2, 5), "Tidx"), m.array(6, "Tidx"), m.values(0))
    yield draft(m.array((1, 2, 2, 5), "Tidx"), m.array(6, "Tidx"), m.values(4))
    yield draft(m.array(((1, 2, 2), (0, 0, 9)), "Tidx"), m.array(4, "Tidx"), m.values(2, 3))
    yield draft(m.array((), "Tidx"), m.array(3, "Tidx"), m.values(0))
    yield draft(m.array((1, 2, 2), "Tidx"), m.array(4, "Tidx"), m.values(0), binary_output=True)
    yield malformed(m.array((1, -2), "Tidx"), m.array(4, "Tidx"), m.values(0))
    yield malformed(m.array((1, 2), "Tidx"), m.array(-4, "Tidx"), m.values(0))


@family("Bincount")
def old_bincount(m):
    yield draft(m.array((1, 2, 2, 5), "int32"), m.array(6, "int32"), m.values(4))
    yield draft(m.array((1, 2, 2, 5), "int32"), m.array(4, "int32"), m.values(0))


@family("DenseCountSparseOutput", is_fragile=True)
def dense_counts(m):
    def none():
        return m.values(0, of="output_type")
    for limits in ({}, {"minlength": 8}, {"maxlength": 3}, {"minlength": 2, "maxlength": 5}):
        yield draft(m.array((1, 2, 2, 5), "T"), none(), binary_output=False, **limits)
    yield draft(m.array(((1, 2, 2), (0, 0, 9)), "T"), none(), binary_output=False)
    yield draft(m.array(((1, 2, 2), (0, 0, 9)), "T"), none(), binary_output=True)
    yield draft(m.array(((1, 2, 2), (0, 0, 9)), "T"), m.values(2, 3, of="output_type"), binary_output=False)
    yield draft(m.array((), "T"), none(), binary_output=False)
    yield malformed(m.array((1, -2), "T"), none(), binary_output=False)
    yield malformed(m.array((1, 2), "T"), m.values(3, of="output_type"), binary_output=False)
    yield malformed(m.array((((1, 2),),), "T"), none(), binary_output=False)


@family("SparseCountSparseOutput", is_fragile=True)
def sparse_counts(m):
    def places(*rows):
        return m.array(np.array(rows).reshape(len(rows), -1) if rows else np.zeros((0, 2)), "int64")
    none, dims = m.values(0, of="output_type"), m.array((3, 4), "int64")
    for limits in ({}, {"minlength": 8}, {"maxlength": 2}, {"binary_output": True}):
        yield draft(places((0, 0), (0, 3), (2, 1)), m.array((2, 2, 5), "T"), dims, none, **{"binary_output": False, **limits})
    yield draft(places((0, 0), (0, 3), (2, 1)), m.array((2, 2, 5), "T"), dims, m.values(3, of="output_type"), binary_output=False)
    yield draft(places((0,), (2,)), m.array((1, 1), "T"), m.array((3,), "int64"), none, binary_output=False)
    yield draft(places(), m.array((), "T"), dims, none, binary_output=False)
    yield malformed(places((0, 0), (5, 3)), m.array((2, 2), "T"), dims, none, binary_output=False)
    yield malformed(places((0, 0), (1, 3)), m.array((2, -2), "T"), dims, none, binary_output=False)
    yield malformed(places((0, 0)), m.array((2, 2), "T"), dims, none, binary_output=False)
    yield malformed(places((0, 0), (1, 3)), m.array((2, 2), "T"), dims, m.values(3, of="output_type"), binary_output=False)


@family("HistogramFixedWidth")
def histogram(m):
    for shape in ((20,), (3, 4), (0,), (1,)):
        yield draft(m.values(*shape, low=-6, high=6), m.array((-4, 5)), m.array(5, "int32"))
    yield malformed(m.values(3), m.array((5, -4)), m.array(5, "int32"))
    yield malformed(m.values(3), m.array((0, 4)), m.array(0, "int32"))


@family("InTopKV2", "InTopK")
def in_top_k(m):
    for rows, classes, k in ((4, 6, 2), (1, 3, 1), (0, 3, 2), (5, 4, 4)):
        targets = m.indices(classes, rows, of="T")
        yield draft(m.values(rows, classes, of="float32"), targets, *([m.array(k, "T")] if m.signature.name.endswith("V2") else []),
                    **({} if m.signature.name.endswith("V2") else {"k": k}))
    if m.signature.name.endswith("V2"):
        ties = m.array(((1, 1, 0), (0, 1, 1), (1, 1, 1)), "float32")
        odd = m.array(((np.nan, 1, 2), (np.inf, 1, 2), (-np.inf, np.inf, np.inf), (0, 1, np.nan)), "float32")
        for k in (0, 1, 2, 3, 9, -1):
            yield draft(ties, m.array((0, 2, 1), "T"), m.array(k, "T"))
            yield draft(odd, m.array((1, 0, 0, 1), "T"), m.array(k, "T"))
        for targets in ((0, 3, 0), (-1, 0, 2)):  # no class of that number is among the first
            yield draft(ties, m.array(targets, "T"), m.array(2, "T"))


@family("SegmentSum", "SegmentMean", "SegmentProd", "SegmentMin", "SegmentMax", is_accumulated=True)
def segments(m):
    for shape, ids in (((5, 2), (0, 0, 1, 3, 3)), ((4,), (0, 1, 1, 2)), ((0, 2), ()), ((3, 2, 2), (0, 0, 0)), ((1, 3), (2,))):
        yield draft(m.values(*shape), m.array(ids, "Tindices"))
    yield malformed(m.values(3), m.array((1, 0, 2), "Tindices"))
    yield malformed(m.values(3), m.array((-1, 0, 2), "Tindices"))


@family("SparseSegmentSumWithNumSegments", "SparseSegmentMeanWithNumSegments", "SparseSegmentSqrtNWithNumSegments", is_accumulated=True)
def counted_sparse_segments(m):
    of, ids_of = ("Tidx" if "Tidx" in m.types else "int32"), ("Tsegmentids" if "Tsegmentids" in m.types else "int32")
    for shape, indices, ids, count in (((5, 2), (0, 4, 2), (0, 0, 1), 3), ((4,), (1, 1, 3), (0, 1, 2), 4), ((3, 2), (), (), 2)):
        yield draft(m.values(*shape), m.array(indices, of), m.array(ids, ids_of), m.array(count, "Tnumsegments"))


@family("SparseSegmentSumGrad", "SparseSegmentMeanGrad", "SparseSegmentSqrtNGrad", is_accumulated=True)
def sparse_segment_gradients(m):
    of, ids_of = ("Tidx" if "Tidx" in m.types else "int32"), ("Tsegmentids" if "Tsegmentids" in m.types else "int32")
    for shape, indices, ids, rows in (((2, 2), (0, 4, 2), (0, 0, 1), 5), ((3,), (1, 1, 3), (0, 1, 2), 4), ((0, 2), (), (), 0)):
        yield draft(m.values(*shape), m.array(indices, of), m.array(ids, ids_of), m.array(rows, "int32"))


@family("UnsortedSegmentSum", "UnsortedSegmentProd", "UnsortedSegmentMin", "UnsortedSegmentMax", is_accumulated=True)
def unsorted_segments(m):
    for shape, ids, count in (((4, 2), (2, 0, 2, -1), 3), ((5,), (0, 1, 0, 3, 1), 4), ((2, 2, 3), ((1, 0), (1, 1)), 2), ((0, 2), (), 2), ((3,), (0, 0, 0), 0)):
        if count or not ids:
            yield draft(m.values(*shape), m.array(ids, "Tindices"), m.array(count, "Tnumsegments"))
    yield malformed(m.values(3), m.array((0, 1, 3), "Tindices"), m.array(3, "Tnumsegments"))


@family("SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN", is_accumulated=True)
def sparse_segments(m):
    of, ids_of = ("Tidx" if "Tidx" in m.types else "int32"), ("Tsegmentids" if "Tsegmentids" in m.types else "int32")
    for shape, indices, ids in (((5, 2), (0, 4, 2), (0, 0, 1)), ((4,), (1, 1, 3), (0, 1, 2)), ((3, 2), (), ())):
        yield draft(m.values(*shape), m.array(indices, of), m.array(ids, ids_of))


