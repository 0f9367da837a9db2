"""Boxes of images: parts drawn at random, lines around them, the best of those that overlap; and glimpses, and what JPEG leaves."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)

random = np.random.RandomState(9)
image = random.rand(2, 12, 10, 3).astype(np.float32)


def show(*fetches):
    with tf.Session() as sess:
        for fetch, value in zip(fetches, sess.run(fetches)):
            print(fetch.name, fetch.dtype.name, fetch.shape, value.shape, "%.4f" % np.sum(value), ["%.4f" % number for number in np.ravel(value)[:8]])


def attempt(make):
    try:
        with tf.Session() as sess:
            sess.run(make())
    except Exception as error:
        print(type(error).__name__, "" if isinstance(error, tf.OpError) else str(error).split(" for '{{node")[0])


objects = [[[0.1, 0.2, 0.7, 0.8], [0.5, 0.5, 0.9, 1.0]]]
show(*tf.image.sample_distorted_bounding_box([120, 90, 3], objects, seed=3, seed2=8))
begin, size, box = tf.image.sample_distorted_bounding_box(tf.shape(image[0]), objects, 4, 5, 0.3, [0.8, 1.2], [0.1, 0.9], 20, name="named")
show(begin, size, box, tf.slice(image[0], begin, size))
show(*tf.image.sample_distorted_bounding_box([64, 64, 1], np.zeros([1, 0, 4]), seed=1, use_image_if_no_bounding_boxes=True))
with tf.Session() as sess:
    drawn = tf.image.sample_distorted_bounding_box([300, 500, 3], objects, seed=6, area_range=(0.08, 1.0))
    print([[part.ravel().tolist() for part in sess.run(drawn)[:2]] for _ in range(4)])
attempt(lambda: tf.image.sample_distorted_bounding_box([64, 64, 1], np.zeros([1, 0, 4])))
attempt(lambda: tf.image.sample_distorted_bounding_box([64, 64, 1], objects, area_range=[2.0, 3.0]))
attempt(lambda: tf.image.sample_distorted_bounding_box([64, 64], objects))

lines = np.array([[[0.1, 0.2, 0.6, 0.9], [0.0, 0.0, 1.0, 1.0]], [[0.3, 0.3, 0.5, 0.5], [0.8, 0.1, 0.2, 0.4]]], np.float32)
show(tf.image.draw_bounding_boxes(image, lines), tf.image.draw_bounding_boxes(image, lines, colors=[[0.5, 1.0, 0.0]]),
     tf.image.draw_bounding_boxes(image[:, :, :, :1], lines, name="grey"))
attempt(lambda: tf.image.draw_bounding_boxes(image, lines[0]))

glimpse = tf.image.extract_glimpse(image, [4, 6], [[0.0, 0.1], [-0.2, 0.3]])
show(glimpse, tf.image.extract_glimpse(image, [3, 3], [[5.0, 5.0], [6.0, 4.0]], centered=False, normalized=False, name="inside"))
attempt(lambda: tf.image.extract_glimpse(image, [4, 6, 1], [[0.0, 0.1], [-0.2, 0.3]]))

boxes = random.rand(2, 20, 1, 4).astype(np.float32)
scores = random.rand(2, 20, 3).astype(np.float32)
show(*tf.image.combined_non_max_suppression(boxes, scores, 4, 7))
show(*tf.image.combined_non_max_suppression(boxes, scores, 2, 50, 0.2, 0.6, pad_per_class=True, clip_boxes=False, name="of_classes"))
show(tf.image.non_max_suppression_overlaps(random.rand(6, 6).astype(np.float32), random.rand(6).astype(np.float32), 4, 0.6, 0.2))
attempt(lambda: tf.image.combined_non_max_suppression(boxes, scores, 4, 0))

picture = (random.rand(16, 24, 3) * 255).astype(np.uint8)
show(tf.image.adjust_jpeg_quality(picture, 50), tf.image.adjust_jpeg_quality(picture.astype(np.float32) / 255, tf.constant(90), name="written"),
     tf.image.random_jpeg_quality(picture, 40, 41))
for wrong in ((0, 101), (50, 50), (-1, 50)):
    attempt(lambda: tf.image.random_jpeg_quality(picture, *wrong))
attempt(lambda: tf.image.adjust_jpeg_quality(picture, 101))
