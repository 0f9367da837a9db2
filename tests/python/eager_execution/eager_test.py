"""Eager execution: programs print here what they print in TensorFlow, and the document's cell works."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PYTHON_TESTS = Path(__file__).resolve().parent.parent
TENSORFLOW = os.environ.get("FLOWRAY_ORACLE_PYTHON") or str(PYTHON_TESTS.parent.parent / "build" / "interop-venv" / "bin" / "python")
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1", "TF_ENABLE_ONEDNN_OPTS": "0", "TF_USE_LEGACY_KERAS": "1"}

DOCUMENT = """
import tensorflow.contrib.eager as tfe
tfe.enable_eager_execution()
import tensorflow as tf
print(tf.matmul([[2.]], [[3.]]))
print(tfe.gradients_function(lambda x: x * x)(3.)[0].numpy())
"""

CONTRIB = """
import os
import tempfile
import tensorflow as tf
import tensorflow.contrib.eager as tfe
from tensorflow.contrib.eager import metrics
tfe.enable_eager_execution()
mean = metrics.Mean()
mean([1.0, 2.0])
mean(tf.constant(6.0))
print(mean.name, mean.result().numpy(), len(mean.variables))
mean.init_variables()
mean([4.0, 2.0], weights=[3.0, 1.0])
print(mean.result().numpy())
for metric, labels, predictions in ((metrics.Accuracy(), [1, 2, 3, 4], [1, 0, 3, 4]), (metrics.BinaryAccuracy(0.5), [1, 0], [0.7, 0.8]),
                                    (metrics.CategoricalAccuracy(), [[0, 1], [1, 0]], [[0.1, 0.9], [0.2, 0.8]]),
                                    (metrics.SparseAccuracy(), [[1], [0]], tf.constant([[0.1, 0.9], [0.2, 0.8]]))):
    metric(labels, predictions)
    metric(labels, predictions)
    print(metric.result().numpy())
v = tf.Variable([1.0, 2.0], name="v")
with tempfile.TemporaryDirectory() as folder:
    saver = tfe.Saver([v])
    path = saver.save(os.path.join(folder, "v"), global_step=3)
    v.assign([0.0, 0.0])
    saver.restore(path)
print(path[-3:], v.numpy().tolist(), tfe.Checkpoint is tf.train.Checkpoint, tfe.py_func(lambda x: 2 * x, [tf.constant(3.0)], tf.float32).numpy())
try:
    tfe.no_such_name
except AttributeError as error:
    print(error)
"""


def output_of(command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=200, check=False, env={**os.environ, **QUIET})
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)
    return done.stdout


def has_tensorflow():
    try:
        asked = "import importlib.util as u; print(u.find_spec('tensorflow') is not None)"
        return output_of([TENSORFLOW, "-c", asked]) == "True\n"
    except (OSError, AssertionError):
        return False


def ours(program, tmp):
    path = Path(tmp) / "program.py"
    path.write_text(program, encoding="utf-8")
    return output_of([sys.executable, "-m", "flowray", str(path)])


ARRAYS = """
import numpy as np
from flowray import tf
tf.enable_eager_execution()
for value in (tf.Variable([1.0, 2.0]), tf.constant([1.0, 2.0])):
    print(value.__array__(np.float64).dtype, value.__array__(dtype=np.float64, copy=True).dtype, value.__array__(copy=False).dtype)
    if np.__version__.startswith("1."):
        continue
    try:
        np.array(value, np.float64, copy=False)
    except ValueError as error:
        assert "Unable to avoid copy" in str(error)
    else:
        print("copied all the same")
"""


BATCH_JACOBIANS = """
from flowray import tf
tf.enable_eager_execution()


def found(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.batch_jacobian(y, x)


print(found(tf.constant([[1.0, 2.0]])).numpy().tolist(), found(tf.zeros([0, 2])).shape)
for shape in ([None, 2], None):
    try:
        tf.function(found, input_signature=[tf.TensorSpec(shape, tf.float32)])(tf.ones([2, 2]))
    except ValueError as error:
        print(str(error).split(":")[0])
"""


class EagerTest(unittest.TestCase):
    maxDiff = None

    def test_contrib_eager(self):
        """By hand: (1 + 2 + 6) / 3, (4 * 3 + 2) / 4, and how many of each pair are the same."""
        with tempfile.TemporaryDirectory() as tmp:
            self.assertEqual(ours(CONTRIB, tmp), "mean 3.0 2\n3.5\n0.75\n0.5\n0.5\n0.5\nv-3 [1.0, 2.0] True 6.0\n"
                                                 "module 'tensorflow.contrib.eager' has no attribute 'no_such_name'\n")

    def test_batch_jacobians_of_no_rows_and_of_unknown_shapes(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(ours(BATCH_JACOBIANS, folder), "[[[2.0, 0.0], [0.0, 4.0]]] (0, 2, 2)\n"
                             "Cannot take the batch Jacobian of shapes that are not fully known\n"
                             "Cannot take the batch Jacobian of shapes of unknown rank\n")

    @unittest.skipUnless(has_tensorflow(), "no TensorFlow in build/interop-venv (tests/interop/run makes it)")
    def test_programs_print_the_same(self):
        programs = sorted((PYTHON_TESTS / "eager_programs").glob("*.py"))
        self.assertTrue(programs)
        for path in programs:
            with self.subTest(path.name):
                self.assertEqual(output_of([sys.executable, "-m", "flowray", str(path)]), output_of([TENSORFLOW, str(path)]))

    def test_the_document_turns_it_on(self):
        import tempfile
        with tempfile.TemporaryDirectory() as tmp:
            self.assertEqual(ours(DOCUMENT, tmp), "tf.Tensor([[6.]], shape=(1, 1), dtype=float32)\n6.0\n")

    def test_numpy_says_whether_it_wants_a_copy(self):
        with tempfile.TemporaryDirectory() as tmp:
            self.assertEqual(ours(ARRAYS, tmp), "float64 float64 float32\n" * 2)

    def test_it_is_turned_on_at_the_beginning(self):
        import tempfile
        program = "import tensorflow as tf\ntf.constant(1.0)\ntry:\n    tf.enable_eager_execution()\nexcept ValueError as error:\n    print(error)\n"
        with tempfile.TemporaryDirectory() as tmp:
            self.assertEqual(ours(program, tmp), "tf.enable_eager_execution must be called at program startup.\n")


if __name__ == "__main__":
    unittest.main()
