"""More convolutions of tf.keras.layers."""

from flowray import _native
from flowray.tf.keras._layer_options import fixed, layer_class, one, pair

_native_keras = _native.keras


@layer_class("kernel", "bias")
class Conv1D(_native_keras.Conv1D):
    """A convolution over sequences [batch, time, channels]."""

    def __init__(self, filters, kernel_size, strides=1, padding="valid", data_format="channels_last", dilation_rate=1, groups=1, activation=None,
                 use_bias=True, kernel_initializer="glorot_uniform", bias_initializer="zeros", **options):
        fixed("Conv1D", groups=groups)
        super().__init__(filters, one(kernel_size), strides=one(strides, "strides"), padding=padding,
                         dilation_rate=one(dilation_rate, "dilation_rate"), activation=activation, use_bias=use_bias,
                         kernel_initializer=kernel_initializer, bias_initializer=bias_initializer, **options)


@layer_class("depthwise", "pointwise", "bias")
class SeparableConv2D(_native_keras.SeparableConv2D):
    """A convolution of each channel by itself, and one of 1 x 1 over all of them."""

    def __init__(self, filters, kernel_size, strides=(1, 1), padding="valid", data_format=None, dilation_rate=(1, 1), depth_multiplier=1,
                 activation=None, use_bias=True, depthwise_initializer="glorot_uniform", pointwise_initializer="glorot_uniform",
                 bias_initializer="zeros", **options):
        super().__init__(filters, pair(kernel_size), strides=pair(strides), padding=padding, dilation_rate=pair(dilation_rate),
                         depth_multiplier=depth_multiplier, activation=activation, use_bias=use_bias,
                         depthwise_initializer=depthwise_initializer, pointwise_initializer=pointwise_initializer,
                         bias_initializer=bias_initializer, **options)


@layer_class("depthwise", "bias")
class DepthwiseConv2D(_native_keras.DepthwiseConv2D):
    """A convolution of each channel by itself."""

    def __init__(self, kernel_size, strides=(1, 1), padding="valid", depth_multiplier=1, data_format=None, dilation_rate=(1, 1),
                 activation=None, use_bias=True, depthwise_initializer="glorot_uniform", bias_initializer="zeros", **options):
        super().__init__(pair(kernel_size), strides=pair(strides), padding=padding, dilation_rate=pair(dilation_rate),
                         depth_multiplier=depth_multiplier, activation=activation, use_bias=use_bias,
                         depthwise_initializer=depthwise_initializer, bias_initializer=bias_initializer, **options)


@layer_class("kernel", "bias")
class Conv2DTranspose(_native_keras.Conv2DTranspose):
    """What the gradient of a convolution does: images grow by their strides."""

    def __init__(self, filters, kernel_size, strides=(1, 1), padding="valid", output_padding=None, data_format=None, dilation_rate=(1, 1),
                 activation=None, use_bias=True, kernel_initializer="glorot_uniform", bias_initializer="zeros", **options):
        fixed("Conv2DTranspose", output_padding=output_padding)
        if set(pair(dilation_rate)) != {1}:
            raise NotImplementedError("Conv2DTranspose(dilation_rate=%r) is not there yet: leave it out" % (dilation_rate,))
        super().__init__(filters, pair(kernel_size), strides=pair(strides), padding=padding, activation=activation, use_bias=use_bias,
                         kernel_initializer=kernel_initializer, bias_initializer=bias_initializer, **options)
