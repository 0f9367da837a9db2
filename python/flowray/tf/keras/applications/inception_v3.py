"""tf.keras.applications.inception_v3. Source: Szegedy et al., 2015."""

from flowray.tf.keras import layers as _layers
from flowray.tf.keras.applications import _architecture
from flowray.tf.keras.applications.mobilenet import decode_predictions, preprocess_input  # noqa: F401: of this module, too


def _chain(x, *steps):
    """Convolutions one behind the other: (filters, rows, columns), and a fourth value where they take each second place only."""
    for filters, rows, columns, *halves in steps:
        strides, padding = ((2, 2), "valid") if halves else ((1, 1), "same")
        x = _layers.Conv2D(filters, (rows, columns), strides=strides, padding=padding, use_bias=False)(x)
        x = _layers.Activation("relu")(_layers.BatchNormalization(scale=False)(x))
    return x


def _inside(x, filters, rows):
    """A convolution at the places where it fits."""
    x = _layers.Conv2D(filters, (rows, rows), padding="valid", use_bias=False)(x)
    return _layers.Activation("relu")(_layers.BatchNormalization(scale=False)(x))


def _of_means(x, filters):
    return _chain(_layers.AveragePooling2D((3, 3), strides=(1, 1), padding="same")(x), (filters, 1, 1))


def _joined(parts, name=None):
    return _layers.Concatenate(name=name)(parts)


def _stem(x):
    x = _chain(x, (32, 3, 3, "half"))
    x = _chain(_inside(x, 32, 3), (64, 3, 3))
    x = _layers.MaxPooling2D((3, 3), strides=(2, 2))(x)
    x = _inside(_inside(x, 80, 1), 192, 3)
    return _layers.MaxPooling2D((3, 3), strides=(2, 2))(x)


def _wide(x, of_means, name):
    """Windows of one, five and twice three."""
    return _joined([_chain(x, (64, 1, 1)), _chain(x, (48, 1, 1), (64, 5, 5)), _chain(x, (64, 1, 1), (96, 3, 3), (96, 3, 3)),
                    _of_means(x, of_means)], name)


def _long(x, between, name):
    """Windows of seven, by rows and by columns."""
    once = _chain(x, (192, 1, 1)), _chain(x, (between, 1, 1), (between, 1, 7), (192, 7, 1))
    twice = _chain(x, (between, 1, 1), (between, 7, 1), (between, 1, 7), (between, 7, 1), (192, 1, 7))
    return _joined([*once, twice, _of_means(x, 192)], name)


def _halved(x, name, *chains):
    return _joined([*(_chain(x, *chain) for chain in chains), _layers.MaxPooling2D((3, 3), strides=(2, 2))(x)], name)


def _last(x, number):
    """Windows of three that part into rows and columns."""
    one = _chain(x, (320, 1, 1))
    single = _chain(x, (384, 1, 1))
    single = _joined([_chain(single, (384, 1, 3)), _chain(single, (384, 3, 1))], "mixed9_%d" % number)
    double = _chain(x, (448, 1, 1), (384, 3, 3))
    double = _joined([_chain(double, (384, 1, 3)), _chain(double, (384, 3, 1))])
    return _joined([one, single, double, _of_means(x, 192)], "mixed%d" % (9 + number))


def InceptionV3(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000,  # noqa: N802
                classifier_activation="softmax"):
    """A network of windows of several sizes at once; the default weights are not there (weights=None)."""
    _architecture.check_weights(weights)
    inputs = _architecture.input_of(input_tensor, input_shape, 299, 75, include_top)
    x = _stem(inputs)
    for number, of_means in enumerate((32, 64, 64)):
        x = _wide(x, of_means, "mixed%d" % number)
    x = _halved(x, "mixed3", [(384, 3, 3, "half")], [(64, 1, 1), (96, 3, 3), (96, 3, 3, "half")])
    for number, between in enumerate((128, 160, 160, 192)):
        x = _long(x, between, "mixed%d" % (4 + number))
    x = _halved(x, "mixed8", [(192, 1, 1), (320, 3, 3, "half")], [(192, 1, 1), (192, 1, 7), (192, 7, 1), (192, 3, 3, "half")])
    for number in range(2):
        x = _last(x, number)
    if include_top:
        x = _layers.Dense(classes, activation=classifier_activation, name="predictions")(_layers.GlobalAveragePooling2D(name="avg_pool")(x))
    else:
        x = _architecture.pooled(x, pooling)
    return _architecture.finished(inputs, x, "inception_v3", weights)
