"""Small programs, each about one topic of Keras or of eager execution, print what tf_keras 2.21 printed. That stands in recorded.txt beside them,
which tests/oracle/record_keras_topics.py writes; nightly it is looked at whether it still is what tf_keras prints."""

import os
import re
import sys
import unittest

from two_systems import PYTHON_TESTS, TENSORFLOW, has_tensorflow, output_of

FOLDERS = {"keras_topics": "graphs", "eager_topics": "eager"}
OURS = [sys.executable, "-m", "flowray"]
TOGETHER = str(PYTHON_TESTS / "support" / "together.py")


def sections(text):
    """{name of a program: what it printed}"""
    found = {}
    for part in ("\n" + text).split("\n# ")[1:]:
        name, _, printed = part.partition("\n")
        found[name] = printed
    return found


NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?")


def are_near(text, expected):
    """Whether two numbers differ by no more than the last digit that they were rounded to: sums are added up in another order elsewhere."""
    digits = max(len(one.partition("e")[0].partition(".")[2]) for one in (text, expected))
    return abs(float(text) - float(expected)) <= 1.01 * 10.0 ** -digits + 1e-6 * abs(float(expected))


def printed_by(command, folder):
    """What the programs of a folder print, run one after the other in one process."""
    programs = sorted(str(path) for path in (PYTHON_TESTS / folder).glob("*.py"))
    return output_of([*command, TOGETHER, FOLDERS[folder], *programs], timeout=900)


class KerasTopicsTest(unittest.TestCase):
    maxDiff = None

    def check(self, command, folder):
        printed = sections(printed_by(command, folder))
        recorded = sections((PYTHON_TESTS / folder / "recorded.txt").read_text())
        self.assertEqual(sorted(printed), sorted(recorded))
        for name, text in recorded.items():
            with self.subTest(program=name):
                self.assertEqual(NUMBER.sub("#", printed[name]), NUMBER.sub("#", text))
                apart = [pair for pair in zip(NUMBER.findall(printed[name]), NUMBER.findall(text)) if not are_near(*pair)]
                self.assertEqual(apart, [], printed[name])

    def test_of_graphs(self):
        self.check(OURS, "keras_topics")

    def test_of_eager_execution(self):
        self.check(OURS, "eager_topics")

    @unittest.skipUnless(os.environ.get("FLOWRAY_NIGHTLY") and has_tensorflow(), "tf_keras takes minutes for it")
    def test_what_is_recorded_is_what_tf_keras_prints(self):
        for folder in FOLDERS:
            self.check([TENSORFLOW], folder)


if __name__ == "__main__":
    unittest.main()
