"""tf.keras.layers: the language's layers with the arguments that Python's programs have."""

from flowray import _native

_native_keras = _native.keras
# What layers of tf.keras take that says nothing here, with the value that it may have.
_FIXED = {"dtype": (None, "float32"), "dynamic": (False,), "data_format": (None, "channels_last"), "kernel_regularizer": (None,),
          "bias_regularizer": (None,), "activity_regularizer": (None,), "kernel_constraint": (None,), "bias_constraint": (None,),
          "groups": (1,), "noise_shape": (None,), "axis": (-1,), "beta_initializer": ("zeros",), "gamma_initializer": ("ones",),
          "moving_mean_initializer": ("zeros",), "moving_variance_initializer": ("ones",), "embeddings_regularizer": (None,),
          "embeddings_constraint": (None,), "mask_zero": (False,), "beta_regularizer": (None,), "gamma_regularizer": (None,),
          "beta_constraint": (None,), "gamma_constraint": (None,), "batch_size": (None,)}


def _checked(layer, options):
    """The options that the language's layers know; ValueError and NotImplementedError for others."""
    known = {}
    for name, value in options.items():
        if name == "input_dim":
            known["input_shape"] = (value,)
        elif name == "batch_input_shape":
            known["input_shape"] = tuple(value[1:])
        elif name not in _FIXED:
            known[name] = value
        elif not any(value is allowed or isinstance(value, str) and value == allowed or value == allowed and type(value) is type(allowed)
                     for allowed in _FIXED[name]):
            raise NotImplementedError("%s(%s=%r) is not there yet: leave it out" % (layer, name, value))
    return known


def _pair(value):
    return [value] if hasattr(value, "__index__") else list(value)


class Dense(_native_keras.Dense):
    """activation(inputs * kernel + bias)."""

    def __init__(self, units, activation=None, use_bias=True, kernel_initializer="glorot_uniform", bias_initializer="zeros", **options):
        trainable = options.pop("trainable", True)
        super().__init__(units, activation=activation, use_bias=use_bias, kernel_initializer=kernel_initializer,
                         bias_initializer=bias_initializer, **_checked("Dense", options))
        self.trainable = trainable


class Conv2D(_native_keras.Conv2D):
    """A convolution over images [batch, height, width, channels]."""

    def __init__(self, filters, kernel_size, strides=(1, 1), padding="valid", data_format=None, dilation_rate=(1, 1), groups=1,
                 activation=None, use_bias=True, kernel_initializer="glorot_uniform", bias_initializer="zeros", **options):
        trainable = options.pop("trainable", True)
        super().__init__(filters, _pair(kernel_size), strides=_pair(strides), padding=padding, dilation_rate=_pair(dilation_rate),
                         activation=activation, use_bias=use_bias, kernel_initializer=kernel_initializer,
                         bias_initializer=bias_initializer,
                         **_checked("Conv2D", {**options, "data_format": data_format, "groups": groups}))
        self.trainable = trainable


class MaxPooling2D(_native_keras.MaxPooling2D):
    """The greatest element of each window of images."""

    def __init__(self, pool_size=(2, 2), strides=None, padding="valid", data_format=None, **options):
        super().__init__(_pair(pool_size), strides=[] if strides is None else _pair(strides), padding=padding,
                         **_checked("MaxPooling2D", {**options, "data_format": data_format}))


class AveragePooling2D(_native_keras.AveragePooling2D):
    """The mean of each window of images."""

    def __init__(self, pool_size=(2, 2), strides=None, padding="valid", data_format=None, **options):
        super().__init__(_pair(pool_size), strides=[] if strides is None else _pair(strides), padding=padding,
                         **_checked("AveragePooling2D", {**options, "data_format": data_format}))


class Flatten(_native_keras.Flatten):
    """[batch, ...] as [batch, n]."""

    def __init__(self, data_format=None, **options):
        super().__init__(**_checked("Flatten", {**options, "data_format": data_format}))


class Reshape(_native_keras.Reshape):
    """[batch, ...] as [batch] + target_shape."""

    def __init__(self, target_shape, **options):
        super().__init__(list(target_shape), **_checked("Reshape", options))


class Activation(_native_keras.Activation):
    """A function of each element."""

    def __init__(self, activation, **options):
        super().__init__(activation, **_checked("Activation", options))


class Dropout(_native_keras.Dropout):
    """In training each element is 0 by the chance of `rate`."""

    def __init__(self, rate, noise_shape=None, seed=None, **options):
        super().__init__(rate, seed=seed, **_checked("Dropout", {**options, "noise_shape": noise_shape}))


class BatchNormalization(_native_keras.BatchNormalization):
    """Values of each channel with mean 0 and variance 1."""

    def __init__(self, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True, **options):
        trainable = options.pop("trainable", True)
        super().__init__(momentum=momentum, epsilon=epsilon, center=center, scale=scale,
                         **_checked("BatchNormalization", {**options, "axis": axis}))
        self.trainable = trainable


class Embedding(_native_keras.Embedding):
    """A row for each number."""

    def __init__(self, input_dim, output_dim, embeddings_initializer="uniform", input_length=None, **options):
        trainable = options.pop("trainable", True)
        super().__init__(input_dim, output_dim, embeddings_initializer=embeddings_initializer, input_length=input_length,
                         **_checked("Embedding", options))
        self.trainable = trainable


MaxPool2D, AvgPool2D = MaxPooling2D, AveragePooling2D
Convolution2D, Layer = Conv2D, _native_keras.Layer
