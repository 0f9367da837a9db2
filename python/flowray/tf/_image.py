"""Parts of images: functions of tf.image that are one op, with TensorFlow's older names of arguments."""

from flowray import tf as _tf


def _one_of(first, second, names):
    if first is not None and second is not None:
        raise ValueError("Cannot specify both '%s' and '%s'." % names)
    if first is None and second is None:
        raise ValueError("At least one of '%s' and '%s' must be given." % names)
    return second if first is None else first


def crop_and_resize(image, boxes, box_ind=None, crop_size=None, method="bilinear", extrapolation_value=0, name=None, box_indices=None):
    """Boxes [count, 4] of images, in parts of their height and width (top, left, bottom, right), each resized to `crop_size`: float32
    [count, height, width, channels]. `box_indices` says which image a box is of; what lies outside is `extrapolation_value`."""
    owners = _one_of(box_indices, box_ind, ("box_indices", "box_ind"))
    return _tf.raw_ops.CropAndResize(image=image, boxes=boxes, box_ind=owners, crop_size=crop_size, method=method,
                                     extrapolation_value=extrapolation_value, name=name or "CropAndResize")


def extract_image_patches(images, ksizes=None, strides=None, rates=None, padding=None, name=None, sizes=None):
    """The windows of images [batch, height, width, channels] as channels: [batch, rows, columns, height * width * channels of a window]."""
    return _tf.raw_ops.ExtractImagePatches(images=images, ksizes=_one_of(sizes, ksizes, ("sizes", "ksizes")), strides=strides, rates=rates,
                                           padding=padding, name=name or "ExtractImagePatches")


def extract_patches(images, sizes, strides, rates, padding, name=None):
    """extract_image_patches by TensorFlow 2's names."""
    return extract_image_patches(images, sizes, strides, rates, padding, name)
