"""tf.keras.applications.densenet. Source: Huang et al., 2017."""

from flowray.tf.keras import layers as _layers
from flowray.tf.keras.applications import _architecture, imagenet_utils
from flowray.tf.keras.applications.imagenet_utils import decode_predictions  # noqa: F401: of this module, too


def _normalised(x, norm_name, relu_name):
    return _layers.Activation("relu", name=relu_name)(_layers.BatchNormalization(epsilon=1.001e-5, name=norm_name)(x))


def _block(x, name):
    """32 channels more."""
    more = _layers.Conv2D(128, 1, use_bias=False, name=name + "_1_conv")(_normalised(x, name + "_0_bn", name + "_0_relu"))
    more = _normalised(more, name + "_1_bn", name + "_1_relu")
    more = _layers.Conv2D(32, 3, padding="same", use_bias=False, name=name + "_2_conv")(more)
    return _layers.Concatenate(name=name + "_concat")([x, more])


def _densenet(name, counts, include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation):
    _architecture.check_weights(weights)
    inputs = _architecture.input_of(input_tensor, input_shape, 224, 32, include_top)
    x = _layers.Conv2D(64, 7, strides=2, use_bias=False, name="conv1/conv")(_layers.ZeroPadding2D(3)(inputs))
    x = _layers.ZeroPadding2D(1)(_normalised(x, "conv1/bn", "conv1/relu"))
    x = _layers.MaxPooling2D(3, strides=2, name="pool1")(x)
    for stage, count in enumerate(counts, 2):
        for number in range(1, count + 1):
            x = _block(x, "conv%d_block%d" % (stage, number))
        if stage == 5:
            break
        between = "pool%d" % stage
        x = _normalised(x, between + "_bn", between + "_relu")
        x = _layers.Conv2D(x.shape.as_list()[-1] // 2, 1, use_bias=False, name=between + "_conv")(x)
        x = _layers.AveragePooling2D(2, strides=2, name=between + "_pool")(x)
    x = _normalised(x, "bn", "relu")
    if include_top:
        x = _layers.Dense(classes, activation=classifier_activation, name="predictions")(_layers.GlobalAveragePooling2D(name="avg_pool")(x))
    elif pooling in ("avg", "max"):
        x = (_layers.GlobalAveragePooling2D if pooling == "avg" else _layers.GlobalMaxPooling2D)(name=pooling + "_pool")(x)
    return _architecture.finished(inputs, x, name, weights)


def DenseNet121(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000,  # noqa: N802
                classifier_activation="softmax"):
    """A network of 121 layers, each of which sees all before it; the default weights are not there (weights=None)."""
    return _densenet("densenet121", (6, 12, 24, 16), include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation)


def DenseNet169(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000,  # noqa: N802
                classifier_activation="softmax"):
    """A network of 169 layers, each of which sees all before it; the default weights are not there (weights=None)."""
    return _densenet("densenet169", (6, 12, 32, 32), include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation)


def DenseNet201(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000,  # noqa: N802
                classifier_activation="softmax"):
    """A network of 201 layers, each of which sees all before it; the default weights are not there (weights=None)."""
    return _densenet("densenet201", (6, 12, 48, 32), include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation)


def preprocess_input(x, data_format=None):
    """Images of 0 to 255 as these networks take them."""
    return imagenet_utils.preprocess_input(x, data_format, "torch")
