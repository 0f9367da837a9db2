"""The stubs say what is there, and a type checker finds mistakes by them (skipped without mypy)."""

import ast
import importlib
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import flowray

PACKAGE = Path(flowray.__file__).parent
RIGHT = """
from flowray import tf
x = tf.placeholder(tf.float32, [None])
y: tf.Tensor = tf.nn.relu(x * 2.0, name="y")
total = tf.reduce_sum(y) + 1.0
with tf.Session() as sess:
    value = sess.run([total, y], feed_dict={x: [1.0]})
layer = tf.layers.dense(tf.reshape(y, [1, -1]), 3)
train = tf.train.AdamOptimizer().minimize(total)
"""


RIGHT_WITH_ACTORS = """
from flowray import ray

@ray.remote
def length(text: str) -> int:
    return len(text)

class Counter:
    def __init__(self, start: int) -> None:
        self.value = start

RemoteCounter = ray.remote(num_cpus=0.5)(Counter)  # mypy takes a decorated class for what it was

ref = length.remote("abc")
one: int = ray.get(ref)
several: list[int] = ray.get([ref, length.options(num_cpus=2).remote("d")])
ready, others = ray.wait([ref], timeout=1.0)
counter = RemoteCounter.remote(3)
counter.add.remote(ref)
"""


class StubsTest(unittest.TestCase):
    def test_names_of_stubs_are_there(self):
        self.assertTrue((PACKAGE / "py.typed").exists())
        for path in ("_native", "tf/__init__", "tf/nn", "tf/math", "tf/raw_ops", "ray/__init__"):
            module = importlib.import_module(".".join(["flowray", *path.replace("/__init__", "").split("/")]))
            tree = ast.parse((PACKAGE / f"{path}.pyi").read_text())
            names = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
            self.assertGreater(len(names), 3, path)
            for name in (name for name in names if not name.startswith("_")):
                self.assertTrue(hasattr(module, name), f"{path}: {name}")

    @unittest.skipUnless(importlib.util.find_spec("mypy"), "no mypy")
    def test_a_type_checker_finds_mistakes(self):
        def checked(text):
            with tempfile.TemporaryDirectory() as folder:
                (Path(folder) / "program.py").write_text(text)
                done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", os.devnull, "program.py"], cwd=folder,
                                      capture_output=True, text=True, timeout=300, check=False)
            return done.stdout
        self.assertIn("Success", checked(RIGHT))
        self.assertIn("Success", checked(RIGHT_WITH_ACTORS))
        self.assertIn('has type "int", variable has type "str"', checked(RIGHT_WITH_ACTORS + "wrong: str = ray.get(ref)\n"))
        wrong = checked(RIGHT + "tf.nn.relu(x, foo=1)\nz: str = tf.nn.relu(x)\n")
        self.assertIn('Unexpected keyword argument "foo"', wrong)
        self.assertIn('has type "Tensor", variable has type "str"', wrong)


if __name__ == "__main__":
    unittest.main()
