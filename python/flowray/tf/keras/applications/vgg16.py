"""tf.keras.applications.vgg16. Source: Simonyan and Zisserman, 2015."""

from flowray.tf.keras.applications import _architecture, imagenet_utils
from flowray.tf.keras import layers as _layers
from flowray.tf.keras.applications.imagenet_utils import decode_predictions  # noqa: F401: of this module, too


def vgg(name, counts, include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation):
    """Five blocks of so many convolutions each."""
    _architecture.check_weights(weights)
    inputs = x = _architecture.input_of(input_tensor, input_shape, 224, 32, include_top)
    for block, (count, filters) in enumerate(zip(counts, (64, 128, 256, 512, 512)), 1):
        for number in range(1, count + 1):
            x = _layers.Conv2D(filters, 3, activation="relu", padding="same", name="block%d_conv%d" % (block, number))(x)
        x = _layers.MaxPooling2D(2, strides=2, name="block%d_pool" % block)(x)
    if include_top:
        x = _layers.Flatten(name="flatten")(x)
        x = _layers.Dense(4096, activation="relu", name="fc1")(x)
        x = _layers.Dense(4096, activation="relu", name="fc2")(x)
        x = _layers.Dense(classes, activation=classifier_activation, name="predictions")(x)
    else:
        x = _architecture.pooled(x, pooling)
    return _architecture.finished(inputs, x, name, weights)


def VGG16(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000,  # noqa: N802
          classifier_activation="softmax"):
    """A network of 16 layers with weights; the default weights are not there (weights=None)."""
    return vgg("vgg16", (2, 2, 3, 3, 3), include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation)


def preprocess_input(x, data_format=None):
    """Images of 0 to 255 as this network takes them."""
    return imagenet_utils.preprocess_input(x, data_format, "caffe")
