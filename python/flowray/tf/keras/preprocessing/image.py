"""tf.keras.preprocessing.image: images as arrays, and batches of them that are changed by chance."""

import numpy as _np

from flowray.tf.keras import backend as _backend
from flowray.tf.keras.preprocessing._image_generators import (  # noqa: F401: of this module, too
    DataFrameIterator, DirectoryIterator, ImageDataGenerator, Iterator, NumpyArrayIterator)
from flowray.tf.keras.preprocessing._transforms import (  # noqa: F401: of this module, too
    apply_affine_transform, apply_brightness_shift, apply_channel_shift, random_brightness, random_channel_shift, random_rotation, random_shear,
    random_shift, random_zoom)


def img_to_array(img, data_format=None, dtype="float32"):
    """A PIL image, or an array of one, as [height, width, channels], or [channels, height, width] where data_format= or the backend has them first."""
    is_first = _is_channels_first(data_format)
    array = _np.asarray(img, dtype=dtype)
    if array.ndim == 2:
        return array[_np.newaxis] if is_first else array[..., _np.newaxis]
    if array.ndim != 3:
        raise ValueError("Unsupported image shape: %s" % (array.shape,))
    return array.transpose(2, 0, 1) if is_first else array


def _pil(function):
    try:
        from PIL import Image
    except ImportError:
        raise ImportError("Could not import PIL.Image. The use of `%s` requires PIL.\npip install pillow" % function) from None
    return Image


def array_to_img(x, data_format=None, scale=True, dtype="float32"):
    """A PIL image of [height, width, channels], or of [channels, height, width] where data_format= or the backend has them first."""
    is_first = _is_channels_first(data_format)
    image = _pil("array_to_img")
    x = _np.asarray(x, dtype=dtype)
    if x.ndim != 3:
        raise ValueError("Expected image array to have rank 3 (single image). Got array with shape: %s" % (x.shape,))
    x = x.transpose(1, 2, 0) if is_first else x
    if scale:
        x = x - x.min()
        x = x / (x.max() or 1) * 255
    if x.shape[2] not in (1, 3, 4):
        raise ValueError("Unsupported channel number: %s" % x.shape[2])
    mode = {1: "L", 3: "RGB", 4: "RGBA"}[x.shape[2]]
    return image.fromarray(x[:, :, 0].astype("uint8") if mode == "L" else x.astype("uint8"), mode)


def load_img(path, grayscale=False, color_mode="rgb", target_size=None, interpolation="nearest"):
    """A PIL image of a file."""
    image = _pil("load_img")
    modes = {"grayscale": "L", "rgb": "RGB", "rgba": "RGBA"}
    color_mode = "grayscale" if grayscale else color_mode
    if color_mode not in modes:
        raise ValueError("color_mode must be \"grayscale\", \"rgb\", or \"rgba\"")
    with open(path, "rb") as file:
        made = image.open(file)
        made.load()
    made = made if made.mode == modes[color_mode] else made.convert(modes[color_mode])
    ways = {"nearest": image.NEAREST, "bilinear": image.BILINEAR, "bicubic": image.BICUBIC}
    if target_size is not None and made.size != (target_size[1], target_size[0]):
        if interpolation not in ways:
            raise ValueError("Invalid interpolation method %s specified. Supported methods are %s" % (interpolation, ", ".join(ways)))
        made = made.resize((target_size[1], target_size[0]), ways[interpolation])
    return made


def _is_channels_first(data_format):
    data_format = _backend.image_data_format() if data_format is None else data_format
    if data_format not in ("channels_first", "channels_last"):
        raise ValueError("Invalid data_format: %s" % data_format)
    return data_format == "channels_first"
