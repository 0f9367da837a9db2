"""Ops that move values about or speak of shapes."""

import numpy as np

from case import draft, large, malformed
from families import family

SHAPES = ((2, 3), (5,), (), (2, 3, 4), (0, 3), (2, 0), (1, 1))


@family("Shape", "Size", "Rank", "OnesLike2")
def shapes(m):
    for shape in SHAPES:
        for out in ("int32", "int64"):
            yield draft(m.values(*shape), **({"out_type": out} if m.signature.name != "Rank" else {}))


@family("ShapeN", "IdentityN", "ParallelConcat2")
def lists_of_shapes(m):
    of = "float32" if m.signature.name == "IdentityN" else None
    for shape in SHAPES:
        yield draft([m.values(*shape, of=of), m.values(1, 2, of=of)])
    yield draft([m.values(3, of=of)])
    if m.signature.name == "IdentityN":
        for other in ("int32", "string", "bool", "complex64"):
            yield draft([m.values(2, of=other), m.values(0, 3, of="float64"), m.values(of=other)])
        yield draft([m.special("float32"), m.special("int64"), m.special("string")])


@family("Reshape")
def reshapes(m):
    for shape, to in (((2, 6), (3, 4)), ((2, 6), (-1,)), ((12,), (2, -1, 3)), ((1,), ()), ((0, 3), (3, 0)), ((), (1, 1)), ((2, 0), (0, -1)),
                      ((2, 3), (6,)), ((2, 3, 4), (4, -1))):
        yield draft(m.values(*shape), m.array(to, "Tshape"))
    for shape, to in (((2, 3), (4,)), ((2, 3), (-1, -1)), ((2, 3), (-1, 4)), ((2, 3), (-2, 3)), ((0,), (0, -1))):
        yield malformed(m.values(*shape), m.array(to, "Tshape"))


@family("ExpandDims")
def expand(m):
    for shape in ((2, 3), (0, 3), ()):
        for axis in range(-len(shape) - 1, len(shape) + 1):
            yield draft(m.values(*shape), m.array(axis, "Tdim"))
        yield malformed(m.values(*shape), m.array(len(shape) + 1, "Tdim"))


@family("Squeeze")
def squeeze(m):
    for dims in ([], [1], [-1], [1, 3]):
        yield draft(m.values(2, 1, 3, 1), squeeze_dims=dims)
    yield draft(m.values(1, 1))
    yield draft(m.values(0, 1, 2), squeeze_dims=[1])
    yield malformed(m.values(2, 1, 3, 1), squeeze_dims=[0])
    yield malformed(m.values(2, 1), squeeze_dims=[2])


@family("Fill")
def fill(m):
    for dims in ((2, 3), (), (0, 4), (33,), (2, 2, 2)):
        yield draft(m.array(dims, "index_type"), m.values())
    yield malformed(m.array((2, -1), "index_type"), m.values())


@family("Range")
def ranges(m):
    for start, limit, delta in ((0, 5, 1), (1, 10, 3), (3, 3, 1), (0, 33, 2)):
        yield draft(m.array(start, "Tidx"), m.array(limit, "Tidx"), m.array(delta, "Tidx"))
    if m.dtype("Tidx").kind != "u":
        yield draft(m.array(5, "Tidx"), m.array(0, "Tidx"), m.array(-2, "Tidx"))
        yield malformed(m.array(0, "Tidx"), m.array(5, "Tidx"), m.array(-1, "Tidx"))
        yield malformed(m.array(5, "Tidx"), m.array(0, "Tidx"), m.array(1, "Tidx"))
    yield malformed(m.array(0, "Tidx"), m.array(5, "Tidx"), m.array(0, "Tidx"))


@family("LinSpace")
def linspace(m):
    for start, stop, count in ((-1, 1, 7), (2, 3, 1), (0, 100, 33), (5, -5, 2)):
        yield draft(m.array(start), m.array(stop), m.array(count, "Tidx"))
    for edges in ((3, 3), (-1e30, 1e30), (np.inf, 1), (0, np.inf), (np.nan, 1)):
        yield draft(m.array(edges[0]), m.array(edges[1]), m.array(4, "Tidx"))
    for count in (0, -1):
        yield malformed(m.array(0), m.array(1), m.array(count, "Tidx"))


@family("Transpose", "ConjugateTranspose")
def transposes(m):
    for shape, perm in (((2, 3), (1, 0)), ((2, 3, 4), (0, 2, 1)), ((0, 3), (1, 0)), ((2, 3, 4), (2, 1, 0)), ((2, 3, 4), (1, 2, 0)),
                        ((2, 3, 4), (0, 1, 2)), ((5,), (0,)), ((), ()), ((17, 33), (1, 0)), ((2, 3, 2, 3), (0, 3, 1, 2)),
                        ((2, 1, 3, 2, 2), (4, 2, 0, 3, 1))):
        yield draft(m.values(*shape), m.array(perm, "Tperm"))
    for perm in ((0, 0), (0, 2), (0,), (-1, 0)):
        yield malformed(m.values(2, 3), m.array(perm, "Tperm"))
    yield large(m.values(200, 301), m.array((1, 0), "Tperm"))


@family("InvertPermutation")
def inverted(m):
    for perm in ([3, 0, 2, 1], [], [0], [1, 0]):
        yield draft(m.array(perm))
    yield draft(m.array(np.random.RandomState(1).permutation(100)))
    for perm in ([0, 0], [2, 0], [-1, 0], [[1, 0]], [0, 1, 2, 2], [5], [-7], 0, [[]]):
        yield malformed(m.array(perm))


def pieces(m, axis, count=3):
    for position in range(count):
        shape = [2, 3, 2]
        shape[axis] = position + 1
        yield m.values(*shape)


@family("ConcatV2")
def concat(m):
    for axis in (0, 1, 2, -1):
        yield draft(list(pieces(m, axis)), m.array(axis, "Tidx"))
    yield draft([m.values(0, 3), m.values(2, 3), m.values(0, 3)], m.array(0, "Tidx"))
    yield draft([m.values(5), m.values(17), m.values(33)], m.array(0, "Tidx"))
    yield malformed([m.values(2, 3), m.values(2, 4)], m.array(0, "Tidx"))
    yield malformed([m.values(), m.values()], m.array(0, "Tidx"))


@family("Concat")
def old_concat(m):
    for axis in (0, 1, 2, -1):
        yield draft(m.array(axis, "int32"), list(pieces(m, axis)))
    yield draft(m.array(0, "int32"), [m.values(0, 3), m.values(2, 3)])
    yield malformed(m.array(0, "int32"), [m.values(2, 3), m.values(2, 4)])


@family("ConcatOffset")
def offsets(m):
    of = "shape_type" if "shape_type" in m.types else "int32"
    for axis in (1, -2):
        yield draft(m.array(axis, "int32"), [m.array(s, of) for s in ((2, 3, 4), (2, 5, 4), (2, 0, 4))])
    for axis, shapes in ((0, ((7,), (9,))), (-1, ((7,), (9,), (0,))), (2, ((1, 2, 3), (1, 2, 0)))):
        yield draft(m.array(axis, "int32"), [m.array(s, of) for s in shapes])
    for axis, shapes in ((0, ((), ())), (-3, ((2, 3), (2, 3))), (0, ((2, 3), (2, 3, 4))), (0, (((2, 3),), ((2, 3),)))):
        yield malformed(m.array(axis, "int32"), [m.array(s, of) for s in shapes])
    yield malformed(m.array(0, "int32"), [m.array(s, of) for s in ((2, 3), (2, 5))])
    yield malformed(m.array(2, "int32"), [m.array(s, of) for s in ((2, 3), (2, 5))])


@family("Pack")
def pack(m):
    for shape in ((2, 3), (), (0, 2), (4,)):
        for axis in range(-len(shape) - 1, len(shape) + 1):
            yield draft([m.values(*shape) for _ in range(3)], axis=axis)
    yield malformed([m.values(2), m.values(3)], axis=0)


@family("Unpack")
def unpack(m):
    for shape in ((2, 3, 4), (3,), (2, 0)):
        for axis in range(-len(shape), len(shape)):
            if shape[axis]:
                yield draft(m.values(*shape), num=shape[axis], axis=axis)
    yield malformed(m.values(2, 3), num=3, axis=0)


@family("Split")
def split(m):
    for axis, shape, count in ((0, (6, 2), 3), (1, (3, 4), 2), (-1, (3, 4), 4), (0, (2, 3), 1), (0, (0, 3), 2)):
        yield draft(m.array(axis, "int32"), m.values(*shape), num_split=count)
    yield malformed(m.array(0, "int32"), m.values(5, 2), num_split=2)
    yield malformed(m.array(2, "int32"), m.values(4, 2), num_split=2)


@family("SplitV")
def split_sizes(m):
    for sizes, axis, shape in (((1, 2, 3), 0, (6, 2)), ((1, -1), 1, (3, 4)), ((0, 3), 0, (3, 4)), ((2, 2), -1, (1, 4)), ((0, 0), 0, (0, 3)),
                               ((4,), 1, (3, 4))):
        yield draft(m.values(*shape), m.array(sizes, "Tlen"), m.array(axis, "int32"), num_split=len(sizes))
    for sizes in ((1, 2), (-1, -1), (5, -1), (-2, 6)):
        yield malformed(m.values(4, 2), m.array(sizes, "Tlen"), m.array(0, "int32"), num_split=2)


@family("Slice")
def slices(m):
    for shape, begin, size in (((4, 5), (1, 0), (2, 3)), ((4, 5), (1, 2), (-1, -1)), ((4, 5), (4, 0), (0, 5)), ((2, 3, 4), (0, 1, 2), (2, 1, 2)),
                               ((), (), ()), ((33,), (16,), (17,)), ((0, 3), (0, 1), (0, 2))):
        yield draft(m.values(*shape), m.array(begin, "Index"), m.array(size, "Index"))
    for begin, size in (((3, 0), (2, 3)), ((-1, 0), (1, 1)), ((0, 6), (1, 0)), ((0, 0), (-2, 1))):
        yield malformed(m.values(4, 5), m.array(begin, "Index"), m.array(size, "Index"))


# Shape of the sliced tensor, begin, end, strides, masks.
STRIDED = (
    ((5,), (1,), (4,), (1,), {}),
    ((4, 5), (1, 0), (3, 5), (1, 2), {}),
    ((4, 5), (0, 1), (0, 2), (1, 1), {"begin_mask": 1, "end_mask": 1, "shrink_axis_mask": 2}),
    ((0, 3), (0,), (0,), (1,), {"begin_mask": 1, "end_mask": 1}),
    ((5,), (0,), (5,), (2,), {}),
    ((5,), (0,), (0,), (-1,), {"begin_mask": 1, "end_mask": 1}),
    ((5,), (-2,), (0,), (1,), {"end_mask": 1}),
    ((5,), (3,), (0,), (-2,), {}),
    ((5,), (2,), (2,), (1,), {}),
    ((5,), (1,), (2,), (1,), {"shrink_axis_mask": 1}),
    ((5,), (-1,), (0,), (1,), {"shrink_axis_mask": 1}),
    ((5,), (-9,), (9,), (1,), {}),
    ((4, 5), (1, 2), (2, 3), (1, 1), {"shrink_axis_mask": 3}),
    ((4, 5), (0, 0), (0, 0), (-1, -2), {"begin_mask": 3, "end_mask": 3}),
    ((4, 5), (0, 0), (0, 0), (1, 1), {"ellipsis_mask": 1, "new_axis_mask": 2}),
    ((2, 3, 4), (0, 1), (0, 2), (1, 1), {"ellipsis_mask": 1, "shrink_axis_mask": 2}),
    ((2, 3, 4), (1, 0, 1), (2, 0, 3), (1, 1, 1), {"shrink_axis_mask": 1, "ellipsis_mask": 2}),
    ((2, 3, 4), (0, 2, 3), (2, 0, 0), (1, -1, -2), {"begin_mask": 1}),
    ((2, 3, 4), (1, 0, 0, 1), (2, 0, 0, 2), (1, 1, 1, 1), {"shrink_axis_mask": 9, "new_axis_mask": 2, "ellipsis_mask": 4}),
)
UNFIT_STRIDED = (((5,), (0,), (5,), (0,), {}), ((5,), (7,), (8,), (1,), {"shrink_axis_mask": 1}), ((5,), (0, 0), (1, 1), (1, 1), {}),
                 ((5,), (1,), (2,), (-1,), {"shrink_axis_mask": 1}), ((4, 5), (0, 0), (0, 0), (1, 1), {"ellipsis_mask": 3}))


@family("StridedSlice")
def strided(m):
    for kind, rows in ((draft, STRIDED), (malformed, UNFIT_STRIDED)):
        for shape, begin, end, strides, masks in rows:
            yield kind(m.values(*shape), m.array(begin, "Index"), m.array(end, "Index"), m.array(strides, "Index"), **masks)


@family("StridedSliceGrad")
def strided_gradient(m):
    for shape, begin, end, strides, masks in STRIDED:
        dy = sliced(np.empty(shape), begin, end, strides, masks).shape
        yield draft(m.array(shape, "Index"), m.array(begin, "Index"), m.array(end, "Index"), m.array(strides, "Index"), m.values(*dy), **masks)


def sliced(array, begin, end, strides, masks):
    def has(name, i):
        return masks.get(name, 0) >> i & 1

    parts = []
    for i, (b, e, s) in enumerate(zip(begin, end, strides)):
        if has("ellipsis_mask", i):
            parts.append(Ellipsis)
        elif has("new_axis_mask", i):
            parts.append(None)
        elif has("shrink_axis_mask", i):
            parts.append(b)
        else:
            parts.append(slice(None if has("begin_mask", i) else b, None if has("end_mask", i) else e, s))
    return array[tuple(parts)]


@family("Tile")
def tile(m):
    for shape, multiples in (((2, 3), (2, 1)), ((2, 3), (1, 1)), ((2, 3), (2, 2)), ((2, 3), (0, 1)), ((), ()), ((1, 2, 1), (2, 1, 3)), ((4,), (5,)),
                             ((0, 2), (2, 2))):
        yield draft(m.values(*shape), m.array(multiples, "Tmultiples"))
    yield malformed(m.values(2, 3), m.array((2, -1), "Tmultiples"))


@family("BroadcastTo")
def broadcast(m):
    for shape, to in (((3, 1), (2, 3, 2)), ((), (2, 2)), ((1, 3), (0, 3)), ((4, 1, 3), (4, 2, 3)), ((3,), (3,)), ((1,), (5,))):
        yield draft(m.values(*shape), m.array(to, "Tidx"))
    for to in ((2, 2), (3,), (-1, 3)):
        yield malformed(m.values(2, 3), m.array(to, "Tidx"))


PADDINGS = (((2, 3), ((1, 0), (0, 2))), ((3,), ((1, 1),)), ((2, 2, 3), ((0, 1), (1, 0), (2, 2))), ((2, 3), ((0, 0), (0, 0))), ((), np.zeros((0, 2))))


@family("Pad")
def pad(m):
    for shape, paddings in (*PADDINGS, ((0, 3), ((1, 1), (0, 1)))):
        yield draft(m.values(*shape), m.array(paddings, "Tpaddings"))
    yield malformed(m.values(2, 3), m.array(((0, 1), (-1, 0)), "Tpaddings"))


@family("PadV2")
def pad_with(m):
    for shape, paddings in (*PADDINGS, ((0, 3), ((1, 1), (0, 1)))):
        yield draft(m.values(*shape), m.array(paddings, "Tpaddings"), m.values())
    yield malformed(m.values(2, 3), m.array(((0, 1), (-1, 0)), "Tpaddings"), m.values())


@family("MirrorPad")
def mirror(m):
    for mode in ("REFLECT", "SYMMETRIC"):
        for shape, paddings in PADDINGS[:4]:
            yield draft(m.values(*(d + 1 for d in shape)), m.array(paddings, "Tpaddings"), mode=mode)
        yield malformed(m.values(2, 3), m.array(((0, 3), (0, 0)), "Tpaddings"), mode=mode)


@family("MirrorPadGrad")
def mirror_gradient(m):
    for mode in ("REFLECT", "SYMMETRIC"):
        for shape, paddings in PADDINGS[:4]:
            padded = [d + 1 + sum(p) for d, p in zip(shape, paddings)]
            yield draft(m.values(*padded), m.array(paddings, "Tpaddings"), mode=mode)


@family("ReverseV2")
def reverse(m):
    for shape, axes in (((2, 3), (1,)), ((2, 3, 2), (0, -1)), ((5,), ()), ((0, 3), (0,)), ((2, 3), (0, 1)), ((33,), (0,))):
        yield draft(m.values(*shape), m.array(axes, "Tidx"))
    for axes in ((0, 0), (2,), (-3,), (0, -2)):
        yield malformed(m.values(2, 3), m.array(axes, "Tidx"))


@family("Reverse")
def reverse_by_bools(m):
    for shape, dims in (((2, 3), (False, True)), ((2, 3, 2), (True, False, True)), ((5,), (False,)), ((0, 3), (True, False)), ((), ()), ((33,), (True,))):
        yield draft(m.values(*shape), m.array(dims, "bool"))
    for dims in ((True,), ((True, False),), (True, False, True)):
        yield malformed(m.values(2, 3), m.array(dims, "bool"))


@family("Empty", is_fragile=True)
def empty(m):
    for shape in ((2, 3), (), (0, 3), (4,), (2, 1, 2, 3)):
        yield draft(m.array(shape, "int32"), init=True)
    yield malformed(m.array((2, -1), "int32"), init=True)
    yield malformed(m.array(((2,),), "int32"), init=True)


@family("ReverseSequence")
def reverse_sequence(m):
    for shape, lengths, seq, batch in (((3, 4), (1, 4, 2), 1, 0), ((4, 3), (1, 4, 2), 0, 1), ((2, 3, 5), (5, 0), 2, 0), ((0, 3), (), 1, 0)):
        yield draft(m.values(*shape), m.array(lengths, "Tlen"), seq_dim=seq, batch_dim=batch)
    yield malformed(m.values(3, 4), m.array((1, 5, 2), "Tlen"), seq_dim=1, batch_dim=0)
    yield malformed(m.values(3, 4), m.array((1, 4, -2), "Tlen"), seq_dim=1, batch_dim=0)


@family("Roll")
def roll(m):
    for shape, shift, axis in (((2, 3), (1, -1), (0, 1)), ((4,), (1, 2), (0, 0)), ((5,), 3, 0), ((0, 3), 1, 1), ((2, 3, 4), -7, -1)):
        yield draft(m.values(*shape), m.array(shift, "Tshift"), m.array(axis, "Taxis"))
    yield malformed(m.values(2, 3), m.array(1, "Tshift"), m.array(2, "Taxis"))


@family("BroadcastGradientArgs", "BroadcastArgs")
def broadcast_arguments(m):
    for a, b in (((2, 3), (3,)), ((2, 3), (2, 3)), ((2, 1, 3), (4, 1)), ((), (2, 3)), ((2, 3), ()), ((1,), (1,)), ((0, 3), (1, 3)), ((5, 1, 1), (5, 1, 4))):
        yield draft(m.array(a), m.array(b))
    yield malformed(m.array((2, 3)), m.array((2, 4)))


@family("BatchToSpaceND", needs_shapes=True)
def batch_to_space(m):
    for shape, block, crops in (((4, 1, 1, 1), (2, 2), ((0, 0), (0, 0))), ((8, 2, 3, 2), (2, 2), ((0, 1), (1, 0))), ((6, 2, 2), (3,), ((1, 1),)),
                                ((4, 0, 1, 1), (2, 2), ((0, 0), (0, 0)))):
        yield draft(m.values(*shape), m.array(block, "Tblock_shape"), m.array(crops, "Tcrops"))
    yield malformed(m.values(5, 1, 1, 1), m.array((2, 2), "Tblock_shape"), m.array(((0, 0), (0, 0)), "Tcrops"))
    yield malformed(m.values(4, 1, 1, 1), m.array((2, 0), "Tblock_shape"), m.array(((0, 0), (0, 0)), "Tcrops"))


@family("SpaceToBatchND", needs_shapes=True)
def space_to_batch(m):
    for shape, block, paddings in (((1, 2, 2, 1), (2, 2), ((0, 0), (0, 0))), ((2, 3, 4, 2), (2, 2), ((0, 1), (1, 1))), ((2, 4, 2), (3,), ((1, 1),)),
                                   ((0, 2, 2, 1), (2, 2), ((0, 0), (0, 0)))):
        yield draft(m.values(*shape), m.array(block, "Tblock_shape"), m.array(paddings, "Tpaddings"))
    yield malformed(m.values(1, 3, 2, 1), m.array((2, 2), "Tblock_shape"), m.array(((0, 0), (0, 0)), "Tpaddings"))


@family("BatchToSpace", "SpaceToBatch")
def blocks(m):
    name = "crops" if m.signature.name == "BatchToSpace" else "paddings"
    for shape, margins in (((4, 2, 2, 1), ((0, 0), (0, 0))), ((8, 4, 2, 3), ((1, 1), (0, 0)))):
        yield draft(m.values(*shape), m.array(margins, "T" + name), block_size=2)


@family("DepthToSpace")
def depth_to_space(m):
    for shape, size in (((1, 2, 2, 4), 2), ((2, 1, 3, 9), 3), ((0, 2, 2, 4), 2), ((2, 3, 2, 8), 2)):
        yield draft(m.values(*shape), block_size=size)
    yield malformed(m.values(1, 2, 2, 5), block_size=2)


@family("SpaceToDepth")
def space_to_depth(m):
    for shape, size in (((1, 4, 4, 1), 2), ((2, 3, 6, 2), 3), ((0, 2, 2, 1), 2), ((2, 2, 4, 3), 2)):
        yield draft(m.values(*shape), block_size=size)
    yield malformed(m.values(1, 3, 2, 1), block_size=2)


@family("EnsureShape")
def ensure(m):
    for shape in SHAPES:
        yield draft(m.values(*shape), shape=shape)
    yield malformed(m.values(2, 3), shape=(3, 3))


@family("PlaceholderWithDefault")
def placeholder_with_default(m):
    for shape in SHAPES:
        yield draft(m.values(*shape), shape=None)


