"""raw_ops.SymbolicGradient of a Defun: the gradient of a function that is only named. Expectations are TensorFlow 2.21's."""

import unittest

from flowray import tf
from flowray.tf import _defun as function


class SymbolicGradientTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def gradient(self, inputs, dtypes, f):
        return tf.raw_ops.SymbolicGradient(input=inputs, Tout=dtypes, f=f)

    def value(self, fetched, feeds=None):
        with tf.Session() as sess:
            return sess.run(fetched, feeds)

    def test_of_a_function(self):
        @function.Defun(tf.float32)
        def square(x):
            return x * x
        x = tf.constant(3.0)
        square(x)
        self.assertEqual(self.value(self.gradient([x, tf.constant(1.0)], [tf.float32], square)), [6])
        self.assertEqual(self.value(self.gradient([x, tf.constant(10.0)], [tf.float32], square.name)), [60])

    def test_of_several_arguments_and_results(self):
        @function.Defun(tf.float32, tf.float32)
        def pair(x, y):
            return x * y, x + 2.0 * y
        x = tf.placeholder(tf.float32, [2])
        slopes = self.gradient([x, tf.constant([3.0, 4.0]), tf.constant([1.0, 1.0]), tf.constant([10.0, 20.0])], [tf.float32] * 2, pair)
        self.assertEqual([slope.shape.as_list() for slope in slopes], [[2], [2]])
        self.assertEqual([slope.tolist() for slope in self.value(slopes, {x: [5.0, 6.0]})], [[13, 24], [25, 46]])

    def test_a_gradient_function_of_the_library(self):
        @function.Defun(tf.float32, tf.float32)
        def hundredfold(x, dy):
            return dy * 100.0

        @function.Defun(tf.float32, grad_func=hundredfold)
        def square(x):
            return x * x
        x = tf.constant(3.0)
        square(x)
        self.assertEqual(self.value(self.gradient([x, tf.constant(1.0)], [tf.float32], square)), [100])

    def test_inside_of_a_function(self):
        @function.Defun(tf.float32)
        def cube(x):
            return x * x * x
        cube(tf.constant(1.0))

        @function.Defun(tf.float32)
        def slope(x):
            return tf.raw_ops.SymbolicGradient(input=[x, tf.constant(1.0)], Tout=[tf.float32], f=cube)[0]
        self.assertEqual(self.value(slope(tf.constant(2.0))), 12)

    def test_in_an_imported_graph(self):
        with tf.Graph().as_default() as graph:
            @function.Defun(tf.float32)
            def square(x):
                return x * x
            x = tf.constant(3.0)
            square(x)
            self.gradient([x, tf.constant(1.0)], [tf.float32], square)
            message = graph.as_graph_def()
        tf.import_graph_def(message, name="")
        self.assertEqual(self.value("SymbolicGradient:0"), 6)

    def test_what_does_not_fit(self):
        @function.Defun(tf.float32)
        def square(x):
            return x * x
        x = tf.constant(3.0)
        for inputs, f, error, message in (([x], square, tf.errors.InvalidArgumentError, "Expects 2 arguments, but 1 is provided"),
                                          ([x, x, x], square, tf.errors.InvalidArgumentError, "Expects 2 arguments, but 3 is provided"),
                                          ([x, tf.constant(1.0)], "nope", tf.errors.NotFoundError, "No gradient defined for op: nope")):
            with self.assertRaisesRegex(error, message):
                self.value(self.gradient(inputs, [tf.float32], f))


if __name__ == "__main__":
    unittest.main()
