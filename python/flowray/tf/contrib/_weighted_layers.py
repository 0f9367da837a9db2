"""Layers of tf.contrib.layers whose weights are made here: transposed and separable convolutions, biases."""

from flowray import tf as _tf
from flowray.tf.contrib import _layers
from flowray.tf.contrib._arg_scope import add_arg_scope
from flowray.tf.contrib._end_points import collect_named_outputs
from flowray.tf.contrib._model_variables import model_variable, with_collections


def _pair(value):
    return [value, value] if isinstance(value, int) else [int(each) for each in value]


def _refuse_channels_first(name, data_format):
    if data_format != "NHWC":
        raise NotImplementedError("tf.contrib.layers.%s(data_format=%r) is not there: say \"NHWC\"" % (name, data_format))


class _Finish:
    """What follows the product of inputs and weights: normalizer or biases, activation, collections."""

    def __init__(self, options):
        self._options = options

    def variable(self, name, shape, initializer, regularizer, dtype):
        of_all = self._options
        return model_variable(name, shape=shape, dtype=dtype, initializer=initializer, regularizer=regularizer, trainable=of_all["trainable"],
                              collections=with_collections(of_all["variables_collections"], name))

    def __call__(self, outputs, scope):
        of_all = self._options
        if of_all["normalizer_fn"] is not None:
            outputs = of_all["normalizer_fn"](outputs, **(of_all["normalizer_params"] or {}))
        elif of_all["biases_initializer"] is not None:
            biases = self.variable("biases", [outputs.shape[-1].value], of_all["biases_initializer"], of_all["biases_regularizer"], outputs.dtype)
            outputs = _tf.nn.bias_add(outputs, biases)
        if of_all["activation_fn"] is not None:
            outputs = of_all["activation_fn"](outputs)
        return collect_named_outputs(of_all["outputs_collections"], scope.name, outputs)


def _length_before(length, kernel, stride, padding):
    if length is None:
        return None
    return length * stride + (max(kernel - stride, 0) if padding.upper() == "VALID" else 0)


@add_arg_scope
def convolution2d_transpose(inputs, num_outputs, kernel_size, stride=1, padding="SAME", data_format="NHWC", activation_fn=_tf.nn.relu,
                            normalizer_fn=None, normalizer_params=None, weights_initializer=_layers.xavier_initializer(), weights_regularizer=None,
                            biases_initializer=_tf.zeros_initializer(), biases_regularizer=None, reuse=None, variables_collections=None,
                            outputs_collections=None, trainable=True, scope=None):
    """The gradient of a convolution by its inputs, as a layer."""
    _refuse_channels_first("conv2d_transpose", data_format)
    finish = _Finish(locals())
    inputs = _tf.convert_to_tensor(inputs)
    with _tf.variable_scope(scope, "Conv2d_transpose", [inputs], reuse=reuse) as own:
        kernel, strides = _pair(kernel_size), _pair(stride)
        weights = finish.variable("weights", [*kernel, num_outputs, inputs.shape[-1].value], weights_initializer, weights_regularizer, inputs.dtype)
        known = inputs.shape.as_list()
        given = _tf.unstack(_tf.shape(inputs))
        lengths = [_length_before(given[i + 1] if known[i + 1] is None else known[i + 1], kernel[i], strides[i], padding) for i in range(2)]
        outputs = _tf.nn.conv2d_transpose(inputs, weights, _tf.stack([given[0], *lengths, num_outputs]), [1, *strides, 1], padding)
        outputs.set_shape([known[0], *(_length_before(known[i + 1], kernel[i], strides[i], padding) for i in range(2)), num_outputs])
        return finish(outputs, own)


@add_arg_scope
def separable_convolution2d(inputs, num_outputs, kernel_size, depth_multiplier=1, stride=1, padding="SAME", data_format="NHWC", rate=1,
                            activation_fn=_tf.nn.relu, normalizer_fn=None, normalizer_params=None,
                            weights_initializer=_layers.xavier_initializer(), pointwise_initializer=None, weights_regularizer=None,
                            biases_initializer=_tf.zeros_initializer(), biases_regularizer=None, reuse=None, variables_collections=None,
                            outputs_collections=None, trainable=True, scope=None):
    """A convolution of each channel by itself, then, where num_outputs is given, one over the channels."""
    _refuse_channels_first("separable_conv2d", data_format)
    finish = _Finish(locals())
    inputs = _tf.convert_to_tensor(inputs)
    with _tf.variable_scope(scope, "SeparableConv2d", [inputs], reuse=reuse) as own:
        channels, kernel, strides, rates = inputs.shape[-1].value, _pair(kernel_size), [1, *_pair(stride), 1], _pair(rate)
        by_channel = finish.variable("depthwise_weights", [*kernel, channels, depth_multiplier], weights_initializer, weights_regularizer,
                                     inputs.dtype)
        if num_outputs is None:
            outputs = _tf.nn.depthwise_conv2d(inputs, by_channel, strides, padding, rates)
        else:
            over_channels = finish.variable("pointwise_weights", [1, 1, depth_multiplier * channels, num_outputs],
                                            pointwise_initializer or weights_initializer, weights_regularizer, inputs.dtype)
            outputs = _tf.nn.separable_conv2d(inputs, by_channel, over_channels, strides, padding, rates)
        return finish(outputs, own)


@add_arg_scope
def bias_add(inputs, activation_fn=None, initializer=_tf.zeros_initializer(), regularizer=None, reuse=None, variables_collections=None,
             outputs_collections=None, trainable=True, data_format="NHWC", scope=None):
    """activation_fn(inputs + biases)."""
    _refuse_channels_first("bias_add", data_format)
    inputs = _tf.convert_to_tensor(inputs)
    with _tf.variable_scope(scope, "BiasAdd", [inputs], reuse=reuse) as own:
        biases = model_variable("biases", shape=[inputs.shape[-1].value], dtype=inputs.dtype.base_dtype, initializer=initializer,
                                regularizer=regularizer, collections=with_collections(variables_collections, "biases"), trainable=trainable)
        outputs = _tf.nn.bias_add(inputs, biases)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_named_outputs(outputs_collections, own.name, outputs)
