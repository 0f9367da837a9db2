"""Arguments that a function does not have or lacks: what Python says of them, word for word as with TensorFlow's own functions."""

import inspect
import pydoc
import unittest

from flowray import tf

# Recorded with TensorFlow 2.21's compat.v1, but for those that it tells in words of its own ("Missing required positional argument").
WORDS = {
    "tf.placeholder(tf.float32, foo=1)": "placeholder() got an unexpected keyword argument 'foo'",
    "tf.placeholder()": "placeholder() missing 1 required positional argument: 'dtype'",
    "tf.placeholder(1, 2, 3, 4)": "placeholder() takes from 1 to 3 positional arguments but 4 were given",
    "tf.nn.relu()": "relu() missing 1 required positional argument: 'features'",
    "tf.nn.relu(1., bar=2)": "relu() got an unexpected keyword argument 'bar'",
    "tf.gradients()": "gradients() missing 2 required positional arguments: 'ys' and 'xs'",
    "tf.get_variable('v', [1], foo=1)": "get_variable() got an unexpected keyword argument 'foo'",
    "tf.reshape(1, [1], shape=2)": "reshape() got multiple values for argument 'shape'",
    "tf.reshape(1, 2, 3, 4)": "reshape() takes from 2 to 3 positional arguments but 4 were given",
    "tf.nn.moments()": "moments() missing 2 required positional arguments: 'x' and 'axes'",
    "tf.nn.nce_loss()": "nce_loss() missing 6 required positional arguments: 'weights', 'biases', 'labels', 'inputs', 'num_sampled', "
                        "and 'num_classes'",
    "tf.nn.dynamic_rnn(foo=1)": "dynamic_rnn() got an unexpected keyword argument 'foo'",
}


class ArgumentWordsTest(unittest.TestCase):
    def test_wrong_arguments_are_told_as_python_tells_them(self):
        for call, words in WORDS.items():
            with self.subTest(call), tf.Graph().as_default():
                with self.assertRaises(TypeError) as raised:
                    eval(call)  # noqa: S307
                self.assertEqual(str(raised.exception), words)

    def test_functions_keep_their_names_and_documents(self):
        self.assertEqual(tf.nn.relu.__name__, "relu")
        self.assertIn("Const", tf.constant.__doc__)

    def test_other_errors_stay_what_they_are(self):
        with tf.Graph().as_default(), self.assertRaisesRegex(ValueError, "None values not supported"):
            tf.nn.relu(None)

    def test_help_and_editors_find_signatures_and_documentation(self):
        self.assertEqual(str(inspect.signature(tf.nn.softmax)), "(logits, axis=None, name=None, dim=None)")
        self.assertTrue(inspect.isroutine(tf.matmul))
        self.assertIn("\nplaceholder(dtype, shape=None, name=None)\n", pydoc.render_doc(tf.placeholder, renderer=pydoc.plaintext))
        self.assertIn("A value that is fed", pydoc.render_doc(tf.placeholder, renderer=pydoc.plaintext))
        with self.assertRaisesRegex(ValueError, "no signature"):
            inspect.signature(tf.group)  # takes any number of arguments


if __name__ == "__main__":
    unittest.main()
