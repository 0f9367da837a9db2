"""tf.saved_model: folders cross to and from TensorFlow. What the functions do is in programs/saved_models.py. Skipped without TensorFlow,
which tests/interop/run installs."""

import sys
import tempfile
import unittest
from pathlib import Path

from flowray import tf
from two_systems import TENSORFLOW, has_tensorflow, output_of

PROGRAM = """
import sys
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
what, folder, words = sys.argv[1:]
with tf.Graph().as_default(), tf.Session() as sess:
    if what == "save":
        table = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(
            words, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER), -1)
        keys = tf.placeholder(tf.string, [None], name="keys")
        scale = tf.get_variable("scale", initializer=1.0)
        kept = tf.get_variable("kept", initializer=[1.0, 2.0], use_resource=True)
        places = tf.multiply(tf.cast(table.lookup(keys), tf.float32), scale + tf.reduce_sum(kept), name="places")
        sess.run([tf.global_variables_initializer(), tf.tables_initializer()])
        sess.run(scale.assign(10.0))
        tf.saved_model.simple_save(sess, folder, {"keys": keys}, {"places": places}, legacy_init_op=tf.tables_initializer())
    else:
        loaded = tf.saved_model.load(sess, ["serve"], folder)
        signature = loaded.signature_def["serving_default"]
        print(sess.run(signature.outputs["places"].name, {signature.inputs["keys"].name: [b"salad", b"surgery", b"none"]}).tolist(),
              signature.method_name, [v.name for v in tf.global_variables()])
"""


@unittest.skipUnless(has_tensorflow(), "no TensorFlow in build/interop-venv (tests/interop/run makes it)")
class SavedModelTest(unittest.TestCase):
    def test_folders_cross_both_ways(self):
        with tempfile.TemporaryDirectory() as folder:
            program, words = Path(folder) / "program.py", Path(folder) / "words.txt"
            program.write_text(PROGRAM)
            ours, theirs = [sys.executable, "-m", "flowray", str(program)], [TENSORFLOW, str(program)]
            for name, saves, loads in (("to TensorFlow", ours, theirs), ("from TensorFlow", theirs, ours)):
                with self.subTest(name):
                    words.write_text("brain\nsalad\nsurgery\n")
                    output_of([*saves, "save", str(Path(folder) / name), str(words)])
                    words.unlink()  # what is read is the copy in the folder
                    # Lines 1 and 2 and none, times 10 + 1 + 2.
                    self.assertEqual(output_of([*loads, "load", str(Path(folder) / name), ""]),
                                     "[13.0, 26.0, -13.0] tensorflow/serving/predict ['scale:0', 'kept:0']\n")


class ScopesTest(unittest.TestCase):
    def test_queue_runners_are_those_of_their_scope(self):
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "model")
            with tf.Graph().as_default(), tf.Session() as sess:
                queue = tf.FIFOQueue(3, tf.float32, name="q")
                tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(1.0)]))
                x = tf.placeholder(tf.float32, name="x")
                tf.saved_model.simple_save(sess, path, {"x": x}, {"y": tf.add(x, 1.0, name="y")})
            with tf.Graph().as_default(), tf.Session() as sess:
                for _ in range(2):  # the second time the scope is taken
                    tf.saved_model.load(sess, ["serve"], path, import_scope="m")
                self.assertEqual([runner.name for runner in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)], ["m/q", "m_1/q"])


if __name__ == "__main__":
    unittest.main()
