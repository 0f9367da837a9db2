"""Ops of neural networks: convolution, pooling, bias, softmax and losses, with the ops of their gradients."""

from families import family
from families.values import FLOATS, INTS, ints, numbers
from op_cases import raw
from tensorflow_v1 import np, tf

# input NHWC, filter HWIO, strides, dilations (height, width)
CONVOLUTIONS = [
    ((1, 5, 5, 1), (3, 3, 1, 1), (1, 1), (1, 1)),
    ((2, 6, 6, 1), (5, 5, 1, 6), (1, 1), (1, 1)),
    ((1, 7, 5, 3), (3, 2, 3, 4), (1, 1), (1, 1)),
    ((2, 7, 7, 2), (3, 3, 2, 3), (2, 2), (1, 1)),
    ((1, 8, 6, 2), (2, 3, 2, 2), (3, 2), (1, 1)),
    ((1, 9, 9, 2), (3, 3, 2, 2), (1, 1), (2, 2)),
    ((1, 9, 8, 1), (3, 2, 1, 2), (1, 1), (2, 3)),
    ((2, 4, 4, 8), (1, 1, 8, 5), (1, 1), (1, 1)),
    ((1, 6, 6, 3), (1, 1, 3, 2), (2, 2), (1, 1)),
    ((1, 5, 5, 6), (5, 5, 6, 3), (1, 1), (1, 1)),
    ((1, 17, 5, 1), (4, 4, 1, 2), (1, 1), (1, 1)),
    ((1, 5, 7, 4), (3, 3, 2, 6), (1, 1), (1, 1)),  # two groups
]


def convolutions(dtype):
    for image, kernel, strides, dilations in CONVOLUTIONS if dtype == np.float32 else CONVOLUTIONS[2:6]:
        for padding in ("SAME", "VALID"):
            attrs = {"strides": [1, *strides, 1], "dilations": [1, *dilations, 1], "padding": padding}
            yield numbers(image, dtype), numbers(kernel, dtype, -1, 1, seed=1), attrs


@family
def conv2d():
    for dtype in FLOATS:
        for image, kernel, attrs in convolutions(dtype):
            yield raw("Conv2D", image, kernel, **attrs)
    yield raw("Conv2D", numbers((0, 5, 5, 2)), numbers((3, 3, 2, 2)), strides=[1, 1, 1, 1], padding="SAME")
    pads = {"padding": "EXPLICIT", "explicit_paddings": [0, 0, 1, 2, 0, 3, 0, 0]}
    yield raw("Conv2D", numbers((1, 4, 5, 2)), numbers((3, 3, 2, 2)), strides=[1, 2, 1, 1], **pads)


def conv_output(image, kernel, attrs):
    with tf.Graph().as_default():
        x, k = tf.placeholder(image.dtype, image.shape), tf.placeholder(kernel.dtype, kernel.shape)
        shape = tf.raw_ops.Conv2D(input=x, filter=k, **attrs).shape.as_list()
    return numbers(shape, image.dtype.type, -1, 1, seed=2)


def has_gradient(image, kernel, attrs):
    """TensorFlow's plain CPU kernels know no gradient of dilated convolutions, nor of those with groups."""
    return image.shape[3] == kernel.shape[2] and attrs["dilations"] == [1, 1, 1, 1]


@family
def conv2d_backprop_input():
    for dtype in FLOATS:
        for image, kernel, attrs in convolutions(dtype):
            if has_gradient(image, kernel, attrs):
                yield raw("Conv2DBackpropInput", ints(*image.shape), kernel, conv_output(image, kernel, attrs), **attrs)


@family
def conv2d_backprop_filter():
    for dtype in FLOATS:
        for image, kernel, attrs in convolutions(dtype):
            if has_gradient(image, kernel, attrs):
                yield raw("Conv2DBackpropFilter", image, ints(*kernel.shape), conv_output(image, kernel, attrs), **attrs)


# input NHWC, window, strides
POOLS = [
    ((1, 4, 4, 1), (2, 2), (2, 2)),
    ((2, 5, 5, 3), (2, 2), (2, 2)),
    ((1, 7, 6, 2), (3, 3), (2, 2)),
    ((1, 7, 6, 2), (3, 2), (1, 1)),
    ((1, 5, 5, 8), (2, 3), (3, 1)),
    ((1, 3, 3, 1), (3, 3), (1, 1)),
    ((2, 5, 4, 1), (1, 1), (2, 2)),
    ((1, 17, 3, 1), (2, 2), (2, 2)),
]


def pools(dtype):
    for image, window, strides in POOLS if dtype == np.float32 else POOLS[1:4]:
        for padding in ("SAME", "VALID"):
            yield numbers(image, dtype), {"ksize": [1, *window, 1], "strides": [1, *strides, 1], "padding": padding}


def pooled(name, image, attrs):
    """What the pooling `name` makes of `image`, and a gradient of that shape."""
    case = raw(name, image, **attrs)
    with tf.Graph().as_default(), tf.Session() as session:
        out = session.run(case.build(tf.constant(image)))
    return out, numbers(out.shape, image.dtype.type, seed=2)


@family
def pooling():
    for dtype in FLOATS:
        for image, attrs in pools(dtype):
            yield raw("AvgPool", image, **attrs)
            yield raw("MaxPool", image, **attrs)
    yield raw("MaxPool", numbers((1, 5, 5, 2), np.int32, -9, 9), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")


@family
def pooling_gradients():
    for dtype in FLOATS:
        for image, attrs in pools(dtype):
            _, gradient = pooled("AvgPool", image, attrs)
            yield raw("AvgPoolGrad", ints(*image.shape), gradient, **attrs)
            out, gradient = pooled("MaxPool", image, attrs)
            yield raw("MaxPoolGrad", image, out, gradient, **attrs)
    ties = np.array([1, 1, 1, 2, 2, 2, 0, 0, 0], np.float32).reshape(1, 3, 3, 1)
    attrs = {"ksize": [1, 2, 2, 1], "strides": [1, 1, 1, 1], "padding": "VALID"}
    out, gradient = pooled("MaxPool", ties, attrs)
    yield raw("MaxPoolGrad", ties, out, gradient, **attrs)


@family
def biases():
    for dtype in FLOATS + INTS:
        for shape in ((2, 3), (2, 2, 2, 3), (0, 3), (2, 4, 3)):
            yield raw("BiasAdd", numbers(shape, dtype), numbers((3,), dtype, seed=1))
            yield raw("BiasAddGrad", numbers(shape, dtype))
    yield raw("BiasAdd", numbers((3, 17)), numbers((17,), seed=1))
    yield raw("BiasAddGrad", numbers((33, 5)))
    yield raw("BiasAdd", numbers((2, 3, 2, 2)), numbers((3,), seed=1), data_format="NCHW")
    yield raw("BiasAddGrad", numbers((2, 3, 2, 2)), data_format="NCHW")


@family
def softmaxes():
    for op in ("Softmax", "LogSoftmax"):
        for dtype in FLOATS:
            for shape in ((5,), (2, 3), (2, 3, 4), (0, 3), (17, 2), (2, 33), (3, 1)):
                yield raw(op, numbers(shape, dtype))
            yield raw(op, np.array([[1000, 1000, -1000], [-2000, -2000, -2001], [0, 500, 1]], dtype))
        yield raw(op, np.array([[np.inf, 1, 2], [-np.inf, 1, 2], [np.nan, 1, 2]], np.float32))


def one_hot(rows, columns, dtype):
    return np.eye(columns, dtype=dtype)[np.arange(rows) * 7 % columns]


@family
def cross_entropies():
    for dtype in FLOATS:
        for rows, columns in ((1, 3), (5, 10), (17, 2), (3, 33), (0, 4)):
            logits = numbers((rows, columns), dtype, -5, 5)
            yield raw("SoftmaxCrossEntropyWithLogits", logits, one_hot(rows, columns, dtype))
            soft = numbers((rows, columns), dtype, 0, 1, seed=1)
            yield raw("SoftmaxCrossEntropyWithLogits", logits, soft)
            for index in INTS:
                labels = (np.arange(rows) * 7 % columns).astype(index)
                yield raw("SparseSoftmaxCrossEntropyWithLogits", logits, labels)
        yield raw("SoftmaxCrossEntropyWithLogits", np.array([[1000, -1000, 0]], dtype), np.array([[0, 1, 0]], dtype))
        yield raw("SoftmaxCrossEntropyWithLogits", numbers((2, 3), dtype), numbers((1, 3), dtype, 0, 1, seed=1))
    yield raw("InTopKV2", numbers((4, 5)), ints(0, 1, 2, 3), np.array(2, np.int32))


NORMS = [((2, 3, 2, 3), "NHWC"), ((2, 3, 2, 3), "NCHW"), ((5, 1, 1, 2), "NHWC"), ((1, 1, 1, 2), "NHWC"), ((1, 2, 1, 2, 3), "NDHWC")]


def channels(shape, data_format, seed, low=-2.0, high=2.0):
    return numbers((shape[data_format.index("C")],), np.float32, low, high, seed)


@family
def batch_norms():
    for shape, data_format in NORMS:
        x = numbers(shape, np.float32)
        scale, offset, mean = (channels(shape, data_format, seed) for seed in (1, 2, 3))
        variance, none = channels(shape, data_format, 4, 0.1, 2), np.zeros(0, np.float32)
        attrs = {"data_format": data_format, "epsilon": 0.001}
        yield raw("FusedBatchNormV3", x, scale, offset, none, none, is_training=True, **attrs)
        yield raw("FusedBatchNormV3", x, scale, offset, mean, variance, is_training=True, exponential_avg_factor=0.25, **attrs)
        # Without training, TensorFlow leaves two of the outputs as the memory was.
        for training in (True, False) if data_format == "NHWC" else (True,):  # TensorFlow has no other on the CPU
            yield raw("FusedBatchNormGradV3", numbers(shape, np.float32, seed=5), x, scale, mean, variance, np.float32(0),
                      is_training=training, **attrs)
