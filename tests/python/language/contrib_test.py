"""The programs of programs_of_1_15, which use tf.contrib, print what TensorFlow 1.15.5 printed (tests/golden/contrib/): TensorFlow 2
has no tf.contrib. To record one again, with Python 3.7:

    pip install tensorflow==1.15.5 'protobuf<3.21' 'numpy<1.19'
    python tests/python/programs_of_1_15/NAME.py > tests/golden/contrib/NAME.txt

What slim_*.py print is tf_slim's, the same layers released apart (tests/oracle/record_slim.py).
"""

import sys
import unittest
from pathlib import Path

from two_systems import output_of

PYTHON_TESTS = Path(__file__).resolve().parent.parent
GOLDEN = PYTHON_TESTS.parent / "golden" / "contrib"


class ContribTest(unittest.TestCase):
    maxDiff = None

    def check(self, program):
        ours = output_of([sys.executable, "-m", "flowray", str(program)])
        self.assertEqual(ours, (GOLDEN / f"{program.stem}.txt").read_text())

    def test_modules_may_be_imported(self):
        program = "from tensorflow.contrib import rnn; from tensorflow.contrib.layers import fully_connected, flatten\n" \
                  "import tensorflow.contrib.layers as layers; import tensorflow.contrib.framework\n" \
                  "from tensorflow.contrib.learn.python.learn.datasets.mnist import read_data_sets\n" \
                  "print(layers.fully_connected is fully_connected)"
        ours = output_of([sys.executable, "-c", f"import flowray; flowray.install()\n{program}"])
        self.assertEqual(ours, "True\n")


for _program in sorted((PYTHON_TESTS / "programs_of_1_15").glob("*.py")):
    def _test(self, program=_program):
        self.check(program)
    setattr(ContribTest, f"test_{_program.stem}", _test)

if __name__ == "__main__":
    unittest.main()
