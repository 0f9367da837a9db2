"""How tf.train.SessionManager waits, by a clock that moves when somebody sleeps."""

import contextlib
import io
import tempfile
import unittest
from unittest import mock

from flowray import tf
from flowray.tf import _session_manager


class Clock:
    now = 0.0

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


class SessionManagerTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        tf.Variable(1.0, name="w")
        self.clock = Clock()
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        stack.enter_context(mock.patch.object(_session_manager, "_time", self.clock))
        self.said = stack.enter_context(contextlib.redirect_stderr(io.StringIO()))

    def test_it_says_every_ten_seconds_that_the_model_is_not_ready(self):
        manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables(), recovery_wait_secs=30)
        text = "^Session was not ready after waiting 65 secs.\nVariables not initialized: w. Is there a chief, and"
        with self.assertRaisesRegex(tf.errors.DeadlineExceededError, text):
            manager.wait_for_session("", max_wait_secs=65)
        self.assertEqual(self.clock.now, 60)  # it looked then, and 30 seconds more were too many
        line = "flowray: Waiting for model to be ready.  Ready_for_local_init_op:  None, ready: Variables not initialized: w\n"
        self.assertEqual(self.said.getvalue(), 7 * line)  # after 0, 10, ..., 60 seconds

    def test_it_says_every_ten_seconds_that_there_is_no_checkpoint(self):
        manager = tf.train.SessionManager(recovery_wait_secs=25)
        with tempfile.TemporaryDirectory() as folder:
            session, is_restored = manager.recover_session("", saver=tf.train.Saver(), checkpoint_dir=folder, wait_for_checkpoint=True,
                                                           max_wait_secs=30)
            session.close()
            self.assertEqual((is_restored, self.clock.now), (False, 25))
            line = "flowray: Waiting for checkpoint to be available in %s.\n" % folder
        self.assertEqual(self.said.getvalue(), 3 * line)  # after 0, 10 and 20 seconds

    def test_a_look_that_fails_leaves_no_session_open(self):
        sessions = []

        def opened(*arguments):
            sessions.append(tf.Session(*arguments))
            return sessions[-1]

        unfed = tf.placeholder(tf.string, name="unfed")
        manager = tf.train.SessionManager(ready_op=unfed)
        with tempfile.TemporaryDirectory() as folder:
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                tf.train.Saver().save(session, folder + "/model")
            with mock.patch.object(_session_manager._language, "Session", opened):
                for look in (lambda: manager.wait_for_session(""),
                             lambda: manager.recover_session("", saver=tf.train.Saver(), checkpoint_dir=folder),
                             lambda: manager.recover_session("", saver=tf.train.Saver(), checkpoint_filename_with_path=folder + "/none")):
                    with self.assertRaises((tf.errors.OpError, ValueError)):
                        look()
        self.assertEqual(len(sessions), 3)
        for session in sessions:
            with self.assertRaisesRegex(RuntimeError, "closed Session"):
                session.run(tf.constant(1.0))


if __name__ == "__main__":
    unittest.main()
