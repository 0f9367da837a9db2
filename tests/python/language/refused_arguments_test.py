"""Arguments of TensorFlow's that are not there are refused, and not passed over; what they say else counts."""

import gzip
import tempfile
import unittest
from pathlib import Path

import numpy as np

from flowray import tf


class FlagsTest(unittest.TestCase):
    def setUp(self):
        self.flags = type(tf.app.flags.FLAGS)()

    def define(self, kind, *arguments, **options):
        getattr(tf.app.flags, "DEFINE_" + kind)(*arguments, flag_values=self.flags, **options)

    def read(self, *arguments):
        self.flags(["program", *arguments])
        return self.flags.flag_values_dict()

    def test_numbers_stay_within_their_bounds(self):
        self.define("integer", "steps", 3, lower_bound=1)
        self.define("float", "rate", 0.1, lower_bound=0, upper_bound=1)
        self.define("integer", "least", -5, upper_bound=0)
        self.assertEqual(self.read("--steps=1", "--rate=1"), {"steps": 1, "rate": 1.0, "least": -5})
        for argument, said in (("--steps=0", "0 is not a positive integer"), ("--rate=1.5", "1.5 is not a number in the range [0, 1]"),
                               ("--least=1", "1 is not a non-positive integer")):  # absl's words
            with self.assertRaisesRegex(tf.app.flags.Error, "flag %s: %s" % (argument, said.replace("[", r"\["))):
                self.read(argument)

    def test_a_required_flag_needs_a_value(self):
        self.define("string", "name", None, required=True)
        with self.assertRaisesRegex(tf.app.flags.Error, "Flag --name must have a value other than None."):
            self.read()
        self.assertEqual(self.read("--name=a"), {"name": "a"})

    def test_words_of_an_enum_in_any_case(self):
        self.define("enum", "kind", None, ["One", "two"], case_sensitive=False)
        self.assertEqual(self.read("--kind=ONE"), {"kind": "One"})

    def test_short_names(self):  # what absl 2 gives
        self.define("string", "name", None, short_name="n")
        self.assertEqual(self.read("-n=b"), {"n": "b", "name": "b"})

    def test_what_is_not_there_is_refused(self):
        with self.assertRaises(NotImplementedError):
            self.define("string", "name", None, unknown=1)


class RefusedArgumentsTest(unittest.TestCase):
    def refused(self, function, *arguments, **options):
        with self.assertRaises((NotImplementedError, tf.errors.UnimplementedError)) as caught:
            function(*arguments, **options)
        for name in options:
            if name != "fake_data":
                self.assertIn(name, str(caught.exception))

    def test_graphs(self):
        definition = tf.Graph().as_graph_def()
        with tf.Graph().as_default():
            self.refused(tf.import_graph_def, definition, producer_op_list=object())
            with self.assertRaises(TypeError):
                tf.import_graph_def(definition, colour=1)
            tf.import_graph_def(definition, op_dict={})
        self.refused(tf.train.import_meta_graph, "none.meta", input_map={"a": 1})

    def test_datasets(self):
        options = tf.data.Options()
        with self.assertRaisesRegex(AttributeError, "Cannot set the property deterministik on Options."):
            options.deterministik = True

    def test_images_of_numbers(self):
        from flowray.tf.examples.tutorials.mnist import input_data
        self.refused(input_data.read_data_sets, "/tmp/nowhere", fake_data=True)

    def test_cells(self):
        with tf.Graph().as_default():
            self.refused(tf.nn.rnn_cell.LSTMCell, 3, num_unit_shards=2)
            self.refused(tf.nn.rnn_cell.LSTMCell, 3, num_proj=2, num_proj_shards=2)

    def test_messages(self):
        self.refused(tf.test.TestCase().assertProtoEquals, "", tf.GraphDef(), relative_tolerance=0.1)

    def test_records(self):
        records = tf.python_io
        with self.assertRaisesRegex(ValueError, "but Z_FINISH, after which no record could follow, not 4"):
            records.TFRecordOptions(records.TFRecordCompressionType.GZIP, flush_mode=4)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "records"
            with self.assertRaisesRegex(ValueError, "zlib has no compression_level=20 "):
                records.TFRecordWriter(str(path), records.TFRecordOptions("ZLIB", compression_level=20))
            self.assertFalse(path.exists())
        with self.assertRaises(TypeError):
            records.TFRecordOptions(colour=3)
        sizes = []
        for level in (1, 9):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "records"
                options = records.TFRecordOptions(records.TFRecordCompressionType.GZIP, compression_level=level, output_buffer_size=100)
                with records.TFRecordWriter(str(path), options) as writer:
                    for number in range(2000):
                        writer.write(b"record %d of a file" % (number * 37 % 1999))
                sizes.append(path.stat().st_size)
                self.assertEqual(gzip.decompress(path.read_bytes())[12:29], b"record 0 of a fil")
        self.assertGreater(sizes[0], sizes[1])


class InitializersTest(unittest.TestCase):
    def test_random_values_have_a_floating_dtype(self):
        for make in (tf.random_normal_initializer, tf.truncated_normal_initializer, tf.orthogonal_initializer, tf.variance_scaling_initializer):
            with self.assertRaisesRegex(ValueError, "Argument `dtype` is expected to be floating point. Received: <dtype: 'int32'>."):
                make(dtype=tf.int32)
            make(dtype=tf.float64)
        tf.random_uniform_initializer(0, 5, dtype=tf.int32)

    def test_an_initializer_has_a_dtype(self):
        with tf.Graph().as_default(), tf.Session():
            made = tf.contrib.layers.xavier_initializer(dtype=tf.float64)([2, 3])
            self.assertEqual(made.dtype, tf.float64)
            self.assertEqual(tf.ones_initializer(tf.int32)([2]).dtype, tf.int32)
            np.testing.assert_array_equal(tf.zeros_initializer(dtype=tf.int64)([2]).eval(), np.zeros(2, np.int64))
            self.assertEqual(tf.get_variable("v", [2], initializer=tf.zeros_initializer(tf.float64)).dtype.base_dtype, tf.float32)


if __name__ == "__main__":
    unittest.main()
