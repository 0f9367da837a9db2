"""tf.keras.applications.xception. Source: Chollet, 2016."""

from flowray.tf.keras import layers as _layers
from flowray.tf.keras.applications import _architecture
from flowray.tf.keras.applications.mobilenet import decode_predictions, preprocess_input  # noqa: F401: of this module, too


def _active(x, name):
    return _layers.Activation("relu", name=name + "_act")(x)


def _separable(x, filters, name):
    x = _layers.SeparableConv2D(filters, (3, 3), padding="same", use_bias=False, name=name)(x)
    return _layers.BatchNormalization(name=name + "_bn")(x)


def _begun(x):
    for name, filters, strides in (("block1_conv1", 32, (2, 2)), ("block1_conv2", 64, (1, 1))):
        x = _layers.Conv2D(filters, (3, 3), strides=strides, use_bias=False, name=name)(x)
        x = _active(_layers.BatchNormalization(name=name + "_bn")(x), name)
    return x


def _narrowed(x, number, first, second):
    """Half as wide and high; what goes past it is a convolution of one."""
    past = _layers.Conv2D(second, (1, 1), strides=(2, 2), padding="same", use_bias=False)(x)
    past = _layers.BatchNormalization()(past)
    name = "block%d" % number
    if number > 2:
        x = _active(x, name + "_sepconv1")
    x = _active(_separable(x, first, name + "_sepconv1"), name + "_sepconv2")
    x = _separable(x, second, name + "_sepconv2")
    return _layers.add([_layers.MaxPooling2D((3, 3), strides=(2, 2), padding="same", name=name + "_pool")(x), past])


def _middle(x, number):
    past = x
    for part in range(1, 4):
        name = "block%d_sepconv%d" % (number, part)
        x = _separable(_active(x, name), 728, name)
    return _layers.add([x, past])


def Xception(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000,  # noqa: N802
             classifier_activation="softmax"):
    """A network of separable convolutions; the default weights are not there (weights=None)."""
    _architecture.check_weights(weights)
    inputs = _architecture.input_of(input_tensor, input_shape, 299, 71, include_top)
    x = _begun(inputs)
    for number, filters in ((2, 128), (3, 256), (4, 728)):
        x = _narrowed(x, number, filters, filters)
    for number in range(5, 13):
        x = _middle(x, number)
    x = _narrowed(x, 13, 728, 1024)
    for name, filters in (("block14_sepconv1", 1536), ("block14_sepconv2", 2048)):
        x = _active(_separable(x, filters, name), name)
    if include_top:
        x = _layers.Dense(classes, activation=classifier_activation, name="predictions")(_layers.GlobalAveragePooling2D(name="avg_pool")(x))
    else:
        x = _architecture.pooled(x, pooling)
    return _architecture.finished(inputs, x, "xception", weights)
