"""Notebooks and pytest run with Flowray: examples/python/lenet.ipynb from top to bottom, and tests in several processes at a time."""

import importlib.util
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent.parent
NOTEBOOK = ROOT / "examples" / "python" / "lenet.ipynb"
IMAGES = Path(os.environ.get("FLOWRAY_MNIST_DIR") or "/usr/share/datasets/fashion-mnist")


def is_there(*modules):
    return all(importlib.util.find_spec(module) is not None for module in modules)


@unittest.skipUnless(is_there("nbclient", "nbformat", "ipykernel"), "no nbclient (tests/python/requirements.txt)")
class NotebookTest(unittest.TestCase):
    def run_notebook(self, notebook, **environment):
        import nbclient
        with tempfile.TemporaryDirectory() as folder:
            before = {name: os.environ.get(name) for name in environment}
            os.environ.update(environment)
            try:
                nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()
            finally:
                for name, value in before.items():
                    os.environ.pop(name, None) if value is None else os.environ.update({name: value})
        return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]

    @unittest.skipUnless(IMAGES.is_dir(), "no images in MNIST's format")
    def test_the_example_runs_from_top_to_bottom(self):
        import nbformat
        outputs = self.run_notebook(nbformat.read(NOTEBOOK, as_version=4), FLOWRAY_NOTEBOOK_ROUNDS="6")
        shown = [kind for output in outputs if "data" in output for kind in output["data"]]
        self.assertEqual((shown.count("image/png"), shown.count("image/svg+xml"), shown.count("text/html")), (2, 2, 2))
        printed = "".join(output["text"] for output in outputs if output.get("name") == "stdout")
        self.assertRegex(printed, r"Accuracy on 2,000 test images: 0\.[4-9]")

    def test_classes_functions_and_output_of_cells(self):
        import nbformat
        cells = ["from flowray import ray\nray.init(num_cpus=1)", "class Point:\n    def __init__(self, x):\n        self.x = x",
                 "@ray.remote\ndef twice(point):\n    print('in a worker')\n    return Point(2 * point.x)",
                 "point = ray.get(twice.remote(Point(4)))\n(type(point) is Point, point.x)",
                 "async def work():\n    return (await twice.remote(point)).x\nawait work()", "ray.shutdown()"]
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        outputs = self.run_notebook(notebook)
        values = [output["data"]["text/plain"] for output in outputs if output["output_type"] == "execute_result"]
        self.assertEqual(values[-2:], ["(True, 8)", "16"])


@unittest.skipUnless(is_there("pytest", "xdist"), "no pytest-xdist (tests/python/requirements.txt)")
class PytestTest(unittest.TestCase):
    def test_tests_run_in_several_processes_at_a_time(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "test_beside.py").write_text(textwrap.dedent("""
                import pytest
                from flowray import ray, tf

                @pytest.fixture(scope="module")
                def runtime():
                    with ray.init(num_cpus=1):
                        yield

                @ray.remote
                def add(x, y):
                    return x + y

                @pytest.mark.parametrize("x", range(8))
                def test_tasks(runtime, x):
                    assert ray.get(add.remote(x, 1)) == x + 1

                @pytest.mark.parametrize("x", range(4))
                def test_steps(x):
                    with tf.Graph().as_default(), tf.Session() as sess:
                        assert sess.run(tf.constant(x) * 2) == 2 * x
                """))
            done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider", folder], capture_output=True,
                                  text=True, timeout=200, check=False, cwd=folder)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("12 passed", done.stdout)


if __name__ == "__main__":
    unittest.main()
