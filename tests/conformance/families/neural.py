"""Layers of networks, products, reductions, decompositions, images."""

import numpy as np

from case import draft, large, malformed
from families import family

# Input shape and axes.
REDUCTIONS = (((2, 3), (1,)), ((2, 3, 4), (0, 2)), ((5,), (0,)), ((2, 0, 3), (1,)), ((2, 3), ()), ((), ()), ((2, 3, 4), (-1,)), ((2, 3, 4), (0, 1, 2)),
              ((0, 3), (0,)), ((3, 1, 2), (1,)), ((4, 33), (0,)), ((33, 4), (1,)), ((2, 3), 1))


@family("Mean", is_accumulated=True, least_size=1)
@family("Sum", "Prod", "Max", "Min", "All", "Any", "EuclideanNorm", is_accumulated=True)
def reductions(m):
    low, high = (-3, 3) if m.signature.name != "Prod" else (0.5, 1.5)
    for keep in (False, True):
        for shape, axes in REDUCTIONS:
            yield draft(m.values(*shape, low=low, high=high), m.array(axes, "Tidx"), keep_dims=keep)
    if m.is_float():
        yield draft(m.special().reshape(2, 10), m.array((1,), "Tidx"))
    for axes in ((2,), (-3,), (0, 0)):
        yield malformed(m.values(2, 3), m.array(axes, "Tidx"))
    for axes in ((0,), (1,), (0, 1)):
        yield large(m.values(300, 401, low=low, high=1.2 if low > 0 else 3), m.array(axes, "Tidx"))


@family("ArgMax", "ArgMin")
def arguments(m):
    for shape, axis in (((2, 3), 1), ((2, 3, 4), 0), ((5,), 0), ((2, 3, 4), -1), ((0, 3), 1), ((1, 1), 0), ((4, 33), 1)):
        yield draft(m.values(*shape), m.array(axis, "Tidx"))
    for shape, axis in (((2, 3), 2), ((2, 3), -3), ((2, 0), 1)):
        yield malformed(m.values(*shape), m.array(axis, "Tidx"))


@family("Cumsum", "Cumprod", "CumulativeLogsumexp", is_accumulated=True)
def cumulative(m):
    low, high = (-3, 3) if m.signature.name != "Cumprod" else (0.5, 1.5)
    for exclusive in (False, True):
        for reverse in (False, True):
            for shape, axis in (((2, 3, 4), 1), ((5,), 0), ((0, 3), 0), ((2, 3), -1), ((4, 1), 1)):
                yield draft(m.values(*shape, low=low, high=high), m.array(axis, "Tidx"), exclusive=exclusive, reverse=reverse)
    yield malformed(m.values(2, 3), m.array(2, "Tidx"))


@family("MatMul", is_accumulated=True, tolerance=4)
def matmul(m):
    for ta in (False, True):
        for tb in (False, True):
            for rows, inner, columns in ((2, 3, 4), (1, 1, 1), (5, 4, 1), (0, 3, 2), (2, 0, 3), (17, 33, 9)):
                a, b = m.values(rows, inner), m.values(inner, columns)
                yield draft(a.T if ta else a, b.T if tb else b, transpose_a=ta, transpose_b=tb)
    yield malformed(m.values(2, 3), m.values(2, 3))
    yield large(m.values(128, 96), m.values(96, 130))


@family("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3", "SparseMatMul", is_accumulated=True, tolerance=4)
def batch_matmul(m):
    is_sparse = m.signature.name == "SparseMatMul"
    names = ("transpose_a", "transpose_b") if is_sparse else ("adj_x", "adj_y")
    left, right = ("Ta", "Tb") if "Tb" in m.types else ("T", "T")
    for ta in (False, True):
        for tb in (False, True):
            for batch in ((),) if is_sparse else ((2,), (), (2, 3), (0,)):
                a, b = (2, 3), (3, 4)
                yield draft(m.values(*batch, *(a[::-1] if ta else a), of=left), m.values(*batch, *(b[::-1] if tb else b), of=right),
                            **{names[0]: ta, names[1]: tb})
    if m.signature.name not in ("BatchMatMul", "SparseMatMul"):
        yield draft(m.values(2, 1, 2, 3, of=left), m.values(3, 3, 4, of=right))
    yield malformed(m.values(2, 3, of=left), m.values(2, 3, of=right))


@family("BiasAdd")
def bias(m):
    for shape in ((2, 3), (2, 3, 4, 5), (2, 4, 5), (0, 3)):
        yield draft(m.values(*shape), m.values(shape[-1]))
    yield draft(m.values(2, 3, 4, 5), m.values(3), data_format="NCHW")
    yield draft(m.values(2, 3), m.values(3), data_format="NCHW")
    yield large(m.values(100, 301), m.values(301))


@family("BiasAddV1")
def old_bias(m):
    for shape in ((2, 3), (2, 3, 4, 5), (0, 3)):
        yield draft(m.values(*shape), m.values(shape[-1]))


@family("BiasAddGrad", is_accumulated=True)
def bias_gradient(m):
    for shape in ((2, 3), (2, 3, 4, 5), (2, 4, 5), (0, 3)):
        yield draft(m.values(*shape))
    yield draft(m.values(2, 3, 4, 5), data_format="NCHW")


WINDOWS = (((1, 5, 5, 2), (2, 2), (2, 2)), ((2, 6, 7, 3), (3, 2), (1, 2)), ((1, 4, 4, 1), (4, 4), (1, 1)), ((2, 3, 3, 1), (1, 1), (2, 2)), ((0, 4, 4, 2), (2, 2), (2, 2)))


def pools():
    for padding in ("SAME", "VALID"):
        for shape, size, strides in WINDOWS:
            yield shape, {"ksize": [1, *size, 1], "strides": [1, *strides, 1], "padding": padding}


def pooled(shape, attrs):
    size, strides = attrs["ksize"][1:3], attrs["strides"][1:3]
    if attrs["padding"] == "SAME":
        return (shape[0], *(-(-d // s) for d, s in zip(shape[1:3], strides)), shape[3])
    return (shape[0], *((d - k) // s + 1 for d, k, s in zip(shape[1:3], size, strides)), shape[3])


@family("AvgPool", "MaxPool", is_accumulated=True)
def pool(m):
    for shape, attrs in pools():
        yield draft(m.distinct(*shape) if m.signature.name == "MaxPool" else m.values(*shape), **attrs)
    yield malformed(m.values(4, 4), ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1], padding="SAME")
    yield malformed(m.values(1, 4, 4, 1), ksize=[1, 5, 5, 1], strides=[1, 1, 1, 1], padding="VALID")
    yield large(m.values(2, 40, 40, 16), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")


@family("MaxPoolWithArgmax")
def pool_with_arguments(m):
    for shape, attrs in pools():
        yield draft(m.distinct(*shape), **attrs)


@family("AvgPoolGrad", is_accumulated=True, is_fragile=True)
def average_gradient(m):
    yield malformed(m.array((5, 5, 2), "int32"), m.values(1, 3, 3, 2), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
    yield malformed(m.array((1, 5, 5, 2), "int32"), m.values(3, 3, 2), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
    for shape, attrs in pools():
        yield draft(m.array(shape, "int32"), m.values(*pooled(shape, attrs)), **attrs)


@family("MaxPoolGrad", is_accumulated=True)
def maximum_gradient(m):
    for shape, attrs in pools():
        x = m.distinct(*shape)
        yield draft(x, highest(x, attrs), m.values(*pooled(shape, attrs)), **attrs)


def pools_by_inputs(m):
    """The second versions take windows and strides as inputs."""
    for shape, attrs in pools():
        yield shape, attrs, (m.array(attrs["ksize"], "int32"), m.array(attrs["strides"], "int32")), {"padding": attrs["padding"]}


@family("MaxPoolV2", is_accumulated=True)
def pool_by_inputs(m):
    for shape, _, sizes, attrs in pools_by_inputs(m):
        yield draft(m.distinct(*shape), *sizes, **attrs)
    for ksize, strides in (((1, 2, 2), (1, 1, 1, 1)), ((1, 2, 2, 1), (1, 1, 0, 1)), ((1, 0, 2, 1), (1, 1, 1, 1)), ((1, 2, 2, 1), (1, 1))):
        yield malformed(m.values(1, 4, 4, 1), m.array(ksize, "int32"), m.array(strides, "int32"), padding="SAME")


@family("MaxPoolGradV2", is_accumulated=True, is_fragile=True)
def maximum_gradient_by_inputs(m):
    for shape, known, sizes, attrs in pools_by_inputs(m):
        x = m.distinct(*shape)
        yield draft(x, highest(x, known), m.values(*pooled(shape, known)), *sizes, **attrs)
    x = m.distinct(1, 4, 4, 1)
    yield malformed(x, x[:, :2, :2], m.values(1, 2, 2, 1), m.array((1, 2, 2), "int32"), m.array((1, 2, 2, 1), "int32"), padding="SAME")


@family("MaxPoolGradWithArgmax", is_accumulated=True, is_fragile=True)
def maximum_gradient_by_places(m):
    for shape, attrs in pools():
        counts = pooled(shape, attrs)
        places = m.indices(max(int(np.prod(shape[1:])), 1), *counts, of="Targmax")
        yield draft(m.values(*shape), m.values(*counts), places, **attrs)
    yield malformed(m.values(4, 4, 1), m.values(1, 2, 2, 1), m.array([[[[0], [1]], [[2], [3]]]], "Targmax"), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1],
                    padding="VALID")


@family("MaxPoolGradGrad", is_accumulated=True)
def maximum_second_gradient(m):
    for shape, attrs in pools():
        x = m.distinct(*shape)
        yield draft(x, highest(x, attrs), m.values(*shape), **attrs)


def highest(x, attrs):
    """What MaxPool gives, slowly."""
    out = np.zeros(pooled(x.shape, attrs), x.dtype)
    (kh, kw), (sh, sw) = attrs["ksize"][1:3], attrs["strides"][1:3]
    total = [max((o - 1) * s + k - d, 0) if attrs["padding"] == "SAME" else 0 for o, s, k, d in zip(out.shape[1:3], (sh, sw), (kh, kw), x.shape[1:3])]
    for r in range(out.shape[1]):
        for c in range(out.shape[2]):
            top, left = r * sh - total[0] // 2, c * sw - total[1] // 2
            window = x[:, max(top, 0) : top + kh, max(left, 0) : left + kw]
            if window.size:
                out[:, r, c] = window.max(axis=(1, 2))
    return out


CONVOLUTIONS = (((1, 5, 5, 2), (3, 3), (1, 1), (1, 1)), ((2, 6, 7, 3), (2, 3), (2, 1), (1, 1)), ((1, 4, 4, 1), (1, 1), (1, 1), (1, 1)),
                ((1, 8, 8, 2), (3, 3), (1, 1), (2, 2)), ((0, 5, 5, 2), (3, 3), (1, 1), (1, 1)), ((2, 8, 9, 4), (5, 5), (2, 2), (1, 1)))


def convolutions(with_dilations=True):
    for padding in ("SAME", "VALID"):
        for shape, size, strides, dilations in CONVOLUTIONS:
            if with_dilations or dilations == (1, 1):
                yield shape, size, {"strides": [1, *strides, 1], "dilations": [1, *dilations, 1], "padding": padding}


def convolved(shape, size, channels, attrs):
    dilations = attrs["dilations"][1:3]
    wide = [(k - 1) * d + 1 for k, d in zip(size, dilations)]
    return pooled((*shape[:3], channels), {"ksize": [1, *wide, 1], **attrs})


@family("Conv2D", is_accumulated=True, tolerance=4)
def convolution(m):
    for shape, size, attrs in convolutions():
        yield draft(m.values(*shape), m.values(*size, shape[3], 3), **attrs)
    yield draft(m.values(1, 5, 5, 2), m.values(3, 3, 2, 2), strides=[1, 1, 1, 1], padding="EXPLICIT", explicit_paddings=[0, 0, 1, 2, 0, 1, 0, 0])
    yield malformed(m.values(1, 5, 5, 2), m.values(3, 3, 3, 2), strides=[1, 1, 1, 1], padding="SAME")
    yield malformed(m.values(1, 2, 2, 2), m.values(3, 3, 2, 2), strides=[1, 1, 1, 1], padding="VALID")
    yield malformed(m.values(1, 5, 5, 2), m.values(3, 3, 2, 2), strides=[1, 0, 1, 1], padding="SAME")
    yield large(m.values(2, 20, 20, 8), m.values(3, 3, 8, 16), strides=[1, 1, 1, 1], padding="SAME")


@family("Conv2DBackpropInput", is_accumulated=True, tolerance=4)
def convolution_input(m):
    for shape, size, attrs in convolutions():
        yield draft(m.array(shape, "int32"), m.values(*size, shape[3], 3), m.values(*convolved(shape, size, 3, attrs)), **attrs)
    yield large(m.array((6, 24, 24, 8), "int32"), m.values(3, 3, 8, 16), m.values(6, 24, 24, 16), strides=[1, 1, 1, 1], padding="SAME")


@family("Conv2DBackpropFilter", is_accumulated=True, tolerance=4)
def convolution_filter(m):
    for shape, size, attrs in convolutions():
        yield draft(m.values(*shape), m.array((*size, shape[3], 3), "int32"), m.values(*convolved(shape, size, 3, attrs)), **attrs)
    yield large(m.values(6, 24, 24, 8), m.array((3, 3, 8, 16), "int32"), m.values(6, 24, 24, 16), strides=[1, 1, 1, 1], padding="SAME")


def depthwise_shapes():
    for shape, size, attrs in convolutions():
        if attrs["strides"][1] == attrs["strides"][2]:
            yield shape, size, attrs


@family("DepthwiseConv2dNative", is_accumulated=True, tolerance=4)
def depthwise(m):
    for shape, size, attrs in depthwise_shapes():
        yield draft(m.values(*shape), m.values(*size, shape[3], 2), **attrs)


@family("DepthwiseConv2dNativeBackpropInput", is_accumulated=True, tolerance=4)
def depthwise_input(m):
    for shape, size, attrs in depthwise_shapes():
        yield draft(m.array(shape, "int32"), m.values(*size, shape[3], 2), m.values(*convolved(shape, size, 2 * shape[3], attrs)), **attrs)


@family("DepthwiseConv2dNativeBackpropFilter", is_accumulated=True, tolerance=4)
def depthwise_filter(m):
    for shape, size, attrs in depthwise_shapes():
        yield draft(m.values(*shape), m.array((*size, shape[3], 2), "int32"), m.values(*convolved(shape, size, 2 * shape[3], attrs)), **attrs)


@family("Softmax", "LogSoftmax", tolerance=2, is_accumulated=True)
def softmax(m):
    for shape in ((2, 3), (5,), (2, 3, 4), (0, 3), (1, 1), (4, 33)):
        yield draft(m.values(*shape, low=-9, high=9))
    yield draft(m.array(((1000, 999, -1000), (0, 0, 0))) if m.dtype() != np.float16 else m.values(2, 3))
    yield malformed(m.values())
    yield large(m.values(200, 300))


@family("SoftmaxCrossEntropyWithLogits", tolerance=4, is_accumulated=True)
def cross_entropy(m):
    for rows, classes in ((2, 3), (1, 1), (5, 33), (0, 3)):
        yield draft(m.values(rows, classes), m.values(rows, classes, low=0, high=1))
    yield draft(m.values(2, 3), m.values(1, 3, low=0, high=1))
    yield malformed(m.values(2, 3), m.values(2, 4))
    yield large(m.values(200, 300), m.values(200, 300, low=0, high=1))


@family("SparseSoftmaxCrossEntropyWithLogits", tolerance=4, is_accumulated=True)
def sparse_cross_entropy(m):
    for rows, classes in ((2, 3), (1, 1), (5, 33), (0, 3)):
        yield draft(m.values(rows, classes), m.indices(classes, rows, of="Tlabels"))
    for label in (3, -1):
        yield malformed(m.values(2, 3), m.array((0, label), "Tlabels"))


def normalisation(m, version):
    for shape in ((2, 3, 4, 2), (1, 1, 1, 3), (4, 2, 2, 1), (0, 2, 2, 3)):
        for training in (True, False):
            channels = shape[-1]
            mean = (0,) if training else (channels,)
            of = "U" if version > 1 else "T"
            yield (m.values(*shape), m.values(channels, of=of), m.values(channels, of=of), m.values(*mean, of=of), m.values(*mean, of=of, low=0.5, high=2)), \
                {"is_training": training, "epsilon": 0.001}


def unset_statistics(case):
    """Without training nothing is reserved for the gradient; of an empty batch there are no statistics."""
    if any(array.size == 0 for array in case.arrays()[:1]):
        return (1, 2, 3, 4, 5)
    return (5,) if case.attrs.get("is_training", True) else (3, 4, 5)


@family("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3", is_accumulated=True, tolerance=4, unset=unset_statistics)
def batch_norm(m):
    for inputs, attrs in normalisation(m, 1 if m.signature.name == "FusedBatchNorm" else 2):
        yield draft(*inputs, **attrs)
    x = m.values(2, 3, 4, 2)
    of = "U" if "U" in m.types else "T"
    stats = [m.values(3, of=of), m.values(3, of=of), m.values(0, of=of), m.values(0, of=of)]
    yield draft(np.moveaxis(m.values(2, 3, 4, 3), -1, 1), *stats, data_format="NCHW")
    yield malformed(x, *stats)


@family("FusedBatchNormGrad", "FusedBatchNormGradV2", "FusedBatchNormGradV3", is_accumulated=True, tolerance=8)
def batch_norm_gradient(m):
    version = 3 if m.signature.name.endswith("V3") else 2
    of = "U" if "U" in m.types else "T"
    for shape in ((2, 3, 4, 2), (1, 2, 1, 3), (4, 2, 2, 1)):
        for training in (True, False):
            c = shape[-1]
            more = [m.values(c, of=of)] if version == 3 else []
            yield draft(m.values(*shape), m.values(*shape), m.values(c, of="float32"), m.values(c, of=of), m.values(c, of=of, low=0.5, high=2), *more,
                        is_training=training, epsilon=0.001)


@family("LRN", is_accumulated=True, tolerance=4)
def lrn(m):
    for shape in ((1, 2, 2, 8), (2, 1, 3, 5), (0, 2, 2, 3)):
        yield draft(m.values(*shape))
        yield draft(m.values(*shape), depth_radius=2, bias=2.0, alpha=0.5, beta=0.75)
    for radius, bias, alpha, beta in ((0, 1.0, 1.0, 0.5), (50, 1.0, 1.0, 0.5), (1, 0.0, 1.0, 0.5), (1, 1.0, -0.01, 0.5), (3, 1.0, 1.0, 1.0)):
        yield draft(m.values(1, 2, 3, 6), depth_radius=radius, bias=bias, alpha=alpha, beta=beta)
    for shape in ((2, 3), (3, 2, 2, 0), (1, 1, 1, 1)):
        yield draft(m.values(*shape))


@family("LRNGrad", is_accumulated=True, tolerance=4)
def lrn_gradient(m):
    for shape in ((1, 2, 2, 8), (2, 1, 3, 5), (0, 2, 2, 3)):
        yield draft(m.values(*shape), m.values(*shape), m.values(*shape))
        yield draft(m.values(*shape), m.values(*shape), m.values(*shape), depth_radius=2, bias=2.0, alpha=0.5, beta=0.75)


RESIZES = (((1, 2, 3, 1), (4, 5)), ((2, 4, 4, 2), (2, 3)), ((1, 3, 3, 1), (3, 3)), ((1, 1, 1, 2), (2, 2)))
ROUNDINGS = ({}, {"align_corners": True}, {"half_pixel_centers": True})


@family("ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic", "ResizeArea", is_accumulated=True)
def resize(m):
    for attrs in ROUNDINGS if m.signature.name != "ResizeArea" else ROUNDINGS[:2]:
        for shape, size in RESIZES:
            yield draft(m.values(*shape, low=0, high=100), m.array(size, "int32"), **attrs)
    yield draft(m.values(0, 2, 2, 1), m.array((3, 3), "int32"))
    yield malformed(m.values(1, 2, 2, 1), m.array((0, 3), "int32"))


@family("ResizeBilinearGrad", is_accumulated=True)
def resize_gradient(m):
    for attrs in ROUNDINGS:
        for shape, size in RESIZES:
            yield draft(m.values(shape[0], *size, shape[3], of="float32"), m.values(*shape), **attrs)


@family("ResizeNearestNeighborGrad", is_accumulated=True)
def nearest_gradient(m):
    for attrs in ROUNDINGS:
        for shape, size in RESIZES:
            yield draft(m.values(shape[0], *size, shape[3]), m.array(shape[1:3], "int32"), **attrs)


@family("ResizeBicubicGrad", is_accumulated=True)
def bicubic_gradient(m):
    for attrs in ROUNDINGS:
        for shape, size in RESIZES:
            yield draft(m.values(shape[0], *size, shape[3], of="float32"), m.values(*shape, of="T"), **attrs)
    yield draft(m.values(0, 3, 3, 1, of="float32"), m.values(0, 2, 2, 1, of="T"))


BOXES = ((9, 4, 0.5, 0.2, 0.0), (12, 12, 0.25, 0.0, 0.5), (5, 2, 1.0, 0.1, 0.0), (1, 3, 0.0, -1.0, 1.0), (0, 3, 0.5, 0.0, 0.0), (6, 0, 0.5, 0.0, 0.0))


@family("NonMaxSuppression", "NonMaxSuppressionV2", "NonMaxSuppressionV3", "NonMaxSuppressionV4", "NonMaxSuppressionV5")
def suppressed_boxes(m):
    name = m.signature.name
    number = int(name[-1]) if name[-1].isdigit() else 1
    of, thresholds_of = "float32" if number == 1 else "T", "T" if number == 5 else "T_threshold"
    scalars = {1: 0, 2: 1, 3: 2, 4: 2, 5: 3}[number]
    for count, most, *numbers in BOXES:
        inputs = [m.values(count, 4, of=of, low=0, high=1), m.values(count, of=of, low=0, high=1), m.array(most, "int32")]
        inputs += [m.array(x, thresholds_of) for x in numbers[:scalars]]
        yield draft(*inputs, **({"iou_threshold": numbers[0]} if number == 1 else {}))
        if number > 3:
            yield draft(*inputs, pad_to_max_output_size=True)


def spectra(m):
    return int(m.signature.name[-2]) if m.signature.name.endswith("D") else 1


@family("FFT", "FFT2D", "FFT3D", "IFFT", "IFFT2D", "IFFT3D", is_accumulated=True, tolerance=4)
def transforms(m):
    for shape in ((4, 4, 4), (2, 3, 5), (2, 1, 7, 6), (1, 1, 1), (2, 0, 3, 3), (3, 2, 9, 16), (1, 2, 13)):
        yield draft(m.values(*shape))


@family("RFFT", "RFFT2D", is_accumulated=True, tolerance=4, is_fragile=True)
def real_transforms(m):
    rank = spectra(m)
    for shape, length in (((2, 4, 4), (4, 4)), ((3, 5), (3, 5)), ((2, 6, 7), (5, 4)), ((1, 1), (1, 1)), ((0, 3, 4), (3, 4)), ((2, 8, 9), (8, 1)), ((4, 16), (4, 16))):
        yield draft(m.values(*shape), m.array(length[-rank:], "int32"))
    yield malformed(m.values(2, 3), m.array((2, 9)[-rank:], "int32"))
    yield malformed(m.values(2, 3), m.array((2, -9)[-rank:], "int32"))
    yield malformed(m.values(2, 3), m.array((2, 2, 2), "int32"))


@family("IRFFT", "IRFFT2D", is_accumulated=True, tolerance=4, is_fragile=True)
def inverse_real_transforms(m):
    rank = spectra(m)
    for shape, length in (((2, 4, 3), (4, 4)), ((3, 3), (3, 5)), ((2, 6, 7), (5, 4)), ((1, 1), (1, 1)), ((0, 3, 3), (3, 4)), ((2, 8, 9), (8, 16)), ((4, 9), (4, 17))):
        yield draft(m.values(*shape), m.array(length[-rank:], "int32"))
    yield malformed(m.values(2, 3), m.array((2, 9)[-rank:], "int32"))


@family("AdjustContrastv2", is_accumulated=True, tolerance=4)
def contrast(m):
    for shape in ((4, 5, 3), (2, 4, 3, 3), (1, 1, 3), (0, 3, 3)):
        yield draft(m.values(*shape, low=0, high=1), m.array(1.7, "float32"))
    for factor in (0, 1, -2.5, 1e4):
        yield draft(m.values(3, 4, 2, low=0, high=1), m.array(factor, "float32"))
    yield draft(m.values(2, 3, 4, 1, low=0, high=255), m.array(0.5, "float32"))
    yield draft(m.values(2, 0, 4, 3), m.array(0.5, "float32"))
    yield malformed(m.values(3, 4, low=0, high=1), m.array(1.7, "float32"))


@family("AdjustHue", "AdjustSaturation", is_accumulated=True, tolerance=8)
def colours(m):
    for shape in ((4, 5, 3), (2, 4, 3, 3), (0, 3, 3)):
        yield draft(m.values(*shape, low=0, high=1), m.array(0.3, "float32"))


@family("RGBToHSV", "HSVToRGB", is_accumulated=True, tolerance=4)
def colour_spaces(m):
    for shape in ((4, 5, 3), (3,), (0, 3)):
        yield draft(m.values(*shape, low=0, high=1))


@family("Einsum", is_accumulated=True, tolerance=4)
def einsum(m):
    for equation, shapes in (("ij,jk->ik", ((2, 3), (3, 4))), ("bij,bjk->bik", ((2, 2, 3), (2, 3, 4))), ("ij->ji", ((2, 3),)), ("ij->i", ((2, 3),)), ("ii->i", ((3, 3),)),
                             ("i,j->ij", ((3,), (4,))), ("...ij,...jk->...ik", ((2, 2, 3), (3, 4))), ("ij,jk->ik", ((0, 3), (3, 4))), ("abc,cd->abd", ((2, 3, 4), (4, 5)))):
        yield draft([m.values(*shape) for shape in shapes], equation=equation)
    yield malformed([m.values(2, 3), m.values(4, 3)], equation="ij,jk->ik")


# ---- decompositions: compared by what they multiply to, as columns have signs that are free


def square(m, *shape):
    return m.array(m.values(*shape) + 3 * np.eye(shape[-1]))


def positive(m, *shape):
    a = m.values(*shape).astype(np.complex128 if m.is_complex() else np.float64)
    return m.array(a @ np.swapaxes(a, -1, -2).conj() + np.eye(shape[-1]))


SQUARES = ((3, 3), (2, 3, 3), (1, 1), (0, 0), (2, 4, 4))


@family("Cholesky", "BatchCholesky", is_accumulated=True, tolerance=16)
def cholesky(m):
    for shape in SQUARES:
        yield draft(positive(m, *shape))
    yield malformed(m.array(-np.eye(3)))
    yield malformed(m.values(2, 3))


@family("CholeskyGrad", is_accumulated=True, tolerance=32)
def cholesky_gradient(m):
    for shape in SQUARES[:3]:
        yield draft(m.array(np.linalg.cholesky(positive(m, *shape))), m.values(*shape))


@family("MatrixInverse", "BatchMatrixInverse", is_accumulated=True, tolerance=16)
def inverse(m):
    for adjoint in (False, True):
        for shape in SQUARES:
            yield draft(square(m, *shape), adjoint=adjoint)
    yield malformed(m.array(np.zeros((3, 3))))
    yield malformed(m.values(2, 3))


@family("MatrixDeterminant", "LogMatrixDeterminant", is_accumulated=True, tolerance=16)
def determinant(m):
    for shape in SQUARES:
        yield draft(square(m, *shape))
    yield malformed(m.values(2, 3))


@family("MatrixSolve", is_accumulated=True, tolerance=32)
def solve(m):
    for adjoint in (False, True):
        for shape in SQUARES:
            yield draft(square(m, *shape), m.values(*shape[:-1], 2), adjoint=adjoint)
    yield malformed(m.array(np.zeros((3, 3))), m.values(3, 2))
    yield malformed(m.values(3, 3), m.values(2, 2))


@family("MatrixTriangularSolve", is_accumulated=True, tolerance=32)
def triangular_solve(m):
    for lower in (False, True):
        for adjoint in (False, True):
            for shape in SQUARES:
                yield draft(square(m, *shape), m.values(*shape[:-1], 2), lower=lower, adjoint=adjoint)
    yield malformed(m.values(3, 3), m.values(2, 2))


def magnitudes(case, array):
    return np.abs(array)


@family("Qr", is_accumulated=True, tolerance=64, compare=magnitudes)
def qr(m):
    for full in (False, True):
        for shape in ((3, 2), (2, 3), (3, 3), (2, 3, 3), (0, 2)):
            yield draft(m.values(*shape), full_matrices=full)


@family("Svd", is_accumulated=True, tolerance=64, compare=magnitudes, unset=lambda case: () if case.attrs.get("compute_uv", True) else (1, 2))
def svd(m):
    for full in (False, True):
        for shape in ((3, 3), (2, 3, 3), (3, 2), (0, 2)):
            yield draft(m.values(*shape), full_matrices=full and shape[-1] == shape[-2])
    yield draft(m.values(3, 2), compute_uv=False)


@family("SelfAdjointEigV2", is_accumulated=True, tolerance=64, compare=magnitudes, unset=lambda case: () if case.attrs.get("compute_v", True) else (1,))
def eigenvalues(m):
    for shape in SQUARES[:3]:
        yield draft(positive(m, *shape))
        yield draft(positive(m, *shape), compute_v=False)


@family("SelfAdjointEig", is_accumulated=True, tolerance=64, compare=magnitudes)
def stacked_eigenvalues(m):
    for shape in SQUARES:
        yield draft(positive(m, *shape))
    yield malformed(m.values(2, 3))


LIMITS = ((-6, 6), (0.1, 0.9), (-1.5, 0.25), (-3, -1), (0, 0))


@family("FakeQuantWithMinMaxArgs", "FakeQuantWithMinMaxArgsGradient")
def quantized_by_attributes(m):
    of_gradient = m.signature.name.endswith("Gradient")
    for shape in ((3, 7), (2, 3, 4), (), (0, 3)):
        for low, high in LIMITS[:3]:
            for more in ({}, {"num_bits": 2}, {"num_bits": 12, "narrow_range": True}):
                x = m.values(*shape, low=-8, high=8)
                yield draft(*([m.values(*shape)] if of_gradient else []), x, min=low, max=high, **more)
    for attrs in ({"num_bits": 1}, {"num_bits": 17}, {"min": 2.0, "max": 1.0}, {"min": 1.0, "max": 1.0}):
        yield malformed(*[m.values(3)] * (1 + of_gradient), **attrs)


@family("FakeQuantWithMinMaxVars")
@family("FakeQuantWithMinMaxVarsGradient", is_accumulated=True, least_size=1)
def quantized_by_inputs(m):
    of_gradient = m.signature.name.endswith("Gradient")
    for shape in ((3, 7), (2, 3, 4), (), (0, 3)):
        for low, high in LIMITS:
            for more in ({}, {"num_bits": 3, "narrow_range": True}):
                x = m.values(*shape, low=-8, high=8)
                yield draft(*([m.values(*shape)] if of_gradient else []), x, m.array(low), m.array(high), **more)


@family("FakeQuantWithMinMaxVarsPerChannel", "FakeQuantWithMinMaxVarsPerChannelGradient", is_fragile=True)
def quantized_by_channels(m):
    of_gradient = m.signature.name.endswith("Gradient")
    for shape in ((4, 3), (2, 4, 3), (3,), (2, 2, 2, 3), (0, 3)):
        for more in ({}, {"num_bits": 3, "narrow_range": True}):
            x = m.values(*shape, low=-8, high=8)
            yield draft(*([m.values(*shape)] if of_gradient else []), x, m.array((-6, 0, -1)), m.array((6, 0, 0.5)), **more)
    yield malformed(*[m.values(4, 3)] * (1 + of_gradient), m.array((-6, 0)), m.array((6, 0, 1)))
    yield malformed(*[m.values(4, 3)] * (1 + of_gradient), m.array(-6), m.array((6, 0, 1)))


@family("SparseTensorDenseMatMul", is_accumulated=True, tolerance=4)
def sparse_dense(m):
    for adjoint_a in (False, True):
        for adjoint_b in (False, True):
            shape, b = ((4, 3) if adjoint_a else (3, 4)), (2, 4) if adjoint_b else (4, 2)
            indices = m.array([(0, 1), (2, 0), (2, 2)], "Tindices")
            yield draft(indices, m.values(3), m.array(shape, "int64"), m.values(*b), adjoint_a=adjoint_a, adjoint_b=adjoint_b)
    yield draft(m.array(np.zeros((0, 2)), "Tindices"), m.values(0), m.array((2, 3), "int64"), m.values(3, 2))
    yield malformed(m.array([(0, 5)], "Tindices"), m.values(1), m.array((2, 3), "int64"), m.values(3, 2))


@family("Lu", is_accumulated=True, tolerance=16)
def factors(m):
    for shape in SQUARES:
        yield draft(square(m, *shape))
    yield draft(m.array([[0, 1, 2], [3, 0, 1], [1, 1, 5]]))
    yield malformed(m.array(np.zeros((3, 3))))
    yield malformed(m.values(2, 3))


@family("MatrixExponential", is_accumulated=True, tolerance=64)
def exponential(m):
    for shape in SQUARES:
        yield draft(m.values(*shape))
    yield malformed(m.values(2, 3))


@family("MatrixLogarithm", is_accumulated=True, tolerance=64)
def logarithm(m):
    for shape in (*SQUARES, (5, 5), (6, 6), (7, 7), (1, 2, 3, 3), (3, 1, 1), (2, 0, 0)):
        yield draft(positive(m, *shape))
    yield malformed(m.values(2, 3))


CROPS = (((2, 5, 4, 3), 3, (3, 2)), ((1, 3, 3, 1), 2, (4, 5)), ((3, 2, 6, 2), 4, (1, 1)), ((1, 4, 4, 2), 1, (1, 3)))


@family("CropAndResize", is_accumulated=True, tolerance=4)
def crops(m):
    for method in ("bilinear", "nearest"):
        for image, count, size in CROPS:
            boxes = m.rng.uniform(0.05, 0.9, (count, 4))
            boxes[0] = (-0.23, 0.14, 1.17, 0.93)
            owners = m.array(m.rng.randint(0, image[0], count), "int32")
            yield draft(m.values(*image, of="T"), m.array(boxes, "float32"), owners, m.array(size, "int32"), method=method, extrapolation_value=0.5)
    image, boxes = m.values(2, 3, 3, 1, of="T"), m.array([[0, 0, 1, 1.0]], "float32")
    yield malformed(image, boxes, m.array([2], "int32"), m.array([2, 2], "int32"))
    yield malformed(image, boxes, m.array([0], "int32"), m.array([0, 2], "int32"))
    yield malformed(image, boxes, m.array([0], "int32"), m.array([2, 2, 2], "int32"))
    yield malformed(m.values(3, 3, 1, of="T"), boxes, m.array([0], "int32"), m.array([2, 2], "int32"))


@family("CropAndResizeGradImage", is_accumulated=True, tolerance=8)
def gradient_of_cropped_image(m):
    for method in ("bilinear", "nearest"):
        for image, count, size in CROPS:
            boxes = m.array(m.rng.uniform(0.05, 0.9, (count, 4)), "float32")
            owners = m.array(m.rng.randint(0, image[0], count), "int32")
            yield draft(m.values(count, *size, image[3], of="float32"), boxes, owners, m.array(image, "int32"), method=method)


@family("CropAndResizeGradBoxes", is_accumulated=True, tolerance=64)
def gradient_of_boxes(m):
    for image, count, size in CROPS:
        boxes = m.array(m.rng.uniform(0.05, 0.9, (count, 4)), "float32")
        owners = m.array(m.rng.randint(0, image[0], count), "int32")
        yield draft(m.values(count, *size, image[3], of="float32"), m.values(*image, of="T"), boxes, owners)


@family("ExtractImagePatches")
def patches(m):
    for shape, size, strides, rates in (((2, 5, 4, 3), (2, 3), (1, 1), (1, 1)), ((1, 6, 7, 1), (3, 2), (2, 3), (1, 1)), ((1, 7, 7, 2), (2, 2), (1, 2), (2, 3)),
                                        ((0, 4, 4, 1), (2, 2), (1, 1), (1, 1))):
        for padding in ("SAME", "VALID"):
            yield draft(m.values(*shape), ksizes=[1, *size, 1], strides=[1, *strides, 1], rates=[1, *rates, 1], padding=padding)
    yield malformed(m.values(2, 5, 4), ksizes=[1, 2, 2, 1], strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding="SAME")


@family("DrawBoundingBoxes", "DrawBoundingBoxesV2")
def drawn_boxes(m):
    lines = np.array([[[0.1, 0.2, 0.8, 0.9], [-0.5, 0.1, 0.5, 1.5], [0.0, 0.0, 1.0, 1.0]],
                      [[0.9, 0.2, 0.1, 0.9], [1.2, 0.1, 1.5, 0.5], [0.5, 0.5, 0.5, 0.5]]], np.float32)
    second = m.signature.name.endswith("V2")
    for depth in (1, 3, 4):
        colors = [m.values(2, depth, of="float32", low=0, high=1)] if second else []
        yield draft(m.values(2, 8, 9, depth), lines, *colors)
        yield draft(m.values(2, 1, 1, depth), lines, *colors)
        yield draft(m.values(2, 5, 5, depth), np.tile(lines, (1, 5, 1)), *[colors[0][:0]] if second else [])
    colors = [m.values(1, 3, of="float32")] if second else []
    yield draft(m.values(2, 4, 4, 3), lines[:, :0], *colors)
    yield draft(m.values(0, 4, 4, 3), lines[:0], *colors)
    for images, boxes in ((m.values(4, 4, 3), lines), (m.values(2, 4, 4, 2), lines), (m.values(1, 4, 4, 3), lines), (m.values(2, 4, 4, 3), lines[0]),
                          (m.values(2, 4, 4, 3), lines[:, :, :3])):
        yield malformed(images, boxes, *colors)
    if second:
        yield malformed(m.values(2, 4, 4, 3), lines, m.values(3, of="float32"))
        yield malformed(m.values(2, 4, 4, 3), lines, m.values(2, 2, of="float32"))


@family("ExtractGlimpse")
def glimpses(m):
    for shape, size, offsets in (((2, 5, 6, 3), (3, 2), ((0, 0), (0.5, -0.5))), ((1, 4, 4, 1), (6, 3), ((0.2, 0.9),)), ((3, 3, 3, 1), (2, 2), ((5, 5), (-9, 0), (1, 1)))):
        for centered, normalized in ((True, True), (True, False), (False, True), (False, False)):
            yield draft(m.values(*shape), m.array(size, "int32"), m.array(offsets, "float32"), centered=centered, normalized=normalized,
                        uniform_noise=False, noise="zero")
    images, size, offsets = m.values(1, 4, 4, 1), m.array((2, 2), "int32"), m.array(((0, 0),), "float32")
    for wrong in ((m.values(4, 4, 1), size, offsets), (images, size[:1], offsets), (images, size, offsets[0]), (images, size, np.tile(offsets, (2, 1))),
                  (images, size, offsets[:, :1]), (images, -size, offsets)):
        yield malformed(*wrong, uniform_noise=False, noise="zero")
    yield malformed(images, size, offsets, uniform_noise=True, noise="zero")
    yield malformed(images, size, offsets, uniform_noise=False, noise="pink")


@family("NonMaxSuppressionWithOverlaps")
def suppressed_by_overlaps(m):
    for count, most, threshold, least in ((6, 4, 0.5, 0.2), (6, 9, 0.2, 0.0), (5, 0, 0.5, 0.0), (0, 3, 0.5, 0.1), (20, 20, 0.9, 0.5)):
        yield draft(m.values(count, count, low=0, high=1), m.values(count, low=0, high=1), m.array(most, "int32"), m.array(threshold, "float32"),
                    m.array(least, "float32"))
    numbers = m.array(3, "int32"), m.array(0.5, "float32"), m.array(0.1, "float32")
    yield malformed(m.values(3, 4), m.values(3), *numbers)
    yield malformed(m.values(3, 3), m.values(4), *numbers)
    yield malformed(m.values(3), m.values(3), *numbers)
    yield malformed(m.values(3, 3), m.values(3), m.array(-1, "int32"), *numbers[1:])
    yield malformed(m.values(3, 3), m.values(3), numbers[0], m.array((0.5,), "float32"), numbers[2])


@family("CombinedNonMaxSuppression")
def suppressed_of_classes(m):
    def of(batch, count, owners, classes, of_class, most, threshold, least, how=draft, **attrs):
        return how(m.values(batch, count, owners, 4, low=-0.2, high=1.3), m.values(batch, count, classes, low=0, high=1), m.array(of_class, "int32"),
                   m.array(most, "int32"), m.array(threshold, "float32"), m.array(least, "float32"), **attrs)

    for sizes in ((2, 6, 1, 3, 2, 4, 0.5, 0.2), (1, 8, 3, 3, 9, 30, 0.1, 0.0), (3, 5, 1, 1, 1, 1, 0.9, 0.5), (1, 0, 1, 2, 2, 3, 0.5, 0.1), (2, 30, 2, 2, 20, 25, 0.3, 0.1)):
        for pads, clips in ((False, True), (True, True), (True, False)):
            yield of(*sizes, pad_per_class=pads, clip_boxes=clips)
    for sizes in ((1, 4, 2, 3, 2, 4, 0.5, 0.2), (1, 4, 1, 3, 0, 4, 0.5, 0.2), (1, 4, 1, 3, 2, 0, 0.5, 0.2), (1, 4, 1, 3, 2, 4, 1.5, 0.2), (1, 4, 1, 3, -1, -1, 0.5, 0.2)):
        yield of(*sizes, how=malformed)
    numbers = m.array(2, "int32"), m.array(2, "int32"), m.array(0.5, "float32"), m.array(0.1, "float32")
    yield malformed(m.values(1, 4, 1, 3), m.values(1, 4, 2), *numbers)
    yield malformed(m.values(1, 4, 1, 4), m.values(1, 3, 2), *numbers)
    yield malformed(m.values(4, 1, 4), m.values(1, 4, 2), *numbers)
    yield malformed(m.values(1, 4, 1, 4), m.values(4, 2), *numbers)


DILATIONS = (((2, 5, 4, 3), (2, 2, 3), (1, 1), (1, 1)), ((1, 6, 7, 2), (3, 2, 2), (2, 1), (1, 2)), ((2, 3, 3, 1), (1, 1, 1), (1, 1), (1, 1)),
             ((1, 4, 5, 2), (2, 3, 2), (1, 2), (2, 1)), ((0, 5, 4, 3), (2, 2, 3), (1, 1), (1, 1)))


def dilation_attrs(strides, rates, padding):
    return {"strides": [1, *strides, 1], "rates": [1, *rates, 1], "padding": padding}


@family("Dilation2D")
def dilation(m):
    for padding in ("SAME", "VALID"):
        for image, window, strides, rates in DILATIONS:
            yield draft(m.values(*image), m.values(*window), **dilation_attrs(strides, rates, padding))
    yield draft(m.values(1, 1, 1, 2), m.values(2, 2, 2), **dilation_attrs((1, 1), (1, 1), "VALID"))
    yield malformed(m.values(1, 5, 4, 2), m.values(2, 2, 3), **dilation_attrs((1, 1), (1, 1), "VALID"))
    for strides, rates in (((1, 0, 1, 1), (1, 1, 1, 1)), ((2, 1, 1, 1), (1, 1, 1, 1)), ((1, 1, 1, 2), (1, 1, 1, 1)), ((1, 1, 1, 1), (2, 1, 1, 1)),
                           ((1, -1, 1, 1), (1, 1, 1, 1))):
        yield malformed(m.values(1, 5, 4, 2), m.values(2, 2, 2), strides=list(strides), rates=list(rates), padding="VALID")


@family("Dilation2DBackpropInput", "Dilation2DBackpropFilter", is_fragile=True, is_accumulated=True)
def dilation_gradients(m):
    for padding in ("SAME", "VALID"):
        for image, window, strides, rates in DILATIONS:
            covered = [(window[i] - 1) * rates[i] + 1 if padding == "VALID" else 1 for i in (0, 1)]
            places = [(image[i + 1] - covered[i]) // strides[i] + 1 for i in (0, 1)]
            yield draft(m.values(*image), m.values(*window), m.values(image[0], *places, image[3]), **dilation_attrs(strides, rates, padding))
    attrs = dilation_attrs((1, 1), (1, 1), "VALID")
    image, window = (1, 5, 4, 2), (2, 2, 2)
    yield draft(m.array(np.zeros(image)), m.array(np.zeros(window)), m.values(1, 4, 3, 2), **attrs)
    for grad in ((1, 4, 4, 2), (2, 4, 3, 2), (1, 4, 3, 3), (4, 3, 2)):
        yield malformed(m.values(*image), m.values(*window), m.values(*grad), **attrs)
    yield malformed(m.values(5, 4, 2), m.values(*window), m.values(1, 4, 3, 2), **attrs)
    yield malformed(m.values(*image), m.values(2, 2), m.values(1, 4, 3, 2), **attrs)


@family("QuantizeAndDequantizeV2", "QuantizeAndDequantizeV3", "QuantizeAndDequantizeV4", is_fragile=True)
def quantized(m):
    """Along an axis TensorFlow's V2 and V4 of this version take no range that is given, and V3 dies of some that do not fit."""
    version = m.signature.name[-1]
    numbers, table = m.values(4, 5), m.values(2, 3, 4)

    def settings(bits, modes=("HALF_TO_EVEN", "HALF_UP")):
        if version == "3":
            yield [m.array(bits, "int32")], {}
        else:
            for mode in modes:
                yield [], {"num_bits": bits, "round_mode": mode}

    for bits in (8, 3, 1, 16):
        for given in (False, True):
            for signed in (False, True):
                for inputs, attrs in settings(bits):
                    yield draft(numbers, m.array(-1 if signed else 0), m.array(1.5), *inputs, range_given=given, signed_input=signed,
                                narrow_range=signed and bits == 3, **attrs)
    for inputs, attrs in settings(4, ["HALF_TO_EVEN"]):
        for least, most in ((-0.3, 1), (-1, 0.3), (0, 0), (1, 2), (-2, -1)):
            yield draft(numbers, m.array(least), m.array(most), *inputs, range_given=True, **attrs)
        for axis in (0, 1, 2):
            size = table.shape[axis]
            yield draft(table, m.array([-1] * size), m.array([1] * size), *inputs, range_given=False, axis=axis, **attrs)
            if version == "3":
                yield draft(table, m.array([-1] * size), m.array(range(1, 1 + size)), *inputs, range_given=True, axis=axis, **attrs)
        for shape in ((0,), (2, 0)):
            yield draft(m.values(*shape), m.array(-1), m.array(1), *inputs, range_given=False, **attrs)
        yield malformed(numbers, m.array(2), m.array(1), *inputs, range_given=True, **attrs)
        if version == "3":
            yield malformed(table, m.array([-1, -1]), m.array([1, 1]), *inputs, range_given=True, axis=1)
            yield malformed(table, m.array(-1), m.array(1), *inputs, range_given=False, axis=5)
        else:
            yield malformed(numbers, m.array([-1]), m.array(1), *inputs, range_given=True, **attrs)
            yield malformed(numbers, m.array(-1), m.array([1, 2]), *inputs, range_given=True, **attrs)
            yield malformed(table, m.array(-1), m.array(1), *inputs, range_given=True, axis=1, **attrs)
    for bits in (0, -1, 62, 64):
        for inputs, attrs in settings(bits, ["HALF_TO_EVEN"]):
            yield malformed(numbers, m.array(-1), m.array(1), *inputs, **attrs)


@family("QuantizeAndDequantizeV4Grad", is_fragile=True)
def quantized_gradient(m):
    table = m.values(2, 3, 4)
    yield draft(m.values(2, 3, 4), table, m.array(-1), m.array(1))
    yield draft(m.values(0), m.values(0), m.array(-1), m.array(1))
    for axis in (0, 1, 2):
        size = table.shape[axis]
        yield draft(m.values(2, 3, 4), table, m.array([-1] * size), m.array(range(size)), axis=axis)
    yield malformed(m.values(2, 3), table, m.array(-1), m.array(1))
    yield malformed(m.values(2, 3, 4), table, m.array([-1]), m.array(1))
    yield malformed(m.values(2, 3, 4), table, m.array(-1), m.array([1]))
    yield malformed(m.values(2, 3, 4), table, m.array(-1), m.array(1), axis=1)
    yield malformed(m.values(2, 3, 4), table, m.array([-1]), m.array([1]), axis=1)
    yield malformed(m.values(2, 3, 4), table, m.array(-1), m.array(1), axis=3)
