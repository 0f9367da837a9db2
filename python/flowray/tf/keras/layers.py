"""tf.keras.layers: the language's layers with the arguments that Python's programs have."""

from flowray import _native
from flowray.tf.keras import _configs
from flowray.tf.keras import _layer_nodes  # noqa: F401: what layers show of their calls
from flowray.tf.keras._input_specs import InputSpec  # noqa: F401: of this module, too
from flowray.tf.keras._layer_options import axes_of as _axes_of
from flowray.tf.keras._layer_options import fixed as _fixed
from flowray.tf.keras._layer_options import layer_class as _layer_class
from flowray.tf.keras._layer_options import pair as _pair
from flowray.tf.keras.activation_layers import ELU, LayerNormalization, LeakyReLU, PReLU, ReLU, Softmax, ThresholdedReLU  # noqa: F401
from flowray.tf.keras.activation_layers import GaussianNoise, SpatialDropout1D, SpatialDropout2D  # noqa: F401: of this module, too
from flowray.tf.keras.convolution_layers import Conv1D, Conv2DTranspose, DepthwiseConv2D, SeparableConv2D  # noqa: F401
from flowray.tf.keras.merging_layers import (  # noqa: F401
    Add, Average, Concatenate, Dot, Maximum, Minimum, Multiply, Subtract, add, average, concatenate, dot, maximum, minimum, multiply,
    subtract)
from flowray.tf.keras.recurrent_layers import GRU, LSTM, Bidirectional, SimpleRNN, TimeDistributed  # noqa: F401
from flowray.tf.keras.shape_layers import (  # noqa: F401
    AveragePooling1D, Cropping1D, Cropping2D, GlobalAveragePooling1D, GlobalAveragePooling2D, GlobalMaxPooling1D, GlobalMaxPooling2D,
    MaxPooling1D, Permute, RepeatVector, UpSampling1D, UpSampling2D, ZeroPadding1D, ZeroPadding2D)

from flowray.tf.keras import base_layer as _base_layer  # noqa: F401: gives Layer its methods
from flowray.tf.keras.feature_layers import DenseFeatures  # noqa: F401
from flowray.tf.keras.cells import RNN, GRUCell, LSTMCell, SimpleRNNCell, StackedRNNCells  # noqa: F401
from flowray.tf.keras.own_layers import (  # noqa: F401
    ActivityRegularization, AdditiveAttention, AlphaDropout, Attention, AveragePooling3D, AvgPool3D, Conv3D, Convolution3D, Cropping3D,
    GaussianDropout, GlobalAveragePooling3D, GlobalAvgPool3D, GlobalMaxPool3D, GlobalMaxPooling3D, Lambda, Masking, MaxPool3D, MaxPooling3D,
    SeparableConv1D, SeparableConvolution1D, SpatialDropout3D, UpSampling3D, ZeroPadding3D)
from flowray.tf.keras.local_layers import (  # noqa: F401
    Conv3DTranspose, Convolution3DTranspose, ConvLSTM2D, LocallyConnected1D, LocallyConnected2D)

_native_keras = _native.keras


def InputLayer(input_shape=None, batch_size=None, dtype=None, input_tensor=None, sparse=None, name=None, ragged=None,  # noqa: N802
               batch_input_shape=None):
    """Where a model begins, as the first layer of a Sequential."""
    return Input(input_shape, batch_size, name, dtype, sparse, input_tensor, ragged, batch_input_shape=batch_input_shape)._history[0]


def serialize(layer):
    """{"class_name": ..., "config": ...} of a layer."""
    return {"class_name": _configs.class_name_of(layer), "config": layer.get_config()}


def deserialize(config, custom_objects=None):
    """The layer that such a config tells of."""
    return _configs.layer_from(config, custom_objects)


def Input(shape=None, batch_size=None, name=None, dtype=None, sparse=None, tensor=None, ragged=None, batch_shape=None,  # noqa: N802
          batch_input_shape=None):
    """Where a functional model begins."""
    if sparse or ragged or tensor is not None:
        raise NotImplementedError("Input(sparse=, ragged=, tensor=) is not there yet")
    batch_shape = batch_input_shape if batch_shape is None else batch_shape
    if shape is not None and batch_shape is not None:
        raise ValueError("Only provide the `shape` OR `batch_input_shape` argument to Input, not both at the same time.")
    if batch_shape is not None:
        batch_size, shape = batch_shape[0], batch_shape[1:]
    if shape is None:
        raise ValueError("Please provide to Input a `shape` or a `tensor` or a `type_spec` argument. "
                         "Note that `shape` does not include the batch dimension.")
    return _native_keras.Input(tuple(shape) if hasattr(shape, "__iter__") else (shape,), batch_size, name, dtype)


@_layer_class("kernel", "bias")
class Dense(_native_keras.Dense):
    """activation(inputs * kernel + bias)."""

    def __init__(self, units, activation=None, use_bias=True, kernel_initializer="glorot_uniform", bias_initializer="zeros", **options):
        super().__init__(int(units), activation=activation, use_bias=use_bias, kernel_initializer=kernel_initializer,
                         bias_initializer=bias_initializer, **options)


@_layer_class("kernel", "bias")
class Conv2D(_native_keras.Conv2D):
    """A convolution over images [batch, height, width, channels]."""

    def __init__(self, filters, kernel_size, strides=(1, 1), padding="valid", data_format=None, dilation_rate=(1, 1), groups=1,
                 activation=None, use_bias=True, kernel_initializer="glorot_uniform", bias_initializer="zeros", **options):
        _fixed("Conv2D", groups=groups)
        super().__init__(filters, _pair(kernel_size), strides=_pair(strides), padding=padding, dilation_rate=_pair(dilation_rate),
                         activation=activation, use_bias=use_bias, kernel_initializer=kernel_initializer,
                         bias_initializer=bias_initializer, **options)


@_layer_class()
class MaxPooling2D(_native_keras.MaxPooling2D):
    """The greatest element of each window of images."""

    def __init__(self, pool_size=(2, 2), strides=None, padding="valid", data_format=None, **options):
        super().__init__(_pair(pool_size), strides=[] if strides is None else _pair(strides), padding=padding,
                         **options)


@_layer_class()
class AveragePooling2D(_native_keras.AveragePooling2D):
    """The mean of each window of images."""

    def __init__(self, pool_size=(2, 2), strides=None, padding="valid", data_format=None, **options):
        super().__init__(_pair(pool_size), strides=[] if strides is None else _pair(strides), padding=padding,
                         **options)


@_layer_class()
class Flatten(_native_keras.Flatten):
    """[batch, ...] as [batch, n]."""

    def __init__(self, data_format=None, **options):
        super().__init__(**options)


@_layer_class()
class Reshape(_native_keras.Reshape):
    """[batch, ...] as [batch] + target_shape."""

    def __init__(self, target_shape, **options):
        super().__init__(list(target_shape), **options)


@_layer_class()
class Activation(_native_keras.Activation):
    """A function of each element."""

    def __init__(self, activation, **options):
        super().__init__(activation, **options)


@_layer_class()
class Dropout(_native_keras.Dropout):
    """In training each element is 0 by the chance of `rate`."""

    def __init__(self, rate, noise_shape=None, seed=None, **options):
        _fixed("Dropout", noise_shape=noise_shape)
        super().__init__(rate, seed=seed, **options)


@_layer_class("beta", "gamma")
class BatchNormalization(_native_keras.BatchNormalization):
    """Values of each channel with mean 0 and variance 1."""

    def __init__(self, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True, beta_initializer="zeros", gamma_initializer="ones",
                 moving_mean_initializer="zeros", moving_variance_initializer="ones", **options):
        super().__init__(axis=_axes_of(axis), momentum=momentum, epsilon=epsilon, center=center, scale=scale, beta_initializer=beta_initializer,
                         gamma_initializer=gamma_initializer, moving_mean_initializer=moving_mean_initializer,
                         moving_variance_initializer=moving_variance_initializer, **options)


@_layer_class("embeddings")
class Embedding(_native_keras.Embedding):
    """A row for each number."""

    def __init__(self, input_dim, output_dim, embeddings_initializer="uniform", mask_zero=False, input_length=None, **options):
        super().__init__(input_dim, output_dim, embeddings_initializer=embeddings_initializer, mask_zero=mask_zero, **options)
        self._batch_input_shape = (None, *(input_length if isinstance(input_length, (list, tuple)) else (input_length,)))


MaxPool1D, MaxPool2D, AvgPool1D, AvgPool2D = MaxPooling1D, MaxPooling2D, AveragePooling1D, AveragePooling2D
GlobalMaxPool1D, GlobalMaxPool2D, GlobalAvgPool1D, GlobalAvgPool2D = (
    GlobalMaxPooling1D, GlobalMaxPooling2D, GlobalAveragePooling1D, GlobalAveragePooling2D)
Convolution1D, Convolution2D, Layer = Conv1D, Conv2D, _native_keras.Layer
SeparableConvolution2D, Convolution2DTranspose = SeparableConv2D, Conv2DTranspose
