"""Coordinator, LooperThread, QueueRunner and their functions. Expectations are those of TensorFlow's classes, tried with them."""

import sys
import tempfile
import threading
import time
import unittest

from flowray import tf


class CoordinatorTest(unittest.TestCase):
    def test_join_raises_the_first_error(self):
        coord = tf.train.Coordinator()
        told = threading.Event()

        def fails():
            with coord.stop_on_exception():
                raise ValueError("first")

        def fails_later():
            coord.wait_for_stop()
            with coord.stop_on_exception():
                told.set()
                raise ValueError("second")
        threads = [threading.Thread(target=fails), threading.Thread(target=fails_later)]
        for thread in threads:
            thread.start()
        with self.assertRaisesRegex(ValueError, "first"):
            coord.join(threads)
        self.assertTrue(told.is_set() and coord.should_stop() and coord.joined)
        with self.assertRaisesRegex(ValueError, "first"):
            coord.raise_requested_exception()

    def test_the_end_of_the_input_is_no_error(self):
        coord = tf.train.Coordinator()
        coord.request_stop(tf.errors.OutOfRangeError(None, None, "all is read"))
        coord.join([])
        coord.raise_requested_exception()
        coord = tf.train.Coordinator(clean_stop_exception_types=(KeyError,))
        coord.request_stop(KeyError("k"))
        coord.join([])
        with self.assertRaises(ValueError):
            coord.request_stop(ValueError("after the end"))

    def test_it_may_begin_anew(self):
        coord = tf.train.Coordinator()
        coord.request_stop(ValueError("x"))
        with self.assertRaises(ValueError):
            coord.join()
        coord.clear_stop()
        self.assertFalse(coord.should_stop())
        coord.request_stop()
        coord.join()

    def test_exc_info_keeps_its_traceback(self):
        coord = tf.train.Coordinator()
        try:
            raise ZeroDivisionError("here")
        except ZeroDivisionError:
            coord.request_stop(sys.exc_info())
        names = []
        try:
            coord.join()
        except ZeroDivisionError as error:
            frame = error.__traceback__
            while frame is not None:
                names.append(frame.tb_frame.f_code.co_name)
                frame = frame.tb_next
        self.assertEqual(names[-1], "test_exc_info_keeps_its_traceback")
        with self.assertRaises(TypeError):
            coord.request_stop("a word")

    def test_threads_that_go_on_are_told(self):
        coord = tf.train.Coordinator()
        goes_on = threading.Event()
        thread = threading.Thread(target=goes_on.wait, name="stubborn")
        coord.register_thread(thread)
        thread.start()
        coord.request_stop()
        with self.assertRaisesRegex(RuntimeError, "Coordinator stopped with threads still running: stubborn"):
            coord.join(stop_grace_period_secs=0)
        coord.clear_stop()
        coord.request_stop()
        coord.join([thread], stop_grace_period_secs=0, ignore_live_threads=True)
        goes_on.set()
        thread.join()

    def test_a_looper_goes_round_until_the_stop(self):
        coord = tf.train.Coordinator()
        rounds = []

        def once(number, step=1):
            rounds.append(number + step)
            if len(rounds) == 3:
                coord.request_stop()
        for interval in (None, 0.001):
            rounds.clear()
            thread = tf.train.LooperThread.loop(coord, interval, once, args=(1,), kwargs={"step": 2})
            coord.join([thread])
            self.assertEqual(rounds, [3, 3, 3])
            coord.clear_stop()
        with self.assertRaisesRegex(ValueError, "'coord' argument must be a Coordinator"):
            tf.train.LooperThread("coord", 1)
        with self.assertRaisesRegex(ValueError, "require that you also pass 'target'"):
            tf.train.LooperThread(coord, 1, args=(1,))

    def test_an_error_in_a_looper_ends_all(self):
        coord = tf.train.Coordinator()

        class Fails(tf.train.LooperThread):
            def run_loop(self):
                raise KeyError("inside")
        Fails(coord, None).start()
        with self.assertRaises(KeyError):
            coord.join()


class QueueRunnerTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def counted(self, limit):
        """An operation that gives 0, 1, 2, ... up to a limit, and a queue for it."""
        queue = tf.FIFOQueue(3, [tf.int64], shapes=[[]])
        counter = tf.Variable(0, dtype=tf.int64, trainable=False)
        return queue, queue.enqueue(tf.raw_ops.CountUpTo(ref=counter._ref(), limit=limit))

    def test_it_fills_the_queue_and_closes_it(self):
        queue, enqueue = self.counted(10)
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [enqueue]))
        value = queue.dequeue()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess, coord)
            self.assertEqual([thread.daemon for thread in threads], [True, True])
            self.assertEqual([sess.run(value) for _ in range(10)], list(range(10)))
            with self.assertRaises(tf.errors.OutOfRangeError):
                sess.run(value)
            coord.request_stop()
            coord.join(threads)

    def test_threads_that_wait_for_room_end_with_the_coordinator(self):
        queue, enqueue = self.counted(1000)
        runner = tf.train.QueueRunner(queue, [enqueue] * 2)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            coord = tf.train.Coordinator()
            threads = runner.create_threads(sess, coord, start=True)
            self.assertEqual(len(threads), 3)
            self.assertEqual(runner.create_threads(sess, coord), [])  # they run already
            size = queue.size()
            while sess.run(size) < 3:
                pass
            coord.request_stop()
            coord.join(threads)
            self.assertFalse(any(thread.is_alive() for thread in threads))
            self.assertEqual(len(runner.create_threads(sess, coord)), 3)

    def test_errors_reach_the_coordinator_or_the_runner(self):
        queue = tf.FIFOQueue(3, [tf.float32], shapes=[[]])
        enqueue = queue.enqueue(tf.placeholder(tf.float32, []))
        with tf.Session() as sess:
            coord = tf.train.Coordinator()
            tf.train.QueueRunner(queue, [enqueue]).create_threads(sess, coord, start=True)
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "You must feed a value"):
                coord.join()
            alone = tf.train.QueueRunner(queue, [enqueue])
            hook, threading.excepthook = threading.excepthook, lambda arguments: None
            try:
                (thread,) = alone.create_threads(sess, start=True)
                thread.join()
            finally:
                threading.excepthook = hook
            self.assertEqual([type(error) for error in alone.exceptions_raised], [tf.errors.InvalidArgumentError])

    def test_what_it_cannot_work_with_is_refused(self):
        queue, enqueue = self.counted(3)
        for arguments in ((None, [enqueue]), (queue, []), (queue, None)):
            with self.assertRaisesRegex(ValueError, "Must provide queue and enqueue_ops."):
                tf.train.QueueRunner(*arguments)
        for kinds in ((ValueError,), [tf.errors.OutOfRangeError], "x"):
            with self.assertRaisesRegex(TypeError, "must be a tuple of tf.error types"):
                tf.train.QueueRunner(queue, [enqueue], queue_closed_exception_types=kinds)
        with self.assertRaisesRegex(ValueError, "Cannot start queue runners: No default session is registered."):
            tf.train.start_queue_runners()
        with self.assertRaisesRegex(TypeError, "sess must be a `tf.Session` object."):
            tf.train.start_queue_runners("session")

    def test_a_supervisor_starts_them_and_ends_with_their_error(self):
        queue = tf.FIFOQueue(3, [tf.float32], shapes=[[]])
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(tf.placeholder(tf.float32, []))]))
        tf.Variable(1.0)
        supervisor = tf.train.Supervisor()
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "You must feed a value"):
            with supervisor.managed_session():
                supervisor.wait_for_stop()
        self.assertTrue(supervisor.should_stop())

    def test_a_supervisor_leaves_services_that_are_still_running(self):
        queue = tf.FIFOQueue(1, [tf.string], shapes=[[]])  # which nobody fills
        step = tf.train.get_or_create_global_step()
        with tempfile.TemporaryDirectory() as folder:
            supervisor = tf.train.Supervisor(logdir=folder, global_step=step, summary_op=queue.dequeue(), stop_grace_secs=0.5)
            session = supervisor.prepare_or_wait_for_session()
            while not tf.train.latest_checkpoint(folder):
                time.sleep(0.01)
            begin = time.monotonic()
            supervisor.stop(ignore_live_threads=True)
            with self.assertRaisesRegex(RuntimeError, "Coordinator stopped with threads still running: services"):
                supervisor.stop()
            self.assertLess(time.monotonic() - begin, 30)
            session.close()  # ends them
            with self.assertRaises((RuntimeError, tf.errors.OpError)):  # what ended them is told
                supervisor.stop()
            tf.summary.FileWriterCache.clear()


if __name__ == "__main__":
    unittest.main()
