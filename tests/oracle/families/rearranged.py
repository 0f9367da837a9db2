"""Pixels moved between space, batch and channels; mirrored edges; reversed sequences; the same bytes as another type."""

from families import family
from families.segments import values
from families.values import ints, numbers
from op_cases import raw
from tensorflow_v1 import np

SOME = (np.float32, np.float64, np.int32, np.int64, np.uint8, np.float16, np.complex128)


@family
def space_to_batches():
    for dtype in SOME:
        yield raw("SpaceToBatchND", values((2, 3, 5, 2), dtype), ints(2, 3), ints(1, 0, 0, 1).reshape(2, 2))
        yield raw("BatchToSpaceND", values((12, 2, 2, 1), dtype), ints(2, 3), ints(1, 0, 0, 1).reshape(2, 2))
    for block, edges in ((ints(2), ints(0, 1)), (ints(3), ints(4, 2)), (ints(1), ints(0, 0))):
        yield raw("SpaceToBatchND", values((2, 3 * int(block[0]) - int(edges.sum()) % 3, 2), np.float32)[:, : 3], block,
                  np.array([[int(edges[0]), (-int(edges[0]) - 3) % int(block[0])]], np.int64))
        yield raw("BatchToSpaceND", values((6, 4, 2), np.float32), block, np.array([[1, 0]], np.int32))
    yield raw("SpaceToBatchND", values((2, 3), np.float32), np.zeros(0, np.int32), np.zeros((0, 2), np.int32))
    yield raw("SpaceToBatchND", values((0, 4, 2), np.float32), ints(2), ints(0, 0).reshape(1, 2))
    for dtype in (np.float32, np.float16, np.uint8):
        for op, shape in (("SpaceToDepth", (2, 4, 6, 3)), ("DepthToSpace", (2, 2, 3, 12))):
            yield raw(op, values(shape, dtype), block_size=2)
    yield raw("DepthToSpace", values((1, 1, 2, 9), np.float32), block_size=3)
    yield raw("SpaceToDepth", values((0, 4, 6, 3), np.float32), block_size=2)


@family
def mirrors():
    for dtype in SOME:
        for mode in ("REFLECT", "SYMMETRIC"):
            yield raw("MirrorPad", values((3, 4), dtype), ints(1, 2, 3, 0).reshape(2, 2), mode=mode)
            if dtype != np.uint8:
                yield raw("MirrorPadGrad", values((6, 7), dtype), ints(1, 2, 3, 0).reshape(2, 2), mode=mode)
    for mode in ("REFLECT", "SYMMETRIC"):
        yield raw("MirrorPad", values((2, 3, 2), np.float32), ints(0, 0, 2, 1, 1, 1, dtype=np.int64).reshape(3, 2), mode=mode)
        yield raw("MirrorPadGrad", values((2, 6, 4), np.float32), ints(0, 0, 2, 1, 1, 1).reshape(3, 2), mode=mode)
        yield raw("MirrorPad", values((4,), np.float32), ints(0, 0).reshape(1, 2), mode=mode)
    yield raw("MirrorPad", values((3,), np.float32), ints(3, 3).reshape(1, 2), mode="SYMMETRIC")


@family
def reversed_sequences():
    for dtype in SOME:
        yield raw("ReverseSequence", values((3, 4, 2), dtype), ints(2, 4, 0), seq_dim=1, batch_dim=0)
        yield raw("ReverseSequence", values((4, 3), dtype), ints(2, 4, 1, dtype=np.int64), seq_dim=0, batch_dim=1)
    yield raw("ReverseSequence", values((2, 3, 2, 4, 2), np.float32), ints(2, 4, 3), seq_dim=3, batch_dim=1)
    yield raw("ReverseSequence", values((2, 3, 2, 4), np.float32), ints(1, 2, 0, 3), seq_dim=1, batch_dim=3)
    yield raw("ReverseSequence", values((0, 3), np.float32), np.zeros(0, np.int32), seq_dim=1, batch_dim=0)


@family
def bitcasts():
    x = np.array([[1.0, -2.5], [0.1, 3e8]], np.float32)
    yield raw("Bitcast", x, type=np.int32)
    yield raw("Bitcast", x, type=np.uint8)
    yield raw("Bitcast", x, type=np.int64)
    yield raw("Bitcast", np.float64(1.5), type=np.int64)
    yield raw("Bitcast", numbers((3, 4), np.int64, 0, 60).astype(np.uint8), type=np.int32)
    yield raw("Bitcast", np.zeros((0, 2), np.int32), type=np.float64)
    yield raw("Bitcast", np.array([1, -1], np.int16), type=np.float16)
