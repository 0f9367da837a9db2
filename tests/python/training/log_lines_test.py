"""What hooks and sessions tell the log; the lines are those of TensorFlow 2.21 for the same program."""

import logging
import tempfile
import unittest

from flowray import tf


class _Kept(logging.Handler):
    def __init__(self):
        super().__init__()
        self.lines = []

    def emit(self, record):
        self.lines.append((record.levelname, record.getMessage()))


class LogLinesTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.kept = folder.name, _Kept()
        logger = tf.logging.get_logger()
        shown, before = logger.handlers[:], logger.level
        logger.handlers[:] = [self.kept]
        self.addCleanup(logger.handlers.__setitem__, slice(None), shown)
        tf.logging.set_verbosity(tf.logging.INFO)
        self.addCleanup(tf.logging.set_verbosity, before)

    def lines_of(self, steps, hooks=(), **options):
        with tf.Graph().as_default():
            step, w = tf.train.get_or_create_global_step(), tf.Variable(1., name="w")
            train = tf.group(tf.assign_add(step, 1), tf.assign_add(w, 1.))
            with tf.train.MonitoredTrainingSession(hooks=[hook() for hook in hooks], **options) as session:
                for _ in range(steps):
                    if not session.should_stop():
                        session.run(train)
        return [(level, line.replace(self.folder, "DIR")) for level, line in self.kept.lines]

    def test_checkpoints_are_told(self):
        lines = self.lines_of(3, checkpoint_dir=self.folder, save_checkpoint_steps=2, log_step_count_steps=None)
        self.assertEqual([line for _, line in lines], [
            "Create CheckpointSaverHook.", "Graph was finalized.", "Running local_init_op.", "Done running local_init_op.",
            "Calling checkpoint listeners before saving checkpoint 0...", "Saving checkpoints for 0 into DIR/model.ckpt.",
            "Calling checkpoint listeners after saving checkpoint 0...",
            "Calling checkpoint listeners before saving checkpoint 2...", "Saving checkpoints for 2 into DIR/model.ckpt.",
            "Calling checkpoint listeners after saving checkpoint 2...",
            "Calling checkpoint listeners before saving checkpoint 3...", "Saving checkpoints for 3 into DIR/model.ckpt.",
            "Calling checkpoint listeners after saving checkpoint 3..."])
        self.assertEqual({level for level, _ in lines}, {"INFO"})

    def test_a_loss_that_is_no_number_is_told(self):
        lines = self.lines_of(4, [lambda: tf.train.NanTensorHook(tf.constant(float("nan")), fail_on_nan_loss=False)])
        self.assertEqual(lines[-1], ("WARNING", "Model diverged with loss = NaN."))
        with self.assertRaises(tf.train.NanLossDuringTrainingError):
            self.lines_of(4, [lambda: tf.train.NanTensorHook(tf.constant(float("nan")))])
        self.assertEqual(self.kept.lines[-1], ("ERROR", "Model diverged with loss = NaN."))

    def test_the_name_of_an_operation_is_that_of_its_tensor(self):
        lines = self.lines_of(2, [lambda: tf.train.LoggingTensorHook({"w": "w"}, every_n_iter=2), lambda: tf.train.StopAtStepHook(last_step=2)])
        self.assertEqual(lines[-1], ("INFO", "w = 2.0"))


if __name__ == "__main__":
    unittest.main()
