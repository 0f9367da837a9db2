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
        if boxes.shape.ndims == 2 or not pad_to_max_output_size:
            return tuple(of_image((boxes, scores)))
        batch, count = _tf.shape(boxes)[:-2], _tf.shape(boxes)[-2]
        flat = (_tf.reshape(boxes, _tf.stack([-1, count, 4])), _tf.reshape(scores, _tf.stack([-1, count])))
        selected, valid = _tf.map_fn(lambda image: tuple(of_image(image)), flat, dtype=(_tf.int32, _tf.int32))
        return _tf.reshape(selected, _tf.concat([batch, [max_output_size]], 0)), _tf.reshape(valid, batch)


def sample_distorted_bounding_box(image_size, bounding_boxes, seed=None, seed2=None, min_object_covered=0.1, aspect_ratio_range=None,
                                  area_range=None, max_attempts=None, use_image_if_no_bounding_boxes=None, name=None):
    """Where a part of an image of `image_size` (height, width, channels) begins, its size, and the part as a box [1, 1, 4]: drawn at random
    so that it has a form and an area within bounds and covers enough of one of the boxes [1, boxes, 4]."""
    given = {"seed": seed, "seed2": seed2, "aspect_ratio_range": aspect_ratio_range, "area_range": area_range, "max_attempts": max_attempts,
             "use_image_if_no_bounding_boxes": use_image_if_no_bounding_boxes}
    with _tf.name_scope(name, "sample_distorted_bounding_box"):
        return _tf.raw_ops.SampleDistortedBoundingBoxV2(image_size=image_size, bounding_boxes=bounding_boxes,
                                                        min_object_covered=min_object_covered, name=name,
                                                        **{key: value for key, value in given.items() if value is not None})


def draw_bounding_boxes(images, boxes, name=None, colors=None):
    """Images [batch, height, width, channels] with lines around boxes [batch, boxes, 4], in the colours of the rows of `colors`, or in ten
    usual ones, one after the other."""
    if colors is None:
        return _tf.raw_ops.DrawBoundingBoxes(images=images, boxes=boxes, name=name)
    return _tf.raw_ops.DrawBoundingBoxesV2(images=images, boxes=boxes, colors=colors, name=name)


def combined_non_max_suppression(boxes, scores, max_output_size_per_class, max_total_size, iou_threshold=0.5, score_threshold=float("-inf"),
                                 pad_per_class=False, clip_boxes=True, name=None):
    """For each image of a batch the best of boxes [batch, boxes, 1 or classes, 4], by scores [batch, boxes, classes], class by class without
    those that overlap a better one by more than `iou_threshold`: boxes, scores, classes, and how many they are."""
    with _tf.name_scope(name, "combined_non_max_suppression"):
        iou_threshold = _tf.convert_to_tensor(iou_threshold, dtype=_tf.float32, name="iou_threshold")
        score_threshold = _tf.convert_to_tensor(score_threshold, dtype=_tf.float32, name="score_threshold")
        max_total_size = _tf.convert_to_tensor(max_total_size)
        return _tf.raw_ops.CombinedNonMaxSuppression(
            boxes=boxes, scores=scores, max_output_size_per_class=max_output_size_per_class, max_total_size=max_total_size,
            iou_threshold=iou_threshold, score_threshold=score_threshold, pad_per_class=pad_per_class, clip_boxes=clip_boxes)


def non_max_suppression_overlaps(overlaps, scores, max_output_size, overlap_threshold=0.5, score_threshold=float("-inf"), name=None):
    """non_max_suppression by overlaps [boxes, boxes] that the program computes itself."""
    with _tf.name_scope(name, "non_max_suppression_overlaps"):
        overlap_threshold = _tf.convert_to_tensor(overlap_threshold, name="overlap_threshold")
        return _tf.raw_ops.NonMaxSuppressionWithOverlaps(overlaps=overlaps, scores=scores, max_output_size=max_output_size,
                                                         overlap_threshold=overlap_threshold, score_threshold=score_threshold)


def adjust_jpeg_quality(image, jpeg_quality, name=None):
    """What is left of an image [height, width, 1 or 3] that is written as a JPEG of that quality, 0 to 100."""
    with _tf.name_scope(name, "adjust_jpeg_quality", [image]):
        image = _tf.convert_to_tensor(image, name="image")
        dtype, channels = image.dtype, image.shape.as_list()[-1]
        image = _tf.image.convert_image_dtype(image, _tf.uint8, saturate=True)
        jpeg_quality = _tf.convert_to_tensor(jpeg_quality, dtype=None if _tf.is_tensor(jpeg_quality) else _tf.int32)
        written = _tf.raw_ops.EncodeJpegVariableQuality(images=image, quality=jpeg_quality)
        image = _tf.raw_ops.DecodeJpeg(contents=written, channels=channels)
        return _tf.image.convert_image_dtype(image, dtype, saturate=True)


def random_jpeg_quality(image, min_jpeg_quality, max_jpeg_quality, seed=None):
    """adjust_jpeg_quality with a quality from `min_jpeg_quality` to below `max_jpeg_quality`."""
    if not (0 <= min_jpeg_quality <= 100 and 0 <= max_jpeg_quality <= 100):
        raise ValueError("jpeg encoding range must be between 0 and 100.")
    if min_jpeg_quality >= max_jpeg_quality:
        raise ValueError("`min_jpeg_quality` must be less than `max_jpeg_quality`.")
    return adjust_jpeg_quality(image, _tf.random_uniform([], min_jpeg_quality, max_jpeg_quality, seed=seed, dtype=_tf.int32))
