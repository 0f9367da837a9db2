"""Sparse tensors as the rows that queues, datasets and loops carry: three strings or variants for each, or a handle."""

from flowray import _native
from flowray.tf._shape import TensorShape
from flowray.tf._sparse import SparseTensorSpec, SparseTensorValue

_STRING, _VARIANT, _INT64 = (_native.as_dtype(name) for name in ("string", "variant", "int64"))


def as_sparse(value):
    """A SparseTensor of one or of its value. TypeError for anything else."""
    if isinstance(value, SparseTensorValue):
        return _native.SparseTensor.from_value(value)
    if not isinstance(value, _native.SparseTensor):
        raise TypeError("Input must be a SparseTensor.")
    return value


def _serialized(op, sp_input, out_type, name):
    sparse = as_sparse(sp_input)
    return _native.op(op, name, (sparse.indices, sparse.values, sparse.dense_shape), {"out_type": _native.as_dtype(out_type)})


def serialize_sparse(sp_input, name=None, out_type=_STRING):
    """A vector of three: indices, values and shape as strings, or as variants."""
    return _serialized("SerializeSparse", sp_input, out_type, name)


def serialize_many_sparse(sp_input, name=None, out_type=_STRING):
    """The same of each row of a sparse tensor: a matrix of three columns."""
    return _serialized("SerializeManySparse", sp_input, out_type, name)


def deserialize_many_sparse(serialized_sparse, dtype, rank=None, name=None):
    """The sparse tensor of the rows that serialize_many_sparse has made, or that are stacked; `rank`: that of the whole, where it is
    known."""
    indices, values, shape = _native.op("DeserializeManySparse", name, (_native.convert_to_tensor(serialized_sparse, _STRING),),
                                        {"dtype": _native.as_dtype(dtype)})
    _tell_rank(indices, shape, rank)
    return _native.SparseTensor(indices, values, shape)


def _tell_rank(indices, shape, rank):
    indices.set_shape([None, rank])
    shape.set_shape([rank])


# ---- components of elements

def serialized(value, by_rows=False):
    """As a component of elements; by rows, whose number is that of the elements."""
    return _serialized("SerializeManySparse" if by_rows else "SerializeSparse", value, _VARIANT, None)


def deserialized(component, spec):
    """The sparse tensor of that spec in a component."""
    indices, values, shape = _native.op("DeserializeSparse", None, (component,), {"dtype": spec.dtype, "Tserialized": _VARIANT})
    rank = spec.shape.ndims
    _tell_rank(indices, shape, rank)
    return _native.SparseTensor(indices, values, _shape_tensor(shape, spec.shape))


def _shape_tensor(shape, known):
    """The tensor of the shape, with what is known of it as constants."""
    if known.ndims is None or known.ndims == 0 or all(dim is None for dim in known.as_list()):
        return shape
    dims = known.as_list()
    if None not in dims:
        return _native.convert_to_tensor(dims, dtype=_INT64, name="shape")
    pieces = _native.unstack(shape, num=known.ndims)
    return _native.stack([piece if dim is None else _native.constant(dim, _INT64) for piece, dim in zip(pieces, dims)])


def batched(spec, size):
    """The spec of `size` of them stacked; None: some number."""
    return SparseTensorSpec(TensorShape([size]).concatenate(spec.shape), spec.dtype)


def row(spec):
    """The spec of a row of one."""
    return SparseTensorSpec(TensorShape(None) if spec.shape.ndims is None else spec.shape[1:], spec.dtype)


def merged(one, other):
    """What is known of a sparse tensor that is of one of two specs."""
    if one.dtype != other.dtype:
        raise TypeError("Incompatible dataset elements:\n  %r vs.   %r" % (one, other))
    if one.shape.ndims is None or one.shape.ndims != other.shape.ndims:
        return SparseTensorSpec(None, one.dtype)
    dims = [a if a == b else None for a, b in zip(one.shape.as_list(), other.shape.as_list())]
    return SparseTensorSpec(dims, one.dtype)


# ---- handles, for queues

def handle(value, by_rows=False, maker=None):
    """That of a sparse tensor in a map of the session, for one time; of its rows, one each. `maker`: the op whose map it is, where it is
    not one of its own."""
    sparse = as_sparse(value)
    return _native.op("AddManySparseToTensorsMap" if by_rows else "AddSparseToTensorsMap", None,
                      (sparse.indices, sparse.values, sparse.dense_shape), {} if maker is None else {"shared_name": maker.name})


def taken(handles, dtype, maker, rank):
    """The sparse tensor of all that stand behind handles which the op `maker` has made; `rank`: that of the result."""
    with _native.colocate_with(maker):
        indices, values, shape = _native.op("TakeManySparseFromTensorsMap", None, (handles,), {"dtype": dtype, "shared_name": maker.name})
    _tell_rank(indices, shape, rank)
    return _native.SparseTensor(indices, values, shape)
