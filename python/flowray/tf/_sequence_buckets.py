"""Batches of sequences that are about as long, and what else tf.data.experimental makes of other transformations."""

from flowray import _native
from flowray import tf as _tf
from flowray.tf import _elements
from flowray.tf._datasets import Dataset, _dataset_of, _shapes, _one_for_each
from flowray.tf._elements import DatasetSpec

INFINITE_CARDINALITY, UNKNOWN_CARDINALITY = -1, -2


def _padding(dtype):
    return _tf.constant("" if dtype == _tf.string else 0, dtype)


def _padded(dataset, batch_size, shapes, values, filling, drop_remainder, name):
    """Padded batches of sizes, and to lengths, that only a step knows; `filling` stands for what a shape leaves open."""
    specs = _elements.flatten(dataset._spec)
    rows = [_tf.stack([_tf.cast(filling if size is None else size, _tf.int64) for size in shape.as_list()]) if shape.ndims else
            _tf.zeros([0], _tf.int64) for shape in shapes]
    values = [_padding(spec.dtype) if value is None else _tf.convert_to_tensor(value, dtype=spec.dtype) for value, spec in zip(values, specs)]
    outputs = [_tf.TensorShape([None]).concatenate(shape) for shape in shapes]
    attrs = {"N": len(rows), "Toutput_types": [spec.dtype for spec in specs], "output_shapes": outputs}
    made = _native.op("PaddedBatchDatasetV2", name, (dataset._variant_tensor, batch_size, rows, values, drop_remainder), attrs)
    spec = _elements.pack(dataset._spec, [_tf.TensorSpec(shape, own.dtype) for shape, own in zip(outputs, specs)])
    return _dataset_of(made, DatasetSpec(spec))


def batches(dataset, element_length_func, boundaries, sizes, padded_shapes, padding_values, to_boundary, no_padding, drop_remainder, name):
    """Dataset.bucket_by_sequence_length."""
    if len(sizes) != len(boundaries) + 1:
        raise ValueError("`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but `len(bucket_batch_sizes)=%d` and "
                         "`len(bucket_boundaries)=%d`." % (len(sizes), len(boundaries)))

    def bucket(*element):
        length = _tf.convert_to_tensor(element_length_func(*element))
        passed = _tf.greater_equal(length, _tf.constant(boundaries, length.dtype))
        return _tf.reduce_sum(_tf.cast(passed, _tf.int64))

    def size_of(number):
        return _tf.constant(sizes, _tf.int64)[number]

    def batch(number, group):
        if no_padding:
            return group.batch(size_of(number), drop_remainder=drop_remainder, name=name)
        shapes = [spec.shape for spec in _elements.flatten(group._spec)] if padded_shapes is None else _shapes(group._spec, padded_shapes)
        values = padding_values if _elements.is_structure(padding_values) else [padding_values] * len(shapes)
        values = _one_for_each(group._spec, values, "padding_values") if values is padding_values else values
        filling = -1
        if to_boundary:
            check = _tf.assert_less(number, _tf.constant(len(sizes) - 1, _tf.int64),
                                    message="When pad_to_bucket_boundary=True, elements must have length < max(bucket_boundaries).")
            with _tf.control_dependencies([check] if check is not None else []):
                filling = _tf.constant(boundaries, _tf.int64)[number] - 1
        return _padded(group, size_of(number), shapes, values, filling, drop_remainder, name)
    return dataset.group_by_window(bucket, batch, window_size_func=size_of, name=name)


def bucket_by_sequence_length(element_length_func, bucket_boundaries, bucket_batch_sizes, padded_shapes=None, padding_values=None,
                              pad_to_bucket_boundary=False, no_padding=False, drop_remainder=False):
    """For Dataset.apply: its method of this name."""
    return lambda dataset: dataset.bucket_by_sequence_length(element_length_func, bucket_boundaries, bucket_batch_sizes, padded_shapes,
                                                             padding_values, pad_to_bucket_boundary, no_padding, drop_remainder)


def parallel_interleave(map_func, cycle_length, block_length=1, sloppy=False, buffer_output_elements=None, prefetch_input_elements=None):
    """For Dataset.apply: `interleave` with elements read ahead. They come in the order of their turns; `sloppy` would allow others, and
    sizes of buffers only say how fast."""
    return lambda dataset: dataset.interleave(map_func, cycle_length, block_length, num_parallel_calls=cycle_length)


def Counter(start=0, step=1, dtype=_native.as_dtype("int64")):
    """start, start + step, ... without end."""
    return Dataset.counter(start, step, dtype)
