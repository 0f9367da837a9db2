"""Activations of tf.keras.layers that have numbers of their own, and layers that normalise or add noise."""

from flowray import _native
from flowray.tf.keras._layer_options import axes_of, layer_class

_native_keras = _native.keras


@layer_class()
class LeakyReLU(_native_keras.LeakyReLU):
    """x where it is above 0, else alpha * x."""

    def __init__(self, alpha=0.3, **options):
        if alpha is None:
            raise ValueError("The alpha value of a Leaky ReLU layer cannot be None, Expecting a float. Received: None")
        super().__init__(alpha, **options)


@layer_class()
class ReLU(_native_keras.ReLU):
    """x where it is above the threshold, else 0."""

    def __init__(self, max_value=None, negative_slope=0.0, threshold=0.0, **options):
        for what, value in (("max_value", 0 if max_value is None else max_value), ("negative_slope", negative_slope), ("threshold", threshold)):
            if value is None or value < 0:
                raise ValueError("%s of a ReLU layer cannot be a negative value. Received: %s" % (what, value))
        super().__init__(max_value=max_value, negative_slope=negative_slope, threshold=threshold, **options)


@layer_class()
class ELU(_native_keras.ELU):
    """x where it is above 0, else alpha * (exp(x) - 1)."""

    def __init__(self, alpha=1.0, **options):
        super().__init__(alpha, **options)


@layer_class()
class ThresholdedReLU(_native_keras.ThresholdedReLU):
    """x where it is above theta, else 0."""

    def __init__(self, theta=1.0, **options):
        if theta is None:
            raise ValueError("Theta of a Thresholded ReLU layer cannot be None, expecting a float. Received: None")
        super().__init__(theta, **options)


@layer_class("alpha")
class PReLU(_native_keras.PReLU):
    """x where it is above 0, else alpha * x, where alpha is learned."""

    def __init__(self, alpha_initializer="zeros", shared_axes=None, **options):
        shared_axes = [] if shared_axes is None else list(shared_axes) if isinstance(shared_axes, (list, tuple)) else [shared_axes]
        super().__init__(alpha_initializer=alpha_initializer, shared_axes=shared_axes, **options)


@layer_class()
class Softmax(_native_keras.Softmax):
    """exp(x), divided by its sum along an axis."""

    def __init__(self, axis=-1, **options):
        super().__init__(axis, **options)


@layer_class("beta", "gamma")
class LayerNormalization(_native_keras.LayerNormalization):
    """Values with mean 0 and variance 1 along the last dimension, or those of `axis`."""

    def __init__(self, axis=-1, epsilon=1e-3, center=True, scale=True, beta_initializer="zeros", gamma_initializer="ones", **options):
        super().__init__(axis=axes_of(axis), epsilon=epsilon, center=center, scale=scale, beta_initializer=beta_initializer,
                         gamma_initializer=gamma_initializer, **options)


@layer_class()
class GaussianNoise(_native_keras.GaussianNoise):
    """In training a normal number of mean 0 is added to each element."""

    def __init__(self, stddev, seed=None, **options):
        super().__init__(stddev, seed=seed, **options)


@layer_class()
class SpatialDropout1D(_native_keras.SpatialDropout1D):
    """Dropout of whole channels of sequences."""

    def __init__(self, rate, seed=None, **options):
        super().__init__(rate, seed=seed, **options)


@layer_class()
class SpatialDropout2D(_native_keras.SpatialDropout2D):
    """Dropout of whole channels of images."""

    def __init__(self, rate, data_format=None, seed=None, **options):
        super().__init__(rate, seed=seed, **options)
