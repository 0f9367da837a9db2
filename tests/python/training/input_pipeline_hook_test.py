"""tf.data.experimental.CheckpointInputPipelineHook: a training that ends goes on with the elements that it has not seen. The hook is TensorFlow 1's;
it takes an estimator, of which it reads the folder and how often to save."""

import os
import tempfile
import types
import unittest

from flowray import tf


def estimator(folder, steps, workers=1):
    config = types.SimpleNamespace(save_checkpoints_secs=None, save_checkpoints_steps=steps, num_worker_replicas=workers, task_type="worker", task_id=2)
    return types.SimpleNamespace(model_dir=folder, _config=config)


def seen(folder, count, steps, fails_after=None, workers=1):
    """The elements of a training of `count` steps in a graph of its own, which may end by an error."""
    with tf.Graph().as_default():
        step = tf.train.get_or_create_global_step()
        dataset = tf.data.Dataset.range(12).shuffle(4, seed=3)
        element = tf.data.make_initializable_iterator(dataset)
        next_element, train = element.get_next(), tf.assign_add(step, 1)
        elements = []

        class Initializes(tf.train.SessionRunHook):
            def after_create_session(self, session, coord):
                session.run(element.initializer)
        hooks = [tf.data.experimental.CheckpointInputPipelineHook(estimator(folder, steps, workers)), Initializes()]
        try:
            with tf.train.MonitoredSession(hooks=hooks) as session:
                for number in range(count):
                    if number == fails_after:
                        raise KeyError("the program")
                    elements.append(int(session.run([next_element, train])[0]))
        except KeyError:
            pass
        return elements


class InputPipelineHookTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_a_training_goes_on_where_the_last_one_ended(self):
        with tempfile.TemporaryDirectory() as other:
            whole = seen(other, 12, 100)
        self.assertEqual(sorted(whole), list(range(12)))
        self.assertEqual(seen(self.folder, 5, 100) + seen(self.folder, 4, 100) + seen(self.folder, 3, 100), whole)
        self.assertTrue(os.path.exists(os.path.join(self.folder, "checkpoint_input")))
        self.assertFalse(os.path.exists(os.path.join(self.folder, "checkpoint")))
        self.assertEqual(os.path.basename(tf.train.latest_checkpoint(self.folder, "checkpoint_input")), "input.ckpt-3")

    def test_one_that_fails_goes_on_where_it_was_saved_last(self):
        first = seen(self.folder, 9, steps=2, fails_after=5)
        self.assertEqual(len(first), 5)
        again = seen(self.folder, 3, steps=2)
        self.assertEqual(again[0], first[4])

    def test_workers_have_files_of_their_own(self):
        seen(self.folder, 2, 100, workers=3)
        self.assertTrue(os.path.exists(os.path.join(self.folder, "checkpoint_input_worker_2")))

    def test_a_graph_without_iterators_has_nothing_to_save(self):
        with tf.Graph().as_default():
            tf.train.get_or_create_global_step()
            hook = tf.data.experimental.CheckpointInputPipelineHook(estimator(self.folder, 2))
            with self.assertRaisesRegex(ValueError, "No variables to save"):
                hook.begin()


if __name__ == "__main__":
    unittest.main()
