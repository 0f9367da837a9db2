"""Programs that write logs for TensorBoard: summaries of a session of the server are those of the local session."""

import glob
import os
import tempfile
import unittest

from tensorflow_client import ServerTest, np, tf


def events_in(folder):
    (path,) = glob.glob(os.path.join(folder, "events.out.tfevents.*"))
    return list(tf.train.summary_iterator(path))


class SummariesTest(ServerTest):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def assert_same_summary(self, summary, feed=None):
        expected, ours = (tf.Summary.FromString(found) for found in self.both(lambda s: s.run(summary, feed)))
        self.assertEqual(str(expected), str(ours))
        return ours

    def test_scalars(self):
        ours = self.assert_same_summary(tf.summary.scalar("loss", tf.constant(0.5)))
        self.assertEqual([(value.tag, value.simple_value) for value in ours.value], [("loss", 0.5)])
        with tf.name_scope("train"):
            self.assert_same_summary(tf.summary.scalar("loss", tf.constant(3, tf.int32)))

    def test_histograms(self):
        rng = np.random.RandomState(0)
        x = tf.placeholder(tf.float32)
        summary = tf.summary.histogram("weights", x)
        for values in (rng.randn(1000), [1.0], [0.0, 0.0], [-1e-13, 1e25, -3.0], np.zeros([0])):
            with self.subTest(values=str(values)[:30]):
                self.assert_same_summary(summary, {x: values})

    def test_images(self):
        rng = np.random.RandomState(0)
        for channels in (1, 3, 4):
            with self.subTest(channels=channels):
                self.assert_same_summary(tf.summary.image("images", tf.constant(rng.rand(5, 8, 6, channels), tf.float32), max_outputs=2))

    def test_audio(self):
        wave = np.sin(np.arange(400).reshape(2, 200, 1) / 10)
        self.assert_same_summary(tf.summary.audio("sound", tf.constant(wave, tf.float32), 8000.0, max_outputs=1))

    def test_text(self):
        self.assert_same_summary(tf.summary.text("notes", tf.constant("some *words*")))

    def test_merged(self):
        tf.summary.scalar("a", tf.constant(1.0))
        tf.summary.histogram("b", tf.constant([1.0, 2.0, 3.0]))
        tf.summary.scalar("c", tf.constant(-1.0))
        self.assertEqual(len(self.assert_same_summary(tf.summary.merge_all()).value), 3)

    def regression_with_a_log(self, target, folder, resource):
        """A line that is found point by point, with the histogram of what is predicted and the loss after each round."""
        rng = np.random.RandomState(1)
        xs = np.linspace(-1, 1, 20)
        ys = 2 * xs + rng.randn(20) * 0.3
        with tf.Graph().as_default() as graph:
            tf.set_random_seed(3)
            x, y = tf.placeholder("float"), tf.placeholder("float")
            w = tf.Variable(tf.random_normal([1]), name="weight", use_resource=resource)
            b = tf.Variable(tf.zeros([1]), name="bias", use_resource=resource)
            z = tf.multiply(x, w) + b
            tf.summary.histogram("z", z)
            cost = tf.reduce_mean(tf.square(y - z))
            tf.summary.scalar("loss_function", cost)
            train = tf.train.GradientDescentOptimizer(0.01).minimize(cost)
            merged = tf.summary.merge_all()
            with tf.Session(target) as session:
                session.run(tf.global_variables_initializer())
                writer = tf.summary.FileWriter(folder, graph)
                for epoch in range(5):
                    for fed in zip(xs, ys):
                        session.run(train, dict(zip((x, y), fed)))
                    writer.add_summary(session.run(merged, dict(zip((x, y), fed))), epoch)
                writer.close()
                session.run(tf.constant(0))
                return session.run([w, b, cost], {x: xs, y: ys})

    def test_a_program_with_a_log(self):
        self.need("MergeSummary", "ScalarSummary", "HistogramSummary")
        for resource in (False, True):
            with self.subTest(resource=resource):
                tf.Session.reset(self.server.target)
                folders = [os.path.join(self.folder, f"{name}{resource}") for name in ("local", "ours")]
                results = [self.regression_with_a_log(target, folder, resource) for target, folder in zip(("", self.server.target), folders)]
                self.assert_close(*results, 1e-5)
                local, ours = (events_in(folder) for folder in folders)
                self.assertEqual([e.WhichOneof("what") for e in local], [e.WhichOneof("what") for e in ours])
                self.assertEqual([e.WhichOneof("what") for e in ours],
                                 ["file_version", "graph_def", "meta_graph_def"] + ["summary"] * 5)
                for expected, found in zip(local[3:], ours[3:]):
                    self.assertEqual(expected.step, found.step)
                    for one, other in zip(expected.summary.value, found.summary.value, strict=True):
                        self.assertEqual(one.tag, other.tag)
                        self.assertAlmostEqual(one.simple_value, other.simple_value, 5)
                        self.assertEqual(one.histo.num, other.histo.num)

    def supervised(self, target, folder):
        """Training that a Supervisor looks after: it initialises, saves, and takes up again where an earlier one stopped."""
        xs = np.linspace(-1, 1, 20).astype(np.float32)
        with tf.Graph().as_default():
            x, y = tf.placeholder("float"), tf.placeholder("float")
            w, b = tf.Variable(0.5, name="weight"), tf.Variable(0.0, name="bias")
            loss = tf.square(y - tf.multiply(x, w) - b)
            global_step = tf.Variable(0, name="global_step", trainable=False)
            train = tf.train.AdagradOptimizer(0.1).minimize(loss, global_step=global_step)
            tf.summary.scalar("loss", tf.reduce_mean(loss))
            # No saves of the supervisor's own: on a busy machine its first one may end after, and stand for, the one below.
            supervisor = tf.train.Supervisor(logdir=folder, init_op=tf.global_variables_initializer(), summary_op=None,
                                             saver=tf.train.Saver(), global_step=global_step, save_model_secs=0)
            with supervisor.managed_session(target) as session:
                for value in xs:
                    if supervisor.should_stop():
                        break
                    session.run(train, {x: value, y: 2 * value + 10})
                supervisor.saver.save(session, os.path.join(folder, "model"), global_step=global_step)
                result = session.run([global_step, w, b])
            supervisor.stop()
            return result

    def test_supervisor(self):
        self.need("SaveV2", "RestoreV2", "ScalarSummary", "Where", "IsVariableInitialized", "ListDiff")
        for round_ in (1, 2):
            local = self.supervised("", os.path.join(self.folder, "local"))
            ours = self.supervised(self.server.target, os.path.join(self.folder, "ours"))
            self.assertEqual(ours[0], 20 * round_)
            self.assert_close(local, ours, 1e-5)
            tf.Session.reset(self.server.target)

    def monitored(self, target, folder):
        with tf.Graph().as_default():
            w = tf.Variable(4.0)
            loss = tf.square(w - 1.0)
            step = tf.train.get_or_create_global_step()
            train = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
            tf.summary.scalar("loss", loss)
            hooks = [tf.train.StopAtStepHook(last_step=25)]
            with tf.train.MonitoredTrainingSession(target, checkpoint_dir=folder, hooks=hooks, save_summaries_steps=5, log_step_count_steps=None) as session:
                while not session.should_stop():
                    value = session.run([train, loss])[1]
            return value

    def test_monitored_training_session(self):
        self.need("SaveV2", "RestoreV2", "ScalarSummary", "Where", "VarIsInitializedOp")
        local, ours = (self.monitored(target, os.path.join(self.folder, name)) for target, name in (("", "local"), (self.server.target, "ours")))
        self.assert_close(local, ours)
        # When a summary is written depends on the step that is read beside the training, which is not ordered.
        steps = [e.step for e in events_in(os.path.join(self.folder, "ours")) if e.WhichOneof("what") == "summary"]
        self.assertGreaterEqual(len(steps), 5)


if __name__ == "__main__":
    unittest.main()
