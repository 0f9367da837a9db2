"""`python -m flowray -m MODULE ARGUMENTS` runs a module as `python -m MODULE ARGUMENTS` does."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TELLS = """
import os, sys
print([os.path.relpath(arg) for arg in sys.argv[:1]] + sys.argv[1:], os.path.relpath(sys.path[0]))
print(__name__, repr(__package__), __spec__.name, os.path.relpath(__file__), sys.modules["__main__"].__dict__ is globals())
"""
FILES = {"alone.py": TELLS, "package/__init__.py": "print('package')\n", "package/inner.py": "from . import other\n" + TELLS, "package/other.py": "",
         "package/__main__.py": TELLS, "empty/__init__.py": "", "fails.py": "import sys\nsys.exit(7)\n", "raises.py": "import no_such_module\n",
         "actors.py": """
import ray, tensorflow as tf

class Point:
    def __init__(self, x):
        self.x = x

@ray.remote
def scaled(point):
    return Point(point.x * 2)

if __name__ == "__main__":
    print(type(ray.get(scaled.remote(Point(3)))) is Point, ray.__name__, tf.__name__)
""", "test_square.py": """
import unittest, ray

@ray.remote
def square(x):
    return x * x

class SquareTest(unittest.TestCase):
    def test_square(self):
        self.assertEqual(ray.get(square.remote(3)), 9)
"""}


class ModuleProgramTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        for name, text in FILES.items():
            path = Path(cls.folder.name) / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text)

    def run_here(self, *arguments):
        path = os.pathsep.join(os.path.abspath(entry) for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry)
        return subprocess.run([sys.executable, *arguments], cwd=self.folder.name, env={**os.environ, "PYTHONPATH": path}, capture_output=True,
                              text=True, timeout=200, check=False)

    def test_a_module_finds_what_python_gives_it(self):
        for module in ("alone", "package", "package.inner"):
            with self.subTest(module):
                expected = self.run_here("-m", module, "--first", "-m", "2")
                done = self.run_here("-m", "flowray", "-m", module, "--first", "-m", "2")
                self.assertEqual((done.returncode, done.stdout, done.stderr), (0, expected.stdout, ""))

    def test_its_end_is_that_of_the_program(self):
        for module in ("fails", "raises"):
            self.assertEqual(self.run_here("-m", "flowray", "-m", module).returncode, self.run_here("-m", module).returncode)
        self.assertIn("No module named 'no_such_module'", self.run_here("-m", "flowray", "-m", "raises").stderr)

    def test_what_is_no_module_is_told_of_in_pythons_words(self):
        for module in ("nothing", "nothing.below", "empty", "alone.below", ".alone"):
            with self.subTest(module):
                expected = self.run_here("-m", module)
                done = self.run_here("-m", "flowray", "-m", module)
                self.assertEqual((done.returncode, done.stdout), (expected.returncode, expected.stdout))
                words = expected.stderr.partition(": ")[2].partition("; did you mean")[0].partition(". Try using")[0]
                self.assertTrue(done.stderr.startswith("python -m flowray: " + words.rstrip(")\n")), (expected.stderr, done.stderr))
        for arguments in (["-m"], ["--py2", "-m", "alone"]):
            self.assertEqual(self.run_here("-m", "flowray", *arguments).returncode, 2)

    def test_its_actors_know_its_classes(self):
        done = self.run_here("-m", "flowray", "-m", "actors")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "True flowray.ray flowray.tf\n", ""))

    def test_tests_run_by_unittest(self):
        done = self.run_here("-m", "flowray", "-m", "unittest", "test_square")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Ran 1 test", done.stderr)


if __name__ == "__main__":
    unittest.main()
