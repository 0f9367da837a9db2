"""Layers of tf.keras.layers that make one tensor of several, as classes and as functions."""

from flowray import _native
from flowray.tf.keras._layer_options import layer_class

_native_keras = _native.keras


@layer_class()
class Add(_native_keras.Add):
    """The sum of tensors."""

    def __init__(self, **options):
        super().__init__(**options)


@layer_class()
class Subtract(_native_keras.Subtract):
    """One tensor less another."""

    def __init__(self, **options):
        super().__init__(**options)


@layer_class()
class Multiply(_native_keras.Multiply):
    """The product of tensors, element by element."""

    def __init__(self, **options):
        super().__init__(**options)


@layer_class()
class Average(_native_keras.Average):
    """The mean of tensors, element by element."""

    def __init__(self, **options):
        super().__init__(**options)


@layer_class()
class Maximum(_native_keras.Maximum):
    """The greatest elements of tensors."""

    def __init__(self, **options):
        super().__init__(**options)


@layer_class()
class Minimum(_native_keras.Minimum):
    """The least elements of tensors."""

    def __init__(self, **options):
        super().__init__(**options)


@layer_class()
class Concatenate(_native_keras.Concatenate):
    """Tensors one behind the other along an axis."""

    def __init__(self, axis=-1, **options):
        super().__init__(axis=axis, **options)


@layer_class()
class Dot(_native_keras.Dot):
    """Products of two tensors, summed along an axis of each."""

    def __init__(self, axes, normalize=False, **options):
        if not isinstance(axes, (int, list, tuple)):
            raise TypeError("Invalid type for argument `axes`: it should be a list or an int. Received: axes=%s" % (axes,))
        super().__init__([axes] if isinstance(axes, int) else list(axes), normalize=normalize, **options)


def add(inputs, **options):
    """Add()(inputs)"""
    return Add(**options)(inputs)


def subtract(inputs, **options):
    """Subtract()(inputs)"""
    return Subtract(**options)(inputs)


def multiply(inputs, **options):
    """Multiply()(inputs)"""
    return Multiply(**options)(inputs)


def average(inputs, **options):
    """Average()(inputs)"""
    return Average(**options)(inputs)


def maximum(inputs, **options):
    """Maximum()(inputs)"""
    return Maximum(**options)(inputs)


def minimum(inputs, **options):
    """Minimum()(inputs)"""
    return Minimum(**options)(inputs)


def concatenate(inputs, axis=-1, **options):
    """Concatenate(axis)(inputs)"""
    return Concatenate(axis=axis, **options)(inputs)


def dot(inputs, axes, normalize=False, **options):
    """Dot(axes)(inputs)"""
    return Dot(axes=axes, normalize=normalize, **options)(inputs)
