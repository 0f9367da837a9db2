"""The programs of actor_programs/ run unchanged by `python -m flowray` and find what they look for."""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

PROGRAMS = Path(__file__).resolve().parent.parent / "actor_programs"
EXAMPLE = PROGRAMS.parent.parent.parent / "examples" / "python" / "lenet_actors.py"
IMAGES = Path(os.environ.get("FLOWRAY_MNIST_DIR") or "/usr/share/datasets/fashion-mnist")
PRINTS = {
    "actor_critic": "goes right: True\n",
    "evolution_strategies": "reward near 0\n",
    "parameter_servers": "in step: True 20\neach for itself: [15, 15] 30 True\n",
    "policy_gradients_by_hand": "catches: True\n",
    "quasi_newton": "[1.0, -2.0, 0.5, 3.0, 0.7]\n",
}


class ActorProgramsTest(unittest.TestCase):
    def test_every_program_is_listed(self):
        self.assertEqual(sorted(PRINTS), sorted(path.stem for path in PROGRAMS.glob("*.py")))

    def test_programs_print_what_they_find(self):
        for name, prints in PRINTS.items():
            with self.subTest(program=name):
                done = subprocess.run([sys.executable, "-m", "flowray", str(PROGRAMS / (name + ".py"))], capture_output=True, text=True,
                                      timeout=200, check=False)
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, prints, ""))

    @unittest.skipUnless(IMAGES.is_dir(), "no images in MNIST's format")
    def test_the_example_trains_lenet_in_two_actors(self):
        # As flowray-lenet --steps 60 --average-every 25 prints it: the same numbers.
        done = subprocess.run([sys.executable, "-m", "flowray", str(EXAMPLE), "--steps", "60", "--average-every", "25"], capture_output=True,
                              text=True, timeout=200, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        told = re.fullmatch(r"step 60/60  loss (\d\.\d{4})  accuracy (0\.\d{4}) +\d+ images/s\ntest accuracy (0\.\d{4}) in \d+\.\d s\n", done.stdout)
        self.assertIsNotNone(told, done.stdout)
        self.assertGreater(float(told[3]), 0.5)  # 0.1 is guessing
        binary = EXAMPLE.parent.parent.parent / "build" / "release" / "bin" / "flowray-lenet"
        if binary.exists():
            other = subprocess.run([str(binary), "--steps", "60", "--average-every", "25"], capture_output=True, text=True, timeout=200,
                                   check=True).stdout
            self.assertEqual(re.findall(r"(?:loss|accuracy) \S+", done.stdout), re.findall(r"(?:loss|accuracy) \S+", other))


if __name__ == "__main__":
    unittest.main()
