"""tf.TensorShape and tf.Dimension: what the language's shapes look like from Python."""


class Dimension:
    """One size; its value is None where it is not known."""

    __slots__ = ("value",)
    _is_dimension = True

    def __init__(self, value):
        if isinstance(value, Dimension):
            value = value.value
        if value is not None:
            value = value.__index__()
            if value < 0:
                raise ValueError("Dimension %d must be >= 0" % value)
        self.value = value

    def __repr__(self):
        return "Dimension(%r)" % self.value

    def __str__(self):
        return "?" if self.value is None else str(self.value)

    def __eq__(self, other):
        other = other.value if isinstance(other, Dimension) else other
        if other is not None and not hasattr(other, "__index__"):
            return NotImplemented
        if self.value is None or other is None:
            return None
        return self.value == other

    def __ne__(self, other):
        equal = self.__eq__(other)
        return equal if equal is None or equal is NotImplemented else not equal

    def __hash__(self):
        return hash(self.value)

    def __int__(self):
        if self.value is None:
            raise TypeError("__int__ returned non-int (type NoneType)")
        return self.value

    def __index__(self):
        return self.__int__()

    def __bool__(self):
        return self.value is not None and self.value != 0

    def is_compatible_with(self, other):
        other = Dimension(other)
        return self.value is None or other.value is None or self.value == other.value

    def assert_is_compatible_with(self, other):
        if not self.is_compatible_with(other):
            raise ValueError("Dimensions %s and %s are not compatible" % (self, Dimension(other)))

    def merge_with(self, other):
        other = Dimension(other)
        self.assert_is_compatible_with(other)
        return other if self.value is None else self

    def _with(self, other, function):
        other = Dimension(other)
        if self.value is None or other.value is None:
            return Dimension(None)
        return Dimension(function(self.value, other.value))

    def __add__(self, other):
        return self._with(other, lambda a, b: a + b)

    __radd__ = __add__

    def __mul__(self, other):
        return self._with(other, lambda a, b: a * b)

    __rmul__ = __mul__

    def __sub__(self, other):
        return self._with(other, lambda a, b: a - b)

    def __rsub__(self, other):
        return Dimension(other) - self

    def __floordiv__(self, other):
        return self._with(other, lambda a, b: a // b)

    def __rfloordiv__(self, other):
        return Dimension(other) // self

    def __mod__(self, other):
        return self._with(other, lambda a, b: a % b)

    def _compare(self, other, function):
        other = Dimension(other)
        if self.value is None or other.value is None:
            return None
        return function(self.value, other.value)

    def __lt__(self, other):
        return self._compare(other, lambda a, b: a < b)

    def __le__(self, other):
        return self._compare(other, lambda a, b: a <= b)

    def __gt__(self, other):
        return self._compare(other, lambda a, b: a > b)

    def __ge__(self, other):
        return self._compare(other, lambda a, b: a >= b)


class TensorShape:
    """A shape of which not everything need be known."""

    __slots__ = ("_dims",)

    def __init__(self, dims):
        if isinstance(dims, TensorShape):
            self._dims = dims._dims
        elif dims is None:
            self._dims = None
        elif hasattr(dims, "__index__") and not getattr(dims, "shape", ()):  # arrays have __index__, too
            self._dims = (dims.__index__(),)
        elif hasattr(dims, "unknown_rank"):  # a TensorShapeProto
            self._dims = None if dims.unknown_rank else tuple(None if dim.size == -1 else dim.size for dim in dims.dim)
        else:
            self._dims = tuple(Dimension(dim).value for dim in dims)

    @property
    def dims(self):
        return None if self._dims is None else [Dimension(dim) for dim in self._dims]

    @property
    def ndims(self):
        return None if self._dims is None else len(self._dims)

    rank = ndims

    def as_list(self):
        if self._dims is None:
            raise ValueError("as_list() is not defined on an unknown TensorShape.")
        return list(self._dims)

    def as_proto(self):
        """The shape as a TensorShapeProto, in which -1 is a dimension that nobody knows."""
        from flowray.tf._messages import TensorShapeProto
        if self._dims is None:
            return TensorShapeProto(unknown_rank=True)
        return TensorShapeProto(dim=[TensorShapeProto.Dim(size=-1 if dim is None else dim) for dim in self._dims])

    def num_elements(self):
        if not self.is_fully_defined():
            return None
        count = 1
        for dim in self._dims:
            count *= dim
        return count

    def is_fully_defined(self):
        return self._dims is not None and None not in self._dims

    def assert_is_fully_defined(self):
        if not self.is_fully_defined():
            raise ValueError("Shape %s is not fully defined" % (self,))

    def is_compatible_with(self, other):
        other = TensorShape(other)
        if self._dims is None or other._dims is None:
            return True
        return len(self._dims) == len(other._dims) and all(
            a is None or b is None or a == b for a, b in zip(self._dims, other._dims))

    def assert_is_compatible_with(self, other):
        if not self.is_compatible_with(other):
            raise ValueError("Shapes %s and %s are incompatible" % (self, TensorShape(other)))

    def assert_has_rank(self, rank):
        if self._dims is not None and len(self._dims) != rank:
            raise ValueError("Shape %s must have rank %d" % (self, rank))

    def merge_with(self, other):
        other = TensorShape(other)
        if self._dims is None:
            return other
        if other._dims is None:
            return self
        if not self.is_compatible_with(other):
            raise ValueError("Shapes %s and %s are not compatible" % (self, other))
        return TensorShape([b if a is None else a for a, b in zip(self._dims, other._dims)])

    def concatenate(self, other):
        other = TensorShape(other)
        if self._dims is None or other._dims is None:
            return TensorShape(None)
        return TensorShape(self._dims + other._dims)

    def with_rank(self, rank):
        self.assert_has_rank(rank)
        return TensorShape([None] * rank) if self._dims is None else self

    def with_rank_at_least(self, rank):
        if self._dims is not None and len(self._dims) < rank:
            raise ValueError("Shape %s must have rank at least %d" % (self, rank))
        return self

    def with_rank_at_most(self, rank):
        if self._dims is not None and len(self._dims) > rank:
            raise ValueError("Shape %s must have rank at most %d" % (self, rank))
        return self

    def assert_same_rank(self, other):
        other = TensorShape(other)
        if self._dims is not None and other._dims is not None and len(self._dims) != len(other._dims):
            raise ValueError("Shapes %s and %s must have the same rank" % (self, other))

    def most_specific_compatible_shape(self, other):
        """The shape that says what is true of both."""
        other = TensorShape(other)
        if self._dims is None or other._dims is None or len(self._dims) != len(other._dims):
            return TensorShape(None)
        return TensorShape([a if a == b else None for a, b in zip(self._dims, other._dims)])

    def __getitem__(self, key):
        if self._dims is None:
            return TensorShape(None) if isinstance(key, slice) else Dimension(None)
        if isinstance(key, slice):
            return TensorShape(self._dims[key])
        return Dimension(self._dims[key])

    def __len__(self):
        if self._dims is None:
            raise ValueError("Cannot take the length of shape with unknown rank.")
        return len(self._dims)

    def __iter__(self):
        if self._dims is None:
            raise ValueError("Cannot iterate over a shape with unknown rank.")
        return iter(self.dims)

    def __bool__(self):
        return self._dims is not None

    def __eq__(self, other):
        try:
            other = TensorShape(other)
        except TypeError:
            return NotImplemented
        return self._dims == other._dims

    def __hash__(self):
        return hash(self._dims)

    def __add__(self, other):
        return self.concatenate(other)

    def __repr__(self):
        return "TensorShape(%s)" % self.dims

    def __str__(self):
        if self._dims is None:
            return "<unknown>"
        if len(self._dims) == 1:
            return "(%s,)" % ("?" if self._dims[0] is None else self._dims[0])
        return "(%s)" % ", ".join("?" if dim is None else str(dim) for dim in self._dims)

    def __reduce__(self):
        return TensorShape, (self._dims,)


def unknown_shape(ndims=None, **named):
    ndims = named.get("rank", ndims)
    return TensorShape(None) if ndims is None else TensorShape([None] * ndims)
