"""Functions of tf.keras.backend that layers are made of: convolutions, pools, normalization, sequences and CTC."""

import contextlib as _contextlib
import functools as _functools
import inspect as _inspect
import itertools as _itertools
import sys as _sys

from flowray import _native
from flowray import tf as _tf
from flowray.tf import _nest


def _backend():
    from flowray.tf.keras import backend
    return backend


def _checked_padding(padding):
    if padding not in ("same", "valid", "causal"):
        raise ValueError("Invalid padding: " + str(padding))
    return padding.upper()


def is_channels_first(data_format):
    """Whether the channels of images follow the batch, as a function was told or the backend says for all."""
    data_format = _backend().image_data_format() if data_format is None else data_format
    if data_format not in ("channels_last", "channels_first"):
        raise ValueError("Unknown data_format: " + str(data_format))
    return data_format == "channels_first"


def of_images(function):
    """A function of images whose channels are the last dimension, as one that takes and gives them as data_format= says."""
    signature = _inspect.signature(function)

    @_functools.wraps(function)
    def of_both(*args, **options):
        given = signature.bind(*args, **options)
        if not is_channels_first(given.arguments.get("data_format")):
            return function(*args, **options)
        x = _tf.convert_to_tensor(given.arguments["x"])
        given.arguments["x"] = channels_last(x)
        return channels_first(function(*given.args, **given.kwargs))
    return of_both


def channels_last(x):
    """[batch, channels, ...] as [batch, ..., channels]."""
    return _tf.transpose(x, [0, *range(2, x.shape.ndims), 1])


def channels_first(x):
    """The other way round."""
    return _tf.transpose(x, [0, x.shape.ndims - 1, *range(1, x.shape.ndims - 1)])


def turned_activation(data_format, activation):
    """For outputs whose channels are last: what a layer that has them in front does to its own. Softmax takes their last dimension."""
    if data_format != "channels_first" or activation is None or activation == "linear":
        return activation

    def turned(x):
        return channels_last(activation(channels_first(x)))
    turned.__name__ = getattr(activation, "__name__", "activation")
    return turned


def turned_bias(data_format, bias):
    """For the same, one that has a number for each place: its numbers stand in the order of channels, places there."""
    if data_format != "channels_first":
        return bias
    *places, channels = bias.shape.as_list()
    return channels_last(_tf.reshape(bias, [1, channels, *places]))[0]


# ---- convolutions and pools

@of_images
def conv1d(x, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
    """A convolution over sequences; a causal one looks at nothing that comes later."""
    padding = _checked_padding(padding)
    if padding == "CAUSAL":
        x = _tf.pad(x, [[0, 0], [dilation_rate * (kernel.shape.as_list()[0] - 1), 0], [0, 0]])
        padding = "VALID"
    return _tf.nn.convolution(x, kernel, padding, strides=[strides], dilation_rate=[dilation_rate])


@of_images
def conv3d(x, kernel, strides=(1, 1, 1), padding="valid", data_format=None, dilation_rate=(1, 1, 1)):
    """A convolution over volumes."""
    return _tf.nn.convolution(x, kernel, _checked_padding(padding), strides=list(strides), dilation_rate=list(dilation_rate))


@of_images
def conv2d_transpose(x, kernel, output_shape, strides=(1, 1), padding="valid", data_format=None, dilation_rate=(1, 1)):
    """What a convolution's gradient is, over images: of this shape, the batch in front."""
    if tuple(dilation_rate) != (1, 1):
        raise NotImplementedError("backend.conv2d_transpose(dilation_rate=%r) is not there yet: leave it out" % (dilation_rate,))
    if isinstance(output_shape, (tuple, list)):
        first = _tf.shape(x)[0] if output_shape[0] is None else output_shape[0]
        output_shape = _tf.stack([first, *output_shape[1:]])
    if is_channels_first(data_format):
        output_shape = _tf.gather(output_shape, [0, 2, 3, 1])
    return _tf.nn.conv2d_transpose(x, kernel, output_shape, [1, *strides, 1], padding=_checked_padding(padding))


@of_images
def depthwise_conv2d(x, depthwise_kernel, strides=(1, 1), padding="valid", data_format=None, dilation_rate=(1, 1)):
    """A convolution of each channel by itself."""
    return _tf.nn.depthwise_conv2d(x, depthwise_kernel, [1, *strides, 1], _checked_padding(padding), rate=list(dilation_rate))


@of_images
def separable_conv2d(x, depthwise_kernel, pointwise_kernel, strides=(1, 1), padding="valid", data_format=None, dilation_rate=(1, 1)):
    """The same, and then a product over the channels."""
    if len(strides) != 2:
        raise ValueError("`strides` must be a tuple of 2 integers.")
    return _tf.nn.separable_conv2d(x, depthwise_kernel, pointwise_kernel, [1, *strides, 1], _checked_padding(padding),
                                   rate=list(dilation_rate))


def _local(inputs, kernel, kernel_size, strides, output_shape, data_format):
    width, filters = kernel.shape.as_list()[1:]
    parts, is_first = [], is_channels_first(data_format)
    for place in _itertools.product(*(range(size) for size in output_shape)):
        rows = tuple(slice(at * step, at * step + size) for at, step, size in zip(place, strides, kernel_size))
        window = (slice(None), slice(None), *rows) if is_first else (slice(None), *rows, slice(None))
        parts.append(_tf.reshape(inputs[window], [1, -1, width]))
    made = _tf.reshape(_tf.matmul(_tf.concat(parts, 0), kernel), [*output_shape, -1, filters])
    rank = len(output_shape)
    return _tf.transpose(made, [rank, rank + 1, *range(rank)] if is_first else [rank, *range(rank), rank + 1])


def local_conv1d(inputs, kernel, kernel_size, strides, data_format=None):
    """A convolution over sequences with weights of its own in each place."""
    return _local(inputs, kernel, kernel_size, strides, [kernel.shape.as_list()[0]], data_format)


def local_conv2d(inputs, kernel, kernel_size, strides, output_shape, data_format=None):
    """The same over images."""
    return _local(inputs, kernel, kernel_size, strides, list(output_shape), data_format)


@of_images
def pool3d(x, pool_size, strides=(1, 1, 1), padding="valid", data_format=None, pool_mode="max"):
    """The greatest element or the mean of each window of volumes."""
    pool = {"max": _tf.nn.max_pool3d, "avg": _tf.nn.avg_pool3d}.get(pool_mode)
    if pool is None:
        raise ValueError("Invalid pooling mode: " + str(pool_mode))
    return pool(x, [1, *pool_size, 1], [1, *strides, 1], _checked_padding(padding))


@of_images
def resize_images(x, height_factor, width_factor, data_format, interpolation="nearest"):
    """Images so many times as high and wide."""
    if interpolation not in ("nearest", "bilinear"):
        raise ValueError("interpolation should be one of \"nearest\" or \"bilinear\".")
    if interpolation == "nearest":
        return _backend().repeat_elements(_backend().repeat_elements(x, height_factor, 1), width_factor, 2)
    sizes = x.shape.as_list()
    size = _tf.shape(x)[1:3] if None in sizes[1:3] else _tf.constant(sizes[1:3])
    made = _tf.image.resize_bilinear(x, size * _tf.constant([height_factor, width_factor]), half_pixel_centers=True)
    made.set_shape([sizes[0], *(None if one is None else one * factor for one, factor in zip(sizes[1:3], (height_factor, width_factor))), sizes[3]])
    return made


@of_images
def resize_volumes(x, depth_factor, height_factor, width_factor, data_format):
    """Volumes so many times as deep, high and wide."""
    for axis, factor in enumerate((depth_factor, height_factor, width_factor), 1):
        x = _backend().repeat_elements(x, factor, axis)
    return x


@of_images
def spatial_3d_padding(x, padding=((1, 1), (1, 1), (1, 1)), data_format=None):
    """Zeros around volumes."""
    return _tf.pad(x, [[0, 0], *(list(one) for one in padding), [0, 0]])


# ---- normalization

def batch_normalization(x, mean, var, beta, gamma, axis=-1, epsilon=1e-3):
    """x with this mean and variance taken out, and beta and gamma put in; they stand along the axis."""
    shape = [1] * x.shape.ndims
    shape[axis] = -1

    def along(value):
        return None if value is None else _tf.reshape(value, shape)
    return _tf.nn.batch_normalization(x, along(mean), along(var), along(beta), along(gamma), epsilon)


def normalize_batch_in_training(x, gamma, beta, reduction_axes, epsilon=1e-3):
    """(x with its own mean and variance taken out, the mean, the variance). Of images the variance is one of n - 1 elements."""
    rank = x.shape.ndims
    if rank == 4 and sorted(reduction_axes) == [0, 1, 2]:
        channels = x.shape.as_list()[-1:]
        return _tf.nn.fused_batch_norm(x, _tf.ones(channels, x.dtype) if gamma is None else gamma,
                                       _tf.zeros(channels, x.dtype) if beta is None else beta, epsilon=epsilon)[:3]
    mean, var = _tf.nn.moments(x, list(reduction_axes))
    shape = _tf.stack([1 if axis in reduction_axes else _tf.shape(x)[axis] for axis in range(rank)])

    def along(value):
        return None if value is None else _tf.reshape(value, shape)
    return _tf.nn.batch_normalization(x, along(mean), along(var), along(beta), along(gamma), epsilon), mean, var


# ---- sequences

def rnn(step_function, inputs, initial_states, go_backwards=False, mask=None, constants=None, unroll=False, input_length=None, time_major=False,
        zero_output_for_mask=False, return_all_outputs=True):
    """(the last output, the outputs of all times, the last states) of step_function(inputs of a time, states)."""
    from flowray.tf.keras import cells
    if _nest.is_nested(inputs):
        raise NotImplementedError("backend.rnn of several inputs is not there yet: concatenate them")

    def turned(value):
        return _tf.transpose(value, [1, 0, *range(2, value.shape.ndims)])
    inputs = turned(inputs) if time_major else inputs
    if mask is not None:
        mask = _tf.cast(mask, _tf.bool)
        mask = turned(mask) if time_major else mask
        mask = _tf.squeeze(mask, [2]) if mask.shape.ndims == 3 else mask
    elif isinstance(input_length, _native.Tensor) and input_length.shape.ndims:
        mask = _tf.sequence_mask(input_length, _tf.shape(inputs)[1])
    constants, states = list(constants or ()), list(initial_states)

    def step(x, now):
        output, new = step_function(x, tuple(now) + tuple(constants))
        return output, list(new)
    last, outputs, states = cells._over_time(step, inputs, states, mask, go_backwards, unroll)
    if mask is not None and zero_output_for_mask:
        counts = _tf.reverse(mask, [1]) if go_backwards else mask
        counts = _tf.reshape(counts, _tf.concat([_tf.shape(counts), [1] * (outputs.shape.ndims - 2)], 0))
        outputs = outputs * _tf.cast(counts, outputs.dtype)
        last = outputs[:, -1]
    if not return_all_outputs:
        outputs = _tf.expand_dims(last, 1)
    return last, turned(outputs) if time_major else outputs, states


def ctc_label_dense_to_sparse(labels, label_lengths):
    """The first so many labels of each row, as a SparseTensor."""
    places = _tf.where(_tf.sequence_mask(label_lengths, _tf.shape(labels)[1]))
    return _tf.SparseTensor(places, _tf.gather_nd(labels, places), _tf.cast(_tf.shape(labels), _tf.int64))


def _logarithms(y_pred):
    return _tf.log(_tf.transpose(y_pred, [1, 0, 2]) + _backend().epsilon())


def ctc_batch_cost(y_true, y_pred, input_length, label_length):
    """The CTC loss of each element, [batch, 1], of labels [batch, most] and chances [batch, time, classes]."""
    input_length, label_length = (_tf.cast(_tf.squeeze(length, axis=[-1]), _tf.int32) for length in (input_length, label_length))
    labels = _tf.cast(ctc_label_dense_to_sparse(y_true, label_length), _tf.int32)
    return _tf.expand_dims(_tf.nn.ctc_loss(labels=labels, inputs=_logarithms(y_pred), sequence_length=input_length), 1)


def ctc_decode(y_pred, input_length, greedy=True, beam_width=100, top_paths=1):
    """([labels of the likeliest ways, -1 where there are no more], their logarithms)"""
    sizes = _tf.shape(y_pred)[:2]
    inputs, lengths = _logarithms(y_pred), _tf.cast(input_length, _tf.int32)
    if greedy:
        decoded, chances = _tf.nn.ctc_greedy_decoder(inputs, lengths)
    else:
        decoded, chances = _tf.nn.ctc_beam_search_decoder(inputs, lengths, beam_width=beam_width, top_paths=top_paths)
    return [_tf.sparse.to_dense(_tf.SparseTensor(one.indices, one.values, _tf.cast(sizes, _tf.int64)), default_value=-1)
            for one in decoded], chances


# ---- others

def print_tensor(x, message="", summarize=3):
    """x, which is printed when it is computed."""
    printed = _tf.print(message, x, output_stream=_sys.stdout, summarize=summarize)
    if _tf.executing_eagerly():
        return x
    with _tf.control_dependencies([printed]):
        return _tf.identity(x)


def random_bernoulli(shape, p=0.0, dtype=None, seed=None):
    """1 by the chance of p, else 0."""
    return _backend().random_binomial(shape, p, dtype, seed)


def to_dense(tensor):
    """A sparse tensor with its zeros; others as they are."""
    return _tf.sparse.to_dense(tensor) if _backend().is_sparse(tensor) else tensor


@_contextlib.contextmanager
def learning_phase_scope(value):
    """learning_phase() says `value` in this block."""
    before = _backend().learning_phase()
    _backend().set_learning_phase(value)
    try:
        yield
    finally:
        _backend().set_learning_phase(before)


def manual_variable_initialization(value):
    """Variables get their first values from the models' session here: only False is taken."""
    if value:
        raise NotImplementedError("backend.manual_variable_initialization(True) is not there: a variable that has been given a value keeps it")


def name_scope(name):
    """Names of operations made in this block begin with it."""
    return _tf.name_scope(name)
