"""Values that are several tensors, as branches and loops take them apart and put them together again: SparseTensor, IndexedSlices,
RaggedTensor; and TensorArray, which is its flow."""

from flowray import _native
from flowray.tf import _nest
from flowray.tf._shape import TensorShape
from flowray.tf._specs import TensorSpec

_NOT_THE_SAME = "The two structures don't have the same nested structure."


def parts_of(value):
    """The tensors that it is."""
    if isinstance(value, _native.TensorArray):
        return [value.flow]
    return list(getattr(value, "_fetch_parts", (value,)))


def is_composite(value):
    return hasattr(value, "_fetch_parts")


def expanded(values):
    """The tensors of all of them, in a row."""
    return [part for value in values for part in parts_of(value)]


def _sparse_of(parts, shape):
    made = _native.SparseTensor(*parts)
    known = made.shape
    if shape.ndims is not None and known.ndims in (None, shape.ndims) and known.is_compatible_with(shape):
        made.set_shape(shape)
    return made


def _ragged_of(parts):
    from flowray.tf._ragged import RaggedTensor
    value, *splits = parts
    for row_splits in reversed(splits):
        value = RaggedTensor(value, row_splits, internal=True)
    return value


def like(old, parts):
    """What `old` is, of other tensors. What is known of the shape of a sparse tensor stays known."""
    if isinstance(old, _native.TensorArray):
        return old._with_flow(parts[0])
    if isinstance(old, _native.SparseTensor):
        return _sparse_of(parts, old.shape)
    if isinstance(old, _native.IndexedSlices):
        return _native.IndexedSlices(*parts)
    return _ragged_of(parts) if is_composite(old) else parts[0]


def grouped(before, tensors):
    """The tensors that expanded() has given for values like those `before`, in a list for each value."""
    tensors = iter(tensors)
    return [[next(tensors) for _ in parts_of(old)] for old in before]


def collected(before, tensors):
    """Values like those `before` of these tensors."""
    return [like(old, parts) for old, parts in zip(before, grouped(before, tensors))]


def assert_same_kinds(first, second):
    """That values in the same places of two structures that are alike are of one kind: ValueError in TensorFlow's words."""
    for one, other in zip(_nest.flatten(first), _nest.flatten(second)):
        if not is_composite(one) and not is_composite(other):
            continue
        kinds = [(type(value), len(parts_of(value)), value.dtype if is_composite(value) else None) for value in (one, other)]
        if kinds[0] != kinds[1]:
            raise ValueError("%s\n\nFirst structure: %s\n\nSecond structure: %s\n\nThey have a %s and a %s in the same place."
                             % (_NOT_THE_SAME, first, second, *(_kind_text(value) for value in (one, other))))


def _kind_text(value):
    if not is_composite(value):
        return type(value).__name__
    parts = "" if not isinstance(value, _native.IndexedSlices) else " with%s a dense_shape" % ("out" * (value.dense_shape is None))
    return "%s of %s%s" % (type(value).__name__, value.dtype.name, parts)


# ---- what loops keep of shapes

def _sparse_shapes(rank):
    return [TensorShape([None, rank]), TensorShape([None]), TensorShape([rank])]


def own_shapes(value):
    """The shapes that its tensors keep in a loop where nothing else is said."""
    if isinstance(value, _native.SparseTensor):
        return _sparse_shapes(value.shape.ndims)
    return [TensorShape(getattr(part, "shape", ())) for part in parts_of(value)]


def invariant_shapes(value, invariant):
    """Those that a shape invariant of the whole value means. ValueError where it cannot be one."""
    from flowray.tf._sparse import SparseTensorSpec
    if isinstance(invariant, (TensorSpec, SparseTensorSpec)):
        if isinstance(value, _native.SparseTensor) != isinstance(invariant, SparseTensorSpec) or invariant.dtype != value.dtype:
            raise TypeError("TypeSpec %r is not compatible with %s" % (invariant, value))
        shape = invariant.shape
        return [shape] if not isinstance(value, _native.SparseTensor) else _sparse_shapes(shape.ndims)
    if not is_composite(value):
        return [invariant]
    shape = TensorShape(invariant)
    if isinstance(value, _native.SparseTensor):
        if shape.ndims not in (None, 1):
            raise ValueError("Expected a shape with 1 dimension. Obtained: %s which has %d dimensions.\nThe shape invariant of a sparse "
                             "tensor is that of its dense_shape: TensorShape([2]) for matrices." % (shape, shape.ndims))
        return _sparse_shapes(None if shape.ndims is None else shape.as_list()[0])
    if isinstance(value, _native.IndexedSlices):
        rows = TensorShape([None]) if shape.ndims is None else shape[:1]
        return [shape, rows] + [TensorShape([shape.ndims])] * (value.dense_shape is not None)
    raise NotImplementedError("shape_invariants of a RaggedTensor are not there: loop over its values and row_splits")


def in_loop(value, invariant):
    """What makes the value of an iteration of its tensors: of a sparse tensor's shape that stays known which no invariant takes away."""
    from flowray.tf._sparse import SparseTensorSpec
    if not isinstance(value, _native.SparseTensor) or invariant is None:
        return lambda parts: like(value, parts)
    shape = invariant.shape if isinstance(invariant, SparseTensorSpec) else TensorShape(None)
    return lambda parts: _sparse_of(parts, shape)
