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


def non_max_suppression_padded(boxes, scores, max_output_size, iou_threshold=0.5, score_threshold=float("-inf"), pad_to_max_output_size=False,
                               name=None, sorted_input=False, canonicalized_coordinates=False, tile_size=512):
    """The numbers of the boxes [boxes, 4] that are left when each drops those of lower score that it overlaps by more than `iou_threshold`,
    and how many there are. Batches [..., boxes, 4] need `pad_to_max_output_size`, which fills up with zeros. What the other arguments
    promise or suggest saves TensorFlow work: nothing depends on it."""
    with _tf.name_scope(name, "non_max_suppression_padded"):
        boxes, scores = _tf.convert_to_tensor(boxes, name="boxes"), _tf.convert_to_tensor(scores, name="scores")
        if not pad_to_max_output_size and boxes.shape.ndims is not None and boxes.shape.ndims > 2:
            raise ValueError("'pad_to_max_output_size' (value %s) must be True for batched input" % pad_to_max_output_size)

        def of_image(image):
            return _tf.raw_ops.NonMaxSuppressionV4(boxes=image[0], scores=image[1], max_output_size=max_output_size,
                                                   iou_threshold=iou_threshold, score_threshold=score_threshold,
                                                   pad_to_max_output_size=pad_to_max_output_size)
        if boxes.shape.ndims == 2:
            return tuple(of_image((boxes, scores)))
        batch, count = _tf.shape(boxes)[:-2], _tf.shape(boxes)[-2]
        flat = (_tf.reshape(boxes, _tf.stack([-1, count, 4])), _tf.reshape(scores, _tf.stack([-1, count])))
        selected, valid = _tf.map_fn(lambda image: tuple(of_image(image)), flat, dtype=(_tf.int32, _tf.int32))
        return _tf.reshape(selected, _tf.concat([batch, [max_output_size]], 0)), _tf.reshape(valid, batch)
