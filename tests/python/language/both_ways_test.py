"""Programs run by TensorFlow and here print the same; and both live in one process. Skipped without TensorFlow, which
tests/interop/run installs."""

import sys
import unittest

from two_systems import PYTHON_TESTS, RAY, TENSORFLOW, has_module, has_tensorflow, output_of

BOTH_RAYS = """
import sys
if sys.argv[1] == "ours first":
    from flowray import ray, tf
    import ray as theirs
else:
    import ray as theirs
    from flowray import ray, tf
ray.init(num_cpus=1)
theirs.init(num_cpus=1, log_to_driver=False, include_dashboard=False)
more, tenfold = ray.remote(lambda x: x + 1), theirs.remote(lambda x: 10 * x)
print(ray.get(more.remote(1)), theirs.get(tenfold.remote(2)), ray.get(more.remote(3)))
theirs.shutdown()
ray.shutdown()
print(tf.Session().run(tf.constant(1.0) + 1))
"""


@unittest.skipUnless(has_module(RAY + "/bin/python", "ray"), "no Ray in build/compare-venv (scripts/compare makes it)")
class BothRaysTest(unittest.TestCase):
    def test_both_run_tasks_in_one_process(self):
        for order in ("ours first", "theirs first"):
            self.assertEqual(output_of([RAY + "/bin/python", "-c", BOTH_RAYS, order]), "2 20 4\n2.0\n")


@unittest.skipUnless(has_tensorflow(), "no TensorFlow in build/interop-venv (tests/interop/run makes it)")
class BothWaysTest(unittest.TestCase):
    maxDiff = None

    def test_programs_print_the_same(self):
        programs = sorted((PYTHON_TESTS / "programs").glob("*.py"))
        self.assertTrue(programs)
        runner = "import runpy, sys\nimport tensorflow.compat.v1 as tf\n" \
                 "for p in sys.argv[1:]:\n    print('#', p); tf.reset_default_graph(); runpy.run_path(p)"
        expected = output_of([TENSORFLOW, "-c", runner, *map(str, programs)], timeout=900)  # all of them in one process
        ours = "".join(f"# {path}\n" + output_of([sys.executable, "-m", "flowray", str(path)]) for path in programs)
        self.assertEqual(ours, expected)

    def test_tensorflow_may_be_imported_before_and_after(self):
        theirs = "import tensorflow.compat.v1 as theirs\n"
        ours = "from flowray import tf as ours\n"
        work = """
import numpy as np
theirs.disable_v2_behavior()
values = []
for tf in (ours, theirs, ours):
    with tf.Graph().as_default(), tf.Session() as sess:
        words = tf.raw_ops.RegexReplace(input=tf.constant(["abc"]), pattern="b+", rewrite="x")
        png = tf.raw_ops.EncodePng(image=tf.constant(np.arange(12, dtype=np.uint8).reshape(2, 2, 3)))
        values.append((sess.run(words).tolist(), sess.run(tf.raw_ops.DecodePng(contents=png)).tolist()))
print(values[0] == values[1] == values[2], values[0][0])
"""
        for order in (theirs + ours, ours + theirs):
            self.assertEqual(output_of([TENSORFLOW, "-c", order + work]), "True [b'axc']\n")


if __name__ == "__main__":
    unittest.main()
