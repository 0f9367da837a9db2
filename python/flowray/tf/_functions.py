"""Functions of TensorFlow 1 that are one op by another name or with another order of arguments, and small ones."""

import math

from flowray import _native
from flowray.tf import _generated as ops


def cumsum(x, axis=0, exclusive=False, reverse=False, name=None):
    """The sums along `axis` up to each element."""
    return ops.Cumsum(x, axis, exclusive, reverse, name)


def cumprod(x, axis=0, exclusive=False, reverse=False, name=None):
    """The products along `axis` up to each element."""
    return ops.Cumprod(x, axis, exclusive, reverse, name)


def _scatter(op, ref, indices, updates, use_locking, name):
    """Rows of a variable that are updated; of a resource variable what is left of it."""
    if not getattr(ref, "_is_resource", False):
        return getattr(ops, op)(ref, indices, updates, use_locking, name)
    updates = _native.convert_to_tensor(updates, dtype=ref.dtype)
    return _native._variable_after(ref, getattr(ops, "Resource" + op)(ref.handle, indices, updates, name=name))


def scatter_update(ref, indices, updates, use_locking=True, name=None):
    """Sets the rows of a variable that `indices` name to those of `updates`."""
    return _scatter("ScatterUpdate", ref, indices, updates, use_locking, name)


def scatter_add(ref, indices, updates, use_locking=False, name=None):
    """Adds the rows of `updates` to those of a variable that `indices` name."""
    return _scatter("ScatterAdd", ref, indices, updates, use_locking, name)


def scatter_sub(ref, indices, updates, use_locking=False, name=None):
    """Subtracts the rows of `updates` from those of a variable that `indices` name."""
    return _scatter("ScatterSub", ref, indices, updates, use_locking, name)


def linspace(start, stop, num, name=None):
    """`num` numbers from `start` to `stop`, both included."""
    return ops.LinSpace(start, stop, num, name)


def unique(x, out_idx=_native.as_dtype("int32"), name=None):
    """The elements of a vector, each once, in the order in which they come first; and of each element its place among those."""
    return ops.Unique(x, out_idx, name)


def top_k(input, k=1, sorted=True, name=None):
    """The `k` greatest elements along the last dimension, and where they stand."""
    return ops.TopKV2(input, k, sorted=sorted, name=name)


def in_top_k(predictions, targets, k, name=None):
    """Whether each target is among the `k` greatest predictions."""
    with _native.name_scope(name, "in_top_k"):
        return ops.InTopKV2(predictions, targets, k, name)


def Print(input_, data, message=None, first_n=None, summarize=None, name=None):
    """`input_`, which prints `data` whenever it is computed."""
    return ops.Print(input_, data, message or "", -1 if first_n is None else first_n, 3 if summarize is None else summarize, name)


def lrn(input, depth_radius=5, bias=1, alpha=1, beta=0.5, name=None):
    """Local response normalization: each element divided by what those around it in the last dimension amount to."""
    return ops.LRN(input, depth_radius, bias, alpha, beta, name)


def polyval(coeffs, x, name=None):
    """The polynomial whose coefficients a list holds, that of the greatest power first."""
    if not isinstance(coeffs, list):
        raise ValueError("Argument coeffs must be list type. Received type %s." % type(coeffs))
    with _native.name_scope(name, "polyval", coeffs + [x]) as scope:
        x = _native.convert_to_tensor(x, name="x")
        if not coeffs:
            return _native.zeros_like(x, name=scope)
        coeffs = [_native.convert_to_tensor(coefficient, name="coeff_%d" % i) for i, coefficient in enumerate(coeffs)]
        value = coeffs[0]
        for coefficient in coeffs[1:]:
            value = coefficient + value * x
        return value


def erfcinv(x, name=None):
    """Where erfc is `x`, which is between 0 and 2."""
    with _native.name_scope(name, "erfcinv", [x]):
        x = _native.convert_to_tensor(x, name="start")
        return -ops.Ndtri(0.5 * x) * math.sqrt(0.5)


def is_jpeg(contents, name=None):
    """Whether a file's bytes begin as a JPEG's do."""
    with _native.name_scope(name, "is_jpeg"):
        return _native.equal(ops.Substr(contents, 0, 3), b"\xff\xd8\xff", name=name)


def get_global_step(graph=None):
    """The variable that counts steps; None where there is none."""
    steps = (graph or _native.get_default_graph()).get_collection("global_step")
    return steps[0] if steps else None


def no_regularizer(_):
    """Of a variable without regularization."""
