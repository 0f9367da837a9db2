"""tf.nn.with_space_to_batch: what an operation on windows gives when its window has gaps, by the operation on windows without."""

from flowray import tf as _tf


def _constant(tensor):
    return _tf.get_static_value(tensor)


def required_space_to_batch_paddings(input_shape, block_shape, base_paddings=None, name=None):
    """The paddings that make spatial sizes multiples of the block's, and the crops that undo it, both [dimensions, 2]: at least
    `base_paddings` are added, and only these stay."""
    with _tf.name_scope(name, "required_space_to_batch_paddings", [input_shape, block_shape]):
        input_shape = _tf.convert_to_tensor(input_shape, dtype=_tf.int32, name="input_shape")
        block_shape = _tf.convert_to_tensor(block_shape, dtype=_tf.int32, name="block_shape")
        block_shape.shape.assert_is_fully_defined()
        block_shape.shape.assert_has_rank(1)
        dims = block_shape.shape.as_list()[0]
        if dims == 0:
            return _tf.zeros([0, 2], _tf.int32), _tf.zeros([0, 2], _tf.int32)
        input_shape.shape.assert_is_compatible_with([dims])
        if base_paddings is None:
            base_paddings = _tf.zeros([dims, 2], _tf.int32)
        else:
            base_paddings = _tf.convert_to_tensor(base_paddings, dtype=_tf.int32, name="base_paddings")
            base_paddings.shape.assert_is_compatible_with([dims, 2])
        known = [_constant(tensor) for tensor in (block_shape, input_shape, base_paddings)]
        if all(value is not None for value in known):
            block_shape, input_shape, base_paddings = known
        before, after = base_paddings[:, 0], base_paddings[:, 1]
        more = (block_shape - (input_shape + before + after) % block_shape) % block_shape
        after = after + more
        paddings = _tf.stack([[before[i], after[i]] for i in range(dims)], name="paddings")
        crops = _tf.stack([[0, more[i]] for i in range(dims)], name="crops")
        return paddings, crops


def _same_paddings(filter_shape, dims, rate):
    """Those of the padding SAME around windows with gaps."""
    filter_shape = _tf.convert_to_tensor(filter_shape, name="filter_shape")
    known = _constant(filter_shape)
    extra = ((filter_shape if known is None else known)[:dims] - 1) * rate
    before = extra // 2
    after = extra - before
    return _tf.stack([[before[i], after[i]] for i in range(dims)])


def _for_all_dims(rows, filling, spatial_dims):
    """Rows of the spatial dimensions among rows of `filling` for those before them that are not, all that follow the batch."""
    import numpy as _np  # not before it is needed: it takes long to import
    known = _constant(rows)
    rows = rows if known is None else known
    filled = lambda count: _np.full([count] + [int(size) for size in rows.shape[1:]], filling, _np.int32)  # noqa: E731
    parts, end = [], 1
    for number, dim in enumerate(spatial_dims):
        if dim > end:
            parts.append(filled(dim - end))
        parts.append(rows[number:number + 1])
        end = dim + 1
    return _tf.concat(parts, 0) if known is None else _np.concatenate(parts)


def with_space_to_batch(input, dilation_rate, padding, op, filter_shape=None, spatial_dims=None, data_format=None):  # noqa: A002
    """op(input, number of spatial dimensions, padding) with gaps in its windows: `dilation_rate` has one rate for each spatial dimension,
    whose pixels that lie so far apart become images of a batch of their own. `filter_shape` (the window's spatial sizes) is needed for the
    padding "SAME"."""
    import numpy as _np
    input = _tf.convert_to_tensor(input, name="input")  # noqa: A001
    rate = _tf.convert_to_tensor(dilation_rate, dtype=_tf.int32, name="dilation_rate")
    if rate.shape.ndims not in (None, 1):
        raise ValueError("`dilation_rate.shape.rank` must be 1. Received: %s" % rate.shape)
    if not rate.shape.is_fully_defined():
        raise ValueError("`dilation_rate.shape` must be fully defined. Received: %s" % rate.shape)
    dims = rate.shape.as_list()[0]
    first = 2 if data_format is not None and data_format.startswith("NC") else 1
    spatial_dims = list(range(first, dims + first)) if spatial_dims is None else [int(dim) for dim in spatial_dims]
    if spatial_dims != sorted(set(spatial_dims)) or any(dim < 1 for dim in spatial_dims):
        raise ValueError("`spatial_dims` must be a monotonically increasing sequence of positive integers. Received: %s" % (spatial_dims,))
    if spatial_dims and input.shape.ndims is not None and input.shape.ndims < spatial_dims[-1] + 1:
        raise ValueError("`input.shape.rank` must be at least %d. Received: input.shape=%s with rank %d" %
                         (spatial_dims[-1] + 1, input.shape, input.shape.ndims))
    known = _constant(rate)
    if known is not None:
        if _np.any(known < 1):
            raise ValueError("`dilation_rate` must be positive. Received: %s" % dilation_rate)
        if _np.all(known == 1):
            return op(input, dims, padding)
    if padding == "SAME":
        if filter_shape is None:
            raise ValueError("`filter_shape` must be specified for `padding='SAME'`. Received: filter_shape=%s and padding=%s" %
                             (filter_shape, padding))
        base = _same_paddings(filter_shape, dims, rate if known is None else known)
    elif padding == "VALID":
        base = _np.zeros([dims, 2], _np.int32)
    else:
        raise ValueError("`padding` must be one of 'SAME' or 'VALID'. Received: padding=%s" % padding)
    sizes = None if input.shape.ndims is None else [input.shape.as_list()[dim] for dim in spatial_dims]
    if sizes is None or None in sizes:
        all_sizes = _tf.shape(input)
        sizes = _tf.stack([all_sizes[dim] for dim in spatial_dims])
    paddings, crops = required_space_to_batch_paddings(sizes, rate, base)
    rate, paddings, crops = (_for_all_dims(rows, filling, spatial_dims) for rows, filling in ((rate, 1), (paddings, 0), (crops, 0)))
    result = op(_tf.space_to_batch_nd(input=input, block_shape=rate, paddings=paddings), dims, "VALID")
    return _tf.batch_to_space_nd(result, block_shape=rate, crops=crops)
