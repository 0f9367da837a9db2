"""Images: normalised, resized, convolved channel by channel; what is counted into bins; sparse matrices."""

from families import family
from families.segments import values
from families.values import FLOATS, ints, numbers
from op_cases import raw
from tensorflow_v1 import np, tf

BFLOAT16 = tf.bfloat16.as_numpy_dtype


@family
def local_responses():
    for dtype in (np.float32, np.float16):
        for radius in (1, 5):
            x = values((2, 1, 2, 7), dtype)
            yield raw("LRN", x, depth_radius=radius, bias=1.5, alpha=0.5, beta=0.75)
            yield raw("LRNGrad", values((2, 1, 2, 7), dtype, 1), x, values((2, 1, 2, 7), dtype, 2), depth_radius=radius, bias=1.5,
                      alpha=0.5, beta=0.75)
    yield raw("LRN", values((1, 1, 1, 3), np.float32))
    yield raw("LRN", np.zeros((0, 2, 2, 3), np.float32))


@family
def old_batch_norms():
    x, scale, offset = values((2, 3, 2, 3), np.float32), values((3,), np.float32, 1), values((3,), np.float32, 2)
    none, mean, variance = np.zeros(0, np.float32), values((3,), np.float32, 3), np.abs(values((3,), np.float32, 4)) + 1
    for op in ("FusedBatchNorm", "FusedBatchNormV2"):  # without training the last two outputs have no defined value
        yield raw(op, x, scale, offset, none, none, epsilon=0.01)
        yield raw(op.replace("Norm", "NormGrad"), values(x.shape, np.float32, 5), x, scale, mean, variance, epsilon=0.01)
        yield raw(op.replace("Norm", "NormGrad"), values(x.shape, np.float32, 5), x, scale, mean, variance, is_training=False)
    for dtype in (np.float16, BFLOAT16):
        yield raw("FusedBatchNormV2", x.astype(dtype), scale, offset, none, none)


@family
def resizes():
    flags = ({}, {"align_corners": True}, {"half_pixel_centers": True})
    for flag in flags:
        for size in ((4, 7), (2, 2), (3, 5), (1, 1), (6, 3)):
            image = values((2, 3, 5, 2), np.float32)
            yield raw("ResizeBilinear", image, ints(*size), **flag)
            yield raw("ResizeNearestNeighbor", image, ints(*size), **flag)
            grad = values((2, *size, 2), np.float32, 1)
            yield raw("ResizeBilinearGrad", grad, image, **flag)
            yield raw("ResizeNearestNeighborGrad", grad, ints(3, 5), **flag)
    for dtype in (np.float64, np.float16, np.int32, np.uint8, np.int8, np.int64, np.uint16):
        yield raw("ResizeBilinear", values((1, 2, 3, 1), dtype), ints(3, 4))
        yield raw("ResizeNearestNeighbor", values((1, 2, 3, 1), dtype), ints(3, 4))
    yield raw("ResizeBilinearGrad", values((1, 3, 4, 1), np.float32), values((1, 2, 3, 1), np.float64))
    for dtype in (np.float32, np.float16):
        yield raw("AdjustContrastv2", values((2, 3, 2, 3), dtype), np.float32(1.5))
    yield raw("AdjustContrastv2", values((3, 2, 1), np.float32), np.float32(-0.5))


@family
def depthwise_convolutions():
    for dtype in FLOATS:  # of 16-bit floats its sums are of 16 bits, too; ours are not
        for padding in ("SAME", "VALID"):
            for stride in (1, 2):
                for multiplier in (1, 2):
                    x, f = values((2, 5, 6, 3), dtype), values((3, 2, 3, multiplier), dtype, 1)
                    if padding == "SAME":
                        shape = (2, -(-5 // stride), -(-6 // stride), 3 * multiplier)
                    else:
                        shape = (2, -(-3 // stride), -(-5 // stride), 3 * multiplier)
                    if dtype != np.float32 and (stride, multiplier) != (2, 2):
                        continue
                    more = dict(strides=[1, stride, stride, 1], padding=padding)
                    yield raw("DepthwiseConv2dNative", x, f, **more)
                    yield raw("DepthwiseConv2dNativeBackpropInput", ints(*x.shape), f, values(shape, dtype, 2), **more)
                    yield raw("DepthwiseConv2dNativeBackpropFilter", x, ints(*f.shape), values(shape, dtype, 2), **more)
    x, f = values((1, 4, 4, 2), np.float32), values((2, 2, 2, 1), np.float32, 1)
    yield raw("DepthwiseConv2dNative", x, f, strides=[1, 1, 1, 1], padding="EXPLICIT", explicit_paddings=[0, 0, 1, 0, 0, 2, 0, 0])


@family
def sparse_products():
    indices = ints(0, 1, 2, 0, 2, 3, 1, 1, dtype=np.int64).reshape(4, 2)
    for dtype in (*FLOATS, np.int32, np.complex64, BFLOAT16):
        for adjoint_a in (False, True):
            for adjoint_b in (False, True):
                inner = 3 if adjoint_a else 4
                b = values((2, inner) if adjoint_b else (inner, 2), dtype, 1)
                yield raw("SparseTensorDenseMatMul", indices, values((4,), dtype), ints(3, 4, dtype=np.int64), b, adjoint_a=adjoint_a,
                          adjoint_b=adjoint_b)
    for dtype in (*FLOATS, np.int32, np.int64):
        yield raw("HistogramFixedWidth", values((20,), dtype), np.array([-2, 3], dtype), np.int32(5))
    yield raw("HistogramFixedWidth", np.array([-1, 0, 1.5, 2, 5, 15], np.float32), np.array([0, 5], np.float32), np.int32(5), dtype=np.int64)
    yield raw("HistogramFixedWidth", np.zeros(0, np.float32), np.array([0, 5], np.float32), np.int32(3))
    for dtype in (*FLOATS, np.int32, np.float16, np.uint8):
        yield raw("Cross", values((2, 3), dtype), values((2, 3), dtype, 1))
