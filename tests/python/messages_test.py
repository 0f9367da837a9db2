"""tf.train.Example and its siblings, files of records, and tf.py_func."""

import os
import tempfile
import unittest

import numpy as np

from flowray import tf


def example():
    return tf.train.Example(features=tf.train.Features(feature={
        "n": tf.train.Feature(int64_list=tf.train.Int64List(value=[1, -2, 300])),
        "s": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"a", b"\xff"])),
        "f": tf.train.Feature(float_list=tf.train.FloatList(value=[0.5]))}))




class MessagesTest(unittest.TestCase):
    def test_an_example_is_read_back(self):
        message = tf.train.Example.FromString(example().SerializeToString())
        features = message.features.feature
        self.assertEqual(sorted(features), ["f", "n", "s"])
        self.assertEqual(features["n"].int64_list.value, [1, -2, 300])
        self.assertEqual(features["s"].bytes_list.value, [b"a", b"\xff"])
        self.assertEqual(features["f"].WhichOneof("kind"), "float_list")
        self.assertEqual(message, example())

    def test_numbers_are_packed_as_protobuf_packs_them(self):
        self.assertEqual(tf.train.Int64List(value=[1, -2, 300]).SerializeToString(),
                         b"\x0a\x0d\x01" + b"\xfe" + b"\xff" * 8 + b"\x01\xac\x02")
        self.assertEqual(tf.train.FloatList(value=[0.5]).SerializeToString(), b"\x0a\x04\x00\x00\x00\x3f")

    def test_wrong_values_are_refused(self):
        with self.assertRaisesRegex(TypeError, "1.5 has type float, but expected one of: "):
            tf.train.Int64List(value=[1.5])
        with self.assertRaisesRegex(TypeError, "'x' has type str, but expected one of: "):
            tf.train.BytesList(value=["x"])
        with self.assertRaisesRegex(ValueError, 'has no "feature" field'):
            tf.train.Example(feature=1)
        with self.assertRaises(ValueError):
            tf.train.Example.FromString(b"\x0a\x50\x01")

    def test_records_are_checked(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "records")
            with tf.python_io.TFRecordWriter(path) as writer:
                writer.write(b"first")
                writer.write(b"")
            self.assertEqual(list(tf.python_io.tf_record_iterator(path)), [b"first", b""])
            with open(path, "r+b") as file:
                file.seek(13)
                file.write(b"X")
            with self.assertRaisesRegex(tf.errors.DataLossError, "corrupted record"):
                list(tf.python_io.tf_record_iterator(path))


class PythonFunctionsTest(unittest.TestCase):
    def test_values_and_dtypes(self):
        with tf.Graph().as_default(), tf.Session() as sess:
            x = tf.placeholder(tf.float32, [2])
            y, n = tf.py_func(lambda a: (a + 1, np.int64(a.size)), [x], [tf.float32, tf.int64])
            self.assertEqual((y.op.type, y.dtype, n.dtype), ("PyFunc", tf.float32, tf.int64))
            values = sess.run([y, n], {x: [1, 2]})
            self.assertEqual((values[0].tolist(), values[1]), ([2.0, 3.0], 2))

    def test_errors_are_the_steps(self):
        def fail(kind):
            def function():
                raise kind("no luck")
            return function
        with tf.Graph().as_default(), tf.Session() as sess:
            for kind, error in ((ValueError, tf.errors.InvalidArgumentError), (StopIteration, tf.errors.OutOfRangeError),
                                (KeyError, tf.errors.UnknownError)):
                with self.assertRaisesRegex(error, f"{kind.__name__}: .*no luck"):
                    sess.run(tf.py_func(fail(kind), [], tf.float32))
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "0-th value returned by .* is double, but expects float"):
                sess.run(tf.py_func(lambda: np.float64(1), [], tf.float32))


if __name__ == "__main__":
    unittest.main()
