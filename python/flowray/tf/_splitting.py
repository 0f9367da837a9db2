"""tf.string_split and tf.strings.split: words as a sparse matrix, or in rows of different lengths."""

from flowray import _native
from flowray.tf import _generated as _ops
from flowray.tf import _ragged

_STRING = _native.as_dtype("string")


def _sparse(op, source, separator, option):
    separator = _native.convert_to_tensor(separator, _STRING)
    source = _native.convert_to_tensor(source, _STRING)
    indices, values, shape = getattr(_ops, op)(source, separator, option)
    return _native.SparseTensor(indices, values, shape)


def _rows_of(sparse):
    return _ragged.RaggedTensor.from_value_rowids(sparse.values, sparse.indices[:, 0], sparse.dense_shape[0], validate=False)


def _check_result_type(result_type):
    if result_type not in ("SparseTensor", "RaggedTensor"):
        raise ValueError("result_type must be 'RaggedTensor' or 'SparseTensor'.")


def string_split(source, sep=None, skip_empty=True, delimiter=None, result_type="SparseTensor", name=None):
    """The pieces of a vector of strings between any of the separator's characters."""
    if sep is not None and delimiter is not None:
        raise ValueError("Cannot specify both 'delimiter' and 'sep'.")
    separator = sep if delimiter is None else delimiter
    with _native.name_scope(name, "StringSplit", [source]):
        pieces = _sparse("StringSplit", source, " " if separator is None else separator, skip_empty)
        _check_result_type(result_type)
        return pieces if result_type == "SparseTensor" else _rows_of(pieces)


def _split_rows(input, sep, maxsplit, name=None):
    """Of strings of any known rank, as rows of different lengths."""
    with _native.name_scope(name, "StringSplit", [input]):
        if isinstance(input, _ragged.RaggedTensor):
            return input.with_flat_values(_split_rows(input.flat_values, sep, maxsplit))
        input = _native.convert_to_tensor(input, _STRING, "input")
        rank = input.shape.ndims
        if rank == 0:
            return _split_rows(_native.stack([input]), sep, maxsplit)[0]
        if rank is None or rank == 1:
            return _rows_of(_sparse("StringSplitV2", input, "" if sep is None else sep, maxsplit))
        return _split_rows(_ragged.RaggedTensor.from_tensor(input), sep, maxsplit)


def split(input=None, sep=None, maxsplit=-1, result_type="SparseTensor", source=None, name=None):
    """The pieces of strings between separators; between white space where there is none."""
    if input is not None and source is not None:
        raise ValueError("Cannot specify both 'source' and 'input'.")
    input = source if input is None else input
    with _native.name_scope(name, "StringSplit", [input]):
        if not isinstance(input, _ragged.RaggedTensor):
            input = _native.convert_to_tensor(input, _STRING, "input")
            if input.shape.ndims == 0:
                input = _native.expand_dims(input, 0)
        _check_result_type(result_type)
        if result_type == "RaggedTensor":
            return _split_rows(input, sep, maxsplit)
        if input.shape.ndims == 1:
            return _sparse("StringSplitV2", input, "" if sep is None else sep, maxsplit)
        return _split_rows(input, sep, maxsplit).to_sparse()
