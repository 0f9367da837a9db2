"""Images turned, moved, sheared, zoomed, brighter or darker: what ImageDataGenerator does to each. Images are [height, width, channels]."""

import numpy as _np

MODES = ("nearest", "constant", "reflect", "wrap")


def _product(matrices):
    product = None
    for matrix in matrices:
        product = matrix if product is None else product @ matrix
    return product


def _matrix_of(theta, tx, ty, shear, zx, zy):
    """From places of the result to those of the image, [x, y, 1]; None where they are the same."""
    matrices = []
    if theta != 0:
        turn = _np.deg2rad(theta)
        matrices.append(_np.array([[_np.cos(turn), -_np.sin(turn), 0], [_np.sin(turn), _np.cos(turn), 0], [0, 0, 1]]))
    if tx != 0 or ty != 0:
        matrices.append(_np.array([[1, 0, tx], [0, 1, ty], [0, 0, 1]]))
    if shear != 0:
        turn = _np.deg2rad(shear)
        matrices.append(_np.array([[1, -_np.sin(turn), 0], [0, _np.cos(turn), 0], [0, 0, 1]]))
    if zx != 1 or zy != 1:
        matrices.append(_np.array([[zx, 0, 0], [0, zy, 0], [0, 0, 1]]))
    return _product(matrices)


def _about_centre(matrix, height, width):
    there = _np.array([[1, 0, height / 2 - 0.5], [0, 1, width / 2 - 0.5], [0, 0, 1]])
    back = _np.array([[1, 0, 0.5 - height / 2], [0, 1, 0.5 - width / 2], [0, 0, 1]])
    return there @ matrix @ back


def apply_affine_transform(x, theta=0, tx=0, ty=0, shear=0, zx=1, zy=1, row_axis=1, col_axis=2, channel_axis=0, fill_mode="nearest", cval=0.0,
                           order=1):
    """An image turned by `theta` degrees, moved by (tx, ty) rows and columns, sheared by `shear` degrees and zoomed by (zx, zy)."""
    if len({row_axis, col_axis, channel_axis}) != 3:
        raise ValueError("'row_axis', 'col_axis', and 'channel_axis' must be distinct")
    if {row_axis, col_axis, channel_axis} != {0, 1, 2}:
        raise ValueError("Invalid axis' indices: %s" % ({row_axis, col_axis, channel_axis} - {0, 1, 2}))
    if _np.ndim(x) != 3:
        raise ValueError("Input arrays must be multi-channel 2D images.")
    if channel_axis not in (0, 2):
        raise ValueError("Channels are allowed and the first and last dimensions.")
    check_ways(fill_mode, order)
    matrix = _matrix_of(theta, tx, ty, shear, zx, zy)
    if matrix is None:
        return x
    matrix = _about_centre(matrix, x.shape[row_axis], x.shape[col_axis])
    if col_axis > row_axis:  # matrices are of x and y, arrays of rows and columns
        matrix = matrix[[1, 0, 2]][:, [1, 0, 2]]
    planes = _np.moveaxis(x, channel_axis, 0)
    made = _resampled(planes, matrix[:2, :2], matrix[:2, 2], fill_mode, cval, order)
    return _np.moveaxis(made, 0, channel_axis)


def check_ways(fill_mode, order):
    """Whether there are such ways to go beyond the borders and between the pixels."""
    if fill_mode not in MODES:
        raise ValueError("fill_mode is one of %s, not %r" % (", ".join(map(repr, MODES)), fill_mode))
    if order not in (0, 1):
        raise NotImplementedError("interpolation_order=%r is not there: 0 (the nearest pixel) or 1 (between pixels)" % (order,))


def _resampled(planes, matrix, offset, mode, cval, order):
    """What stands at matrix * place + offset of each plane."""
    height, width = planes.shape[1:]
    if 0 in planes.shape:
        return planes.copy()
    rows, columns = _np.meshgrid(_np.arange(height), _np.arange(width), indexing="ij")
    places = [matrix[i, 0] * rows + matrix[i, 1] * columns + offset[i] for i in range(2)]
    inside = _np.ones((height, width), bool)
    for i, size in enumerate((height, width)):
        if mode == "constant":
            inside &= (places[i] >= 0) & (places[i] <= size - 1)
            places[i] = _np.clip(places[i], 0, size - 1)
        else:
            places[i] = _brought_inside(places[i], size, mode)
    made = _nearest(planes, places, mode) if order == 0 else _between(planes, places, mode)
    if mode == "constant":
        made = _np.where(inside, made, cval)
    if _np.issubdtype(planes.dtype, _np.integer):  # rounded, and as far as it goes
        limits = _np.iinfo(planes.dtype)
        made = _np.clip(_np.trunc(made + _np.copysign(0.5, made)), limits.min, limits.max)
    return made.astype(planes.dtype)


def _brought_inside(place, size, mode):
    """Places beyond the borders as ones within them, or half a pixel from them."""
    if mode == "nearest" or size == 1:
        return _np.clip(place, 0, size - 1)
    if mode == "wrap":  # the last pixel is the first one
        last = size - 1
        return _np.where(place < 0, place + last * (_np.floor(-place / last) + 1),
                         _np.where(place > last, place - last * _np.floor(place / last), place))
    # d c b a | a b c d | d c b a
    turned = _np.mod(place + 0.5, 2 * size)
    return _np.where(turned >= size, 2 * size - turned, turned) - 0.5


def _pixel(number, size, mode):
    if mode == "reflect":
        number = _np.where(number < 0, -number - 1, number)
        number = _np.where(number >= size, 2 * size - 1 - number, number)
    return _np.clip(number, 0, size - 1)


def _nearest(planes, places, mode):
    rows, columns = (_pixel(_np.floor(place + 0.5).astype(int), size, mode) for place, size in zip(places, planes.shape[1:]))
    return planes[:, rows, columns].astype(_np.float64)


def _between(planes, places, mode):
    firsts = [_np.floor(place).astype(int) for place in places]
    shares = [place - first for place, first in zip(places, firsts)]
    made = _np.zeros(planes.shape, _np.float64)
    for down in (0, 1):
        for right in (0, 1):
            rows, columns = (_pixel(first + step, size, mode) for first, step, size in zip(firsts, (down, right), planes.shape[1:]))
            share = (shares[0] if down else 1 - shares[0]) * (shares[1] if right else 1 - shares[1])
            made += share * planes[:, rows, columns]
    return made


def apply_channel_shift(x, intensity, channel_axis=0):
    """All channels brighter by so much, within the image's own limits."""
    return _np.clip(x + intensity, _np.min(x), _np.max(x)).astype(x.dtype)


def apply_brightness_shift(x, brightness, scale=True):
    """An image so many times as bright, in whole steps of 0 to 255."""
    least, greatest = _np.min(x), _np.max(x)
    is_beyond = least < 0 or greatest > 255
    values = _np.asarray(x, _np.float32)
    if is_beyond or scale:
        values = values - least
        values = values / (values.max() or 1) * 255
    values = values.astype(_np.uint8).astype(_np.float32) * _np.float32(brightness)
    values = _np.clip(_np.trunc(values), 0, 255).astype(_np.float32)
    return values / 255 * (greatest - least) + least if is_beyond and not scale else values


def _one_of(pair, what):
    if len(pair) != 2:
        raise ValueError("`%s` should be a tuple or list of two floats. Received: %s" % (what, pair))
    return _np.random.uniform(pair[0], pair[1])


def random_rotation(x, rg, row_axis=1, col_axis=2, channel_axis=0, fill_mode="nearest", cval=0.0, interpolation_order=1):
    """An image turned by up to `rg` degrees."""
    return apply_affine_transform(x, theta=_np.random.uniform(-rg, rg), row_axis=row_axis, col_axis=col_axis, channel_axis=channel_axis,
                                  fill_mode=fill_mode, cval=cval, order=interpolation_order)


def random_shift(x, wrg, hrg, row_axis=1, col_axis=2, channel_axis=0, fill_mode="nearest", cval=0.0, interpolation_order=1):
    """An image moved by up to these shares of its width and height."""
    tx = _np.random.uniform(-hrg, hrg) * x.shape[row_axis]
    ty = _np.random.uniform(-wrg, wrg) * x.shape[col_axis]
    return apply_affine_transform(x, tx=tx, ty=ty, row_axis=row_axis, col_axis=col_axis, channel_axis=channel_axis, fill_mode=fill_mode, cval=cval,
                                  order=interpolation_order)


def random_shear(x, intensity, row_axis=1, col_axis=2, channel_axis=0, fill_mode="nearest", cval=0.0, interpolation_order=1):
    """An image sheared by up to `intensity` degrees."""
    return apply_affine_transform(x, shear=_np.random.uniform(-intensity, intensity), row_axis=row_axis, col_axis=col_axis,
                                  channel_axis=channel_axis, fill_mode=fill_mode, cval=cval, order=interpolation_order)


def random_zoom(x, zoom_range, row_axis=1, col_axis=2, channel_axis=0, fill_mode="nearest", cval=0.0, interpolation_order=1):
    """An image zoomed by factors of this range, one for its rows and one for its columns."""
    if len(zoom_range) != 2:
        raise ValueError("`zoom_range` should be a tuple or list of two floats. Received: %s" % (zoom_range,))
    zx, zy = (1, 1) if zoom_range[0] == 1 and zoom_range[1] == 1 else _np.random.uniform(zoom_range[0], zoom_range[1], 2)
    return apply_affine_transform(x, zx=zx, zy=zy, row_axis=row_axis, col_axis=col_axis, channel_axis=channel_axis, fill_mode=fill_mode, cval=cval,
                                  order=interpolation_order)


def random_channel_shift(x, intensity_range, channel_axis=0):
    """An image brighter or darker by up to this much."""
    return apply_channel_shift(x, _np.random.uniform(-intensity_range, intensity_range), channel_axis)


def random_brightness(x, brightness_range, scale=True):
    """An image as many times as bright as a number of this range says."""
    return apply_brightness_shift(x, _one_of(brightness_range, "brightness_range"), scale)
