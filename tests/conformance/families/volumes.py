"""Convolutions and pools of three dimensions."""

import numpy as np

from case import draft, large, malformed
from families import family


def volumes(pool):
    """Shapes, windows and attributes of moves over volumes."""
    for shape, size, strides, padding in (((2, 4, 5, 3, 2), (2, 3, 2), (1, 1, 1), "SAME"), ((1, 5, 6, 5, 3), (3, 2, 2), (2, 2, 1), "VALID"),
                                          ((1, 3, 4, 4, 1), (2, 2, 2), (2, 3, 2), "SAME"), ((0, 3, 3, 3, 2), (2, 2, 2), (1, 1, 1), "VALID"),
                                          ((2, 2, 3, 3, 4), (1, 1, 1), (1, 1, 1), "VALID"), ((1, 2, 7, 3, 2), (2, 7, 3), (1, 1, 1), "VALID"),
                                          ((1, 3, 3, 3, 1), (3, 3, 3), (1, 2, 3), "SAME")):
        attrs = {"strides": [1, *strides, 1], "padding": padding}
        yield shape, size, {**attrs, "ksize": [1, *size, 1]} if pool else attrs


def moved(shape, size, channels, attrs):
    """The shape of what windows over volumes make."""
    out = [-(-n // s) if attrs["padding"] == "SAME" else (n - k + s) // s for n, k, s in zip(shape[1:4], size, attrs["strides"][1:4])]
    return (shape[0], *out, channels)


@family("Conv3D", is_accumulated=True, tolerance=4)
def volume_convolution(m):
    for shape, size, attrs in volumes(False):
        yield draft(m.values(*shape), m.values(*size, shape[4], 3), **attrs)
    plain = {"strides": [1] * 5, "padding": "SAME"}
    yield draft(m.values(3, 4, 5, 6, 2), m.values(2, 3, 3, 2, 4), **plain)
    for other in ({"dilations": [1, 2, 1, 1, 1]}, {"data_format": "NCDHW"}, {"strides": [1, 1, 1, 1, 2]}, {"strides": [1, 0, 1, 1, 1]}, {"strides": [1, 1, 1]}):
        yield malformed(m.values(1, 3, 3, 3, 3), m.values(2, 2, 2, 3, 2), **{**plain, **other})
    yield malformed(m.values(1, 3, 3, 3, 2), m.values(2, 2, 2, 3, 2), **plain)
    yield malformed(m.values(1, 1, 3, 3, 2), m.values(2, 2, 2, 2, 2), strides=[1] * 5, padding="VALID")
    yield malformed(m.values(1, 3, 3, 3, 2), m.values(0, 2, 2, 2, 2), **plain)
    yield malformed(m.values(1, 3, 3, 3, 0), m.values(2, 2, 2, 0, 2), **plain)
    yield large(m.values(2, 9, 20, 20, 8), m.values(3, 3, 3, 8, 16), **plain)


@family("Conv3DBackpropInputV2", is_accumulated=True, tolerance=4)
def volume_convolution_input(m):
    for shape, size, attrs in volumes(False):
        yield draft(m.array(shape, "Tshape"), m.values(*size, shape[4], 3, of="T"), m.values(*moved(shape, size, 3, attrs), of="T"), **attrs)
    plain = {"strides": [1] * 5, "padding": "SAME"}
    for gradient in ((1, 3, 3, 3, 4), (2, 3, 3, 3, 2), (1, 3, 2, 3, 2), (1, 3, 3, 2)):
        yield malformed(m.array((1, 3, 3, 3, 2), "Tshape"), m.values(2, 2, 2, 2, 2, of="T"), m.values(*gradient, of="T"), **plain)
    yield large(m.array((2, 9, 14, 14, 8), "Tshape"), m.values(3, 3, 3, 8, 16, of="T"), m.values(2, 9, 14, 14, 16, of="T"), **plain)


@family("Conv3DBackpropFilterV2", is_accumulated=True, tolerance=4)
def volume_convolution_filter(m):
    for shape, size, attrs in volumes(False):
        yield draft(m.values(*shape), m.array((*size, shape[4], 3), "int32"), m.values(*moved(shape, size, 3, attrs)), **attrs)
    yield large(m.values(2, 9, 14, 14, 8), m.array((3, 3, 3, 8, 16), "int32"), m.values(2, 9, 14, 14, 16), strides=[1] * 5, padding="SAME")


def ties(m, *shape, of=None):
    return m.array(m.rng.randint(-1, 2, shape), of)


@family("MaxPool3D", "AvgPool3D", tolerance=4, is_accumulated=True)
def volume_pools(m):
    for shape, size, attrs in volumes(True):
        yield draft(m.values(*shape), **attrs)
        yield draft(ties(m, *shape), **attrs)
    plain = {"ksize": [1, 2, 2, 2, 1], "strides": [1] * 5, "padding": "SAME"}
    for other in ({"ksize": [1, 2, 2, 2, 2]}, {"strides": [2, 1, 1, 1, 1]}, {"ksize": [1, 0, 1, 1, 1]}, {"ksize": [1, 2, 2]}, {"data_format": "NCDHW"}, {"strides": [1, 0, 1, 1, 1]}):
        yield malformed(m.values(1, 3, 3, 3, 2), **{**plain, **other})
    yield malformed(m.values(1, 1, 3, 3, 2), **{**plain, "padding": "VALID"})
    yield large(m.values(3, 9, 20, 20, 8), **plain)


@family("AvgPool3DGrad", tolerance=4, is_accumulated=True)
def volume_mean_gradients(m):
    for shape, size, attrs in volumes(True):
        yield draft(m.array(shape, "int32"), m.values(*moved(shape, size, shape[4], attrs)), **attrs)
    yield large(m.array((3, 9, 20, 20, 8), "int32"), m.values(3, 9, 20, 20, 8), ksize=[1, 2, 2, 2, 1], strides=[1] * 5, padding="SAME")


def volume_maxima(array, size, attrs):
    """What TensorFlow's MaxPool3D makes of it."""
    from tensorflow_client import tf

    with tf.Graph().as_default(), tf.Session() as session:
        given = tf.placeholder(tf.float32, array.shape)
        return session.run(tf.raw_ops.MaxPool3D(input=given, **attrs), {given: array.astype(np.float32)}).astype(array.dtype)


@family("MaxPool3DGrad", tolerance=4, is_accumulated=True)
def volume_maximum_gradients(m):
    for shape, size, attrs in volumes(True):
        for array in (m.values(*shape, of="TInput"), ties(m, *shape, of="TInput")):
            yield draft(array, volume_maxima(array, size, attrs), m.values(*moved(shape, size, shape[4], attrs), of="T"), **attrs)


@family("MaxPool3DGradGrad", tolerance=4, is_accumulated=True)
def volume_maximum_second_gradients(m):
    for shape, size, attrs in volumes(True):
        for array in (m.values(*shape), ties(m, *shape)):
            yield draft(array, volume_maxima(array, size, attrs), m.values(*shape), **attrs)
