"""tf.image: flips, crops, colours, sizes."""

from programs import program
from tensorflow_v1 import tf


def rgb(name="image", dtype=tf.float32, shape=(5, 4, 3)):
    return tf.placeholder(dtype, shape, name=name)


@program
def flipped_images():
    tf.image.flip_left_right(rgb())
    tf.image.flip_up_down(rgb("images", shape=(2, 5, 4, 3)))
    tf.image.flip_left_right(rgb("open", shape=(None, None, 3)))
    tf.image.flip_up_down(rgb("of_any_rank", shape=None))
    tf.image.transpose(rgb("more"))
    tf.image.transpose_image(rgb("batch", shape=(2, 5, 4, 3)), name="named")


@program
def turned_images():
    tf.image.rot90(rgb())
    tf.image.rot90(rgb("images", shape=(None, 5, 4, 3)), k=3, name="named")


@program
def images_flipped_by_chance():
    tf.image.random_flip_left_right(rgb(), seed=1)
    tf.image.random_flip_up_down(rgb("images", shape=(2, 5, 4, 3)), seed=2)
    tf.image.random_flip_up_down(rgb("open", shape=(None, None, 3)), seed=3)


@program
def cropped_images():
    tf.image.central_crop(rgb(), 0.5)
    tf.image.central_crop(rgb("open", shape=(None, None, 3)), 0.5)
    tf.image.central_crop(rgb("batch", shape=(None, 6, None, 3)), 0.25)
    tf.image.crop_to_bounding_box(rgb("whole"), 1, 1, 3, 2)
    tf.image.crop_to_bounding_box(rgb("some", shape=(2, None, None, 3)), 1, 1, 3, 2)
    tf.image.crop_to_bounding_box(rgb("others"), tf.placeholder(tf.int32, [], name="top"), 0, 2, 2)


@program
def padded_images():
    tf.image.pad_to_bounding_box(rgb(), 1, 2, 8, 9)
    tf.image.pad_to_bounding_box(rgb("open", shape=(None, None, 3)), 1, 2, 8, 9)
    tf.image.pad_to_bounding_box(rgb("batch", shape=(2, 5, 4, 3)), 0, 0, 5, 4)


@program
def images_cropped_or_padded():
    tf.image.resize_image_with_crop_or_pad(rgb(), 3, 6)
    tf.image.resize_with_crop_or_pad(rgb("open", shape=(None, None, 3)), 3, 6)
    tf.image.resize_with_crop_or_pad(rgb("batch", shape=(2, 5, 4, 3)), 6, 3)


@program
def brightness_and_contrast():
    tf.image.adjust_brightness(rgb(), 0.1)
    tf.image.adjust_contrast(rgb("second"), 2.0)
    tf.image.adjust_gamma(rgb("third"), 0.5, 2)
    tf.image.adjust_brightness(rgb("bytes", tf.uint8), 0.1)
    tf.image.adjust_contrast(rgb("more_bytes", tf.uint8), 2.0)
    tf.image.random_brightness(rgb("fourth"), 0.3, seed=1)
    tf.image.random_contrast(rgb("fifth"), 0.3, 0.8, seed=2)


@program
def hue_and_saturation():
    tf.image.adjust_hue(rgb(), 0.1)
    tf.image.adjust_saturation(rgb("second"), 2.0, name="named")
    tf.image.adjust_hue(rgb("bytes", tf.uint8), 0.1)
    tf.image.random_hue(rgb("third"), 0.3, seed=1)
    tf.image.random_saturation(rgb("fourth"), 0.3, 0.8, seed=2)


@program
def dtypes_of_images():
    bytes = rgb("bytes", tf.uint8)
    tf.image.convert_image_dtype(bytes, tf.float32)
    tf.image.convert_image_dtype(bytes, tf.uint8)
    tf.image.convert_image_dtype(bytes, tf.uint16, name="wider")
    tf.image.convert_image_dtype(rgb("words", tf.uint16), tf.uint8, saturate=True)
    tf.image.convert_image_dtype(rgb("more_words", tf.int16), tf.int8)
    tf.image.convert_image_dtype(rgb(), tf.float64)
    tf.image.convert_image_dtype(rgb("second"), tf.uint8)
    tf.image.convert_image_dtype(rgb("third"), tf.uint8, saturate=True, name="kept")


@program
def colours_of_images():
    tf.image.rgb_to_grayscale(rgb())
    tf.image.rgb_to_grayscale(rgb("bytes", tf.uint8), name="gray")
    tf.image.grayscale_to_rgb(rgb("grays", shape=(5, 4, 1)))
    tf.image.grayscale_to_rgb(rgb("open", shape=(None, None, None, 1)), name="named")
    tf.image.rgb_to_yuv(rgb("second"))
    tf.image.yuv_to_rgb(rgb("third"))
    tf.image.rgb_to_yiq(rgb("fourth"))
    tf.image.yiq_to_rgb(rgb("fifth", shape=(None, 5, 4, 3)))


@program
def measures_of_images():
    image = rgb()
    tf.image.per_image_standardization(image)
    tf.image.per_image_standardization(rgb("bytes", tf.uint8, (None, None, 3)))
    tf.image.total_variation(image)
    tf.image.total_variation(rgb("batch", shape=(2, 5, 4, 3)), name="named")
    tf.image.psnr(image, rgb("other"), 1.0)
    tf.image.image_gradients(rgb("images", shape=(2, 5, 4, 3)))
    tf.image.sobel_edges(rgb("more", shape=(2, 5, 4, 3)))


@program
def images_of_other_sizes():
    image = rgb()
    tf.image.resize_images(image, [8, 6])
    tf.image.resize(rgb("batch", shape=(2, 5, 4, 3)), [8, 6], method=tf.image.ResizeMethod.NEAREST_NEIGHBOR, align_corners=True, name="named")
    tf.image.resize_images(rgb("open", shape=(None, None, 3)), tf.placeholder(tf.int32, [2], name="size"), tf.image.ResizeMethod.BICUBIC)
    tf.image.resize_images(rgb("second"), [10, 10], preserve_aspect_ratio=True)
    tf.image.resize_images(rgb("third"), [10, 10], tf.image.ResizeMethod.AREA)
    tf.image.resize_images(rgb("fourth"), [5, 4])


@program
def images_resized_with_pad():
    tf.image.resize_image_with_pad(rgb(), 10, 12)
    tf.image.resize_image_with_pad(rgb("open", shape=(None, None, 3)), 10, 12)


@program
def boxes_that_overlap():
    boxes = tf.placeholder(tf.float32, [6, 4], name="boxes")
    scores = tf.placeholder(tf.float32, [6], name="scores")
    tf.image.non_max_suppression(boxes, scores, 3)
    tf.image.non_max_suppression(boxes, scores, tf.placeholder(tf.int32, [], name="most"), 0.3, 0.1, name="named")
