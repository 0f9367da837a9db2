"""Values of calls as they come."""

from flowray.ray import _runtime


def _check(chunk_size, options):
    if chunk_size < 1:
        raise ValueError("`chunk_size` must be >= 1")
    if "num_returns" in options:
        raise ValueError("Use the `chunk_size` argument instead of `num_returns`.")


def _next_chunk(refs, chunk_size, yield_obj_refs, options):
    """(values of those that are there first, the other references)."""
    ready, others = _runtime.wait(refs, num_returns=min(chunk_size, len(refs)), **options)
    return ready if yield_obj_refs else _runtime.get(ready), others


def as_completed(refs, *, chunk_size=10, yield_obj_refs=False, **kwargs):
    """Gives the values of references, those that are there first first.

    Args:
        refs: a list of references.
        chunk_size: for so many it waits at a time; their values come in the order of `refs`.
        yield_obj_refs: gives the references instead.
        kwargs: arguments of ray.wait.
    """
    _check(chunk_size, kwargs)
    refs = list(refs)
    while refs:
        values, refs = _next_chunk(refs, chunk_size, yield_obj_refs, kwargs)
        yield from values


def map_unordered(fn, items, *, backpressure_size=100, chunk_size=10, yield_obj_refs=False, **kwargs):
    """Calls a remote function for each item and gives the values, those that are there first first.

    Args:
        fn: the function: fn.remote(item) is called.
        items: what it is called for, taken as they are needed.
        backpressure_size: at most so many calls are in flight; None: any number.
        chunk_size, yield_obj_refs, kwargs: as of as_completed.
    """
    if backpressure_size is not None and backpressure_size <= 0:
        raise ValueError("backpressure_size must be positive.")
    _check(chunk_size, kwargs)
    refs = []
    for item in items:
        refs.append(fn.remote(item))
        if backpressure_size is not None and len(refs) >= backpressure_size:
            values, refs = _next_chunk(refs, chunk_size, yield_obj_refs, kwargs)
            yield from values
    yield from as_completed(refs, chunk_size=chunk_size, yield_obj_refs=yield_obj_refs, **kwargs)
