"""tf.map_fn, tf.foldl, tf.foldr and tf.scan: structures of values around the language's functions, which take and give lists."""

from flowray import _native
from flowray.tf import _nest


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
    kept = elems if signature is None else signature

    def call(row):
        result = fn(_nest.pack_sequence_as(elems, row))
        _nest.assert_same_structure(kept, result)
        return _nest.flatten(result)
    dtypes = None if signature is None else [_dtype(item) for item in _nest.flatten(signature)]
    results = _native._map_fn(call, _nest.flatten(elems), dtypes, parallel_iterations or 10,
                              back_prop, swap_memory, infer_shape, name)
    return _nest.pack_sequence_as(kept, results)


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
