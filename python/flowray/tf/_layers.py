"""tf.layers, tf.losses and learning rates: the language's, by TensorFlow's names and arguments."""

from flowray import _native
from flowray.tf import _language

ENDPOINTS = {}


def dense(inputs, units, activation=None, use_bias=True, kernel_initializer=None, bias_initializer="zeros", kernel_regularizer=None,
          bias_regularizer=None, activity_regularizer=None, kernel_constraint=None, bias_constraint=None, trainable=True, name=None,
          reuse=None):
    """activation(inputs * kernel + bias)."""
    return _native.layers._dense(inputs, units, dict(
        activation=activation, use_bias=use_bias, kernel_initializer=kernel_initializer, bias_initializer=bias_initializer,
        kernel_regularizer=kernel_regularizer, bias_regularizer=bias_regularizer, activity_regularizer=activity_regularizer,
        kernel_constraint=kernel_constraint, bias_constraint=bias_constraint, trainable=trainable, name=name, reuse=reuse))


def conv2d(inputs, filters, kernel_size, strides=(1, 1), padding="valid", data_format="channels_last", dilation_rate=(1, 1),
           activation=None, use_bias=True, kernel_initializer=None, bias_initializer="zeros", kernel_regularizer=None,
           bias_regularizer=None, activity_regularizer=None, kernel_constraint=None, bias_constraint=None, trainable=True,
           name=None, reuse=None):
    """activation(convolution of the images + bias)."""
    return _native.layers._conv2d(inputs, filters, kernel_size, strides, padding, data_format, dilation_rate, dict(
        activation=activation, use_bias=use_bias, kernel_initializer=kernel_initializer, bias_initializer=bias_initializer,
        kernel_regularizer=kernel_regularizer, bias_regularizer=bias_regularizer, activity_regularizer=activity_regularizer,
        kernel_constraint=kernel_constraint, bias_constraint=bias_constraint, trainable=trainable, name=name, reuse=reuse))


def add_loss(loss, loss_collection="losses"):
    """Adds a loss that was made otherwise to the graph's losses."""
    if loss_collection:
        _language.add_to_collection(loss_collection, loss)


ENDPOINTS["losses.add_loss"] = add_loss
ENDPOINTS["layers.dense"], ENDPOINTS["layers.conv2d"] = dense, conv2d
for _name in ("max_pooling2d", "average_pooling2d", "dropout", "flatten"):
    ENDPOINTS["layers." + _name] = getattr(_native.layers, _name)
for _name in ("absolute_difference", "mean_squared_error", "softmax_cross_entropy", "sparse_softmax_cross_entropy",
              "sigmoid_cross_entropy", "compute_weighted_loss", "get_losses", "get_regularization_losses",
              "get_regularization_loss", "get_total_loss", "Reduction"):
    ENDPOINTS["losses." + _name] = getattr(_native.losses, _name)
for _name in ("mean", "accuracy"):
    ENDPOINTS["metrics." + _name] = getattr(_native.metrics, _name)
for _name in ("exponential_decay", "natural_exp_decay", "inverse_time_decay", "polynomial_decay", "piecewise_constant"):
    ENDPOINTS["train." + _name] = getattr(_native.train, _name)
