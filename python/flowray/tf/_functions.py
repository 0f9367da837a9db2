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


@endpoint("linspace", "lin_space")
def linspace(start, stop, num, name=None):
    """`num` numbers from `start` to `stop`, both included."""
    return ops.LinSpace(start, stop, num, name)


@endpoint("unique")
def unique(x, out_idx=_native.as_dtype("int32"), name=None):
    return ops.Unique(x, out_idx, name)


@endpoint("nn.top_k", "math.top_k")
def top_k(input, k=1, sorted=True, name=None):
    return ops.TopKV2(input, k, sorted=sorted, name=name)


@endpoint("nn.in_top_k", "math.in_top_k")
def in_top_k(predictions, targets, k, name=None):
    with _native.name_scope(name, "in_top_k"):
        return ops.InTopKV2(predictions, targets, k, name)


@endpoint("Print")
def Print(input_, data, message=None, first_n=None, summarize=None, name=None):
    return ops.Print(input_, data, message or "", -1 if first_n is None else first_n, 3 if summarize is None else summarize, name)


@endpoint("is_variable_initialized")
def is_variable_initialized(variable):
    return ops.IsVariableInitialized(variable)


@endpoint("nn.lrn", "nn.local_response_normalization")
def lrn(input, depth_radius=5, bias=1, alpha=1, beta=0.5, name=None):
    return ops.LRN(input, depth_radius, bias, alpha, beta, name)


ENDPOINTS["tensordot"] = ENDPOINTS["linalg.tensordot"] = _native.tensordot
ENDPOINTS["nn.embedding_lookup"] = _native.nn.embedding_lookup
for _name in ("moments", "batch_normalization", "l2_normalize", "xw_plus_b", "relu_layer", "conv2d_transpose", "nce_loss",
              "sampled_softmax_loss", "conv1d", "conv3d", "convolution", "atrous_conv2d", "atrous_conv2d_transpose", "depthwise_conv2d",
              "depthwise_conv2d_native", "separable_conv2d", "conv1d_transpose", "conv3d_transpose", "conv_transpose", "avg_pool1d",
              "avg_pool3d", "avg_pool_v2", "max_pool1d", "max_pool2d", "max_pool3d", "max_pool_v2", "pool", "crelu", "silu", "swish",
              "zero_fraction", "weighted_cross_entropy_with_logits", "log_poisson_loss", "weighted_moments", "sufficient_statistics",
              "normalize_moments", "batch_norm_with_global_normalization"):
    ENDPOINTS["nn." + _name] = getattr(_native.nn, _name)
ENDPOINTS["nn.avg_pool2d"] = _native.nn.avg_pool
ENDPOINTS["math.zero_fraction"] = _native.nn.zero_fraction
ENDPOINTS["math.l2_normalize"] = ENDPOINTS["linalg.l2_normalize"] = _native.nn.l2_normalize
ENDPOINTS["nn.sigmoid"] = _native.sigmoid
ENDPOINTS["nn.tanh"] = _native.tanh
ENDPOINTS["gradients"] = _native.train.gradients
ENDPOINTS["train.get_global_step"] = lambda graph=None: _global_step(graph)
for _name in ("clip_by_norm", "clip_by_average_norm", "clip_by_global_norm"):
    ENDPOINTS[_name] = getattr(_native, _name)
ENDPOINTS["global_norm"] = ENDPOINTS["linalg.global_norm"] = _native.global_norm
ENDPOINTS["all_variables"] = _native.global_variables
ENDPOINTS["initialize_local_variables"] = _native.local_variables_initializer
ENDPOINTS["tables_initializer"] = _native.tables_initializer
ENDPOINTS["initialize_all_tables"] = _native.tables_initializer
for _name in ("assert_variables_initialized", "orthogonal_initializer", "uniform_unit_scaling_initializer"):
    ENDPOINTS[_name] = getattr(_native, _name)
ENDPOINTS["no_regularizer"] = lambda _: None
ENDPOINTS["arg_max"] = ops.ArgMax
ENDPOINTS["arg_min"] = ops.ArgMin
for _old, _new in {"mul": "multiply", "sub": "subtract", "neg": "negative"}.items():  # TensorFlow 0.x, still in use
    ENDPOINTS[_old] = getattr(_native, _new)


def _global_step(graph):
    steps = (graph or _native.get_default_graph()).get_collection("global_step")
    return steps[0] if steps else None
