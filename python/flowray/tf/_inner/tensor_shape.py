"""What tensorflow.python.framework.tensor_shape has beside the public names."""

from flowray.tf._shape import Dimension, TensorShape


def as_shape(shape):
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def as_dimension(value):
    return value if isinstance(value, Dimension) else Dimension(value)


def scalar():
    return TensorShape([])


def vector(length):
    return TensorShape([length])


def matrix(rows, cols):
    return TensorShape([rows, cols])
