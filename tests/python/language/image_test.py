"""What tf.image gives, beside NumPy."""

import colorsys
import unittest

import numpy as np

from flowray import tf


def run(make, feeds=None):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(make())


class ImageTest(unittest.TestCase):
    image = np.random.RandomState(0).rand(5, 4, 3).astype(np.float32)

    def check(self, make, expected):
        np.testing.assert_allclose(run(make), expected, rtol=1e-5, atol=1e-6)

    def test_moves(self):
        image, batch = self.image, np.stack([self.image, self.image + 1])
        self.check(lambda: tf.image.flip_left_right(image), image[:, ::-1])
        self.check(lambda: tf.image.flip_up_down(batch), batch[:, ::-1])
        self.check(lambda: tf.image.transpose(image), image.transpose(1, 0, 2))
        for k in range(-1, 5):
            self.check(lambda: tf.image.rot90(image, k), np.rot90(image, k))
            self.check(lambda: tf.image.rot90(batch, k), np.rot90(batch, k, (1, 2)))
        flipped = run(lambda: [tf.image.random_flip_left_right(image, seed=i) for i in range(20)])
        kinds = {np.array_equal(x, image[:, ::-1]) for x in flipped}
        self.assertEqual(kinds, {False, True})
        self.assertTrue(all(np.array_equal(x, image) or np.array_equal(x, image[:, ::-1]) for x in flipped))

    def test_sizes(self):
        image = self.image
        for given in (lambda: image, lambda: tf.placeholder_with_default(image, [None, None, 3])):
            self.check(lambda: tf.image.central_crop(given(), 0.5), image[1:4, 1:3])
            self.check(lambda: tf.image.crop_to_bounding_box(given(), 1, 2, 3, 2), image[1:4, 2:4])
            self.check(lambda: tf.image.pad_to_bounding_box(given(), 1, 2, 8, 9), np.pad(image, [(1, 2), (2, 3), (0, 0)]))
            self.check(lambda: tf.image.resize_image_with_crop_or_pad(given(), 3, 7), np.pad(image[1:4], [(0, 0), (1, 2), (0, 0)]))
            self.check(lambda: tf.image.resize_images(given(), [10, 8], tf.image.ResizeMethod.NEAREST_NEIGHBOR),
                       image.repeat(2, 0).repeat(2, 1))
            self.check(lambda: tf.image.resize_image_with_pad(given(), 5, 6, tf.image.ResizeMethod.NEAREST_NEIGHBOR),
                       np.pad(image, [(0, 0), (1, 1), (0, 0)]))
        with tf.Graph().as_default():
            self.assertEqual(tf.image.resize(image, [3, 9]).shape.as_list(), [3, 9, 3])
            self.assertEqual(tf.image.resize(image, [10, 100], preserve_aspect_ratio=True).shape.as_list(), [10, 8, 3])
        for wrong in (lambda: tf.image.crop_to_bounding_box(image, 3, 0, 3, 2), lambda: tf.image.flip_up_down(image[0]),
                      lambda: tf.image.pad_to_bounding_box(image, 0, 0, 4, 4), lambda: tf.image.central_crop(image, 0.0),
                      lambda: tf.image.resize(image, [1, 2, 3]), lambda: tf.image.resize(image, [1, 2], method="best"),
                      lambda: tf.image.random_hue(image, 0.6), lambda: tf.image.adjust_gamma(image, -1)):
            with self.assertRaises(ValueError):
                run(wrong)
        with self.assertRaises(tf.errors.InvalidArgumentError):
            run(lambda: tf.image.crop_to_bounding_box(tf.placeholder_with_default(image, [None, None, 3]), 3, 0, 3, 2))

    def test_colours(self):
        image, bytes = self.image, np.array([[[0, 100, 255], [30, 20, 10]]], np.uint8)
        self.check(lambda: tf.image.adjust_brightness(image, 0.25), image + 0.25)
        self.check(lambda: tf.image.adjust_brightness(bytes, 0.5), np.minimum((bytes / 255 + 0.5) * 255.5, 255).astype(np.uint8))
        mean = image.mean((0, 1))
        self.check(lambda: tf.image.adjust_contrast(image, 2.0), (image - mean) * 2 + mean)
        self.check(lambda: tf.image.adjust_gamma(image, 2, 3), 3 * image ** 2)
        hue = [[colorsys.hsv_to_rgb((h + 0.25) % 1, s, v) for h, s, v in (colorsys.rgb_to_hsv(*pixel) for pixel in row)] for row in image]
        self.check(lambda: tf.image.adjust_hue(image, 0.25), hue)
        self.check(lambda: tf.image.rgb_to_grayscale(image)[..., 0], image @ [0.2989, 0.587, 0.114])
        self.check(lambda: tf.image.grayscale_to_rgb(image[..., :1]), image[..., :1].repeat(3, -1))
        np.testing.assert_allclose(run(lambda: tf.image.yuv_to_rgb(tf.image.rgb_to_yuv(image))), image, atol=1e-4)
        np.testing.assert_allclose(run(lambda: tf.image.yiq_to_rgb(tf.image.rgb_to_yiq(image))), image, atol=1e-4)
        self.check(lambda: tf.image.convert_image_dtype(bytes, tf.float32), bytes / 255)
        self.check(lambda: tf.image.convert_image_dtype([[0.0, 0.5, 1.0]], tf.uint8), [[0, 127, 255]])
        self.check(lambda: tf.image.convert_image_dtype([[-1.0, 2.0]], tf.uint8, saturate=True), [[0, 255]])
        self.check(lambda: tf.image.convert_image_dtype(np.array([256, 65535], np.uint16), tf.uint8), [1, 255])
        self.check(lambda: tf.saturate_cast([300.0, -5.0, 7.9], tf.uint8), [255, 0, 7])

    def test_measures(self):
        image, batch = self.image, np.stack([self.image, self.image[::-1]])
        self.check(lambda: tf.image.per_image_standardization(image), (image - image.mean()) / image.std())
        variation = np.abs(np.diff(image, axis=0)).sum() + np.abs(np.diff(image, axis=1)).sum()
        self.check(lambda: tf.image.total_variation(image), variation)
        self.check(lambda: tf.image.total_variation(batch), [variation, variation])
        other = self.image * 0.9
        self.check(lambda: tf.image.psnr(image, other, 1.0), -10 * np.log10(((image - other) ** 2).mean()))
        dy, dx = run(lambda: tf.image.image_gradients(batch))
        np.testing.assert_allclose(dy[:, :-1], np.diff(batch, axis=1), rtol=1e-6)
        np.testing.assert_array_equal(dx[:, :, -1], 0)
        edges = run(lambda: tf.image.sobel_edges(batch))
        patch = batch[0, 1:4, 1:4, 2]
        np.testing.assert_allclose(edges[0, 2, 2, 2], [(patch[2] - patch[0]) @ [1, 2, 1], (patch[:, 2] - patch[:, 0]) @ [1, 2, 1]],
                                   atol=1e-5)
        boxes = np.array([[0, 0, 1, 1], [0, 0, 1, 0.9], [0, 2, 1, 3]], np.float32)
        np.testing.assert_array_equal(run(lambda: tf.image.non_max_suppression(boxes, [0.5, 0.9, 0.7], 3)), [1, 2])


if __name__ == "__main__":
    unittest.main()
