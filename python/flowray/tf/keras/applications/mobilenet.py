"""tf.keras.applications.mobilenet. Source: Howard et al., 2017."""

from flowray.tf.keras import layers as _layers
from flowray.tf.keras.applications import _architecture, imagenet_utils
from flowray.tf.keras.applications.imagenet_utils import decode_predictions  # noqa: F401: of this module, too

# What each block's second convolution makes, and the stride of its first.
_BLOCKS = ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1), (512, 1), (512, 1), (512, 1), (512, 1), (1024, 2), (1024, 1))


def _block(x, filters, stride, depth_multiplier, number):
    """A convolution of each channel by itself, and one of 1 x 1 over all of them."""
    name = "conv_dw_%d" % number
    if stride == 2:
        x = _layers.ZeroPadding2D(((0, 1), (0, 1)), name="conv_pad_%d" % number)(x)
    x = _layers.DepthwiseConv2D(3, strides=stride, padding="same" if stride == 1 else "valid", depth_multiplier=depth_multiplier,
                                use_bias=False, name=name)(x)
    x = _architecture.limited(x, name + "_bn", name + "_relu")
    name = "conv_pw_%d" % number
    return _architecture.small_convolution(x, filters, 1, name, name + "_bn", name + "_relu")


def MobileNet(input_shape=None, alpha=1.0, depth_multiplier=1, dropout=1e-3, include_top=True, weights="imagenet",  # noqa: N802
              input_tensor=None, pooling=None, classes=1000, classifier_activation="softmax", **kwargs):
    """A small network, whose layers have `alpha` times the usual channels; the default weights are not there (weights=None)."""
    for option in kwargs:
        raise ValueError("Unknown argument(s): %s" % (option,))
    _architecture.check_weights(weights)
    inputs = _architecture.input_of(input_tensor, input_shape, 224, 32, include_top)
    x = _architecture.small_convolution(inputs, int(32 * alpha), 3, "conv1", "conv1_bn", "conv1_relu", strides=2)
    for number, (filters, stride) in enumerate(_BLOCKS, 1):
        x = _block(x, int(filters * alpha), stride, depth_multiplier, number)
    if include_top:
        x = _layers.Dropout(dropout, name="dropout")(_layers.GlobalAveragePooling2D(keepdims=True)(x))
        x = _layers.Reshape((classes,), name="reshape_2")(_layers.Conv2D(classes, 1, padding="same", name="conv_preds")(x))
        x = _layers.Activation(classifier_activation, name="predictions")(x)
    else:
        x = _architecture.pooled(x, pooling)
    rows = input_shape[0] if input_shape is not None and input_shape[0] is not None else 224
    return _architecture.finished(inputs, x, "mobilenet_%.2f_%s" % (alpha, rows), weights)


def preprocess_input(x, data_format=None):
    """Images of 0 to 255 as this network takes them."""
    return imagenet_utils.preprocess_input(x, data_format, "tf")
