"""What a tf.function with an input_signature takes in graph mode, and what it refuses; the sentences are TensorFlow 2.21's."""

import unittest

from flowray import tf


def _double(x):
    return x * 2


class InputSignatureTest(unittest.TestCase):
    def setUp(self):
        graph = tf.Graph().as_default()
        graph.__enter__()
        self.addCleanup(graph.__exit__, None, None, None)
        self.of_rows = tf.function(_double, input_signature=[tf.TensorSpec([None], tf.float32)])

    def assert_refused(self, sentence, function, *args, **options):
        with self.assertRaises(TypeError) as raised:
            function(*args, **options)
        self.assertEqual(str(raised.exception), "Binding inputs to tf.function failed due to " + sentence)

    def test_an_argument_of_another_shape_is_refused(self):
        self.assert_refused(
            "`Can not cast TensorSpec(shape=(1, 1), dtype=tf.float32, name=None) to TensorSpec(shape=(?,), dtype=tf.float32, name=None)`. "
            "Received args: ([[1.0]],) and kwargs: {} for signature: (x: TensorSpec(shape=(?,), dtype=tf.float32, name=None)).",
            self.of_rows, [[1.]])
        self.assert_refused(
            "`Can not cast TensorSpec(shape=(1, 1), dtype=tf.float32, name=None) to TensorSpec(shape=(?,), dtype=tf.float32, name=None)`. "
            "Received args: () and kwargs: {'x': [[1.0]]} for signature: (x: TensorSpec(shape=(?,), dtype=tf.float32, name=None)).",
            self.of_rows, x=[[1.]])

    def test_a_tensor_of_another_dtype_is_refused(self):
        with self.assertRaisesRegex(TypeError, r"Can not cast TensorSpec\(shape=\(1,\), dtype=tf.int32, name=None\) to TensorSpec"):
            self.of_rows(tf.constant([1]))

    def test_values_become_tensors_of_the_kind(self):
        found = self.of_rows([1])
        self.assertEqual((found.dtype, found.shape.as_list()), (tf.float32, [1]))
        with tf.Session() as session:
            self.assertEqual(session.run(found).tolist(), [2.])

    def test_too_many_and_too_few_are_refused(self):
        signature = "(x: TensorSpec(shape=(?,), dtype=tf.float32, name=None))."
        self.assert_refused("`missing a required argument: 'x'`. Received args: () and kwargs: {} for signature: " + signature, self.of_rows)
        self.assert_refused("`too many positional arguments`. Received args: ([1.0], [2.0]) and kwargs: {} for signature: " + signature,
                            self.of_rows, [1.], [2.])

    def test_a_default_that_the_signature_leaves_out_stays(self):
        def scaled(x, k=3):
            return x * k
        function = tf.function(scaled, input_signature=[tf.TensorSpec([], tf.float32)])
        self.assert_refused("`Can not cast 4 to Literal[3]`. Received args: (1.0,) and kwargs: {'k': 4} for signature: "
                            "(x: TensorSpec(shape=(), dtype=tf.float32, name=None), k: Literal[3] = <captured_default_value>).",
                            function, 1., k=4)

    def test_structures_are_looked_at_part_by_part(self):
        def first(x):
            return x[0] * 2
        function = tf.function(first, input_signature=[[tf.TensorSpec([2], tf.float32), tf.TensorSpec([], tf.int32)]])
        self.assertEqual(function([[1., 2.], 3]).shape.as_list(), [2])
        signature = ("(x: List[TensorSpec(shape=(2,), dtype=tf.float32, name=None), TensorSpec(shape=(), dtype=tf.int32, name=None)]).")
        self.assert_refused("`Can not cast 3 to list type.`. Received args: (3,) and kwargs: {} for signature: " + signature, function, 3)
        self.assert_refused(
            "`Can not cast TensorSpec(shape=(1,), dtype=tf.float32, name=None) to TensorSpec(shape=(2,), dtype=tf.float32, name=None)`. "
            "Received args: ([[1.0], 3],) and kwargs: {} for signature: " + signature, function, [[1.], 3])


if __name__ == "__main__":
    unittest.main()
