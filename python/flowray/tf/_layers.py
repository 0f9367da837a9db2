"""tf.layers, tf.losses and learning rates: the language's, by TensorFlow's names and arguments."""

from flowray import _native
from flowray.tf import _language


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


def _convolution(name, dimensions):
    """tf.layers.conv1d and conv3d."""
    layer = getattr(_native.layers, "_" + name)
    ones = 1 if dimensions == 1 else (1,) * dimensions

    def convolution(inputs, filters, kernel_size, strides=ones, padding="valid", data_format="channels_last", dilation_rate=ones,
                    activation=None, use_bias=True, kernel_initializer=None, bias_initializer="zeros", kernel_regularizer=None,
                    bias_regularizer=None, activity_regularizer=None, kernel_constraint=None, bias_constraint=None, trainable=True,
                    name=None, reuse=None):
        """activation(convolution + bias)."""
        return layer(inputs, filters, kernel_size, strides, padding, data_format, dilation_rate, dict(
            activation=activation, use_bias=use_bias, kernel_initializer=kernel_initializer, bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer, bias_regularizer=bias_regularizer, activity_regularizer=activity_regularizer,
            kernel_constraint=kernel_constraint, bias_constraint=bias_constraint, trainable=trainable, name=name, reuse=reuse))

    convolution.__name__ = convolution.__qualname__ = name
    return convolution


conv1d, conv3d = _convolution("conv1d", 1), _convolution("conv3d", 3)


def separable_conv2d(inputs, filters, kernel_size, strides=(1, 1), padding="valid", data_format="channels_last", dilation_rate=(1, 1),
                     depth_multiplier=1, activation=None, use_bias=True, depthwise_initializer=None, pointwise_initializer=None,
                     bias_initializer="zeros", depthwise_regularizer=None, pointwise_regularizer=None, bias_regularizer=None,
                     activity_regularizer=None, depthwise_constraint=None, pointwise_constraint=None, bias_constraint=None,
                     trainable=True, name=None, reuse=None):
    """activation(a mixture of each channel's own convolutions + bias)."""
    kernels = dict(depthwise_initializer=depthwise_initializer, pointwise_initializer=pointwise_initializer,
                   depthwise_regularizer=depthwise_regularizer, pointwise_regularizer=pointwise_regularizer)
    return _native.layers._separable_conv2d(
        inputs, filters, kernel_size, strides, padding, data_format, dilation_rate, depth_multiplier, kernels, dict(
            activation=activation, use_bias=use_bias, bias_initializer=bias_initializer, bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer, depthwise_constraint=depthwise_constraint,
            pointwise_constraint=pointwise_constraint, bias_constraint=bias_constraint, trainable=trainable, name=name, reuse=reuse))


def conv2d_transpose(inputs, filters, kernel_size, strides=(1, 1), padding="valid", data_format="channels_last", activation=None,
                     use_bias=True, kernel_initializer=None, bias_initializer="zeros", kernel_regularizer=None, bias_regularizer=None,
                     activity_regularizer=None, kernel_constraint=None, bias_constraint=None, trainable=True, name=None, reuse=None):
    """conv2d the other way round: activation(what a convolution would make the images from + bias)."""
    return _native.layers._conv2d_transpose(inputs, filters, kernel_size, strides, padding, data_format, dict(
        activation=activation, use_bias=use_bias, kernel_initializer=kernel_initializer, bias_initializer=bias_initializer,
        kernel_regularizer=kernel_regularizer, bias_regularizer=bias_regularizer, activity_regularizer=activity_regularizer,
        kernel_constraint=kernel_constraint, bias_constraint=bias_constraint, trainable=trainable, name=name, reuse=reuse))


def batch_normalization(inputs, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True, beta_initializer="zeros",
                        gamma_initializer="ones", moving_mean_initializer="zeros", moving_variance_initializer="ones",
                        beta_regularizer=None, gamma_regularizer=None, beta_constraint=None, gamma_constraint=None, training=False,
                        trainable=True, name=None, reuse=None, renorm=False, renorm_clipping=None, renorm_momentum=0.99, fused=None,
                        virtual_batch_size=None, adjustment=None):
    """(inputs - mean) / sqrt(variance + epsilon) * gamma + beta; moving averages are updated by tf.GraphKeys.UPDATE_OPS."""
    for what, given in {"renorm": renorm, "beta_constraint": beta_constraint, "gamma_constraint": gamma_constraint,
                        "virtual_batch_size": virtual_batch_size, "adjustment": adjustment}.items():
        _native._refuse(given, "tf.layers.batch_normalization", what)
    return _native.layers._batch_normalization(
        inputs, axis, momentum, epsilon, center, scale, beta_initializer, gamma_initializer, moving_mean_initializer,
        moving_variance_initializer, beta_regularizer, gamma_regularizer, training, trainable, name, reuse)


def add_loss(loss, loss_collection="losses"):
    """Adds a loss that was made otherwise to the graph's losses."""
    if loss_collection:
        _language.add_to_collection(loss_collection, loss)
