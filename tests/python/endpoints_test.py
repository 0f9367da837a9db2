"""The table of endpoints: each name once, and what it names is there."""

import unittest

from flowray import tf
from flowray.tf import _endpoints


class EndpointsTest(unittest.TestCase):
    def test_a_name_that_is_offered_twice_is_refused(self):
        with self.assertRaisesRegex(ValueError, "tf.image.psnr is offered twice"):
            list(_endpoints.rows("image _native.image:\n    psnr\nimage _functions:\n    psnr"))

    def test_two_things_under_one_name_are_refused_when_they_are_published(self):
        with self.assertRaisesRegex(ImportError, "tf.image.psnr is offered twice"):
            tf._publish("image.psnr", len)

    def test_a_row_says_what_its_module_calls_it(self):
        self.assertEqual(list(_endpoints.rows("tf _native:\n    mul=multiply add\nnn _native.nn:\n    relu")),
                         [("mul", "_native", "multiply"), ("add", "_native", "add"), ("nn.relu", "_native.nn", "relu")])

    def test_a_star_offers_all_that_a_module_has(self):
        rows = list(_endpoints.rows("image _native.image: *\n    transpose_image=transpose"))
        self.assertIn(("image.psnr", "_native.image", "psnr"), rows)
        self.assertEqual(rows[-1], ("image.transpose_image", "_native.image", "transpose"))
        with self.assertRaisesRegex(ValueError, "tf.image.psnr is offered twice"):
            list(_endpoints.rows("image _native.image: *\n    psnr"))


if __name__ == "__main__":
    unittest.main()
