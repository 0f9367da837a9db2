"""tensorflow.python.framework.tensor_util: values that are known without a session, and tensors in messages."""

from flowray import _native
from flowray.tf._shape import TensorShape
from flowray.tf._tensor_protos import get_static_value, make_ndarray, make_tensor_proto

constant_value, MakeNdarray = get_static_value, make_ndarray

__all__ = ["MakeNdarray", "constant_value", "constant_value_as_shape", "is_tensor", "is_tf_type", "make_ndarray", "make_tensor_proto"]


def is_tensor(x):
    return isinstance(x, (_native.Tensor, _native.Variable))


is_tf_type = is_tensor


def constant_value_as_shape(tensor):
    """The shape that a vector of sizes says, as far as it is known; -1 stands for an unknown size."""
    value = get_static_value(tensor)
    if value is not None:
        return TensorShape([None if size == -1 else int(size) for size in value])
    rank = tensor.shape[0].value if tensor.shape.ndims == 1 else None
    return TensorShape(None if rank is None else [None] * rank)
