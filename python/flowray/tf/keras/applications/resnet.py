"""tf.keras.applications.resnet. Source: He et al., 2015."""

from flowray.tf.keras import layers as _layers
from flowray.tf.keras.applications import _architecture, imagenet_utils
from flowray.tf.keras.applications.imagenet_utils import decode_predictions  # noqa: F401: of this module, too


def _normalised(x, name):
    return _layers.BatchNormalization(epsilon=1.001e-5, name=name + "_bn")(x)


def _block(x, filters, stride, widens, name):
    """Three convolutions, and what goes past them."""
    past = _normalised(_layers.Conv2D(4 * filters, 1, strides=stride, name=name + "_0_conv")(x), name + "_0") if widens else x
    x = _normalised(_layers.Conv2D(filters, 1, strides=stride, name=name + "_1_conv")(x), name + "_1")
    x = _layers.Activation("relu", name=name + "_1_relu")(x)
    x = _normalised(_layers.Conv2D(filters, 3, padding="same", name=name + "_2_conv")(x), name + "_2")
    x = _layers.Activation("relu", name=name + "_2_relu")(x)
    x = _normalised(_layers.Conv2D(4 * filters, 1, name=name + "_3_conv")(x), name + "_3")
    return _layers.Activation("relu", name=name + "_out")(_layers.Add(name=name + "_add")([past, x]))


def _resnet(name, counts, include_top, weights, input_tensor, input_shape, pooling, classes, options):
    activation = options.pop("classifier_activation", "softmax")
    for option in options:
        raise ValueError("Unknown argument(s): {'%s': %r}" % (option, options[option]))
    _architecture.check_weights(weights)
    inputs = _architecture.input_of(input_tensor, input_shape, 224, 32, include_top)
    x = _layers.ZeroPadding2D(3, name="conv1_pad")(inputs)
    x = _normalised(_layers.Conv2D(64, 7, strides=2, name="conv1_conv")(x), "conv1")
    x = _layers.Activation("relu", name="conv1_relu")(x)
    x = _layers.MaxPooling2D(3, strides=2, name="pool1_pool")(_layers.ZeroPadding2D(1, name="pool1_pad")(x))
    for stage, (count, filters) in enumerate(zip(counts, (64, 128, 256, 512)), 2):
        for number in range(1, count + 1):
            stride = 2 if number == 1 and stage > 2 else 1
            x = _block(x, filters, stride, number == 1, "conv%d_block%d" % (stage, number))
    if include_top:
        x = _layers.Dense(classes, activation=activation, name="predictions")(_layers.GlobalAveragePooling2D(name="avg_pool")(x))
    elif pooling in ("avg", "max"):
        x = (_layers.GlobalAveragePooling2D if pooling == "avg" else _layers.GlobalMaxPooling2D)(name=pooling + "_pool")(x)
    return _architecture.finished(inputs, x, name, weights)


def ResNet50(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000, **kwargs):  # noqa: N802
    """A residual network of 50 layers; the default weights are not there (weights=None)."""
    return _resnet("resnet50", (3, 4, 6, 3), include_top, weights, input_tensor, input_shape, pooling, classes, kwargs)


def ResNet101(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000, **kwargs):  # noqa: N802
    """A residual network of 101 layers; the default weights are not there (weights=None)."""
    return _resnet("resnet101", (3, 4, 23, 3), include_top, weights, input_tensor, input_shape, pooling, classes, kwargs)


def ResNet152(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000, **kwargs):  # noqa: N802
    """A residual network of 152 layers; the default weights are not there (weights=None)."""
    return _resnet("resnet152", (3, 8, 36, 3), include_top, weights, input_tensor, input_shape, pooling, classes, kwargs)


def preprocess_input(x, data_format=None):
    """Images of 0 to 255 as these networks take them."""
    return imagenet_utils.preprocess_input(x, data_format, "caffe")
