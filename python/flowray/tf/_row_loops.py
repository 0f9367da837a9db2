"""tf.map_fn, tf.foldl, tf.foldr and tf.scan: structures of values around the language's functions, which take and give lists."""

from flowray import _native
from flowray.tf import _nest, _sparse_components
from flowray.tf._sparse import SparseTensorSpec, is_sparse


def _callable(fn):
    if not callable(fn):
        raise TypeError("The provided function %s is not callable.fn must be callable." % getattr(fn, "__name__", fn))


def _dtype(dtype):
    return getattr(dtype, "dtype", dtype)  # of a tf.TensorSpec, too


def map_fn(fn, elems, dtype=None, parallel_iterations=None, back_prop=True, swap_memory=False, infer_shape=True, name=None,
           fn_output_signature=None):
    """What `fn` gives for each row of `elems`, stacked."""
    _callable(fn)
    signature = dtype if fn_output_signature is None else fn_output_signature
    if _has_sparse(elems) or _has_sparse(signature):
        return _map_sparse(fn, elems, signature, parallel_iterations or 10, back_prop, swap_memory, infer_shape, name)
    kept = elems if signature is None else signature

    def call(row):
        result = fn(_nest.pack_sequence_as(elems, row))
        _nest.assert_same_structure(kept, result)
        return _nest.flatten(result)
    dtypes = None if signature is None else [_dtype(item) for item in _nest.flatten(signature)]
    results = _native._map_fn(call, _nest.flatten(elems), dtypes, parallel_iterations or 10,
                              back_prop, swap_memory, infer_shape, name)
    return _nest.pack_sequence_as(kept, results)


def _has_sparse(structure):
    return any(isinstance(value, (SparseTensorSpec, _native.SparseTensor)) for value in _nest.flatten(structure))


def _map_sparse(fn, elems, signature, parallel_iterations, back_prop, swap_memory, infer_shape, name):
    """map_fn where rows or results are sparse: these go through the loop as variants."""
    flat = _nest.flatten(elems)
    rows = [_sparse_components.row(SparseTensorSpec.from_value(value)) if is_sparse(value) else None for value in flat]
    kept = signature
    if signature is None:
        kept = _nest.pack_sequence_as(elems, [value if spec is None else SparseTensorSpec(None, spec.dtype) for value, spec in zip(flat, rows)])
    wanted = [item if isinstance(item, SparseTensorSpec) else None for item in _nest.flatten(kept)]

    def call(row):
        values = [part if spec is None else _sparse_components.deserialized(part, spec) for part, spec in zip(row, rows)]
        result = fn(_nest.pack_sequence_as(elems, values))
        _nest.assert_same_structure(kept, result)
        found = _nest.flatten(result)
        for spec, value in zip(wanted, found):
            if (spec is not None) != is_sparse(value):
                raise TypeError("%s of fn is %s where %s was told\nfn_output_signature says which results are sparse: "
                                "tf.SparseTensorSpec([None], tf.float32)"
                                % ("A result", "sparse" if spec is None else "dense", "a dense one" if spec is None else spec))
        return [value if spec is None else _sparse_components.serialized(value) for spec, value in zip(wanted, found)]
    with _native.name_scope(name, "map") as scope:
        variants = [value if spec is None else _sparse_components.serialized(value, by_rows=True) for value, spec in zip(flat, rows)]
        variant = _native.as_dtype("variant")
        dtypes = [variant if spec is not None else _dtype(item) for spec, item in zip(wanted, _nest.flatten(kept))]
        results = _native._map_fn(call, variants, dtypes, parallel_iterations, back_prop, swap_memory, infer_shape, scope)
        values = [result if spec is None else _sparse_components.deserialized(result, _sparse_components.batched(spec, None))
                  for result, spec in zip(results, wanted)]
    return _nest.pack_sequence_as(kept, values)


def vectorized_map(fn, elems, fallback_to_while_loop=True, warn=True):
    """What `fn` gives for each row of `elems`, stacked. Row by row, in a while_loop: no operation is vectorized, which `warn` says. `fn` is
    called twice, the first time to see what it gives."""
    from flowray import tf
    _callable(fn)
    if not fallback_to_while_loop:
        raise NotImplementedError("tf.vectorized_map runs `fn` row by row here, which fallback_to_while_loop=False rules out")
    if warn:
        tf.logging.warning("tf.vectorized_map runs its function row by row here, in a while_loop")
    values = _nest.map_structure(tf.convert_to_tensor, elems)
    flat = _nest.flatten(values)
    if not flat:
        raise ValueError("tf.vectorized_map needs at least one tensor in elems")
    if any(value.shape.ndims == 0 for value in flat):
        raise ValueError("tf.vectorized_map takes rows of tensors: a scalar in elems has none")
    counts = [None if value.shape.ndims is None else value.shape.as_list()[0] for value in flat]
    if any(count is None for count in counts):
        counts = [tf.shape(value)[0] for value in flat]
        count, last = tf.reduce_max(counts), [tf.subtract(one, 1) for one in counts]
    else:
        count, last = max(counts), [one - 1 for one in counts]
        if any(one not in (1, count) for one in counts):
            raise ValueError("The first dimensions of elems must be equal, or 1: %s" % counts)

    def at(row):  # one row stands for all
        rows = [tf.gather(value, tf.minimum(row, end)) for value, end in zip(flat, last)]
        return fn(_nest.pack_sequence_as(values, rows))
    signature = _nest.map_structure(lambda value: tf.convert_to_tensor(value).dtype, at(tf.constant(0)))
    return map_fn(lambda row: _nest.map_structure(tf.convert_to_tensor, at(row)), tf.range(count), dtype=signature)


def foldl(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
    """fn(...fn(fn(initializer, first row), second)..., last); without initializer the first row is it."""
    return _fold(_native._foldl, fn, elems, initializer, parallel_iterations, back_prop, swap_memory, name)


def foldr(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, name=None):
    """The same from the last row to the first."""
    return _fold(_native._foldr, fn, elems, initializer, parallel_iterations, back_prop, swap_memory, name)


def scan(fn, elems, initializer=None, parallel_iterations=10, back_prop=True, swap_memory=False, infer_shape=True, reverse=False,
         name=None):
    """foldl with what each call gives, stacked."""
    return _fold(_native._scan, fn, elems, initializer, parallel_iterations, back_prop, swap_memory, infer_shape, reverse, name)


def _fold(native, fn, elems, initializer, *options):
    _callable(fn)
    rows, kept = _together(elems), _together(elems if initializer is None else initializer)

    def call(before, row):
        result = fn(kept.pack(before), rows.pack(row))
        _nest.assert_same_structure(kept.structure, result)
        return _nest.flatten(result)
    return kept.pack(native(call, rows.values, [] if initializer is None else kept.values, *options))


class _together:
    def __init__(self, structure):
        self.structure, self.values = structure, _nest.flatten(structure)

    def pack(self, values):
        return _nest.pack_sequence_as(self.structure, values)
