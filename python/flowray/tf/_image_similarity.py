"""tf.image.ssim and ssim_multiscale: how alike images are in luminance, contrast and structure (Wang et al., 2004 and 2003)."""

from flowray import _native
from flowray import tf as _tf

_WEIGHTS_OF_SCALES = (0.0448, 0.2856, 0.3001, 0.2363, 0.1333)


def _checked(first, second):
    """Both as float32 tensors whose last three dimensions are the same."""
    first, second = _native.convert_to_tensor(first, name="img1"), _native.convert_to_tensor(second, name="img2")
    known = [image.shape.with_rank_at_least(3) for image in (first, second)]
    if known[0].ndims is not None and known[1].ndims is not None:
        known[0][-3:].assert_is_compatible_with(known[1][-3:])
        for one, other in zip(reversed(known[0].as_list()[:-3]), reversed(known[1].as_list()[:-3])):
            if None not in (one, other) and 1 not in (one, other) and one != other:
                raise ValueError("Two images are not compatible: %s and %s" % tuple(known))
    shapes = [_native.shape(first), _native.shape(second)]
    fit = [_tf.Assert(_tf.greater_equal(_native.size(shapes[0]), 3), shapes, summarize=10),
           _tf.Assert(_native.reduce_all(_native.equal(shapes[0][-3:], shapes[1][-3:])), shapes, summarize=10)]
    with _native.control_dependencies(fit):
        first = _native.identity(first)
    return first, second


def _as_float(image):
    return _tf.image.convert_image_dtype(image, _tf.float32)


def _gaussian(size, sigma):
    """A window [size, size, 1, 1] whose weights sum up to 1."""
    places = _native.cast(_native.range(size), _tf.float32) - _native.cast(size - 1, _tf.float32) / 2.0
    exponents = _tf.square(places) * (-0.5 / _tf.square(sigma))
    exponents = _native.reshape(exponents, [1, -1]) + _native.reshape(exponents, [-1, 1])
    return _native.reshape(_tf.nn.softmax(_native.reshape(exponents, [1, -1])), [size, size, 1, 1])


def _likeness(first, second, max_val, filter_size, filter_sigma, k1, k2, of_places=False):
    """(the index, its part without luminance) of each channel, the index of each place if so wanted."""
    size = _tf.constant(filter_size, dtype=_tf.int32)
    shapes = [_native.shape(first), _native.shape(second)]
    fit = [_tf.Assert(_native.reduce_all(_tf.greater_equal(shape[-3:-1], size)), [shape, size], summarize=8) for shape in shapes]
    with _native.control_dependencies(fit):
        first = _native.identity(first)
    window = _tf.tile(_gaussian(size, _tf.constant(filter_sigma, _tf.float32)), [1, 1, shapes[0][-1], 1])

    def mean(image):
        shape = _native.shape(image)
        flat = _native.reshape(image, _native.concat([[-1], shape[-3:]], 0))
        means = _tf.nn.depthwise_conv2d(flat, window, strides=[1, 1, 1, 1], padding="VALID")
        return _native.reshape(means, _native.concat([shape[:-3], _native.shape(means)[1:]], 0))

    small, other_small = (k1 * max_val) ** 2, (k2 * max_val) ** 2
    one, other = mean(first), mean(second)
    product, squares = one * other * 2.0, _tf.square(one) + _tf.square(other)
    luminance = (product + small) / (squares + small)
    both = mean(first * second) * 2.0
    structure = (both - product + other_small) / (mean(_tf.square(first) + _tf.square(second)) - squares + other_small)
    if of_places:
        return luminance * structure, structure
    return _native.reduce_mean(luminance * structure, [-3, -2]), _native.reduce_mean(structure, [-3, -2])


def ssim(img1, img2, max_val, filter_size=11, filter_sigma=1.5, k1=0.01, k2=0.03, return_index_map=False):
    """The index of images [..., height, width, channels] whose values are from 0 to `max_val`, 1 for the same ones: of each image, or with
    `return_index_map` of each place."""
    with _native.name_scope(None, "SSIM", [img1, img2]):
        img1, img2 = _checked(img1, img2)
        max_val = _as_float(_native.cast(max_val, img1.dtype))
        index, _ = _likeness(_as_float(img1), _as_float(img2), max_val, filter_size, filter_sigma, k1, k2, return_index_map)
        return _native.reduce_mean(index, [-1])


def _halved(images, first_scale):
    """Means of four, the last row or column twice where their number is odd."""
    flat = [_native.reshape(image, _native.concat([[-1], _native.shape(image)[-3:]], 0)) for image in images]
    odd = _native.shape(flat[0])[1:] % _tf.constant([2, 2, 1], _tf.int32)

    def padded():
        paddings = _tf.pad(_native.expand_dims(odd, -1), [[1, 0], [1, 0]])
        return [_tf.pad(image, paddings, mode="SYMMETRIC") for image in flat]

    even = _tf.cond(_native.reduce_any(_native.not_equal(odd, 0)), padded, lambda: flat)
    halves = [_tf.nn.avg_pool(image, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID") for image in even]
    return [_native.reshape(half, _native.concat([_native.shape(image)[:-3], _native.shape(half)[1:]], 0))
            for half, image in zip(halves, first_scale)]


def ssim_multiscale(img1, img2, max_val, power_factors=_WEIGHTS_OF_SCALES, filter_size=11, filter_sigma=1.5, k1=0.01, k2=0.03):
    """The product of the indices of images and of their halves, quarters and so on, each to its power."""
    with _native.name_scope(None, "MS-SSIM", [img1, img2]):
        img1, img2 = _checked(img1, img2)
        max_val = _as_float(_native.cast(max_val, img1.dtype))
        images = first_scale = [_as_float(img1), _as_float(img2)]
        parts = []
        for scale in range(len(power_factors)):
            with _native.name_scope(None, "Scale%d" % scale, images):
                if scale > 0:
                    images = _halved(images, first_scale)
                index, structure = _likeness(*images, max_val, filter_size, filter_sigma, k1, k2)
                parts.append(_tf.nn.relu(index if scale == len(power_factors) - 1 else structure))
        powers = _tf.pow(_tf.stack(parts, axis=-1), power_factors)
        return _native.reduce_mean(_native.reduce_prod(powers, [-1]), [-1])
