"""Monitored sessions whose parameter server is killed and started again, in this process."""

import contextlib
import io
import socket
import tempfile
import unittest

from flowray import tf


def free_addresses(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("localhost", 0))
        return ["localhost:%d" % one.getsockname()[1] for one in sockets]


class Sessions(tf.train.SessionRunHook):
    """Counts them."""

    count = 0

    def after_create_session(self, session, coord):
        self.count += 1


class MonitoredRecoveryTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        ps, worker = free_addresses(2)
        self.cluster = {"ps": [ps], "worker": [worker]}
        self.worker = tf.train.Server(self.cluster, job_name="worker", task_index=0)
        self.start_ps()
        self.addCleanup(lambda: (self.ps.stop(), self.worker.stop()))
        with tf.device("/job:ps/task:0"):
            self.step = tf.train.get_or_create_global_step()
            self.w = tf.Variable(1.0)
            self.train = tf.group(tf.assign_add(self.step, 1), tf.assign_add(self.w, 2.0))
        said = contextlib.redirect_stderr(io.StringIO())
        said.__enter__()
        self.addCleanup(said.__exit__, None, None, None)

    def start_ps(self):
        self.ps = tf.train.Server(self.cluster, job_name="ps", task_index=0)

    def restart_ps(self):
        self.ps.stop()
        self.start_ps()

    def test_it_goes_on_from_the_checkpoint(self):
        sessions = Sessions()
        with tempfile.TemporaryDirectory() as folder:
            with tf.train.MonitoredTrainingSession(self.worker.target, checkpoint_dir=folder, save_checkpoint_steps=2,
                                                   hooks=[sessions, tf.train.StopAtStepHook(last_step=8)]) as sess:
                for _ in range(5):
                    sess.run(self.train)
                self.restart_ps()
                more = 0
                while not sess.should_stop():
                    sess.run(self.train)
                    more += 1
            tf.summary.FileWriterCache.clear()
        self.assertEqual((more, sessions.count), (4, 2))  # step 5 is lost: the newest checkpoint is that of step 4
        with tf.Session(self.worker.target) as raw:
            self.assertEqual(raw.run([self.step, self.w]), [8, 17.0])

    def test_others_go_on_with_the_chief(self):
        chief = tf.train.MonitoredTrainingSession(self.worker.target)
        other = tf.train.MonitoredTrainingSession(self.worker.target, is_chief=False)
        chief.run(self.train)
        other.run(self.train)
        self.restart_ps()
        chief.run(self.train)
        other.run(self.train)
        self.assertEqual(other.run(self.w), 5.0)
        other.close()
        chief.close()

    def test_a_thread_that_loses_its_server_ends_no_training(self):
        with tf.device("/job:ps/task:0"):
            queue = tf.FIFOQueue(3, [tf.float32], shapes=[[]])
            tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(1.0)]))
            value = queue.dequeue()
        with tf.train.MonitoredTrainingSession(self.worker.target) as sess:
            self.assertEqual(sess.run(value), 1.0)
            self.restart_ps()
            while not sess._coord.should_stop():  # until the thread has heard of it
                pass
            self.assertFalse(sess.should_stop())
            self.assertEqual(sess.run(value), 1.0)

    def test_a_singular_one_is_over(self):
        with self.assertRaises((tf.errors.AbortedError, tf.errors.UnavailableError)):
            with tf.train.SingularMonitoredSession(master=self.worker.target) as sess:
                sess.run(self.train)
                self.restart_ps()
                sess.run(self.train)

    def test_devices_are_listed_and_reset(self):
        with tf.Session(self.worker.target) as sess:
            sess.run(tf.global_variables_initializer())
            devices = sess.list_devices()
            self.assertEqual([device.name for device in devices],
                             ["/job:%s/replica:0/task:0/device:CPU:0" % job for job in ("worker", "ps")])
            self.assertEqual({device.device_type for device in devices}, {"CPU"})
            tf.Session.reset(self.worker.target)
            with self.assertRaises(tf.errors.AbortedError):
                sess.run(self.w)
        with tf.Session(self.worker.target) as sess, self.assertRaises(tf.errors.FailedPreconditionError):
            sess.run(self.w)
        with tf.Session() as sess:
            self.assertEqual([device.device_type for device in sess.list_devices()], ["CPU"])

    def test_a_ps_ends_with_its_workers(self):
        ps, worker = free_addresses(2)
        cluster = {"ps": [ps], "worker": [worker]}
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "no job besides 'ps'"):
            tf.train.Server({"ps": [ps]}, exit_with_workers=True)
        server = tf.train.Server(cluster, job_name="ps", task_index=0, exit_with_workers=True)
        with tf.device("/job:ps/task:0"):
            w = tf.Variable(1.0)
        quick = tf.train.Server(cluster, job_name="worker", task_index=0)
        with tf.Session(quick.target) as sess:
            sess.run(w.initializer)
        quick.stop()
        server.join()  # which returns when the worker has been there, and away for ten seconds


if __name__ == "__main__":
    unittest.main()
