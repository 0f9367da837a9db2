"""The stubs say what is there, and a type checker finds mistakes by them (skipped without mypy)."""

import ast
import dataclasses
import importlib
import importlib.util
import os
import subprocess
import sys
import tempfile
import typing
import unittest
from pathlib import Path

import flowray
from flowray import tf

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
from collections.abc import Iterator
from typing import Any
from flowray import ray

@ray.remote
def length(text: str) -> int:
    return len(text)

class Counter:
    def __init__(self, start: int) -> None:
        self.value = start

    @ray.method(max_task_retries=2, retry_exceptions=[OSError])
    def add(self, x: int) -> int:
        return x

RemoteCounter = ray.remote(num_cpus=0.5)(Counter)  # mypy takes a decorated class for what it was

@ray.remote
def squares(n: int) -> Iterator[int]:
    for i in range(n):
        yield i * i

@ray.remote(num_returns=2)
def halves(text: str) -> tuple[str, str]:
    return text[:1], text[1:]

@ray.remote
def untyped(x):
    return x

async def awaited() -> int:
    return await length.remote("abc")

square: int = ray.get(next(squares.remote(3)))
sum_of_squares: int = sum(ray.get(each) for each in squares.options(num_cpus=1).remote(3))
first, second = halves.remote("ab")
third, fourth = length.options(num_returns=2).remote("ab")
same = ray.get(untyped.remote(3)) + 1
ref = length.remote("abc")
one: int = ray.get(ref)
several: list[int] = ray.get([ref, length.options(num_cpus=2).remote("d")])
ready, others = ray.wait([ref], timeout=1.0)
counter = RemoteCounter.remote(3)
counter.add.remote(ref)
counter.add.options(num_returns=1).remote(2)
text: str = ray.get_runtime_context().get_job_id()
names: list[str] = ray.util.list_named_actors()
events: list[dict[str, Any]] = ray.timeline()
ray.timeline("trace.json")
queue = ray.util.queue.Queue(3)
queue.put(1, timeout=1.0)
size: int = queue.size()
pool = ray.util.ActorPool([counter])
lengths: list[int] = list(ray.util.as_completed([ref]))
group = ray.util.placement_group([{"CPU": 1}])
strategy = ray.util.scheduling_strategies.PlacementGroupSchedulingStrategy(group, 0)
try:
    ray.get(ref)
except ray.exceptions.RayTaskError as error:
    function: str = error.function_name
except (ray.exceptions.ActorAlreadyExistsError, ray.exceptions.GetTimeoutError):
    pass
"""


class StubsTest(unittest.TestCase):
    def test_names_of_stubs_are_there(self):
        self.assertTrue((PACKAGE / "py.typed").exists())
        for path in ("_native", "tf/__init__", "tf/nn", "tf/math", "tf/raw_ops", "ray/__init__", "ray/exceptions", "ray/util/placement_group"):
            self.check_names(path, 3)
        for path in ("ray/util/__init__", "ray/util/queue", "ray/util/actor_pool", "ray/util/check_serialize", "ray/util/debug", "ray/util/scheduling_strategies",
                     "ray/util/serialization",
                     "ray/experimental/tf_utils"):
            self.check_names(path, 0)

    def check_names(self, path, least):
        module = importlib.import_module(".".join(["flowray", *path.replace("/__init__", "").split("/")]))
        tree = ast.parse((PACKAGE / f"{path}.pyi").read_text())
        names = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        self.assertGreater(len(names), least, path)
        for node in tree.body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_"):
                self.assertTrue(hasattr(module, node.name), f"{path}: {node.name}")
                if path.startswith("ray/") and isinstance(node, ast.ClassDef):
                    self.check_methods(path, getattr(module, node.name), node)

    def check_methods(self, path, kind, node):
        """What the stub says of a class is there, and all public methods of it are in the stub."""
        told = {one.name for one in node.body if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))}
        for name in (name for name in told if not name.startswith("__")):
            self.assertTrue(hasattr(kind, name), f"{path}: {node.name}.{name}")
        there = {name for name, value in vars(kind).items() if not name.startswith("_") and (callable(value) or isinstance(value, property))}
        self.assertEqual(sorted(there - told), [], f"{path}: {node.name}")

    def test_annotations_that_are_dtypes(self):
        def cast(x: tf.bool, y: "tf.float32" = None) -> tf.int32:
            """A program may write so, as TensorFlow lets it."""

        @dataclasses.dataclass
        class Options:
            dtype: tf.DType = tf.float32
            kind: tf.bool = None

        self.assertEqual(typing.get_type_hints(cast, {"tf": tf}), {"x": tf.bool, "y": tf.float32, "return": tf.int32})
        self.assertEqual([field.type for field in dataclasses.fields(Options)], [tf.DType, tf.bool])
        self.assertEqual(typing.get_args(list[tf.bool]), (tf.bool,))
        self.assertEqual(typing.get_args(tf.Tensor | None), (tf.Tensor, type(None)))

    @unittest.skipUnless(importlib.util.find_spec("mypy"), "no mypy")
    def test_a_type_checker_finds_mistakes(self):
        # Each line behind the right ones, and what is said of it.
        wrong = {RIGHT: {"tf.as_string(x, scientific='yes')": 'has incompatible type "str"; expected "bool"',
                         "flag: tf.bool": '"flowray.tf.bool" is not valid as a type',
                         "tf.nn.relu(x, foo=1)": 'Unexpected keyword argument "foo"',
                         "z: str = tf.nn.relu(x)": 'has type "Tensor", variable has type "str"'},
                 RIGHT_WITH_ACTORS: {"wrong: str = ray.get(ref)": 'has type "int", variable has type "str"',
                                     "wrong_too: str = ray.get(next(squares.remote(3)))": 'has type "int", variable has type "str"',
                                     "queue.put(1, timeouts=2)": 'Unexpected keyword argument "timeouts"',
                                     "ray.exceptions.RayTaskEror": 'has no attribute "RayTaskEror"',
                                     "numbers: list[int] = ray.util.list_named_actors()": 'has type "list[str]", variable has type "list[int]"'}}
        expected = []
        with tempfile.TemporaryDirectory() as folder:
            for number, (right, lines) in enumerate(wrong.items()):
                (Path(folder) / f"program_{number}.py").write_text(right + "\n".join(lines) + "\n")
                expected += [(f"program_{number}.py:{right.count(chr(10)) + i}", said) for i, said in enumerate(lines.values(), 1)]
            done = subprocess.run([sys.executable, "-m", "mypy", "--cache-dir", os.devnull, "."], cwd=folder,
                                  capture_output=True, text=True, timeout=300, check=False)
        said = [line for line in done.stdout.splitlines() if ": error: " in line]
        self.assertEqual([line.partition(": error: ")[0] for line in said], [place for place, _ in expected], done.stdout + done.stderr)
        for line, (_, words) in zip(said, expected):
            self.assertIn(words, line)


if __name__ == "__main__":
    unittest.main()
