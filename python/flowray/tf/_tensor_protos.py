"""Tensors as messages and as values known while the graph is built: tf.make_tensor_proto, tf.make_ndarray, tf.get_static_value."""

from flowray import _native
from flowray.tf import _messages

TensorProto, TensorShapeProto = _messages.TensorProto, _messages.TensorShapeProto
# Where values stand that are not in tensor_content.
_FIELDS = {"float16": "half_val", "bfloat16": "half_val", "float32": "float_val", "float64": "double_val", "int8": "int_val",
           "int16": "int_val", "int32": "int_val", "uint8": "int_val", "uint16": "int_val", "qint8": "int_val", "quint8": "int_val",
           "qint16": "int_val", "quint16": "int_val", "qint32": "int_val", "int64": "int64_val", "uint32": "uint32_val",
           "uint64": "uint64_val", "bool": "bool_val", "string": "string_val", "complex64": "scomplex_val", "complex128": "dcomplex_val"}
# Of more than one value these are written as bytes.
_AS_BYTES = ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint32", "uint64", "qint8", "quint8", "qint16", "quint16",
             "qint32")


def get_static_value(tensor, partial=False):
    """The value of a tensor where it follows from constants and shapes; None where it does not. Other values are themselves."""
    return _native._static_value(tensor) if isinstance(tensor, (_native.Tensor, _native.Variable)) else tensor


def _array_of(values, dtype):
    """The values as a constant would hold them."""
    if isinstance(values, _native.Tensor):
        raise TypeError("List of Tensors when single Tensor expected")
    with _native.Graph().as_default():
        return _native._static_value(_native.constant(values, dtype))


def _entries(array, name):
    if name in ("complex64", "complex128"):
        return [part for value in array.ravel().tolist() for part in (value.real, value.imag)]
    if name == "string":
        return list(array.ravel())
    if name in ("float16", "bfloat16"):
        return array.ravel().view("uint16").tolist()
    return array.ravel().tolist()


def make_tensor_proto(values, dtype=None, shape=None, verify_shape=False, allow_broadcast=False):
    """The values as a TensorProto. Where `shape` has more elements than there are, the last one stands for the rest."""
    import numpy as np
    if isinstance(values, TensorProto):
        return values
    array = np.asarray(_array_of(values, dtype), object if dtype == "string" else None)
    dtype = _native.as_dtype(dtype).base_dtype if dtype is not None else _native.as_dtype("string") if array.dtype == object else \
        _native.as_dtype(array.dtype)
    dims = list(array.shape) if shape is None else [int(size) for size in shape]
    if shape is not None and dims != list(array.shape):
        broadcasts = allow_broadcast and array.shape in ((), (1,)) or allow_broadcast and array.size == np.prod(dims, dtype=np.int64)
        if (verify_shape or allow_broadcast) and not broadcasts:
            raise TypeError("Expected Tensor's shape: %s, but got %s." % (tuple(dims), tuple(array.shape)))
        if array.size > np.prod(dims, dtype=np.int64):
            raise ValueError("Too many elements provided. Takes at most %d, but got %d." % (np.prod(dims, dtype=np.int64), array.size))
    proto = TensorProto(dtype=dtype.as_datatype_enum,
                        tensor_shape=TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in dims]))
    if dtype.name in _AS_BYTES and array.size > 1 and dims == list(array.shape):
        proto.tensor_content = array.tobytes()
    else:
        getattr(proto, _FIELDS[dtype.name]).extend(_entries(array, dtype.name))
    return proto


def make_ndarray(tensor):
    """The NumPy array that a TensorProto holds."""
    import numpy as np
    if not isinstance(tensor, TensorProto):
        tensor = TensorProto.FromString(tensor.SerializeToString())
    dtype = _native.as_dtype(tensor.dtype)
    shape = [dim.size for dim in tensor.tensor_shape.dim]
    size = int(np.prod(shape, dtype=np.int64))
    if tensor.tensor_content:
        return np.frombuffer(tensor.tensor_content, dtype=dtype.as_numpy_dtype).copy().reshape(shape)
    values = list(getattr(tensor, _FIELDS[dtype.name]))
    if dtype.name in ("complex64", "complex128"):
        values = [complex(*pair) for pair in zip(values[::2], values[1::2])]
    if dtype.name in ("float16", "bfloat16"):
        array = np.array(values, np.uint16).view(dtype.as_numpy_dtype)
    else:
        array = np.array(values, dtype.as_numpy_dtype)
    if array.size < size:  # the last value stands for the rest; none stands for zeros
        fill = array[-1:] if array.size else np.zeros([1], array.dtype)
        array = np.concatenate([array, np.repeat(fill, size - array.size)])
    return array.reshape(shape)
