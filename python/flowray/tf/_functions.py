"""Functions of TensorFlow 1 that are one op by another name or with another order of arguments."""

from flowray import _native
from flowray.tf import _generated as ops

ENDPOINTS = {}


def endpoint(*names):
    def publish(function):
        for name in names:
            ENDPOINTS[name] = function
        return function
    return publish


@endpoint("cumsum", "math.cumsum")
def cumsum(x, axis=0, exclusive=False, reverse=False, name=None):
    """The sums along `axis` up to each element."""
    return ops.Cumsum(x, axis, exclusive, reverse, name)


@endpoint("cumprod", "math.cumprod")
def cumprod(x, axis=0, exclusive=False, reverse=False, name=None):
    """The products along `axis` up to each element."""
    return ops.Cumprod(x, axis, exclusive, reverse, name)


@endpoint("gather_nd")
def gather_nd(params, indices, name=None, batch_dims=0):
    """Slices of `params` by rows of `indices`."""
    return ops.GatherNd(params, indices, name=name)


@endpoint("scatter_update")
def scatter_update(ref, indices, updates, use_locking=True, name=None):
    return ops.ScatterUpdate(ref, indices, updates, use_locking, name)


@endpoint("scatter_add")
def scatter_add(ref, indices, updates, use_locking=False, name=None):
    return ops.ScatterAdd(ref, indices, updates, use_locking, name)


@endpoint("scatter_sub")
def scatter_sub(ref, indices, updates, use_locking=False, name=None):
    return ops.ScatterSub(ref, indices, updates, use_locking, name)


@endpoint("unique")
def unique(x, out_idx=_native.as_dtype("int32"), name=None):
    return ops.Unique(x, out_idx, name)


@endpoint("nn.top_k", "math.top_k")
def top_k(input, k=1, sorted=True, name=None):
    return ops.TopKV2(input, k, sorted=sorted, name=name)


@endpoint("nn.in_top_k", "math.in_top_k")
def in_top_k(predictions, targets, k, name=None):
    return ops.InTopKV2(predictions, targets, k, name)


@endpoint("Print")
def Print(input_, data, message=None, first_n=None, summarize=None, name=None):
    return ops.Print(input_, data, message or "", -1 if first_n is None else first_n, 3 if summarize is None else summarize, name)


@endpoint("is_variable_initialized")
def is_variable_initialized(variable):
    return ops.IsVariableInitialized(variable, variable.dtype.base_dtype)


@endpoint("nn.lrn", "nn.local_response_normalization")
def lrn(input, depth_radius=5, bias=1, alpha=1, beta=0.5, name=None):
    return ops.LRN(input, depth_radius, bias, alpha, beta, name)


for _names, _function in {
    ("nn.sigmoid", "nn.tanh"): None,
}.items():
    ENDPOINTS[_names[0]] = _native.sigmoid
    ENDPOINTS[_names[1]] = _native.tanh
for _name in ("gradients",):
    ENDPOINTS[_name] = _native.train.gradients
for _old, _new in {"mul": "multiply", "sub": "subtract", "neg": "negative"}.items():  # names of TensorFlow 0.x, still in use
    ENDPOINTS[_old] = getattr(_native, _new)
ENDPOINTS["arg_max"] = ops.ArgMax
ENDPOINTS["arg_min"] = ops.ArgMin
ENDPOINTS["global_norm_ops"] = None
del ENDPOINTS["global_norm_ops"]
