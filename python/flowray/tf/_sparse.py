"""What a session gives for a SparseTensor and what is fed for one, and what becomes a SparseTensor."""

from collections import namedtuple as _namedtuple

from flowray import _native
from flowray.tf import _generated as _ops
from flowray.tf._shape import TensorShape

_CROSS_KEY = 0xDECAFCAFFE

SparseTensorValue = _namedtuple("SparseTensorValue", ["indices", "values", "dense_shape"])


def value_of_parts(parts):
    return SparseTensorValue(*parts)


def is_sparse(value):
    return isinstance(value, (_native.SparseTensor, SparseTensorValue))


def _eval(self, feed_dict=None, session=None):
    """The value of the three parts in a step."""
    if session is None:
        session = _native.get_default_session()
    if session is None:
        raise ValueError("Cannot evaluate tensor using `eval()`: No default session is registered. Use `with sess.as_default()` or "
                         "pass an explicit session to `eval(session=sess)`")
    return session.run(self, feed_dict)


_native.SparseTensor.eval = _eval


def convert_to_tensor_or_sparse_tensor(value, dtype=None, name=None):
    """A sparse tensor as it is, and other values as tensors."""
    if not is_sparse(value):
        return _native.convert_to_tensor(value, dtype, name)
    if isinstance(value, SparseTensorValue):
        value = _native.SparseTensor.from_value(value)
    if dtype is not None and _native.as_dtype(dtype) != value.dtype:
        raise RuntimeError("Sparse dtype mismatch. Requested: %s,  Actual: %s" % (_native.as_dtype(dtype).name, value.dtype.name))
    return value


class SparseTensorSpec:
    """What is known of a sparse tensor before there is one: its shape and the dtype of its values."""

    def __init__(self, shape=None, dtype="float32"):
        self._shape, self._dtype = TensorShape(shape), _native.as_dtype(dtype)

    shape = property(lambda self: self._shape)
    dtype = property(lambda self: self._dtype)
    value_type = property(lambda self: _native.SparseTensor)

    @classmethod
    def from_value(cls, value):
        """That of a SparseTensor or a SparseTensorValue."""
        if not is_sparse(value):
            raise TypeError("Expected SparseTensor or SparseTensorValue. Received: %s of type %s." % (value, type(value).__name__))
        value = convert_to_tensor_or_sparse_tensor(value)
        return cls(value.shape, value.dtype)

    def is_compatible_with(self, other):
        """Whether it could be of such a kind."""
        other = other if isinstance(other, SparseTensorSpec) else SparseTensorSpec.from_value(other)
        return self._dtype == other._dtype and self._shape.is_compatible_with(other._shape)

    def __eq__(self, other):
        return isinstance(other, SparseTensorSpec) and repr(self) == repr(other)

    def __hash__(self):
        return hash(repr(self))

    def __repr__(self):
        return "SparseTensorSpec(%r, %r)" % (self._shape, self._dtype)


def ctc_loss(labels, inputs=None, sequence_length=None, preprocess_collapse_repeated=False, ctc_merge_repeated=True,
             ignore_longer_outputs_than_inputs=False, time_major=True, logits=None):
    """For each sequence the negative logarithm of how probable its labels are, at whatever times."""
    if not isinstance(labels, _native.SparseTensor):
        raise TypeError("Expected argument `labels` to be a SparseTensor. Received labels=%s of type: %s" % (labels, type(labels).__name__))
    if logits is not None and inputs is not None:
        raise ValueError("Cannot specify both 'logits' and 'inputs'.")
    inputs = _native.convert_to_tensor(inputs if logits is None else logits, name="logits")
    if not time_major:
        inputs = _native.transpose(inputs, [1, 0, 2])
    dtype = inputs.dtype
    is_small = dtype.name in ("float16", "bfloat16")
    if is_small:
        inputs = _native.cast(inputs, "float32")
    loss = _ops.CTCLoss(inputs, labels.indices, labels.values, sequence_length, preprocess_collapse_repeated, ctc_merge_repeated,
                        ignore_longer_outputs_than_inputs).loss
    return _native.cast(loss, dtype) if is_small else loss


def edit_distance(hypothesis, truth, normalize=True, name="edit_distance"):
    """How many insertions, deletions and replacements make each sequence the true one, as a share of its length unless `normalize` says
    otherwise. Both are sparse tensors, whose last dimension runs along the sequences."""
    for what, value in (("Hypothesis", hypothesis), ("Truth", truth)):
        if not isinstance(value, (_native.SparseTensor, SparseTensorValue)):
            raise TypeError("%s must be a SparseTensor." % what)
    hypothesis, truth = (convert_to_tensor_or_sparse_tensor(value) for value in (hypothesis, truth))
    return _ops.EditDistance(hypothesis_indices=hypothesis.indices, hypothesis_values=hypothesis.values,
                             hypothesis_shape=hypothesis.dense_shape, truth_indices=truth.indices, truth_values=truth.values,
                             truth_shape=truth.dense_shape, normalize=normalize, name=name)


def sparse_mask(a, mask_indices, name=None):
    """Slices without those at the indices `mask_indices`."""
    with _native.name_scope(name, "sparse_mask", [a, mask_indices]) as scope:
        kept, places = _ops.ListDiff(x=a.indices, y=_native.convert_to_tensor(mask_indices, dtype=a.indices.dtype))
        return _native.IndexedSlices(_native.gather(a.values, places, name=scope), kept, a.dense_shape)


def ctc_greedy_decoder(inputs, sequence_length, merge_repeated=True, blank_index=None):
    """The most probable class of each step, without blanks; and the negative sums of what they have."""
    *parts, sums = _ops.CTCGreedyDecoder(inputs, sequence_length, merge_repeated, -1 if blank_index is None else blank_index)
    return [_native.SparseTensor(*parts)], sums


def ctc_beam_search_decoder(inputs, sequence_length, beam_width=100, top_paths=1, merge_repeated=True):
    """The most probable labels that a search in a beam finds, and the logarithms of how probable they are."""
    found = _ops.CTCBeamSearchDecoder(inputs, sequence_length, beam_width, top_paths, merge_repeated)
    return [_native.SparseTensor(*parts) for parts in zip(found.decoded_indices, found.decoded_values, found.decoded_shape)], \
        found.log_probability


def ctc_beam_search_decoder_v2(inputs, sequence_length, beam_width=100, top_paths=1):
    """The same, with labels that come twice in a row."""
    return ctc_beam_search_decoder(inputs, sequence_length, beam_width, top_paths, False)


def _crossed(inputs, refusal):
    """The sparse ones, their values as words or int64, and so the dense ones. TypeError for anything else."""
    if not isinstance(inputs, (list, tuple)):
        raise TypeError("Inputs must be a list")
    if not all(isinstance(one, (_native.SparseTensor, _native.Tensor)) for one in inputs):
        raise TypeError(refusal)
    sparse = [one for one in inputs if isinstance(one, _native.SparseTensor)]
    text, int64 = _native.as_dtype("string"), _native.as_dtype("int64")

    def words_or_int64(tensor):
        return tensor if tensor.dtype == text else _native.cast(tensor, int64)
    return sparse, [words_or_int64(one.values) for one in sparse], \
        [words_or_int64(one) for one in inputs if not isinstance(one, _native.SparseTensor)]


def cross(inputs, name=None, separator=None):
    """All combinations of one value of each as words, row by row, with `separator` ("_X_") between them."""
    sparse, values, dense = _crossed(inputs, "All inputs must be Tensor or SparseTensor.")
    attrs = {"N": len(sparse), "sparse_types": [one.dtype for one in values], "dense_types": [one.dtype for one in dense]}
    between = _native.convert_to_tensor("_X_" if separator is None else separator, _native.as_dtype("string"))
    parts = _native.op("SparseCrossV2", name, ([one.indices for one in sparse], values, [one.dense_shape for one in sparse], dense, between), attrs)
    return _native.SparseTensor(*parts)


def _weights_like(values, weights):
    """The values of weights that are sparse in the same places; nothing where there are none."""
    if weights is None:
        return _native.constant([], values.dtype)
    if not isinstance(weights, _native.SparseTensor):
        raise ValueError("Argument `weights` must be a SparseTensor if `values` is a SparseTensor. Received weights=%s of type: %s"
                         % (weights, type(weights).__name__))
    checks = [_native.assert_equal(own, other, message="'weights' and 'values' must have the same %s." % what)
              for what, own, other in (("dense_shape", weights.dense_shape, values.dense_shape), ("indices", weights.indices, values.indices))]
    with _native.control_dependencies(checks):
        return _native.identity(weights.values)


def bincount(values, weights=None, axis=0, minlength=None, maxlength=None, binary_output=False, name=None):
    """How often each number comes, or the sum of its weights, as a sparse tensor: of all values, or with axis=-1 of each row."""
    from flowray.tf._ragged import RaggedTensor as _RaggedTensor

    dense_weights = None if weights is None or isinstance(weights, _native.SparseTensor) else weights
    with _native.name_scope(name, "count", [values if isinstance(values, _native.Tensor) else None]):
        is_of_sparse = isinstance(values, _native.SparseTensor)
        is_ragged = isinstance(values, _RaggedTensor)
        if is_ragged and weights is not None:
            raise ValueError("tf.sparse.bincount takes no weights of a RaggedTensor yet.\nCount values.to_sparse() with sparse weights.")
        values = values if is_of_sparse or is_ragged else _native.convert_to_tensor(values, name="values")
        if dense_weights is not None:
            weights = _native.convert_to_tensor(dense_weights, name="weights")
        if weights is not None and binary_output:
            raise ValueError("Arguments `binary_output` and `weights` are mutually exclusive. Please specify only one.")
        if axis not in (None, 0, -1):
            raise ValueError("Unsupported value for argument axis=%s. Only 0 and -1 are currently supported." % axis)
        by_rows = axis == -1
        attrs = {"minlength": -1 if minlength is None else minlength, "maxlength": -1 if maxlength is None else maxlength,
                 "binary_output": binary_output}
        if is_of_sparse:
            weights = _weights_like(values, weights)
            if by_rows:
                return _native.SparseTensor(*_native.op("SparseCountSparseOutput", None,
                                                        (values.indices, values.values, values.dense_shape, weights), attrs))
            values = values.values
        elif is_ragged:
            splits = _native.cast(values.row_splits, "int64") if by_rows else None
            values = values.values
            if by_rows:
                return _native.SparseTensor(*_native.op("RaggedCountSparseOutput", None,
                                                        (splits, values, _native.constant([], values.dtype)), attrs))
        elif not by_rows:
            values = _native.reshape(values, [-1])
            weights = None if weights is None else _native.reshape(weights, [-1])
        weights = _native.constant([], values.dtype) if weights is None else weights
        return _native.SparseTensor(*_native.op("DenseCountSparseOutput", None, (values, weights), attrs))


def cross_hashed(inputs, num_buckets=0, hash_key=None, name=None):
    """The hashes of all combinations of one value of each, row by row."""
    sparse, values, dense = _crossed(inputs, "All inputs must be SparseTensors")
    text, int64 = _native.as_dtype("string"), _native.as_dtype("int64")
    internal = text if all(one.dtype == text for one in values + dense) else int64
    attrs = {"N": len(sparse), "sparse_types": [one.dtype for one in values], "dense_types": [one.dtype for one in dense],
             "hashed_output": True, "num_buckets": num_buckets, "hash_key": hash_key or _CROSS_KEY, "out_type": int64, "internal_type": internal}
    parts = _native.op("SparseCross", name, ([one.indices for one in sparse], values, [one.dense_shape for one in sparse], dense), attrs)
    return _native.SparseTensor(*parts)
