"""What the architectures of tf.keras.applications share: the shapes that they take, what stands at their ends, and their files."""

import os as _os

from flowray.tf.keras import backend as _backend
from flowray.tf.keras import layers as _layers
from flowray.tf.keras.models import Model as _Model


def input_of(input_tensor, input_shape, default_size, min_size, needs_shape):
    """Where the architecture begins: a tensor of tf.keras.Input."""
    if _backend.image_data_format() != "channels_last":
        raise NotImplementedError("applications with set_image_data_format('channels_first') are not there: 'channels_last'")
    shape = _checked_shape(input_shape, default_size, min_size, needs_shape) if input_tensor is None else None
    return _layers.Input(shape=shape) if input_tensor is None else input_tensor


def _checked_shape(shape, default_size, min_size, needs_shape):
    if shape is None:
        return (default_size, default_size, 3) if needs_shape else (None, None, 3)
    shape = tuple(shape)
    if len(shape) != 3:
        raise ValueError("`input_shape` must be a tuple of three integers.")
    if any(size is not None and size < min_size for size in shape[:2]):
        raise ValueError("Input size must be at least %dx%d; Received: input_shape=%s" % (min_size, min_size, shape))
    if needs_shape and None in shape:
        raise ValueError("If `include_top` is True, you should specify a static `input_shape`. Received: input_shape=%s" % (shape,))
    return shape


def check_weights(weights):
    """ValueError unless the weights are random ones or those of a file that is there."""
    if weights == "imagenet":
        raise NotImplementedError("weights='imagenet' is not there: nothing is downloaded.\nweights=None makes new ones, and the path of an HDF5 "
                                  "file that tf.keras.applications keeps loads those.")
    if weights is not None and not _os.path.exists(weights):
        raise ValueError("The `weights` argument should be either `None` (random initialization), `imagenet` (pre-training on ImageNet), or the "
                         "path to the weights file to be loaded.  Received: weights=%s" % weights)


def pooled(x, pooling):
    """Without the top: one number for each channel, if that is asked for."""
    if pooling == "avg":
        return _layers.GlobalAveragePooling2D()(x)
    if pooling == "max":
        return _layers.GlobalMaxPooling2D()(x)
    return x


def finished(inputs, outputs, name, weights):
    """The model, with the weights of a file if there is one."""
    model = _Model(inputs, outputs, name=name)
    if weights is not None:
        model.load_weights(weights)
    return model


def small_convolution(x, filters, size, name, norm_name, relu_name, strides=1, padding="same", **norm):
    """A convolution without bias, normalised, and what is above 0 and below 6 of it."""
    x = _layers.Conv2D(filters, size, strides=strides, padding=padding, use_bias=False, name=name)(x)
    return limited(x, norm_name, relu_name, **norm)


def limited(x, norm_name, relu_name, **norm):
    """Normalised, and what is above 0 and below 6 of it."""
    return _layers.ReLU(6.0, name=relu_name)(_layers.BatchNormalization(name=norm_name, **norm)(x))
