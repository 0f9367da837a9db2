"""Layers of tf.keras.layers that pool, move, repeat or leave out elements."""

from flowray import _native
from flowray.tf.keras._layer_options import ends, ends_of_image, fixed, layer_class, one, pair

_native_keras = _native.keras


@layer_class()
class MaxPooling1D(_native_keras.MaxPooling1D):
    """The greatest element of each window of sequences."""

    def __init__(self, pool_size=2, strides=None, padding="valid", data_format="channels_last", **options):
        super().__init__(one(pool_size, "pool_size"), strides=0 if strides is None else one(strides, "strides"), padding=padding,
                         **options)


@layer_class()
class AveragePooling1D(_native_keras.AveragePooling1D):
    """The mean of each window of sequences."""

    def __init__(self, pool_size=2, strides=None, padding="valid", data_format="channels_last", **options):
        super().__init__(one(pool_size, "pool_size"), strides=0 if strides is None else one(strides, "strides"), padding=padding,
                         **options)


@layer_class()
class GlobalMaxPooling1D(_native_keras.GlobalMaxPooling1D):
    """The greatest element of all times."""

    def __init__(self, data_format="channels_last", keepdims=False, **options):
        super().__init__(keepdims=keepdims, **options)


@layer_class()
class GlobalAveragePooling1D(_native_keras.GlobalAveragePooling1D):
    """The mean of all times."""

    def __init__(self, data_format="channels_last", keepdims=False, **options):
        super().__init__(keepdims=keepdims, **options)


@layer_class()
class GlobalMaxPooling2D(_native_keras.GlobalMaxPooling2D):
    """The greatest element of an image."""

    def __init__(self, data_format=None, keepdims=False, **options):
        super().__init__(keepdims=keepdims, **options)


@layer_class()
class GlobalAveragePooling2D(_native_keras.GlobalAveragePooling2D):
    """The mean of an image."""

    def __init__(self, data_format=None, keepdims=False, **options):
        super().__init__(keepdims=keepdims, **options)


@layer_class()
class Permute(_native_keras.Permute):
    """Dimensions of each element in another order."""

    def __init__(self, dims, **options):
        super().__init__(list(dims), **options)


@layer_class()
class RepeatVector(_native_keras.RepeatVector):
    """[batch, features] as [batch, n, features]."""

    def __init__(self, n, **options):
        if not isinstance(n, int):
            raise TypeError("Expected an integer value for `n`, got %s." % type(n))
        super().__init__(n, **options)


@layer_class()
class ZeroPadding1D(_native_keras.ZeroPadding1D):
    """Zeros around sequences."""

    def __init__(self, padding=1, **options):
        super().__init__(ends(padding, "padding"), **options)


@layer_class()
class ZeroPadding2D(_native_keras.ZeroPadding2D):
    """Zeros around images."""

    def __init__(self, padding=(1, 1), data_format=None, **options):
        super().__init__(*ends_of_image(padding, "padding"), **options)


@layer_class()
class Cropping1D(_native_keras.Cropping1D):
    """Sequences without what stands at their ends."""

    def __init__(self, cropping=(1, 1), **options):
        super().__init__(ends(cropping, "cropping"), **options)


@layer_class()
class Cropping2D(_native_keras.Cropping2D):
    """Images without their borders."""

    def __init__(self, cropping=((0, 0), (0, 0)), data_format=None, **options):
        super().__init__(*ends_of_image(cropping, "cropping"), **options)


@layer_class()
class UpSampling1D(_native_keras.UpSampling1D):
    """Each time of sequences so many times."""

    def __init__(self, size=2, **options):
        super().__init__(size, **options)


@layer_class()
class UpSampling2D(_native_keras.UpSampling2D):
    """Images of so many times their height and width."""

    def __init__(self, size=(2, 2), data_format=None, interpolation="nearest", **options):
        if interpolation in ("bicubic", "area", "lanczos3", "lanczos5", "gaussian", "mitchellcubic"):
            raise NotImplementedError("UpSampling2D(interpolation=%r) is not there yet: 'nearest' or 'bilinear'" % interpolation)
        if interpolation not in ("nearest", "bilinear"):
            raise NotImplementedError("Value not recognized for `interpolation`: %s. Supported values are: 'nearest', 'bilinear'"
                                      % interpolation)
        super().__init__(pair(size), interpolation=interpolation, **options)
