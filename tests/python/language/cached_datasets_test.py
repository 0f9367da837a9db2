"""Caches of datasets in files: TensorFlow reads what is written here, and the other way round. Skipped without TensorFlow, which
tests/interop/run installs."""

import os
import sys
import tempfile
import unittest

from two_systems import TENSORFLOW, has_tensorflow, output_of

# Walks through the caches in a folder: `what` is "given" where datasets give their elements, "refused" where they are not asked.
PROGRAM = """
import os, sys
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
folder, what = sys.argv[1:]
columns = {"half": np.array([0.5, -1], np.float16), "byte": np.array([[1, 255], [0, 7]], np.uint8), "truth": [True, False],
           "complex": np.array([1 + 2j, 0], np.complex64), "text": ["", "two words"], "none": np.zeros((2, 0), np.float32)}
sources = {"columns": tf.data.Dataset.from_tensor_slices(columns), "eleven": tf.data.Dataset.range(11), "nothing": tf.data.Dataset.range(0),
           "parts": tf.data.Dataset.zip(tuple(tf.data.Dataset.range(2) for _ in range(12)))}
for name, dataset in sorted(sources.items()):
    if what == "refused":
        dataset = dataset.apply(lambda d: d.filter(lambda *_: tf.py_func(lambda: 1 / 0, [], tf.bool)))
    iterator = tf.data.make_initializable_iterator(dataset.cache(os.path.join(folder, name)))
    element = iterator.get_next()
    with tf.Session() as session:
        session.run(iterator.initializer)
        try:
            while True:
                print(name, [np.asarray(value).tolist() for value in tf.nest.flatten(session.run(element))])
        except tf.errors.OutOfRangeError:
            pass
"""


@unittest.skipUnless(has_tensorflow(), "no TensorFlow in build/interop-venv (tests/interop/run makes it)")
class CachedDatasetsTest(unittest.TestCase):
    maxDiff = None

    def check(self, writer, reader):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "program.py")
            with open(program, "w", encoding="utf-8") as file:
                file.write(PROGRAM)
            written = output_of([*writer, program, folder, "given"])
            self.assertEqual(len(written.splitlines()), 2 + 11 + 2)
            self.assertEqual([name for name in os.listdir(folder) if "lock" in name or "temp" in name], [])
            self.assertEqual(output_of([*reader, program, folder, "refused"]), written)

    def test_tensorflow_reads_what_is_written_here(self):
        self.check([sys.executable, "-m", "flowray"], [TENSORFLOW])

    def test_what_tensorflow_has_written_is_read_here(self):
        self.check([TENSORFLOW], [sys.executable, "-m", "flowray"])


class IgnoredErrorsTest(unittest.TestCase):
    """Errors of a step that ends are not those of an element."""

    def test_what_is_cancelled_is_not_left_out(self):
        from flowray import tf
        with tf.Graph().as_default(), tf.Session() as session:
            queue = tf.FIFOQueue(10, tf.int64, shapes=[()])

            def queued(number):
                with tf.control_dependencies([queue.enqueue(number)]):
                    return tf.identity(number)

            numbers = tf.data.Dataset.range(5).map(queued).apply(tf.data.experimental.ignore_errors())
            iterator = tf.data.make_initializable_iterator(numbers)
            element = iterator.get_next()
            session.run(iterator.initializer)
            self.assertEqual(session.run(element), 0)
            session.run(queue.close())
            with self.assertRaises(tf.errors.CancelledError):
                session.run(element)


if __name__ == "__main__":
    unittest.main()
