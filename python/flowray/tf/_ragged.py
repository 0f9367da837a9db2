"""tf.RaggedTensor and tf.ragged: rows of different lengths, as their values one after the other and where each row begins."""

from collections import namedtuple as _namedtuple

# NumPy is imported where it is used: tf itself is imported without it.
from flowray import _native
from flowray.tf import _generated as _ops
from flowray.tf._shape import TensorShape

_INT64, _INT32 = _native.as_dtype("int64"), _native.as_dtype("int32")


class RaggedTensorValue(_namedtuple("RaggedTensorValue", ["values", "row_splits"])):
    """What a session gives for a RaggedTensor."""

    flat_values = property(lambda self: self.values.flat_values if isinstance(self.values, RaggedTensorValue) else self.values)
    dtype = property(lambda self: self.values.dtype)
    ragged_rank = property(lambda self: 1 + (self.values.ragged_rank if isinstance(self.values, RaggedTensorValue) else 0))

    @property
    def nested_row_splits(self):
        inner = self.values.nested_row_splits if isinstance(self.values, RaggedTensorValue) else ()
        return (self.row_splits, *inner)

    @property
    def shape(self):
        inner = self.values.shape if isinstance(self.values, RaggedTensorValue) else self.values.shape
        return (self.row_splits.shape[0] - 1, None) + tuple(inner[1:])

    def to_list(self):
        """The rows as nested lists."""
        inner = self.values.to_list() if isinstance(self.values, RaggedTensorValue) else self.values.tolist()
        return [inner[begin:end] for begin, end in zip(self.row_splits[:-1], self.row_splits[1:])]


def _value_of_parts(parts):
    value, *splits = parts
    for row_splits in reversed(splits):
        value = RaggedTensorValue(value, row_splits)
    return value


def _check_dtype(dtype):
    dtype = _native.as_dtype(dtype)
    if dtype not in (_INT32, _INT64):
        raise ValueError("Argument `row_splits` dtype must be int32 or int64. Received %s." % dtype)
    return dtype


def _partition(values, name):
    """Places of rows as a tensor of int32 or int64."""
    import numpy as _np
    tensor = values if isinstance(values, _native.Tensor) else None
    if tensor is None:
        array = _np.asarray(values)
        tensor = _native.convert_to_tensor(values, _INT32 if array.dtype == _np.int32 else _INT64, name)
    if tensor.dtype not in (_INT32, _INT64):
        raise ValueError("Row-partitioning tensors must have dtype int32 or int64, got %s" % tensor.dtype)
    tensor.shape.assert_has_rank(1)
    return tensor


def _as_values(values):
    return values if isinstance(values, RaggedTensor) else _native.convert_to_tensor(values, name="values")


def _count(values, dtype):
    """How many rows there are in the values of another."""
    if isinstance(values, RaggedTensor):
        return _native.cast(values.nrows(), dtype)
    return _native.shape(values, out_type=dtype)[0]


def _checked(tensor, checks):
    with _native.control_dependencies(checks):
        return _native.identity(tensor)


_WORDS = "Arguments to %s do not form a valid RaggedTensor"


class RaggedTensor:
    """Rows of different lengths: `values` has them one after the other, `row_splits` tells where each begins and the last ends."""

    __array_priority__ = 100

    def __init__(self, values, row_splits, internal=False):
        if not internal:
            raise ValueError("RaggedTensor constructor is private; please use one of the factory methods instead (e.g., "
                             "RaggedTensor.from_row_lengths())")
        self._values, self._row_splits = values, row_splits

    # ---- made

    @classmethod
    def from_row_splits(cls, values, row_splits, name=None, validate=True):
        """From where each row begins, and where the last ends."""
        with _native.name_scope(name, "RaggedFromRowSplits", [values if isinstance(values, _native.Tensor) else None, row_splits]):
            values, row_splits = _as_values(values), _partition(row_splits, "row_splits")
            if isinstance(values, RaggedTensor) and values.row_splits.dtype != row_splits.dtype:
                values, row_splits = values.with_row_splits_dtype(_INT64), _native.cast(row_splits, _INT64)
            if validate:
                words = _WORDS % "from_row_splits"
                row_splits = _checked(row_splits, [
                    _native.assert_equal(row_splits[0], _native.cast(0, row_splits.dtype), message=words),
                    _native.assert_non_negative(row_splits[1:] - row_splits[:-1], message=words),
                    _native.assert_equal(row_splits[-1], _count(values, row_splits.dtype), message=words)])
            return cls(values, row_splits, internal=True)

    @classmethod
    def from_row_lengths(cls, values, row_lengths, name=None, validate=True):
        """From the length of each row."""
        with _native.name_scope(name, "RaggedFromRowLengths"):
            lengths = _partition(row_lengths, "row_lengths")
            if validate:
                lengths = _checked(lengths, [_native.assert_non_negative(lengths, message=_WORDS % "from_row_lengths")])
            splits = _native.concat([_native.convert_to_tensor([0], lengths.dtype), _ops.Cumsum(lengths, 0)], 0)
            return cls.from_row_splits(values, splits, validate=validate)

    @classmethod
    def from_row_starts(cls, values, row_starts, name=None, validate=True):
        """From where each row begins."""
        with _native.name_scope(name, "RaggedFromRowStarts"):
            values, starts = _as_values(values), _partition(row_starts, "row_starts")
            splits = _native.concat([starts, _native.expand_dims(_count(values, starts.dtype), 0)], 0)
            return cls.from_row_splits(values, splits, validate=validate)

    @classmethod
    def from_row_limits(cls, values, row_limits, name=None, validate=True):
        """From where each row ends."""
        with _native.name_scope(name, "RaggedFromRowLimits"):
            limits = _partition(row_limits, "row_limits")
            splits = _native.concat([_native.convert_to_tensor([0], limits.dtype), limits], 0)
            return cls.from_row_splits(values, splits, validate=validate)

    @classmethod
    def from_value_rowids(cls, values, value_rowids, nrows=None, name=None, validate=True):
        """From the row of each value, in order."""
        with _native.name_scope(name, "RaggedFromValueRowIds"):
            values, rows = _as_values(values), _partition(value_rowids, "value_rowids")
            if nrows is None:
                nrows = _native.reduce_max(_native.concat([rows, _native.convert_to_tensor([-1], rows.dtype)], 0)) + 1
            else:
                nrows = _native.cast(_native.convert_to_tensor(nrows, rows.dtype if not isinstance(nrows, _native.Tensor) else None), rows.dtype)
            if validate:
                words = _WORDS % "from_value_rowids"
                rows = _checked(rows, [_native.assert_non_negative(rows[1:] - rows[:-1], message=words),
                                       _native.assert_non_negative(rows, message=words),
                                       _native.assert_less(rows, nrows, message=words),
                                       _native.assert_equal(_native.size(rows, out_type=rows.dtype), _count(values, rows.dtype), message=words)])
            ones = _native.ones_like(rows)
            lengths = _ops.UnsortedSegmentSum(ones, rows, _native.cast(nrows, _INT32))
            splits = _native.concat([_native.convert_to_tensor([0], rows.dtype), _ops.Cumsum(lengths, 0)], 0)
            return cls.from_row_splits(values, splits, validate=False)

    @classmethod
    def from_uniform_row_length(cls, values, uniform_row_length, nrows=None, validate=True, name=None):
        """Rows of one length."""
        with _native.name_scope(name, "RaggedFromUniformRowLength"):
            values = _as_values(values)
            length = _native.cast(_native.convert_to_tensor(uniform_row_length), _INT64)
            if nrows is None:
                nrows = _count(values, _INT64) // _native.maximum(length, 1)
            count = _native.cast(_native.convert_to_tensor(nrows), _INT64)
            return cls.from_row_splits(values, _native.range(count + 1) * length, validate=validate)

    @classmethod
    def from_nested_row_splits(cls, flat_values, nested_row_splits, name=None, validate=True):
        """Rows of rows, from the outermost inwards."""
        return cls._nested(flat_values, nested_row_splits, name, "RaggedFromNestedRowSplits", cls.from_row_splits, validate, "nested_row_splits")

    @classmethod
    def from_nested_row_lengths(cls, flat_values, nested_row_lengths, name=None, validate=True):
        """Rows of rows, from the outermost inwards."""
        return cls._nested(flat_values, nested_row_lengths, name, "RaggedFromNestedRowlengths", cls.from_row_lengths, validate,
                           "nested_row_lengths")

    @classmethod
    def from_nested_value_rowids(cls, flat_values, nested_value_rowids, nested_nrows=None, name=None, validate=True):
        """Rows of rows, from the outermost inwards."""
        if isinstance(nested_value_rowids, _native.Tensor):
            raise TypeError("Argument `nested_value_rowids` must be a list of Tensors. Received %s." % nested_value_rowids)
        nested_nrows = [None] * len(nested_value_rowids) if nested_nrows is None else nested_nrows
        with _native.name_scope(name, "RaggedFromNestedValueRowIds"):
            result = flat_values
            for rows, nrows in reversed(list(zip(nested_value_rowids, nested_nrows))):
                result = cls.from_value_rowids(result, rows, nrows, validate=validate)
            return result

    @classmethod
    def _nested(cls, flat_values, nested, name, scope, make, validate, word):
        if isinstance(nested, _native.Tensor):
            raise TypeError("Argument `%s` must be a list of Tensors. Received %s." % (word, nested))
        with _native.name_scope(name, scope):
            result = flat_values
            for partition in reversed(nested):
                result = make(result, partition, validate=validate)
            return result

    # ---- what it is

    dtype = property(lambda self: self._values.dtype)
    values = property(lambda self: self._values)
    row_splits = property(lambda self: self._row_splits)
    flat_values = property(lambda self: self._values.flat_values if isinstance(self._values, RaggedTensor) else self._values)
    ragged_rank = property(lambda self: 1 + (self._values.ragged_rank if isinstance(self._values, RaggedTensor) else 0))
    graph = property(lambda self: self.flat_values.graph)
    _fetch_parts = property(lambda self: (self.flat_values, *self.nested_row_splits))
    _fetched_from = property(lambda self: _value_of_parts)

    @property
    def nested_row_splits(self):
        """Those of all ragged dimensions, from the outermost inwards."""
        inner = self._values.nested_row_splits if isinstance(self._values, RaggedTensor) else ()
        return (self._row_splits, *inner)

    @property
    def shape(self):
        """Its shape; a ragged dimension is unknown."""
        count = self._row_splits.shape.dims[0].value if self._row_splits.shape.ndims is not None else None
        inner = self._values.shape
        rest = TensorShape(None) if inner.ndims is None else TensorShape(inner.dims[1:])
        return TensorShape([None if count is None else count - 1, None]).concatenate(rest)

    def get_shape(self):
        return self.shape

    def __repr__(self):
        return "tf.RaggedTensor(values=%s, row_splits=%s)" % (self._values, self._row_splits)

    def eval(self, feed_dict=None, session=None):
        """Its value in a step."""
        session = _native.get_default_session() if session is None else session
        if session is None:
            raise ValueError("Cannot evaluate tensor using `eval()`: No default session is registered. Use `with sess.as_default()` or "
                             "pass an explicit session to `eval(session=sess)`")
        return session.run(self, feed_dict)

    # ---- rows

    def nrows(self, out_type=None, name=None):
        """How many rows there are."""
        with _native.name_scope(name, "RaggedNRows"):
            return _native.shape(self._row_splits, out_type=_native.as_dtype(out_type or self._row_splits.dtype))[0] - 1

    def row_starts(self, name=None):
        """Where each row begins."""
        with _native.name_scope(name, "RaggedRowStarts"):
            return self._row_splits[:-1]

    def row_limits(self, name=None):
        """Where each row ends."""
        with _native.name_scope(name, "RaggedRowLimits"):
            return self._row_splits[1:]

    def row_lengths(self, axis=1, name=None):
        """The length of each row of a dimension."""
        with _native.name_scope(name, "RaggedRowLengths"):
            axis = axis + self.shape.ndims if axis < 0 else axis
            if axis == 0:
                return self.nrows()
            if axis == 1:
                return self._row_splits[1:] - self._row_splits[:-1]
            if isinstance(self._values, RaggedTensor):
                return self.with_values(self._values.row_lengths(axis - 1))
            shape = _native.shape(self._values, out_type=self._row_splits.dtype)
            return self.with_values(_native.ones(shape[:axis - 1], self._row_splits.dtype) * shape[axis - 1])

    def value_rowids(self, name=None):
        """The row of each value."""
        with _native.name_scope(name, "RaggedValueRowIds"):
            return _row_ids(self._row_splits)

    def nested_value_rowids(self, name=None):
        """Those of all ragged dimensions, from the outermost inwards."""
        inner = self._values.nested_value_rowids() if isinstance(self._values, RaggedTensor) else ()
        return (self.value_rowids(name), *inner)

    def nested_row_lengths(self, name=None):
        """Those of all ragged dimensions, from the outermost inwards."""
        inner = self._values.nested_row_lengths() if isinstance(self._values, RaggedTensor) else ()
        return (self.row_lengths(name=name), *inner)

    def bounding_shape(self, axis=None, name=None, out_type=None):
        """The shape of the smallest dense tensor that holds it."""
        out_type = _native.as_dtype(out_type or self._row_splits.dtype)
        with _native.name_scope(name, "RaggedBoundingBox"):
            sizes = [self.nrows()] + [_native.maximum(_native.reduce_max(splits[1:] - splits[:-1]), _native.cast(0, splits.dtype))
                                      for splits in self.nested_row_splits]
            inner = _native.shape(self.flat_values, out_type=out_type)[1:]
            shape = _native.concat([_native.cast(_native.stack(sizes), out_type), inner], 0)
            return shape if axis is None else _native.gather(shape, axis)

    # ---- other values in the same rows

    def with_values(self, new_values):
        """Others in the same rows."""
        new_values = _as_values(new_values)
        splits = self._row_splits
        if isinstance(new_values, RaggedTensor) and new_values.row_splits.dtype != splits.dtype:
            new_values, splits = new_values.with_row_splits_dtype(_INT64), _native.cast(splits, _INT64)
        return RaggedTensor(new_values, splits, internal=True)

    def with_flat_values(self, new_values):
        """Others in the same innermost rows."""
        if isinstance(self._values, RaggedTensor):
            return self.with_values(self._values.with_flat_values(new_values))
        return self.with_values(new_values)

    def with_row_splits_dtype(self, dtype):
        """The same with places of this dtype."""
        dtype = _check_dtype(dtype)
        if self._row_splits.dtype == dtype:
            return self
        values = self._values.with_row_splits_dtype(dtype) if isinstance(self._values, RaggedTensor) else self._values
        return RaggedTensor(values, _native.cast(self._row_splits, dtype), internal=True)

    # ---- to and from others

    @classmethod
    def from_tensor(cls, tensor, lengths=None, padding=None, ragged_rank=1, name=None, row_splits_dtype=_INT64):
        """The rows of a dense tensor: as long as `lengths` says, or without the padding at their ends."""
        dtype = _check_dtype(row_splits_dtype)
        if lengths is not None and padding is not None:
            raise ValueError("Specify argument `lengths` or `padding`, but not both.")
        if not isinstance(ragged_rank, int):
            raise TypeError("Argument `ragged_rank` must be an int. Received %s." % ragged_rank)
        if ragged_rank <= 0:
            raise ValueError("Argument `ragged_rank` must be greater than 0. Received %s." % ragged_rank)
        with _native.name_scope(name, "RaggedFromTensor"):
            tensor = _native.convert_to_tensor(tensor, name="tensor")
            if ragged_rank > 1:
                if lengths is not None or padding is not None:
                    raise NotImplementedError("RaggedTensor.from_tensor takes lengths and padding for a ragged_rank of 1 here")
                shape = _native.shape(tensor, out_type=dtype)
                inner = _native.reshape(tensor, _native.concat([[-1], shape[2:]], 0))
                inner.set_shape(TensorShape([None]).concatenate(TensorShape(tensor.shape.dims[2:])))
                values = cls.from_tensor(inner, ragged_rank=ragged_rank - 1, row_splits_dtype=dtype)
                return cls(values, _native.range(shape[0] + 1) * shape[1], internal=True)
            shape = _native.shape(tensor, out_type=dtype)
            rows, columns = shape[0], shape[1]
            if padding is not None:
                lengths = _unpadded_lengths(tensor, padding, dtype)
            if lengths is None:
                values = _native.reshape(tensor, _native.concat([[-1], shape[2:]], 0))
                splits = _native.range(rows + 1) * columns
            else:
                lengths = _native.minimum(_native.maximum(_native.cast(_native.convert_to_tensor(lengths), dtype), _native.cast(0, dtype)), columns)
                values = _native.boolean_mask(tensor, _native.sequence_mask(lengths, columns))
                splits = _native.concat([_native.convert_to_tensor([0], dtype), _ops.Cumsum(lengths, 0)], 0)
            return cls(values, splits, internal=True)

    def to_tensor(self, default_value=None, name=None, shape=None):
        """A dense tensor, filled up with the default."""
        with _native.name_scope(name, "RaggedToTensor"):
            if default_value is None:
                default_value = _native.zeros((), self.dtype)
            default_value = _native.convert_to_tensor(default_value, self.dtype, "default_value")
            dims = -1 if shape is None else [-1 if size is None else size for size in TensorShape(shape).as_list()]
            dims = _native.convert_to_tensor(dims, _INT64)
            kinds = ["ROW_SPLITS"] * self.ragged_rank
            result = _ops.RaggedTensorToTensor(dims, self.flat_values, default_value, list(self.nested_row_splits), kinds)
            if shape is not None:
                result.set_shape(shape)
            return result

    @classmethod
    def from_sparse(cls, st_input, name=None, row_splits_dtype=_INT64):
        """The rows of a sparse matrix, whose values must stand at their beginnings."""
        dtype = _check_dtype(row_splits_dtype)
        if not isinstance(st_input, _native.SparseTensor):
            raise TypeError("Argument `st_input` must be of type SparseTensor, but is of type %s." % type(st_input).__name__)
        with _native.name_scope(name, "RaggedFromSparse"):
            rows, columns = st_input.indices[:, 0], st_input.indices[:, 1]
            result = cls.from_value_rowids(st_input.values, _native.cast(rows, dtype), _native.cast(st_input.dense_shape[0], dtype), validate=False)
            begins = _native.gather(result.row_starts(), rows)
            places = _native.range(_native.cast(_native.size(columns), _INT64))
            check = _native.assert_equal(_native.cast(begins, _INT64) + columns, places,
                                         message="SparseTensor is not right-ragged")
            return result.with_values(_checked(st_input.values, [check]))

    def to_sparse(self, name=None):
        """A sparse tensor."""
        with _native.name_scope(name, "RaggedToSparse"):
            return _native.SparseTensor(*_ops.RaggedTensorToSparse(list(self.nested_row_splits), self.flat_values))

    # ---- indexing and operators

    def __getitem__(self, key):
        key = key if isinstance(key, tuple) else (key,)
        with _native.name_scope(None, "RaggedGetItem"):
            return _item(self, list(key))

    def __len__(self):
        raise TypeError("object of type 'RaggedTensor' has no len() in a graph: use nrows()")

    def _operator(op, swaps=False):
        def operate(self, other):
            return _elementwise(op, other, self) if swaps else _elementwise(op, self, other)
        return operate

    __add__, __radd__ = _operator("add"), _operator("add", True)
    __sub__, __rsub__ = _operator("subtract"), _operator("subtract", True)
    __mul__, __rmul__ = _operator("multiply"), _operator("multiply", True)
    __truediv__, __rtruediv__ = _operator("truediv"), _operator("truediv", True)
    __floordiv__, __rfloordiv__ = _operator("floordiv"), _operator("floordiv", True)
    __mod__, __rmod__ = _operator("floormod"), _operator("floormod", True)
    __pow__, __rpow__ = _operator("pow"), _operator("pow", True)
    __lt__, __le__ = _operator("less"), _operator("less_equal")
    __gt__, __ge__ = _operator("greater"), _operator("greater_equal")
    __and__, __or__, __xor__ = _operator("logical_and"), _operator("logical_or"), _operator("logical_xor")
    del _operator

    def __neg__(self):
        return map_flat_values(_native.negative, self)

    def __abs__(self):
        return map_flat_values(_native.abs, self)

    def __invert__(self):
        return map_flat_values(_native.logical_not, self)

    def __bool__(self):
        raise TypeError("RaggedTensor may not be used as a boolean.")


def is_ragged(value):
    return isinstance(value, (RaggedTensor, RaggedTensorValue))


def _row_ids(splits):
    """The row of each value, from where rows begin."""
    count = _native.shape(splits, out_type=splits.dtype)[0] - 1
    return _native.repeat(_native.range(count), _native.cast(splits[1:] - splits[:-1], _INT32))


def _unpadded_lengths(tensor, padding, dtype):
    """The lengths of rows without the padding at their ends."""
    padding = _native.convert_to_tensor(padding, tensor.dtype, "padding")
    is_padding = _native.equal(tensor, padding)
    while is_padding.shape.ndims > 2:
        is_padding = _native.reduce_all(is_padding, -1)
    columns = _native.shape(is_padding, out_type=dtype)[1]
    ends = _native.range(1, columns + 1) * _native.cast(_native.logical_not(is_padding), dtype)
    return _native.reduce_max(ends, 1)


def _item(ragged, key):
    """One row, some rows, or parts of them."""
    if not key:
        return ragged
    first, rest = key[0], key[1:]
    if not isinstance(ragged, RaggedTensor):
        return ragged[tuple(key)]
    if first is Ellipsis:
        return _item(ragged, [slice(None)] * (ragged.shape.ndims - len(rest)) + rest) if rest else ragged
    if first is None:
        raise NotImplementedError("A RaggedTensor takes no tf.newaxis here: use tf.RaggedTensor.from_uniform_row_length")
    if not isinstance(first, slice):
        row = ragged.values[_native.gather(ragged.row_splits, first):_native.gather(ragged.row_splits, first + 1)] \
            if not (isinstance(first, int) and first < 0) else _negative_row(ragged, first)
        return _item(row, rest)
    if first != slice(None):
        if first.step not in (None, 1):
            rows = _native.range(ragged.nrows())[first]
            ragged = gather(ragged, rows)
        else:
            starts, limits = ragged.row_starts()[first], ragged.row_limits()[first]
            ragged = _rows_between(ragged, starts, limits)
    if not rest:
        return ragged
    return _inner_item(ragged, rest)


def _negative_row(ragged, index):
    return ragged.values[ragged.row_splits[index - 1]:ragged.row_splits[index]]


def _rows_between(ragged, starts, limits):
    """Rows that follow each other, by where they begin and end."""
    lengths = limits - starts
    splits = _native.concat([_native.convert_to_tensor([0], lengths.dtype), _ops.Cumsum(lengths, 0)], 0)
    places = _places(starts, limits)
    return RaggedTensor(gather(ragged.values, places), splits, internal=True)


def _places(starts, limits):
    """The places of all values of rows, one after the other."""
    return _ops.RaggedRange(starts, limits, _native.cast(1, starts.dtype), starts.dtype).rt_dense_values


def _inner_item(ragged, key):
    """x[:, key]: the same part of each row."""
    first, rest = key[0], key[1:]
    if first is Ellipsis or first is None:
        raise NotImplementedError("A RaggedTensor takes `...` and tf.newaxis nowhere but in front here")
    starts, limits = ragged.row_starts(), ragged.row_limits()
    if not isinstance(first, slice):
        base = limits if isinstance(first, int) and first < 0 else starts
        picked = gather(ragged.values, base + _native.cast(first, starts.dtype))
        return picked if not rest else _item(picked, [slice(None)] + rest)
    if first.step not in (None, 1):
        raise NotImplementedError("Slices of a RaggedTensor's rows have a step of 1 here, not %s" % first.step)
    begin = _bound(first.start, starts, limits, starts)
    end = _bound(first.stop, starts, limits, limits)
    cut = _rows_between(ragged, begin, _native.maximum(begin, end))
    return cut if not rest else cut.with_values(_item(cut.values, [slice(None)] + rest))


def _bound(bound, starts, limits, default):
    if bound is None:
        return default
    place = (limits if isinstance(bound, int) and bound < 0 else starts) + _native.cast(bound, starts.dtype)
    return _native.minimum(_native.maximum(place, starts), limits)


# ---- elementwise


def map_flat_values(op, *args, **kwargs):
    """A function of the innermost values of ragged tensors, which must all have the same rows."""
    found = [arg for arg in [*args, *kwargs.values()] if isinstance(arg, RaggedTensor)]
    if not found:
        return op(*args, **kwargs)
    if len({ragged.ragged_rank for ragged in found}) > 1:
        raise ValueError("All ragged inputs must have the same ragged_rank. Received %s" % ([ragged.ragged_rank for ragged in found],))
    checks = []
    for other in found[1:]:
        for mine, its in zip(found[0].nested_row_splits, other.nested_row_splits):
            if mine is not its and not (mine.op is its.op):
                checks.append(_native.assert_equal(mine, _native.cast(its, mine.dtype), message="Inputs must have identical ragged splits"))

    def flat(arg):
        return arg.flat_values if isinstance(arg, RaggedTensor) else arg
    with _native.control_dependencies(checks):
        result = op(*[flat(arg) for arg in args], **{key: flat(arg) for key, arg in kwargs.items()})
    return found[0].with_flat_values(result)


def _elementwise(op, x, y, name=None):
    """With a number, a tensor that has one element for each row, or one with the same rows."""
    function = getattr(_native, op, None) or getattr(_ops, op)

    def spread(dense, ragged):
        dense = _native.convert_to_tensor(dense, ragged.dtype) if not isinstance(dense, _native.Tensor) else dense
        if dense.shape.ndims == 0:
            return dense
        if dense.shape.ndims == ragged.flat_values.shape.ndims - 1 and dense.shape.ndims > 0:
            return dense  # along the inner dimensions
        if dense.shape.ndims == 2 and dense.shape.dims[1].value == 1 and ragged.ragged_rank == 1:
            return gather(_native.reshape(dense, [-1]), ragged.value_rowids())
        raise ValueError("Unable to broadcast: a tensor of shape %s and a RaggedTensor of shape %s" % (dense.shape, ragged.shape))
    if isinstance(x, RaggedTensor) and not isinstance(y, RaggedTensor):
        y = spread(y, x)
    elif isinstance(y, RaggedTensor) and not isinstance(x, RaggedTensor):
        x = spread(x, y)
    return map_flat_values(function, x, y)


# ---- rows of several, and reductions


def gather(params, indices, validate_indices=None, name=None, axis=None, batch_dims=0):
    """Rows by number."""
    if axis not in (None, 0) or batch_dims != 0:
        raise NotImplementedError("tf.gather of a RaggedTensor works along axis 0 here, without batch_dims")
    if not isinstance(params, RaggedTensor):
        if not isinstance(indices, RaggedTensor):
            return _native.gather(params, indices, name=name)
        return indices.with_flat_values(_native.gather(params, indices.flat_values, name=name))
    if isinstance(indices, RaggedTensor):
        return indices.with_flat_values(gather(params, indices.flat_values, name=name))
    with _native.name_scope(name, "RaggedGather"):
        indices = _native.convert_to_tensor(indices)
        result = _ops.RaggedGather(list(params.nested_row_splits), params.flat_values, indices,
                                   params.ragged_rank + indices.shape.ndims - 1)
        return RaggedTensor.from_nested_row_splits(result.output_dense_values, list(result.output_nested_splits), validate=False)


def concat(values, axis, name=None):
    """Joined along the rows (axis 0), or row by row (axis 1)."""
    values = list(values)
    with _native.name_scope(name, "RaggedConcat"):
        rows = [value if isinstance(value, RaggedTensor) else RaggedTensor.from_tensor(value) for value in values]
        axis = axis + rows[0].shape.ndims if axis < 0 else axis
        if len(rows) == 1:
            return rows[0]
        if axis == 0:
            return _concat_rows(rows)
        if axis > 1:
            return rows[0].with_values(concat([row.values for row in rows], axis - 1))
        # Row i of each, one after the other: of all rows those in this order.
        count = rows[0].nrows()
        checks = [_native.assert_equal(row.nrows(), count, message="Input tensors have incompatible shapes") for row in rows[1:]]
        together = _concat_rows(rows)
        places = _native.reshape(_native.transpose(_native.reshape(_native.range(together.nrows()), _native.stack([len(rows), -1]))), [-1])
        with _native.control_dependencies(checks):
            sorted_rows = gather(together, _native.identity(places))
        return RaggedTensor(sorted_rows.values, _native.gather(sorted_rows.row_splits, _native.range(count + 1) * len(rows)), internal=True)


def _concat_rows(rows):
    rank = max(row.ragged_rank for row in rows)
    if any(row.ragged_rank != rank for row in rows):
        raise NotImplementedError("tf.concat of RaggedTensors of different ragged ranks is not there yet")
    inner = [row.values for row in rows]
    values = _concat_rows(inner) if rank > 1 else _native.concat(inner, 0)
    splits, offset = [rows[0].row_splits], rows[0].row_splits[-1]
    for row in rows[1:]:
        splits.append(_native.cast(row.row_splits, splits[0].dtype)[1:] + offset)
        offset = offset + _native.cast(row.row_splits, splits[0].dtype)[-1]
    return RaggedTensor(values, _native.concat(splits, 0), internal=True)


def stack(values, axis=0, name=None):
    """As the rows of one (axis 0), or row i of each as row i (axis 1)."""
    values = list(values)
    with _native.name_scope(name, "RaggedStack"):
        inner = [value if isinstance(value, RaggedTensor) or value.shape.ndims == 1 else RaggedTensor.from_tensor(value)
                 for value in (value if isinstance(value, RaggedTensor) else _native.convert_to_tensor(value) for value in values)]
        if axis == 0:
            if not isinstance(inner[0], RaggedTensor):
                return RaggedTensor.from_row_lengths(_native.concat(inner, 0), _native.stack([_native.size(row, out_type=_INT64) for row in inner]),
                                                     validate=False)
            lengths = _native.stack([row.nrows() for row in inner])
            return RaggedTensor.from_row_lengths(_concat_rows(inner), lengths, validate=False)
        if axis != 1:
            raise NotImplementedError("tf.ragged.stack works along axis 0 and 1 here, not %s" % axis)
        raised = [row.with_values(RaggedTensor.from_row_splits(row.values, row.row_splits, validate=False)) if False else
                  RaggedTensor(row, _native.range(row.nrows() + 1), internal=True) for row in inner]
        return concat(raised, 1)


def expand_dims(input, axis, name=None):
    """A further dimension in front (axis 0) or of one row each (axis 1)."""
    with _native.name_scope(name, "RaggedExpandDims"):
        axis = axis + input.shape.ndims + 1 if axis < 0 else axis
        if axis == 0:
            return RaggedTensor(input, _native.stack([_native.cast(0, input.row_splits.dtype), input.nrows()]), internal=True)
        if axis == 1:
            return RaggedTensor(input, _native.range(input.nrows() + 1), internal=True)
        inner = input.values
        return input.with_values(expand_dims(inner, axis - 1) if isinstance(inner, RaggedTensor) else _native.expand_dims(inner, axis - 1))


_SEGMENTS = {"reduce_sum": "unsorted_segment_sum", "reduce_prod": "unsorted_segment_prod", "reduce_min": "unsorted_segment_min",
             "reduce_max": "unsorted_segment_max"}


def _reduction(name):
    def reduce(input_tensor, axis=None, keepdims=None, name_=None, **other):
        if keepdims or any(value for value in other.values()):
            raise NotImplementedError("tf.%s of a RaggedTensor takes input_tensor and axis here" % name)
        return _reduced(name, input_tensor, axis)
    return reduce


def _reduced(name, ragged, axis):
    function = getattr(_native, name)
    if axis is None:
        return function(ragged.flat_values)
    if isinstance(axis, (list, tuple)):
        axes = sorted({one + ragged.shape.ndims if one < 0 else one for one in axis}, reverse=True)
        if len(axes) == ragged.shape.ndims:
            return function(ragged.flat_values)
        for one in axes:
            ragged = _reduced(name, ragged, one) if isinstance(ragged, RaggedTensor) else function(ragged, one)
        return ragged
    axis = axis + ragged.shape.ndims if axis < 0 else axis
    with _native.name_scope(None, "RaggedReduce" + name[len("reduce_"):].capitalize()):
        if name == "reduce_mean":
            total = _reduced("reduce_sum", ragged, axis)
            count = _reduced("reduce_sum", ragged.with_flat_values(_native.ones_like(ragged.flat_values)), axis)
            return _elementwise("truediv", total, count) if isinstance(total, RaggedTensor) else _native.truediv(total, count)
        if name in ("reduce_any", "reduce_all"):
            numbers = ragged.with_flat_values(_native.cast(ragged.flat_values, _INT32))
            result = _reduced("reduce_max" if name == "reduce_any" else "reduce_min", numbers, axis)
            return map_flat_values(lambda x: _native.greater(x, 0), result)
        if axis > 1:
            inner = ragged.values
            return ragged.with_values(_reduced(name, inner, axis - 1) if isinstance(inner, RaggedTensor) else function(inner, axis - 1))
        if isinstance(ragged.values, RaggedTensor):
            if axis == 0:
                raise NotImplementedError("tf.%s of a RaggedTensor of ragged rank %d is not there yet along axis 0" % (name, ragged.ragged_rank))
            return _reduce_rows_of_rows(name, ragged)
        segment = getattr(_ops, "UnsortedSegment" + name[len("reduce_"):].capitalize())
        if axis == 1:
            return segment(ragged.values, ragged.value_rowids(), ragged.nrows())
        columns = _native.range(_native.size(ragged.value_rowids(), out_type=ragged.row_splits.dtype)) - \
            _native.gather(ragged.row_starts(), ragged.value_rowids())
        return segment(ragged.values, columns, _native.maximum(_native.reduce_max(ragged.row_lengths()), _native.cast(0, columns.dtype)))


def _reduce_rows_of_rows(name, ragged):
    """Along the outer one of two ragged dimensions: what stands in the same column of a row's rows."""
    inner = ragged.values
    row_of_value = _native.gather(ragged.value_rowids(), inner.value_rowids())
    dtype = ragged.row_splits.dtype
    column = _native.range(_native.size(row_of_value, out_type=dtype)) - _native.gather(inner.row_starts(), inner.value_rowids())
    longest = _native.maximum(_native.cast(_ops.UnsortedSegmentMax(inner.row_lengths(), ragged.value_rowids(), ragged.nrows()), dtype),
                              _native.cast(0, dtype))
    splits = _native.concat([_native.convert_to_tensor([0], dtype), _ops.Cumsum(longest, 0)], 0)
    places = _native.gather(splits, row_of_value) + column
    segment = getattr(_ops, "UnsortedSegment" + name[len("reduce_"):].capitalize())
    return RaggedTensor(segment(inner.flat_values, places, splits[-1]), splits, internal=True)


# ---- tf.ragged


def constant(pylist, dtype=None, ragged_rank=None, inner_shape=None, name=None, row_splits_dtype=_INT64):
    """From nested lists."""
    if inner_shape is not None:
        raise NotImplementedError("tf.ragged.constant takes no inner_shape here: give ragged_rank")
    row_splits_dtype = _check_dtype(row_splits_dtype)
    with _native.name_scope(name, "RaggedConstant"):
        return _from_lists(pylist, dtype, ragged_rank, lambda values: _native.constant(values, dtype),
                           lambda values, splits: RaggedTensor.from_row_splits(values, _native.constant(splits, row_splits_dtype), validate=False))


def constant_value(pylist, dtype=None, ragged_rank=None, inner_shape=None, row_splits_dtype="int64"):
    """From nested lists, as a RaggedTensorValue."""
    import numpy as _np
    if inner_shape is not None:
        raise NotImplementedError("tf.ragged.constant_value takes no inner_shape here: give ragged_rank")
    splits_dtype = _native.as_dtype(row_splits_dtype).as_numpy_dtype
    return _from_lists(pylist, dtype, ragged_rank, lambda values: _np.array(values, dtype),
                       lambda values, splits: RaggedTensorValue(values, _np.array(splits, splits_dtype)))


def _depth(item):
    import numpy as _np
    if isinstance(item, _np.ndarray):
        return item.ndim
    if not isinstance(item, (list, tuple)):
        return 0
    depths = {_depth(part) for part in item}
    if len(depths - {1} if [] in [list(part) for part in item if isinstance(part, (list, tuple)) and len(part) == 0] else depths) > 1 and 0 in depths:
        raise ValueError("all scalar values must have the same nesting depth")
    return 1 + max(depths, default=0)


def _from_lists(pylist, dtype, ragged_rank, make_values, make_rows):
    import numpy as _np
    depth = _depth(pylist)
    if depth == 0:
        if ragged_rank is not None and ragged_rank != 0:
            raise ValueError("Invalid pylist=%r: incompatible with ragged_rank=%d" % (pylist, ragged_rank))
        return make_values(pylist)
    ragged_rank = max(0, depth - 1) if ragged_rank is None else ragged_rank
    if ragged_rank >= depth and not (depth == 1 and len(pylist) == 0):
        raise ValueError("Invalid pylist=%s: incompatible with ragged_rank=%d" % (pylist, ragged_rank))
    splits, values = [], list(pylist)
    for _ in range(ragged_rank):
        ends = [0]
        for row in values:
            ends.append(ends[-1] + len(row))
        splits.append(ends)
        values = [item for row in values for item in row]
    if not values and dtype is None:
        values = _np.zeros([0], _np.float32)
    result = make_values(values)
    for ends in reversed(splits):
        result = make_rows(result, ends)
    return result


def ragged_range(starts, limits=None, deltas=1, dtype=None, name=None, row_splits_dtype=_INT64):
    """Row i has the numbers from starts[i] to limits[i]."""
    if limits is None:
        starts, limits = 0, starts
    row_splits_dtype = _check_dtype(row_splits_dtype)
    with _native.name_scope(name, "RaggedRange"):
        dtype = None if dtype is None else _native.as_dtype(dtype)
        starts = _native.convert_to_tensor(starts, dtype, "starts")
        limits = _native.convert_to_tensor(limits, dtype, "limits")
        deltas = _native.convert_to_tensor(deltas, dtype, "deltas")
        if dtype is None:
            order = [_INT32, _INT64, _native.as_dtype("float32"), _native.as_dtype("float64")]
            widest = max((tensor.dtype for tensor in (starts, limits, deltas)), key=order.index)
            starts, limits, deltas = (_native.cast(tensor, widest) for tensor in (starts, limits, deltas))
        result = _ops.RaggedRange(starts, limits, deltas, row_splits_dtype)
        return RaggedTensor.from_row_splits(result.rt_dense_values, result.rt_nested_splits, validate=False)


def row_splits_to_segment_ids(splits, name=None, out_type=None):
    """The row of each value, from where rows begin."""
    with _native.name_scope(name, "RaggedSplitsToSegmentIds"):
        splits = _partition(splits, "splits")
        return _native.cast(_row_ids(splits), splits.dtype if out_type is None else _native.as_dtype(out_type))


def segment_ids_to_row_splits(segment_ids, num_segments=None, out_type=None, name=None):
    """Where rows begin, from the row of each value."""
    with _native.name_scope(name, "SegmentIdsToRaggedSplits"):
        ids = _partition(segment_ids, "segment_ids")
        splits = RaggedTensor.from_value_rowids(ids, ids, num_segments, validate=False).row_splits
        return splits if out_type is None else _native.cast(splits, out_type)


def boolean_mask(data, mask, name=None):
    """Those values, or rows, whose mask is true; the rows stay where the mask has them."""
    with _native.name_scope(name, "RaggedMask"):
        if isinstance(mask, RaggedTensor):
            kept = _native.boolean_mask(data.flat_values, mask.flat_values)
            counts = _reduced("reduce_sum", mask.with_flat_values(_native.cast(mask.flat_values, _INT64)), -1)
            if isinstance(counts, RaggedTensor):
                return RaggedTensor.from_nested_row_splits(kept, [*counts.nested_row_splits, RaggedTensor.from_row_lengths(
                    kept, counts.flat_values, validate=False).row_splits], validate=False)
            return RaggedTensor.from_row_lengths(kept, counts, validate=False)
        mask = _native.convert_to_tensor(mask)
        if mask.shape.ndims == 1:
            places = _native.reshape(_native.where(mask), [-1])
            return gather(data, places) if isinstance(data, RaggedTensor) else _native.gather(data, places)
        lengths = _native.reduce_sum(_native.cast(mask, _INT64), -1)
        return RaggedTensor.from_row_lengths(_native.boolean_mask(data, mask), _native.reshape(lengths, [-1]), validate=False)


def placeholder(dtype, ragged_rank, value_shape=None, name=None):
    """Rows that have to be fed."""
    if ragged_rank == 0:
        return _native.placeholder(dtype, value_shape, name)
    with _native.name_scope(name, "RaggedPlaceholder"):
        result = _native.placeholder(dtype, TensorShape([None]).concatenate(TensorShape(value_shape)), "flat_values")
        for i in reversed(range(ragged_rank)):
            result = RaggedTensor(result, _native.placeholder(_INT64, [None], "row_splits_%d" % i), internal=True)
        return result


# ---- functions of the language that take them as well

_UNARY = ("abs", "ceil", "cos", "erf", "exp", "expm1", "floor", "is_finite", "is_inf", "is_nan", "log", "log1p", "log_sigmoid", "logical_not",
          "negative", "real", "reciprocal", "round", "rsqrt", "sigmoid", "sign", "sin", "sqrt", "square", "tanh", "to_float", "to_int32",
          "to_int64", "to_double", "identity", "ones_like", "zeros_like", "stop_gradient")
_BINARY = ("add", "div", "div_no_nan", "divide", "equal", "floordiv", "floormod", "greater", "greater_equal", "less", "less_equal",
           "logical_and", "logical_or", "logical_xor", "maximum", "minimum", "mod", "multiply", "not_equal", "pow", "realdiv",
           "squared_difference", "subtract", "truediv", "truncatediv", "truncatemod")
_SPARSE_UNARY = ("abs", "negative", "sin", "sign", "square", "sqrt", "erf", "tanh")
_OTHERS = {"concat": concat, "stack": stack, "gather": gather, "expand_dims": expand_dims,
           **{name: _reduction(name) for name in ("reduce_sum", "reduce_prod", "reduce_min", "reduce_max", "reduce_mean", "reduce_any",
                                                  "reduce_all")}}


def _cast_values(x, *args, **kwargs):
    if isinstance(x, _native.SparseTensor):
        return _native.SparseTensor(x.indices, _native.cast(x.values, *args, **kwargs), x.dense_shape)
    return x.with_flat_values(_native.cast(x.flat_values, *args, **kwargs))


def _another_way(function, args, kwargs):
    """What a function of the language does with sparse and ragged tensors; NotImplemented where it has no way of its own."""
    name = function.__name__
    if function.__module__ not in ("flowray._native", "flowray._native.math", "flowray._native.nn"):
        return NotImplemented
    if name == "cast" and args:
        return _cast_values(*args, **kwargs)
    has_ragged = any(isinstance(arg, RaggedTensor) or isinstance(arg, (list, tuple)) and any(isinstance(item, RaggedTensor) for item in arg)
                     for arg in [*args, *kwargs.values()])
    if not has_ragged:
        if name in _SPARSE_UNARY and len(args) >= 1 and isinstance(args[0], _native.SparseTensor):
            return args[0].with_values(function(args[0].values, *args[1:], **kwargs))
        return NotImplemented
    if name in _OTHERS:
        return _OTHERS[name](*args, **kwargs)
    if name in _UNARY:
        return map_flat_values(function, *args, **kwargs)
    if name in _BINARY and len(args) == 2:
        return _elementwise(name, *args, **kwargs)
    return NotImplemented


_native._set_other_way((RaggedTensor, _native.SparseTensor), _another_way)
