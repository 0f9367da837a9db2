"""The calls of tests/oracle/python_calls make here, from Python, the nodes that TensorFlow made of them, and give the same of them:
each call as it is, with name='given', and with Python's own values in place of tensors. A test for each function."""

import collections
import sys
import unittest
from pathlib import Path

from flowray import tf
from graph_listings import nodes

TESTS = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(TESTS / "oracle"))
import python_calls  # noqa: E402

# Functions that are not there or make something else, and why.
NOT_YET = {
}


def recorded():
    """Endpoint: [(title, what it gives, nodes)]."""
    found = collections.defaultdict(list)
    for path in sorted((TESTS / "golden" / "python_calls").glob("*.txt")):
        for part in path.read_text().split("\n> "):
            title, gives, *lines = part.removeprefix("> ").splitlines()
            found[python_calls.endpoint(title.removeprefix("values: "))].append((title, gives, nodes("\n".join(lines))))
    return found


def flat(result):
    """The names of what a function gives, as tests/oracle/record_python_calls.py writes them."""
    if isinstance(result, (list, tuple)):
        return [name for item in result for name in flat(item)]
    return [getattr(result, "name", str(result))]


class PythonCallsTest(unittest.TestCase):
    maxDiff = None

    def check(self, title, gives, expected):
        literal = title.startswith("values: ")
        call = title.removeprefix("values: ")
        with tf.Graph().as_default() as graph:
            arguments = python_calls.make_arguments(tf, call, literal)
            before = len(graph.get_operations())
            result = eval(call, {"tf": tf, **arguments})
            self.assertEqual(nodes(graph.to_string())[before:], expected)
            self.assertEqual("=> " + " ".join(flat(result)), gives)

    def test_every_call_is_recorded(self):
        self.assertEqual(set(recorded()), {python_calls.endpoint(call) for _, call in python_calls.calls()})
        self.assertLessEqual(set(NOT_YET), set(recorded()))


def add_tests():
    for endpoint, cases in recorded().items():
        def test(self, cases=cases):
            for title, gives, expected in cases:
                with self.subTest(title):
                    self.check(title, gives, expected)
        test = unittest.expectedFailure(test) if endpoint in NOT_YET else test
        setattr(PythonCallsTest, "test_" + endpoint.replace(".", "_"), test)


add_tests()

if __name__ == "__main__":
    unittest.main()
