"""Tutorial-sized programs of tests/interop, unchanged, run by TensorFlow and by `python -m flowray`, each in its local session: they
give the same values. Skipped without TensorFlow, which tests/interop/run installs."""

import os
import pickle
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

from two_systems import PYTHON_TESTS, QUIET, TENSORFLOW, has_tensorflow

# Module, class and methods; those that compare nothing check themselves what they get.
PROGRAMS = {
    "basics_test.BasicsTest": """constants two_graphs_and_two_sessions interactive_session counter several_fetches_of_any_structure
        any_tensor_may_be_fed placeholder_with_default graph_that_is_looked_through a_graph_that_was_exported_and_imported""",
    "regression_test.RegressionTest": """gradient_descent_finds_the_line gradients_that_are_fetched_and_fed
        weights_that_are_averaged gradients_that_are_averaged one_point_at_a_time logistic_regression k_nearest_neighbours""",
    "networks_test.NetworksTest": """perceptron_of_three_layers autoencoder variational_autoencoder adversarial_networks lenet5
        lenet5_of_float64 convolutional_network_of_layers""",
    "datasets_test.DatasetsTest": """sources parts_and_rows batches functions shuffled_in_the_order_of_the_seeds files
        kinds_of_iterators an_input_pipeline_feeds_a_training""",
    "values_test.ValuesTest": "strings strings_in_the_graph empty_and_scalar_shapes many_feeds_and_fetches",
}


def names():
    return [f"{case}.test_{method}" for case, methods in PROGRAMS.items() for method in methods.split()]


def results_of(command, path):
    done = subprocess.run([*command, str(PYTHON_TESTS / "support" / "interop_program.py"), str(path), *names()], capture_output=True, text=True,
                          timeout=400, check=False, env={**os.environ, **QUIET})
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)
    return pickle.loads(path.read_bytes())


@unittest.skipUnless(has_tensorflow(), "no TensorFlow in build/interop-venv (tests/interop/run makes it)")
class InteropProgramsTest(unittest.TestCase):
    def assert_close(self, expected, ours, tolerance):
        if isinstance(expected, (list, dict)):
            self.assertEqual(type(ours), type(expected))
            self.assertEqual(len(ours), len(expected))
            keys = expected if isinstance(expected, dict) else range(len(expected))
            for key in keys:
                self.assert_close(expected[key], ours[key], tolerance)
        elif isinstance(expected, (np.ndarray, float)) and np.asarray(expected).dtype.kind in "fc":
            np.testing.assert_allclose(ours, expected, rtol=tolerance, atol=tolerance)
        else:
            np.testing.assert_array_equal(ours, expected)

    def test_programs_give_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            expected = results_of([TENSORFLOW], Path(folder) / "expected")
            ours = results_of([sys.executable, "-m", "flowray"], Path(folder) / "ours")
        for name in names():
            with self.subTest(name):
                self.assertNotIsInstance(expected[name], str, expected[name])
                self.assertNotIsInstance(ours[name], str, ours[name])
                self.assertEqual(len(ours[name]), len(expected[name]))
                for (value, tolerance), (other, _) in zip(expected[name], ours[name]):
                    self.assert_close(value, other, tolerance)


if __name__ == "__main__":
    unittest.main()
