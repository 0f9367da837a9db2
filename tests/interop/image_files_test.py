"""Image files read and written, as in TensorFlow's local session."""

import unittest

import small_images
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

    def outcome(self, fetches, files=None):
        contents = self.contents

        def program(session):
            seen = {}
            for name, file in (files or self.files).items():
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

    def test_animations(self):
        self.contents = tf.placeholder(tf.string, [])
        files = small_images.gifs() | {name: self.files[name] for name in ("jpeg", "grey jpeg", "png", "rgba", "deep", "cut png", "nothing", "text")}
        self.outcome([raw.DecodeGif(contents=self.contents), raw.DecodePng(contents=self.contents), raw.DecodeJpeg(contents=self.contents)], files)
        self.outcome([raw.DecodeImage(contents=self.contents, channels=c, expand_animations=e, dtype=t) for c, e, t in (
            (0, True, tf.uint8), (0, False, tf.uint8), (3, True, tf.uint16), (0, True, tf.float32), (3, False, tf.float32), (1, True, tf.uint8), (4, False, tf.uint8))], files)

    def test_bitmaps(self):
        self.contents = tf.placeholder(tf.string, [])
        files = small_images.bmps() | {"gif": small_images.gifs()["one frame"]} | {name: self.files[name] for name in ("jpeg", "png", "nothing", "text")}
        self.outcome([raw.DecodeBmp(contents=self.contents, channels=c) for c in (0, 3, 4, 1, 2)], files)
        self.outcome([raw.DecodeImage(contents=self.contents)], files)
        small = {name: files[name] for name in ("rgb", "grey", "rgba")}  # at a wrong or negative size TensorFlow ends its process
        self.outcome([raw.DecodeImage(contents=self.contents, dtype=t) for t in (tf.uint16, tf.float32)], small)
        self.outcome([raw.DecodePng(contents=self.contents), raw.DecodeJpeg(contents=self.contents), raw.DecodeGif(contents=self.contents)],
                     {"rgb": files["rgb"], "BM": b"BM"})

    def test_cropping(self):
        self.contents = tf.placeholder(tf.string, [])
        windows = ([0, 0, 37, 29], [3, 5, 7, 9], [8, 16, 20, 5], [36, 28, 1, 1], [17, 0, 20, 29], [0, 8, 37, 8])
        self.outcome([raw.DecodeAndCropJpeg(contents=self.contents, crop_window=window, **options) for window in windows for options in
                      ({}, {"fancy_upscaling": False}, {"dct_method": "INTEGER_ACCURATE"}, {"channels": 1}, {"channels": 3})],
                     {name: self.files[name] for name in ("jpeg", "grey jpeg", "progressive")})
        self.outcome([raw.DecodeAndCropJpeg(contents=self.contents, crop_window=[1, 2, 8, 5], ratio=2),
                      raw.DecodeAndCropJpeg(contents=self.contents, crop_window=[1, 2, 8, 5], channels=4),
                      raw.DecodeAndCropJpeg(contents=self.contents, crop_window=[1, 2, 8, 5], try_recover_truncated=True)], self.files | {"BM": b"BM"})
        window = tf.placeholder(tf.int32, None)
        crop = raw.DecodeAndCropJpeg(contents=self.files["jpeg"], crop_window=window)
        windows = ([0, 0, 0, 0], [0, 0, 38, 1], [-1, 0, 3, 3], [37, 0, 1, 1], [0, 29, 1, 1], [0, 0, 2**31 - 1, 1], [0, 2**31 - 1, 1, 2**31 - 1], [1, 2, 3], [[0, 0, 1, 1]], 3)

        def program(session):
            return [what_happens(lambda: session.run(crop, {window: numbers})) for numbers in windows]

        expected, ours = self.both(program)
        self.assertEqual(expected, ours)
        self.assertIn("crop window", str(ours[0]))

    def test_damaged_files(self):
        self.contents = tf.placeholder(tf.string, [])
        gifs = small_images.gifs()
        for file in (gifs["transparent"], gifs["interlaced"], gifs["a control for nothing"]):
            self.outcome([raw.DecodeGif(contents=self.contents)], dict(enumerate(small_images.damaged(file))))
        self.outcome([raw.DecodeBmp(contents=self.contents)], dict(enumerate(small_images.damaged(small_images.bmps()["rgba"]))))

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
