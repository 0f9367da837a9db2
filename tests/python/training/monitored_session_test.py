"""Monitored sessions and their hooks. Expectations are those of TensorFlow's classes, tried with them."""

import contextlib
import io
import json
import logging
import os
import tempfile
import unittest
from unittest import mock

import numpy as np

from flowray import tf
from flowray.tf import _sync_replicas


class Recorder(tf.train.SessionRunHook):
    """Writes down what is called."""

    def __init__(self, fetches=None):
        self.calls, self.fetches = [], fetches

    def begin(self):
        self.calls.append("begin")

    def after_create_session(self, session, coord):
        self.calls.append("created")

    def before_run(self, run_context):
        self.calls.append("before")
        return tf.train.SessionRunArgs(self.fetches) if self.fetches is not None else None

    def after_run(self, run_context, run_values):
        self.calls.append(("after", run_values.results))

    def end(self, session):
        self.calls.append("end")


class MonitoredSessionTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        self.step = tf.train.get_or_create_global_step()
        self.w = tf.get_variable("w", initializer=1.0)
        self.train = tf.group(tf.assign_add(self.step, 1), tf.assign_add(self.w, 2.0))

    def test_hooks_see_each_step(self):
        first, second = Recorder(), Recorder({"doubled": self.w * 2})
        with tf.train.MonitoredSession(hooks=[first, second]) as sess:
            self.assertFalse(sess.should_stop())
            self.assertEqual(sess.run(self.w), 1.0)
            self.assertIsNone(sess.run(self.train))
        self.assertEqual(first.calls, ["begin", "created", "before", ("after", None), "before", ("after", None), "end"])
        self.assertEqual(second.calls[3], ("after", {"doubled": 2.0}))
        self.assertTrue(sess.should_stop())
        with self.assertRaises((RuntimeError, AttributeError)):
            sess.run(self.w)

    def test_steps_a_second_are_told_of_where_checkpoints_are(self):
        with tempfile.TemporaryDirectory() as folder:
            with tf.train.MonitoredTrainingSession(checkpoint_dir=folder, log_step_count_steps=10) as sess:
                for _ in range(25):
                    sess.run(self.train)
            events = [name for name in os.listdir(folder) if "tfevents" in name]
            tags = [(event.step, value.tag) for name in events for event in tf.train.summary_iterator(os.path.join(folder, name))
                    for value in event.summary.value]
        self.assertEqual(tags, [(11, "global_step/sec"), (21, "global_step/sec")])

    def test_checkpoints_go_without_their_graph_where_none_is_wanted(self):
        with tempfile.TemporaryDirectory() as folder:
            hook = tf.train.CheckpointSaverHook(folder, save_steps=1000, saver=tf.train.Saver(), save_graph_def=False)
            with tf.train.MonitoredSession(hooks=[hook]) as sess:
                sess.run(self.train)
            names = sorted(os.listdir(folder))
        self.assertIn("model.ckpt-1.index", names)
        self.assertEqual([name for name in names if name.endswith((".meta", ".pbtxt"))], [])

    def test_it_stops_at_the_step(self):
        for arguments, steps in (({"last_step": 3}, 3), ({"num_steps": 2}, 2)):
            with tf.train.MonitoredTrainingSession(hooks=[tf.train.StopAtStepHook(**arguments)]) as sess:
                count = 0
                while not sess.should_stop():
                    sess.run(self.train)
                    count += 1
                with self.assertRaisesRegex(RuntimeError, "Run called even after should_stop requested."):
                    sess.run(self.train)
            self.assertEqual(count, steps)
        for arguments in ({}, {"num_steps": 1, "last_step": 1}):
            with self.assertRaises(ValueError):
                tf.train.StopAtStepHook(**arguments)

    def test_it_goes_on_from_the_checkpoint(self):
        with tempfile.TemporaryDirectory() as folder:
            tf.summary.scalar("w", self.w)
            saver = tf.train.Saver()  # before the graph is closed
            for begins, ends in ((1.0, 7.0), (7.0, 13.0)):
                with tf.train.MonitoredTrainingSession(checkpoint_dir=folder, save_checkpoint_steps=2, save_summaries_steps=1,
                                                       hooks=[tf.train.StopAtStepHook(num_steps=3)]) as sess:
                    self.assertEqual(sess.run(self.w), begins)
                    while not sess.should_stop():
                        sess.run(self.train)
                with tf.Session() as raw:
                    path = tf.train.latest_checkpoint(folder)
                    saver.restore(raw, path)
                    self.assertEqual(raw.run(self.w), ends)
            self.assertEqual(os.path.basename(path), "model.ckpt-6")
            self.assertEqual(len([name for name in os.listdir(folder) if name.startswith("events.out")]), 1)
            tf.summary.FileWriterCache.clear()

    def test_summaries_are_written_every_so_many_steps(self):
        with tempfile.TemporaryDirectory() as folder:
            tf.summary.scalar("seven", 7.0)
            with tf.train.MonitoredTrainingSession(checkpoint_dir=folder, save_summaries_steps=2, save_checkpoint_steps=100,
                                                   log_step_count_steps=2, hooks=[tf.train.StopAtStepHook(num_steps=5)]) as sess:
                while not sess.should_stop():
                    sess.run(self.train)
            tf.summary.FileWriterCache.clear()
            written = [(event.step, value.tag, value.simple_value) for name in sorted(os.listdir(folder)) if name.startswith("events.out")
                       for event in tf.train.summary_iterator(os.path.join(folder, name)) for value in event.summary.value]
        self.assertEqual([(step, value) for step, tag, value in written if tag == "seven"], [(1, 7.0), (3, 7.0), (5, 7.0)])
        speeds = [(step, value > 0) for step, tag, value in written if tag == "global_step/sec"]
        self.assertEqual(speeds, [(3, True), (5, True)])

    def test_listeners_hear_of_checkpoints_and_end_the_training(self):
        calls = []

        class Listener(tf.train.CheckpointSaverListener):
            def begin(self):
                calls.append("begin")

            def before_save(self, session, global_step_value):
                calls.append(("before", global_step_value))

            def after_save(self, session, global_step_value):
                calls.append(("after", global_step_value))
                return global_step_value >= 4

            def end(self, session, global_step_value):
                calls.append(("end", global_step_value))

        with tempfile.TemporaryDirectory() as folder:
            hook = tf.train.CheckpointSaverHook(folder, save_steps=2, saver=tf.train.Saver(), listeners=[Listener()])
            with tf.train.MonitoredSession(hooks=[hook]) as sess:
                count = 0
                while not sess.should_stop():
                    sess.run(self.train)
                    count += 1
            tf.summary.FileWriterCache.clear()
            events = [event for name in os.listdir(folder) if name.startswith("events.out")
                      for event in tf.train.summary_iterator(os.path.join(folder, name))]
        self.assertEqual(count, 4)
        self.assertEqual(calls, ["begin"] + [(what, step) for step in (0, 2, 4) for what in ("before", "after")] + [("end", 4)])
        logs = [event.session_log for event in events if event.HasField("session_log")]
        self.assertEqual([log.status for log in logs], [tf.SessionLog.CHECKPOINT] * 3)
        self.assertEqual(os.path.basename(logs[1].checkpoint_path), "model.ckpt-2")

    def test_steps_are_traced(self):
        with tempfile.TemporaryDirectory() as folder:
            with tf.train.MonitoredSession(hooks=[tf.train.ProfilerHook(save_steps=2, output_dir=folder)]) as sess:
                for _ in range(5):
                    sess.run(self.train)
            tf.summary.FileWriterCache.clear()
            self.assertEqual(sorted(name for name in os.listdir(folder) if name.startswith("timeline")),
                             ["timeline-2.json", "timeline-4.json"])
            with open(os.path.join(folder, "timeline-2.json")) as file:
                self.assertTrue(json.load(file)["traceEvents"])

    def test_a_first_step_waits_for_others(self):
        hook = tf.train.GlobalStepWaiterHook(2, max_wait_secs=0.1)
        with tf.train.SingularMonitoredSession(hooks=[hook]) as sess, contextlib.redirect_stderr(io.StringIO()) as said:
            with self.assertRaisesRegex(tf.errors.DeadlineExceededError, "^The global step was 0 after waiting 0.1 secs for step 2."):
                sess.run(self.train)
            self.assertEqual(said.getvalue(), "flowray: Waiting for global step 2 before starting training. Current step is 0.\n")
            sess.raw_session().run(self.train)
            sess.raw_session().run(self.train)
            sess.run(self.train)
            self.assertEqual(sess.run(self.step), 3)

    def test_it_says_that_no_session_can_be_made(self):
        class Creator(tf.train.SessionCreator):
            times = 0

            def create_session(self):
                self.times += 1
                if self.times < 3:
                    raise tf.errors.UnavailableError(None, None, "no ps")
                return tf.Session()

        creator = Creator()
        with contextlib.redirect_stderr(io.StringIO()) as said:
            tf.train.MonitoredSession(creator).close()
        self.assertEqual(creator.times, 3)
        self.assertEqual(said.getvalue(), "flowray: a session could not be made and is made again: no ps\n")  # once in ten seconds

    def test_no_graph_is_written_where_nobody_wants_it(self):
        for wanted in (True, False):
            with tempfile.TemporaryDirectory() as folder:
                with tf.train.MonitoredTrainingSession(checkpoint_dir=folder, save_graph_def=wanted) as sess:
                    sess.run(self.train)
                self.assertEqual(os.path.exists(os.path.join(folder, "graph.pbtxt")), wanted)
                tf.summary.FileWriterCache.clear()

    def test_tables_are_filled(self):
        filled = tf.Variable(0, trainable=False)
        tf.add_to_collection(tf.GraphKeys.TABLE_INITIALIZERS, tf.assign(filled, 7).op)
        with tf.train.MonitoredSession() as sess:
            self.assertEqual(sess.run(filled), 7)

    def test_a_replica_says_that_it_waits_for_its_token(self):
        optimizer = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.1), replicas_to_aggregate=1)
        hook = optimizer.make_session_run_hook(False)
        with mock.patch.object(_sync_replicas, "_WORDS_EVERY_S", 0), contextlib.redirect_stderr(io.StringIO()) as said:
            hook._say_who_is_waited_for()
            self.assertEqual(said.getvalue(), "")
            hook.before_run(None)
            hook._say_who_is_waited_for()
            hook.after_run(None, None)
            hook._say_who_is_waited_for()
        self.assertRegex(said.getvalue(), "^flowray: still waiting for the step's token: the chief .*\n$")

    def test_it_closes_its_graph(self):
        with tf.train.MonitoredTrainingSession() as sess:
            self.assertTrue(sess.graph.finalized)
            with self.assertRaisesRegex(RuntimeError, "^Graph is finalized and cannot be modified."):
                tf.constant(1.0)

    def test_weights_are_found_before_the_graph_is_closed(self):
        from flowray import ray
        variables = ray.experimental.TensorFlowVariables(self.w)
        with tf.train.SingularMonitoredSession() as sess:
            with self.assertRaisesRegex(RuntimeError, "^Graph is finalized and cannot be modified."):
                ray.experimental.TensorFlowVariables(self.w)
            variables.set_session(sess.raw_session())
            variables.set_flat([5.0])
            self.assertEqual(sess.run(self.w), 5.0)

    def test_the_end_of_the_input_ends_it_without_an_error(self):
        recorder = Recorder()
        with tf.train.MonitoredSession(hooks=[recorder]):
            raise tf.errors.OutOfRangeError(None, None, "all is read")
        self.assertEqual(recorder.calls[-1], "end")
        with self.assertRaises(KeyError), tf.train.MonitoredSession(hooks=[recorder]):
            raise KeyError
        self.assertEqual(recorder.calls[-1], "created")  # no end after an error

    def test_queue_runners_end_with_it(self):
        queue = tf.FIFOQueue(3, [tf.float32], shapes=[[]])
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(1.0)] * 2))
        value = queue.dequeue()
        with tf.train.MonitoredSession() as sess:
            self.assertEqual([sess.run(value) for _ in range(10)], [1.0] * 10)

    def test_an_error_of_a_queue_runner_is_told(self):
        queue = tf.FIFOQueue(3, [tf.float32], shapes=[[]])
        bad = tf.placeholder(tf.float32, [], name="bad")
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(bad)]))
        value = queue.dequeue()
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "'bad'"):
            with tf.train.MonitoredSession() as sess:
                sess.run(value)

    def test_hooks_feed(self):
        x = tf.placeholder(tf.float32, [])
        y = x + 1
        feeds = tf.train.FeedFnHook(lambda: {x: 5.0})
        with tf.train.MonitoredSession(hooks=[feeds]) as sess:
            self.assertEqual(sess.run(y), 6.0)
            with self.assertRaisesRegex(RuntimeError, "Same tensor is fed by"):
                sess.run(y, feed_dict={x: 1.0})
        with self.assertRaisesRegex(RuntimeError, "Same tensor is fed by two hooks."):
            with tf.train.MonitoredSession(hooks=[feeds, tf.train.FeedFnHook(lambda: {x: 6.0})]) as sess:
                sess.run(x)

    def test_a_loss_that_is_no_number_ends_it(self):
        loss = tf.constant(np.nan)
        with self.assertRaises(tf.train.NanLossDuringTrainingError):
            with tf.train.MonitoredSession(hooks=[tf.train.NanTensorHook(loss)]) as sess:
                sess.run(self.train)
        with tf.train.MonitoredSession(hooks=[tf.train.NanTensorHook(loss, fail_on_nan_loss=False)]) as sess:
            sess.run(self.train)
            self.assertTrue(sess.should_stop())

    def test_hooks_tell_and_give_values(self):
        final = tf.train.FinalOpsHook(self.w * 10)
        logger = logging.getLogger("tensorflow")
        tf.logging.set_verbosity(tf.logging.INFO)
        self.addCleanup(tf.logging.set_verbosity, tf.logging.ERROR)
        with self.assertLogs(logger, "INFO") as told:
            hook = tf.train.LoggingTensorHook({"w": self.w}, every_n_iter=2)
            with tf.train.MonitoredSession(hooks=[hook, final]) as sess:
                for _ in range(3):
                    sess.run(self.train)
        lines = [record.getMessage() for record in told.records if record.getMessage().startswith("w = ")]
        self.assertEqual(len(lines), 2)
        self.assertEqual(final.final_ops_values, 70.0)

    def test_what_nobody_initialises_is_told(self):
        scaffold = tf.train.Scaffold(init_op=tf.no_op())
        with self.assertRaisesRegex(RuntimeError, "Init operations did not make model ready"):
            tf.train.MonitoredSession(tf.train.ChiefSessionCreator(scaffold))

    def test_a_scaffold_says_how_it_begins(self):
        ran = []
        scaffold = tf.train.Scaffold(init_fn=lambda scaffold, session: ran.append(session.run(self.w)))
        with tf.train.MonitoredTrainingSession(scaffold=scaffold) as sess:
            sess.run(self.train)
        self.assertEqual(ran, [1.0])

    def test_a_function_of_a_step_runs_without_hooks(self):
        recorder = Recorder()

        def step(step_context):
            value = step_context.session.run(self.w)
            step_context.run_with_hooks(self.train)
            return value
        with tf.train.SingularMonitoredSession(hooks=[recorder]) as sess:
            self.assertEqual(sess.run_step_fn(step), 1.0)
            self.assertEqual(recorder.calls.count("before"), 1)
            sess.run_step_fn(lambda step_context: step_context.request_stop())
            self.assertTrue(sess.should_stop())
            self.assertIsNotNone(sess.raw_session())
            with self.assertRaisesRegex(ValueError, "`step_fn` may either have one `step_context` argument"):
                sess.run_step_fn(lambda context: None)


if __name__ == "__main__":
    unittest.main()
