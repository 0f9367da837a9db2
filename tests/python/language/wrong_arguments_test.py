"""Every public function, called with things that it cannot work with, says so as Python's functions do: no crash, no words of the
binding's, no C++ exception that nobody has translated."""

import unittest
from collections import defaultdict
from pathlib import Path

from flowray import tf
from flowray.tf import _endpoints

ENDPOINTS = Path(__file__).resolve().parent.parent.parent.parent / "python" / "endpoints.tsv"
# They wait, write files, or change what the next call finds.
LEFT_OUT = {"reset_default_graph", "write_file", "train.Server", "train.write_graph", "while_loop", "train.Supervisor", "io.write_file",
            "train.Server.create_local_server", "train.MonitoredTrainingSession", "summary.FileWriter", "train.export_meta_graph"}
EXPECTED = (OSError, TypeError, ValueError, KeyError, IndexError, AttributeError, OverflowError, RuntimeError, NotImplementedError,
            RecursionError, tf.errors.OpError)


class Odd:
    """Nothing that any function wants."""


def calls():
    """Lists of arguments, by how many they are."""
    def x():
        return tf.placeholder(tf.float32, [2, 3])
    odd = Odd()
    return {0: [lambda: ()],
            1: [lambda: (None,), lambda: ("a b",), lambda: (odd,), lambda: (x(),), lambda: (5,), lambda: (2**70,), lambda: ([1, [2]],)],
            2: [lambda: (None, None), lambda: ("a", "b"), lambda: (x(), odd), lambda: (x(), None), lambda: (x(), x()),
                lambda: (x(), "t"), lambda: (5, -1), lambda: ([1, 2], [3])],
            3: [lambda: (None, None, None), lambda: (x(), x(), None), lambda: (odd, odd, odd)]}


def public_functions():
    modules = ("_coordinator", "_flow", "_functions", "_monitored_session", "_session_run_hooks", "_train")
    names = {name for name, module, _ in _endpoints.rows() if module in modules or module.startswith("_native")}
    for line in ENDPOINTS.read_text().splitlines():
        fields = line.split("\t")
        if not line.startswith("#") and len(fields) > 2:
            names.update(name for name in fields[2].split(",") if name)
    for name in sorted(names - LEFT_OUT):
        function = tf
        for part in name.split("."):
            function = getattr(function, part)
        if callable(function):
            yield name, function


class WrongArgumentsTest(unittest.TestCase):
    def test_no_function_answers_in_the_words_of_the_binding(self):
        names = 0
        for name, function in public_functions():
            names += 1
            answers = defaultdict(list)  # by number of arguments: the message, or None where it is not the binding's
            for count, arguments_of in calls().items():
                for make in arguments_of:
                    with tf.Graph().as_default():
                        arguments = make()
                        try:
                            function(*arguments)
                            message = ""
                        except EXPECTED as error:
                            message = str(error)
                    self.assertNotIn("std::", message.split("\n", 1)[0], f"{name}{arguments}")
                    answers[count].append((arguments, "incompatible function arguments" in message))
            for count, told in answers.items():
                wrong = [arguments for arguments, in_bindings_words in told if in_bindings_words]
                # All of them: so many arguments are too few or too many.
                self.assertIn(len(wrong), (0, len(told)), f"{name} with {count} arguments: {wrong}")
        self.assertGreater(names, 400)


if __name__ == "__main__":
    unittest.main()
