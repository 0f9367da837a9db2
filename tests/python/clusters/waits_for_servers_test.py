"""A client that waits for a parameter server that is not there: it ends by its time, and by whoever asks for the end."""

import contextlib
import io
import socket
import threading
import time
import unittest

import numpy as np

from flowray import _native, tf


def address_of(bound):
    bound.bind(("localhost", 0))
    return "localhost:%d" % bound.getsockname()[1]


class WaitsForServersTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        absent = socket.socket()  # bound, and nobody listens: no other server can come to be there
        self.addCleanup(absent.close)
        ps = address_of(absent)
        with socket.socket() as free:
            worker = address_of(free)
        self.worker = tf.train.Server({"ps": [ps], "worker": [worker]}, job_name="worker", task_index=0)
        self.addCleanup(self.worker.stop)
        with tf.device("/job:ps/task:0"):
            self.w = tf.Variable(1.0, name="w")
        said = contextlib.redirect_stderr(io.StringIO())
        said.__enter__()
        self.addCleanup(said.__exit__, None, None, None)

    def test_a_step_that_is_ended_waits_no_longer(self):
        cancellation = _native.StepCancellation()
        with tf.Session(self.worker.target) as session:
            ends = threading.Timer(0.2, cancellation.cancel)
            ends.start()
            with self.assertRaises(tf.errors.CancelledError):
                session.run(self.w, options=tf.RunOptions(_cancellation=cancellation))
            ends.join()

    def test_monitored_sessions_wait_for_their_time(self):
        for is_chief in (True, False):
            with self.assertRaisesRegex(tf.errors.DeadlineExceededError, "^Session was not ready after waiting 1 secs.\n"):
                tf.train.MonitoredTrainingSession(self.worker.target, is_chief=is_chief, max_wait_secs=1)
            tf.reset_default_graph()
            with tf.device("/job:ps/task:0"):
                tf.Variable(1.0, name="w")

    def test_supervisors_wait_for_their_time(self):
        for is_chief in (True, False):
            with tf.Graph().as_default():
                with tf.device("/job:ps/task:0"):
                    tf.Variable(1.0, name="w")
                supervisor = tf.train.Supervisor(is_chief=is_chief)
                with self.assertRaisesRegex(tf.errors.DeadlineExceededError, "^Session was not ready after waiting 1 secs.\n"):
                    supervisor.prepare_or_wait_for_session(self.worker.target, max_wait_secs=1)

    def test_the_time_counts_without_a_ready_op(self):
        manager = tf.train.SessionManager()
        waits = (lambda: manager.wait_for_session(self.worker.target, max_wait_secs=1),
                 lambda: manager.prepare_session(self.worker.target, init_op=self.w.initializer, max_wait_secs=1),
                 lambda: manager.recover_session(self.worker.target, max_wait_secs=1))
        for wait in waits:
            with self.assertRaisesRegex(tf.errors.DeadlineExceededError, "^Session was not ready after waiting 1 secs.\n"):
                wait()

    def test_a_model_that_is_ready_is_found_in_no_time(self):
        """However long it takes to look: here longer than until somebody asks whether the wait is over."""
        with tf.Graph().as_default():
            ready = tf.py_func(lambda: (threading.Event().wait(0.3), np.array([], dtype=object))[1], [], tf.string)
            tf.train.SessionManager(ready_op=ready).wait_for_session("", max_wait_secs=0).close()

    def test_supervisors_that_are_stopped_wait_no_longer(self):
        for is_chief in (True, False):
            with tf.Graph().as_default():
                with tf.device("/job:ps/task:0"):
                    tf.Variable(1.0, name="w")
                supervisor = tf.train.Supervisor(is_chief=is_chief)
                stops = threading.Timer(0.3, supervisor.request_stop)
                stops.start()
                with self.assertRaisesRegex(tf.errors.CancelledError, "^The supervisor was stopped while it waited"):
                    supervisor.prepare_or_wait_for_session(self.worker.target)
                stops.join()

    def test_one_that_rests_is_stopped_too(self):
        with tf.Graph().as_default():
            tf.Variable(1.0, name="w")  # which nobody initialises
            supervisor = tf.train.Supervisor(is_chief=False, recovery_wait_secs=1000)
            stops = threading.Timer(0.3, supervisor.request_stop)
            stops.start()
            with self.assertRaisesRegex(tf.errors.CancelledError, "^The supervisor was stopped while it waited"):
                supervisor.prepare_or_wait_for_session(self.worker.target)
            stops.join()

    def test_sessions_that_cannot_be_made_are_not_made_for_ever(self):
        class Creator(tf.train.SessionCreator):
            _max_wait_secs = 0.1

            def create_session(self):
                raise tf.errors.UnavailableError(None, None, "no ps")

        begin = time.monotonic()
        with self.assertRaisesRegex(tf.errors.DeadlineExceededError, "^Session was not ready after waiting 0 secs.\nno ps"):
            tf.train.MonitoredSession(Creator())
        self.assertLess(time.monotonic() - begin, 30)


if __name__ == "__main__":
    unittest.main()
