"""What becomes a tensor, and questions about it."""

from flowray import _native
from flowray.tf._shape import Dimension, TensorShape

_CONVERSIONS = []  # (priority, order, types, function)


def _convert(value):
    """The tensor that a program's own function makes of an object; None where there is none."""
    for _, _, types, function in _CONVERSIONS:
        if isinstance(value, types):
            tensor = function(value, dtype=None, name=None, as_ref=False)
            if tensor is not NotImplemented:
                return tensor
    return None


def register_tensor_conversion_function(base_type, conversion_func, priority=100):
    """Has conversion_func(value, dtype, name, as_ref) make tensors of objects of a class, or a tuple of classes. Functions of lower
    priority come first; one that gives NotImplemented leaves the object to the next."""
    types = base_type if isinstance(base_type, tuple) else (base_type,)
    if not all(isinstance(kind, type) for kind in types):
        raise TypeError("Argument `base_type` must be a type or a tuple of types. Obtained: %s" % (base_type,))
    if any(issubclass(kind, (int, float, complex, str, bytes)) for kind in types):
        raise TypeError("Cannot register conversions for Python numeric types and NumPy scalars and arrays.")
    if not callable(conversion_func):
        raise TypeError("Argument `conversion_func` must be callable. Received %s." % (conversion_func,))
    _CONVERSIONS.append((priority, len(_CONVERSIONS), types, conversion_func))
    _CONVERSIONS.sort(key=lambda entry: entry[:2])
    _native._set_conversion(_convert)


def convert_to_tensor_or_indexed_slices(value, dtype=None, name=None):
    """Slices as they are, and other values as tensors."""
    return value if isinstance(value, _native.IndexedSlices) else _native.convert_to_tensor(value, dtype, name)


def dimension_value(dimension):
    """The number of a Dimension, or None; numbers are themselves."""
    return dimension.value if isinstance(dimension, Dimension) else dimension


def dimension_at_index(shape, index):
    """A dimension of a shape, whose rank may be unknown."""
    return Dimension(None) if shape.ndims is None else shape.dims[index]


def broadcast_static_shape(shape_x, shape_y):
    """The shape of what an elementwise op makes of these two."""
    first, second = TensorShape(shape_x), TensorShape(shape_y)
    if first.ndims is None or second.ndims is None:
        return TensorShape(None)
    sizes = []
    for k in range(max(first.ndims, second.ndims), 0, -1):
        x = first.dims[-k].value if k <= first.ndims else 1
        y = second.dims[-k].value if k <= second.ndims else 1
        if x is None or y is None:  # one that is unknown may be 1
            known = y if x is None else x
            sizes.append(known if known is not None and known > 1 else None)
        elif x == y or 1 in (x, y):
            sizes.append(y if x == 1 else x)
        else:
            raise ValueError("Incompatible shapes for broadcasting. Two shapes are compatible if for each dimension pair they are either "
                             "equal or one of them is 1. Received: %s and %s." % (first, second))
    return TensorShape(sizes)


def assert_proper_iterable(values):
    """Raises TypeError for what cannot be gone through, or only by accident: tensors, arrays, text."""
    import numpy
    if isinstance(values, (_native.Tensor, _native.Variable, numpy.ndarray, str, bytes)):
        raise TypeError('Expected argument "values" to be a "proper" iterable.  Found: %s' % type(values))
    if not hasattr(values, "__iter__"):
        raise TypeError('Expected argument "values" to be iterable.  Found: %s' % type(values))


def is_numeric_tensor(tensor):
    """Whether it is a tensor of numbers."""
    return isinstance(tensor, _native.Tensor) and (tensor.dtype.is_floating or tensor.dtype.is_integer or tensor.dtype.is_complex)


def is_symbolic_tensor(tensor):
    """Whether a session computes it: so it is with all tensors."""
    return isinstance(tensor, (_native.Tensor, _native.Variable))
