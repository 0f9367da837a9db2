"""tf.train.Checkpoint: its files cross to and from TensorFlow, and programs print the same. Skipped without TensorFlow, which tests/interop/run
installs."""

import re
import sys
import tempfile
import unittest
from pathlib import Path

from two_systems import PYTHON_TESTS, TENSORFLOW, has_tensorflow, output_of

OURS = [sys.executable, "-m", "flowray"]
DECIMAL = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")


@unittest.skipUnless(has_tensorflow(), "no TensorFlow in build/interop-venv (tests/interop/run makes it)")
class ObjectCheckpointTest(unittest.TestCase):
    maxDiff = None

    def check_crossing(self, name):
        """What one writes, the other reads, and goes on as the first did."""
        program = str(PYTHON_TESTS / "checkpoint_programs" / name)
        with tempfile.TemporaryDirectory() as folder:
            for number, (writer, reader) in enumerate(((OURS, [TENSORFLOW]), ([TENSORFLOW], OURS))):
                prefix = str(Path(folder) / str(number) / "model")
                Path(prefix).parent.mkdir()
                written = output_of([*writer, program, "save", prefix])
                read = output_of([*reader, program, "load", prefix])
                # The programs begin with random values and round: two that differ in the last bit may be rounded apart.
                self.assertEqual(DECIMAL.sub("#", read), DECIMAL.sub("#", written))
                for a, b in zip(DECIMAL.findall(read), DECIMAL.findall(written)):
                    self.assertAlmostEqual(float(a), float(b), delta=3e-5, msg=f"{read}\n{written}")

    def test_objects_of_a_graph(self):
        self.check_crossing("in_graph.py")

    def test_objects_of_eager_execution(self):
        self.check_crossing("at_once.py")

    def test_layers_that_come_after_the_checkpoint_has_gone(self):
        self.check_crossing("later.py")

    def test_models(self):
        self.check_crossing("models.py")

    def test_words_and_managers(self):
        program = str(PYTHON_TESTS / "checkpoint_programs" / "words.py")
        self.assertEqual(output_of([*OURS, program]), output_of([TENSORFLOW, program]))


if __name__ == "__main__":
    unittest.main()
