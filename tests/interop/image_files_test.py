"""JPEG and PNG images read and written, as in TensorFlow's local session."""

import unittest

from queue_client_test import what_happens
from tensorflow_client import ServerTest, np, tf

raw = tf.raw_ops


class ImageFilesTest(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        y, x = np.mgrid[0:37, 0:29]
        pixels = np.stack([y * 6, x * 8, (x * y) % 256], -1).astype(np.uint8)
        with tf.Graph().as_default(), tf.Session() as session:
            grey = pixels[:, :, :1]
            cls.files = session.run({
                "jpeg": tf.image.encode_jpeg(pixels, quality=80), "grey jpeg": tf.image.encode_jpeg(grey), "png": tf.image.encode_png(pixels),
                "progressive": tf.image.encode_jpeg(pixels, progressive=True, chroma_downsampling=False),
                "grey png": tf.image.encode_png(grey), "rgba": tf.image.encode_png(np.concatenate([pixels, 255 - grey], -1)),
                "deep": tf.image.encode_png(pixels.astype(np.uint16) * 251), "grey alpha": tf.image.encode_png(pixels[:, :, :2])})
        cls.files |= {"nothing": b"", "text": b"xxxxxxx", "cut png": cls.files["png"][:60], "cut jpeg": cls.files["jpeg"][:300],
                      "damaged png": cls.files["png"][:70] + b"zz" + cls.files["png"][72:]}
        cls.pixels = pixels

    def outcome(self, fetches):
        contents = self.contents

        def program(session):
            seen = {}
            for name, file in self.files.items():
                for number, fetch in enumerate(fetches):
                    got = what_happens(lambda: session.run(fetch, {contents: np.array(file, object)}))
                    seen[name, number] = got if isinstance(got, tuple) else (got.dtype, got.shape, got.tolist())
            return seen

        expected, ours = self.both(program)
        for key, theirs in expected.items():
            with self.subTest(key):
                self.assertEqual(str(theirs)[:200], str(ours[key])[:200])
                self.assertEqual(theirs, ours[key])

    def test_decoding(self):
        self.contents = tf.placeholder(tf.string, [])
        self.outcome([raw.DecodeImage(contents=self.contents, channels=c, expand_animations=False) for c in (0, 1, 3, 4, 2)])
        self.outcome([raw.DecodeImage(contents=self.contents, dtype=t, expand_animations=False) for t in (tf.uint16, tf.float32)])
        self.outcome([raw.DecodePng(contents=self.contents, dtype=t) for t in (tf.uint8, tf.uint16)])
        self.outcome([raw.DecodeJpeg(contents=self.contents, ratio=r) for r in (1, 2, 8, 3)])
        self.outcome([raw.DecodeJpeg(contents=self.contents, **options) for options in
                      ({"dct_method": "INTEGER_FAST"}, {"fancy_upscaling": False}, {"try_recover_truncated": True}, {"dct_method": "X"})])
        self.outcome([raw.ExtractJpegShape(contents=self.contents)])

    def test_encoding(self):
        image = tf.placeholder(tf.uint8, None)
        wide = tf.placeholder(tf.uint16, None)
        jpegs = [raw.EncodeJpeg(image=image, **options) for options in
                 ({}, {"quality": 10}, {"format": "rgb"}, {"progressive": True}, {"optimize_size": True}, {"chroma_downsampling": False},
                  {"density_unit": "cm", "x_density": 7}, {"xmp_metadata": "meta"}, {"quality": 101})]
        again = [tf.image.decode_png(raw.EncodePng(image=image)), tf.image.decode_png(raw.EncodePng(image=image, compression=0)), raw.EncodePng(image=image, compression=11)]
        deep = tf.image.decode_png(raw.EncodePng(image=wide), dtype=tf.uint16)
        shapes = (self.pixels, self.pixels[:, :, :1], self.pixels[:, :, :2], self.pixels[0], np.zeros((3, 2, 5), np.uint8), self.pixels[:0])

        def program(session):
            def shown(value):
                return value.tolist() if isinstance(value, np.ndarray) else value

            return [shown(what_happens(lambda: session.run(fetch, {image: pixels}))) for fetch in jpegs + again for pixels in shapes] + [
                session.run(deep, {wide: self.pixels.astype(np.uint16) * 257 + 3}).tolist()]

        expected, ours = self.both(program)
        for number, (theirs, mine) in enumerate(zip(expected, ours)):
            with self.subTest(number):
                self.assertEqual(theirs, mine)


if __name__ == "__main__":
    unittest.main()
