"""What shapes, dtypes, graphs and the build say of themselves; texts and numbers are those of TensorFlow 2.21's compat.v1."""

import unittest

from flowray import tf


class ShapesAndDtypesTest(unittest.TestCase):
    def setUp(self):
        graph = tf.Graph().as_default()
        self.graph = graph.__enter__()
        self.addCleanup(graph.__exit__, None, None, None)

    def test_a_shape_shows_its_dimensions(self):
        for dims, text in (([None, 2], "TensorShape([Dimension(None), Dimension(2)])"), ([], "TensorShape([])"), (None, "TensorShape(None)")):
            self.assertEqual(repr(tf.TensorShape(dims)), text)
        self.assertEqual(str(tf.TensorShape([None, 2])), "(?, 2)")

    def test_limits_of_images(self):
        expected = {"float32": (0, 1), "float64": (0, 1), "int8": (0, 127), "uint8": (0, 255), "int16": (0, 32767), "uint16": (0, 65535),
                    "int32": (0, 2147483647), "int64": (0, 9223372036854775807), "uint32": (0, 4294967295),
                    "uint64": (0, 18446744073709551615), "bool": (0, True)}
        for name, limits in expected.items():
            self.assertEqual(tf.as_dtype(name).limits, limits, name)
        for name in ("float16", "bfloat16", "string", "complex64", "complex128", "qint8", "quint8", "qint32"):
            with self.assertRaisesRegex(ValueError, "<dtype: '%s'> does not have defined limits." % name):
                tf.as_dtype(name).limits

    def test_versions_of_a_graph(self):
        versions = self.graph.graph_def_versions
        self.assertEqual((versions.producer, versions.min_consumer), (2474, 0))

    def test_what_must_run_on_cpus(self):
        numbers, floats = tf.placeholder(tf.int32, [2]), tf.placeholder(tf.float32, [2])
        made = {tf.constant(["a"]): True, tf.constant(3): True, tf.constant(3, tf.int64): False, tf.cast(numbers, tf.float32): True,
                tf.cast(floats, tf.int32): False, tf.dynamic_stitch([numbers], [numbers]): True,
                tf.dynamic_stitch([numbers], [floats]): False, numbers: False}
        for tensor, must in made.items():
            self.assertIs(tf.graph_util.must_run_on_cpu(tensor.op), must, tensor)
            self.assertIs(tf.graph_util.must_run_on_cpu(tensor.op.node_def), must, tensor)
        reference, resource = tf.Variable(1.), tf.get_variable("r", [2], use_resource=True)
        self.assertEqual([tf.graph_util.must_run_on_cpu(reference.op, pinned) for pinned in (False, True)], [False, True])
        self.assertIs(tf.graph_util.must_run_on_cpu(resource.op, pin_variables_on_cpu=True), False)
        with self.assertRaises(AssertionError):
            tf.graph_util.must_run_on_cpu(3)

    def test_the_build(self):
        self.assertEqual(list(tf.sysconfig.get_build_info().items()),
                         [("is_cuda_build", False), ("is_rocm_build", False), ("is_tensorrt_build", False)])
        self.assertEqual((tf.sysconfig.CXX11_ABI_FLAG, tf.sysconfig.MONOLITHIC_BUILD), (1, 0))
        for function in (tf.sysconfig.get_include, tf.sysconfig.get_compile_flags, tf.sysconfig.get_link_flags):
            with self.assertRaisesRegex(NotImplementedError, "tf.py_func"):
                function()


if __name__ == "__main__":
    unittest.main()
