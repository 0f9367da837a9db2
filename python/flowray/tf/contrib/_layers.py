"""tf.contrib.layers: the language's, by TensorFlow 1.15's names and arguments."""

from flowray import _native
from flowray.tf import _initializers, _language
from flowray.tf.contrib import _end_points
from flowray.tf.contrib._arg_scope import add_arg_scope

_layers = _native.contrib.layers
l1_regularizer, l2_regularizer = _layers.l1_regularizer, _layers.l2_regularizer
l1_l2_regularizer, sum_regularizer = _layers.l1_l2_regularizer, _layers.sum_regularizer


def xavier_initializer(uniform=True, seed=None, dtype=None):
    """Random values of a variance that keeps signals' size in both directions."""
    make = _initializers.glorot_uniform_initializer if uniform else _initializers.glorot_normal_initializer
    return make(seed, dtype)


def variance_scaling_initializer(factor=2.0, mode="FAN_IN", uniform=False, seed=None, dtype=None):
    """Random values of variance factor / fan."""
    distribution = "uniform" if uniform else "truncated_normal"
    return _initializers.variance_scaling_initializer(factor, mode.lower(), distribution, seed, dtype)


def _with_parameters(normalizer_fn, parameters):
    if normalizer_fn is None or not parameters:
        return normalizer_fn
    return lambda x: normalizer_fn(x, **parameters)


def _layer_options(activation_fn, normalizer_fn, normalizer_params, weights_initializer, weights_regularizer, biases_initializer,
                   biases_regularizer, reuse, variables_collections, trainable, scope):
    if isinstance(variables_collections, dict):
        _native._refuse(variables_collections, "tf.contrib.layers", "variables_collections as a dictionary")
    return dict(activation_fn=activation_fn, normalizer_fn=_with_parameters(normalizer_fn, normalizer_params),
                weights_initializer=weights_initializer, weights_regularizer=weights_regularizer,
                biases_initializer=biases_initializer, biases_regularizer=biases_regularizer,
                has_biases=biases_initializer is not None, reuse=reuse, variables_collections=variables_collections,
                trainable=trainable, scope=getattr(scope, "name", scope))


@add_arg_scope
def fully_connected(inputs, num_outputs, activation_fn=_native.nn.relu, normalizer_fn=None, normalizer_params=None,
                    weights_initializer=xavier_initializer(), weights_regularizer=None,
                    biases_initializer=_native.zeros_initializer(), biases_regularizer=None, reuse=None, variables_collections=None,
                    outputs_collections=None, trainable=True, scope=None):
    """activation_fn(inputs * weights + biases)."""
    options = _layer_options(activation_fn, normalizer_fn, normalizer_params, weights_initializer, weights_regularizer,
                             biases_initializer, biases_regularizer, reuse, variables_collections, trainable, scope)
    return _end_points.collected(outputs_collections, _layers._fully_connected(inputs, num_outputs, **options))


def relu(inputs, num_outputs, activation_fn=_native.nn.relu, **options):
    """fully_connected, with what is above 0."""
    return fully_connected(inputs, num_outputs, activation_fn=activation_fn, **options)


def relu6(inputs, num_outputs, activation_fn=_native.nn.relu6, **options):
    """fully_connected, with what is between 0 and 6."""
    return fully_connected(inputs, num_outputs, activation_fn=activation_fn, **options)


def elu(inputs, num_outputs, activation_fn=_native.nn.elu, **options):
    """fully_connected, whose negative results go against -1."""
    return fully_connected(inputs, num_outputs, activation_fn=activation_fn, **options)


def linear(inputs, num_outputs, activation_fn=None, **options):
    """fully_connected as it comes out of the product."""
    return fully_connected(inputs, num_outputs, activation_fn=activation_fn, **options)


@add_arg_scope
def convolution2d(inputs, num_outputs, kernel_size, stride=1, padding="SAME", data_format=None, rate=1, activation_fn=_native.nn.relu,
                  normalizer_fn=None, normalizer_params=None, weights_initializer=xavier_initializer(), weights_regularizer=None,
                  biases_initializer=_native.zeros_initializer(), biases_regularizer=None, reuse=None, variables_collections=None,
                  outputs_collections=None, trainable=True, scope=None):
    """activation_fn(convolution of the images + biases)."""
    options = _layer_options(activation_fn, normalizer_fn, normalizer_params, weights_initializer, weights_regularizer,
                             biases_initializer, biases_regularizer, reuse, variables_collections, trainable, scope)
    return _end_points.collected(outputs_collections,
                      _layers._conv2d(inputs, num_outputs, kernel_size, stride, padding, data_format, rate, **options))


@add_arg_scope
def max_pool2d(inputs, kernel_size, stride=2, padding="VALID", data_format="NHWC", outputs_collections=None, scope=None):
    """The greatest value of each window."""
    return _end_points.collected(outputs_collections, _layers._max_pool2d(inputs, kernel_size, stride, padding, data_format, scope))


@add_arg_scope
def avg_pool2d(inputs, kernel_size, stride=2, padding="VALID", data_format="NHWC", outputs_collections=None, scope=None):
    """The mean of each window."""
    return _end_points.collected(outputs_collections, _layers._avg_pool2d(inputs, kernel_size, stride, padding, data_format, scope))


@add_arg_scope
def flatten(inputs, outputs_collections=None, scope=None):
    """[batch, the rest in one]."""
    return _end_points.collected(outputs_collections, _layers._flatten(inputs, scope))


@add_arg_scope
def dropout(inputs, keep_prob=0.5, noise_shape=None, is_training=True, outputs_collections=None, scope=None, seed=None):
    """Drops values while training."""
    return _end_points.collected(outputs_collections, _layers._dropout(inputs, keep_prob, noise_shape, is_training, seed, scope))


def apply_regularization(regularizer, weights_list=None):
    """The sum of what the regularizer makes of the weights; added to the graph's regularization losses."""
    return _layers._apply_regularization(regularizer, weights_list or _language.get_collection("weights"))


NAMES = {function.__name__: function for function in (
    xavier_initializer, variance_scaling_initializer, fully_connected, convolution2d, max_pool2d, avg_pool2d, flatten, dropout,
    apply_regularization)}
NAMES.update(conv2d=convolution2d, relu=relu, relu6=relu6, elu=elu, linear=linear, xavier_initializer_conv2d=xavier_initializer, l1_regularizer=l1_regularizer,
             l2_regularizer=l2_regularizer, l1_l2_regularizer=l1_l2_regularizer, sum_regularizer=sum_regularizer)
