"""tf.keras.applications.mobilenet_v2. Source: Sandler et al., 2018."""

from flowray.tf.keras import layers as _layers
from flowray.tf.keras.applications import _architecture
from flowray.tf.keras.applications.mobilenet import decode_predictions, preprocess_input  # noqa: F401: of this module, too

# What a block makes, and the stride of its middle.
_BLOCKS = ((16, 1), (24, 2), (24, 1), (32, 2), (32, 1), (32, 1), (64, 2), (64, 1), (64, 1), (64, 1), (96, 1), (96, 1), (96, 1), (160, 2),
           (160, 1), (160, 1), (320, 1))
_NORM = {"epsilon": 1e-3, "momentum": 0.999}


def _divisible(number, by=8):
    """The nearest multiple that is not much smaller."""
    near = max(by, int(number + by / 2) // by * by)
    return near + by if near < 0.9 * number else near


def _block(inputs, filters, stride, number):
    """Wider, each channel by itself, and narrow again; what goes past it where the shapes are the same."""
    name = "block_%d_" % number if number else "expanded_conv_"
    channels, x = inputs.shape.as_list()[-1], inputs
    if number:
        x = _architecture.small_convolution(x, 6 * channels, 1, name + "expand", name + "expand_BN", name + "expand_relu", **_NORM)
    if stride == 2:
        ends = [(1 if size is None else size % 2, 1) for size in x.shape.as_list()[1:3]]
        x = _layers.ZeroPadding2D(tuple(ends), name=name + "pad")(x)
    x = _layers.DepthwiseConv2D(3, strides=stride, use_bias=False, padding="same" if stride == 1 else "valid", name=name + "depthwise")(x)
    x = _architecture.limited(x, name + "depthwise_BN", name + "depthwise_relu", **_NORM)
    x = _layers.Conv2D(filters, 1, padding="same", use_bias=False, name=name + "project")(x)
    x = _layers.BatchNormalization(name=name + "project_BN", **_NORM)(x)
    return _layers.Add(name=name + "add")([inputs, x]) if channels == filters and stride == 1 else x


def MobileNetV2(input_shape=None, alpha=1.0, include_top=True, weights="imagenet", input_tensor=None, pooling=None,  # noqa: N802
                classes=1000, classifier_activation="softmax", **kwargs):
    """A small network, whose layers have `alpha` times the usual channels; the default weights are not there (weights=None)."""
    for option in kwargs:
        raise ValueError("Unknown argument(s): %s" % (option,))
    _architecture.check_weights(weights)
    inputs = _architecture.input_of(input_tensor, input_shape, 224, 32, include_top)
    x = _architecture.small_convolution(inputs, _divisible(32 * alpha), 3, "Conv1", "bn_Conv1", "Conv1_relu", strides=2, **_NORM)
    for number, (filters, stride) in enumerate(_BLOCKS):
        x = _block(x, _divisible(int(filters * alpha)), stride, number)
    last = _divisible(1280 * alpha) if alpha > 1.0 else 1280
    x = _architecture.small_convolution(x, last, 1, "Conv_1", "Conv_1_bn", "out_relu", padding="valid", **_NORM)
    if include_top:
        x = _layers.Dense(classes, activation=classifier_activation, name="predictions")(_layers.GlobalAveragePooling2D()(x))
    else:
        x = _architecture.pooled(x, pooling)
    rows = input_shape[0] if input_shape is not None and input_shape[0] is not None else 224
    return _architecture.finished(inputs, x, "mobilenetv2_%.2f_%s" % (alpha, rows), weights)
