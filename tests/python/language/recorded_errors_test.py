"""The wrong uses of tests/oracle/misuses and tests/oracle/python_misuses raise from Python what TensorFlow raised: its class, its
code and the first sentence of its message."""

import importlib
import pkgutil
import re
import sys
import types
import unittest
from pathlib import Path

import numpy as np

from flowray import tf

TESTS = Path(__file__).resolve().parent.parent.parent
# What TensorFlow did not foresee: one of Python's own mistakes comes out of the middle of it. Here it is refused in words.
ACCIDENTS = re.compile(r"^(AttributeError|IndexError|AssertionError) \||not supported between instances|can only concatenate|"
                       r"is not iterable|unsupported operand|unhashable|is not subscriptable|must be real number|"
                       r"cannot be interpreted as an integer|expected string or bytes-like object|^error \||"
                       r"Iterating over a symbolic|too many values to unpack|positional argument|keyword argument|invalid literal")
PYTHONS_CALLS = re.compile("positional argument|keyword argument")  # in nanobind's words, if not in Python's
LATER = "TensorFlow finds out when the step runs, or not at all"
OTHER_WORDS = "the same class in other words: "
LEFT_OUT = {
    "arrays_eye_none": OTHER_WORDS + "those of all functions for None",
    "assert_near_ints": OTHER_WORDS + "our name of the dtype",
    "callable_too_few_values": "the number of values is checked first: ValueError",
    "conv2d_filters_none": "a TypeError: None is not a number",
    "conv2d_kernel_fraction_in_pair": "a ValueError, as for one fraction",
    "dense_list_of_inputs": OTHER_WORDS + "the layer has no number yet",
    "dense_list_of_numbers": OTHER_WORDS + "the layer has no number yet",
    "feed_not_a_dictionary": OTHER_WORDS + "TensorFlow's name a function of its own",
    "feed_text_as_float": OTHER_WORDS + "NumPy's",
    "gradients_grad_ys_text": OTHER_WORDS + "the op that text cannot go through is named",
    "index_by_text": OTHER_WORDS + "the text is shown as bytes",
    "layers_dropout_inputs_none": OTHER_WORDS + "those of all functions for None",
    "layers_dropout_noise_shape_text": OTHER_WORDS + "text is not a shape",
    "layers_dropout_training_none": "Keras' learning phase is not there: UnimplementedError",
    "loss_sparse_weights_none": OTHER_WORDS + "None is refused before the shapes are looked at",
    "losses_collection_number": "a collection is called by a string: TypeError",
    "minimize_adam_beta_none": OTHER_WORDS + "those of all functions for None",
    "minimize_adam_beta_text": OTHER_WORDS + "Python's",
    "minimize_var_list_tensor": "a TypeError: a tensor is not a variable",
    "nn_bias_add_bias_dtype": OTHER_WORDS + "the tensor is shown as str does",
    "nn_conv2d_kernel_none": OTHER_WORDS + "those of all functions for None",
    "nn_conv2d_strides_fraction": "a TypeError: a fraction is not a stride",
    "nn_conv2d_strides_text": OTHER_WORDS + "Python's",
    "nn_leaky_relu_alpha_none": "a TypeError: None is not a number",
    "nn_leaky_relu_alpha_text": OTHER_WORDS + "Python's",
    "nn_leaky_relu_of_int": "a TypeError, as of other activations: cast the integers",
    "nn_max_pool_ksize_text": OTHER_WORDS + "Python's",
    "nn_max_pool_value_none": OTHER_WORDS + "those of all functions for None",
    "nn_top_k_none": OTHER_WORDS + "those of all functions for None",
    **{f"nn_{loss}_cross_entropy_with_logits_{which}_none": OTHER_WORDS + "TensorFlow's lack their full stop"
       for loss in ("softmax", "sigmoid", "sparse_softmax") for which in ("labels", "logits")},
    "optimizer_apply_to_tensor": "a TypeError: a tensor is not a variable",
    "placeholder_negative_shape": OTHER_WORDS + "the TensorShape is made before the call",
    "rate_natural_decay_rate_none": OTHER_WORDS + "those of all functions for None",
    "saver_save_step_fraction": OTHER_WORDS + "Python's",
    "saver_save_step_text": "a TypeError: text is not a number",
    "session_unknown_target": OTHER_WORDS + "without the configuration",
    "setter_colocate_with_number": "TensorFlow makes a constant of it; here it is a TypeError",
    "setter_colocate_with_text": "TensorFlow makes a constant of it; here it is a TypeError",
    "setter_device_function_gives_wrong": LATER,
    "setter_ps_strategy_gives_none": LATER,
    "unfeedable": "Graph.prevent_feeding is not there yet",
    "unfetchable": "Graph.prevent_fetching is not there yet",
}
# TensorFlow's classes that are of another's kind, which is what is raised here.
KINDS = {"InaccessibleTensorError": "ValueError", "LookupError": "KeyError"}


def recorded(file):
    found = {}
    for line in (TESTS / "golden" / file).read_text().splitlines():
        if not line.startswith("#"):
            name, kind, code, message = (line + " ").split(" | ", 3)
            found[name] = (kind, code, message.strip())
    return found


def misuses(package):
    """The functions of a package of tests/oracle, which import tf and np from tensorflow_v1."""
    stand_in = types.ModuleType("tensorflow_v1")
    stand_in.tf, stand_in.np = tf, np
    sys.modules["tensorflow_v1"] = stand_in
    sys.path.insert(0, str(TESTS / "oracle"))
    try:
        found = importlib.import_module(package)
        for module in pkgutil.iter_modules(found.__path__):
            importlib.import_module(package + "." + module.name)
    finally:
        sys.path.pop(0)
        del sys.modules["tensorflow_v1"]
    return found.MISUSES


def first_sentence(message):
    line = message.split("\n", 1)[0]
    for stop in (". ", " and with computed input tensors", " and with input tensors computed", " (graphs are <"):
        line = line.split(stop, 1)[0]
    return re.sub("/tmp/tmp[a-z0-9_]+", "/tmp/folder", re.sub("0x[0-9a-f]+", "0x0", line.strip().rstrip(".")))


def says(message, expected):
    sentence, expected = first_sentence(message), first_sentence(expected)
    return sentence == expected or sentence.startswith(expected + " for '{{node ")


def raised(function):
    """(class, code, message) as they are recorded."""
    try:
        with tf.Graph().as_default():
            function()
    except Exception as error:  # whatever class: it is what is compared
        if isinstance(error, tf.errors.OpError):
            return type(error).__name__, error.error_code, error.message
        return type(error).__name__, None, str(error.args[0]) if isinstance(error, KeyError) and error.args else str(error)
    return "none", None, ""


class RecordedErrorsTest(unittest.TestCase):
    def check(self, function, expected):
        kind, code, message = expected
        our_kind, our_code, ours = raised(function)
        if ACCIDENTS.search(f"{kind} | {message}") and not (our_kind == kind and says(ours, message)):
            self.assertIn(our_kind, ("TypeError", "ValueError", "AttributeError", "IndexError", "UnimplementedError"), ours)
            if not PYTHONS_CALLS.search(message):
                self.assertNotIn("incompatible function arguments", ours)
            return
        self.assertEqual(our_kind, KINDS.get(kind, kind), f"{ours}\nexpected: {message}")
        if code != "-":
            self.assertEqual(our_code, int(code.split()[0]))
        self.assertTrue(says(ours, message), f"{first_sentence(ours)!r}\nexpected: {first_sentence(message)!r}")


def add_tests():
    for package, file in (("misuses", "errors.txt"), ("python_misuses", "python_errors.txt")):
        expected = recorded(file)
        for name, function in misuses(package).items():
            def test(self, name=name, function=function, expected=expected):
                self.check(function, expected[name])
            setattr(RecordedErrorsTest, f"test_{package}_{name}", unittest.expectedFailure(test) if name in LEFT_OUT else test)


add_tests()

if __name__ == "__main__":
    unittest.main()
