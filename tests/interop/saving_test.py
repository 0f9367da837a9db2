"""Checkpoints: what a session of the server has saved a local session restores, and the other way round."""

import os
import tempfile
import unittest

from tensorflow_client import ServerTest, np, resource_variables, tf


class SavingTest(ServerTest):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def variables(self):
        rng = np.random.RandomState(0)
        return [
            tf.Variable(rng.randn(7, 5).astype(np.float32), name="weights"),
            tf.Variable(rng.randn(3), name="of_doubles"),
            tf.Variable(3, name="step", trainable=False),
            tf.Variable([True, False], name="flags"),
            tf.Variable(np.zeros([0, 4], np.int64), name="empty"),
            tf.Variable(rng.randn(2, 2).astype(np.float16), name="of_halves"),
            tf.Variable(2.5, name="scope/scalar"),
        ]

    def assert_moves(self, source, destination, **options):
        """Variables that are saved in one session, changed, and restored in another one's session, are those saved."""
        variables = self.variables()
        saver = tf.train.Saver(**options)
        init = tf.global_variables_initializer()
        changes = [tf.assign(variables[0], variables[0] + 1.0), tf.assign(variables[2], variables[2] + 4)]
        with tf.Session(source) as session:
            session.run(init)
            session.run(changes)
            path = saver.save(session, os.path.join(self.folder, "model.ckpt"), global_step=7)
            saved = session.run(variables)
        self.assertTrue(path.endswith("model.ckpt-7"))
        self.assertEqual(tf.train.latest_checkpoint(self.folder), path)
        with tf.Session(destination) as session:
            session.run(init)
            self.assertEqual(session.run(variables[2]), 3)
            saver.restore(session, path)
            self.assert_close(saved, session.run(variables), 0)
        self.assertEqual(saved[2], 7)
        self.assert_close(saved, [tf.train.load_checkpoint(path).get_tensor(v.op.name) for v in variables], 0)

    def test_ours_to_ours(self):
        self.assert_moves(self.server.target, self.server.target)

    def test_ours_to_local(self):
        self.assert_moves(self.server.target, "")

    def test_local_to_ours(self):
        self.assert_moves("", self.server.target)

    def test_resource_variables(self):
        with resource_variables():
            for source, destination in ((self.server.target, ""), ("", self.server.target)):
                with self.subTest(source=source or "local"):
                    tf.reset_default_graph()
                    self.assert_moves(source, destination)

    def test_sharded(self):
        for source, destination in ((self.server.target, ""), ("", self.server.target)):
            with self.subTest(source=source or "local"):
                tf.reset_default_graph()
                self.assert_moves(source, destination, sharded=True)

    def test_the_same_bytes(self):
        """One file for the values and one for their places, equal to those that TensorFlow writes."""
        self.variables()
        saver = tf.train.Saver()
        init = tf.global_variables_initializer()
        files = []
        for i, target in enumerate(("", self.server.target)):
            with tf.Session(target) as session:
                session.run(init)
                path = saver.save(session, os.path.join(self.folder, str(i), "model"), write_meta_graph=False)
            with open(path + ".index", "rb") as index, open(path + ".data-00000-of-00001", "rb") as data:
                files.append((index.read(), data.read()))
        self.assertEqual(files[0][1], files[1][1])
        self.assertEqual(files[0][0], files[1][0])

    def test_some_variables_under_other_names(self):
        one, two = tf.Variable([1.0, 2.0], name="one"), tf.Variable([3.0], name="two")
        saver = tf.train.Saver({"first": one})
        init = tf.global_variables_initializer()
        path = os.path.join(self.folder, "some")
        with self.session() as session:
            session.run(init)
            saver.save(session, path)
            session.run([tf.assign(one, [0.0, 0.0]), tf.assign(two, [5.0])])
            saver.restore(session, path)
            np.testing.assert_array_equal(session.run(one), [1, 2])
            np.testing.assert_array_equal(session.run(two), [5])
        self.assertEqual(tf.train.load_checkpoint(path).get_variable_to_shape_map(), {"first": [2]})

    def test_training_goes_on_where_it_stopped(self):
        x = np.linspace(-1, 1, 50).astype(np.float32)
        w, b = tf.Variable(0.0), tf.Variable(0.0)
        loss = tf.reduce_mean(tf.square(w * x + b - (2 * x + 0.5)))
        step = tf.train.get_or_create_global_step()
        train = tf.train.AdamOptimizer(0.05).minimize(loss, step)
        saver = tf.train.Saver(max_to_keep=2)
        init = tf.global_variables_initializer()

        def train_for(session, steps):
            for _ in range(steps):
                session.run(train)
            return saver.save(session, os.path.join(self.folder, "run"), step)

        with self.session() as session:
            session.run(init)
            train_for(session, 50)
        tf.Session.reset(self.server.target)
        with self.session() as session:
            saver.restore(session, tf.train.latest_checkpoint(self.folder))
            train_for(session, 50)
            ours = session.run([step, w, b])
        with tf.Session() as session:
            session.run(init)
            for _ in range(100):
                session.run(train)
            self.assert_close(session.run([step, w, b]), ours, 1e-5)

    def test_a_graph_from_its_file(self):
        """The program that restores has no line of the program that has saved but the name of its file."""
        x = tf.placeholder(tf.float32, [None], name="x")
        scale = tf.Variable(3.0, name="scale")
        tf.multiply(x, scale, name="y")
        path = os.path.join(self.folder, "model")
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            tf.train.Saver().save(session, path)
        tf.Session.reset(self.server.target)
        with tf.Graph().as_default() as graph, self.session(graph) as session:
            tf.train.import_meta_graph(path + ".meta").restore(session, path)
            np.testing.assert_array_equal(session.run("y:0", {"x:0": [1, 2]}), [3, 6])

    def test_errors(self):
        self.need("SaveV2", "RestoreV2")
        variable = tf.Variable([1.0, 2.0], name="v")
        saver = tf.train.Saver()
        with self.session() as session:
            error = self.raised(lambda: session.run(saver.saver_def.restore_op_name, {saver.saver_def.filename_tensor_name: self.folder + "/none"}))
            self.assertIsInstance(error, tf.errors.NotFoundError)
            self.assertIn("Failed to find any matching files for", error.message)
            session.run(variable.initializer)
            saver.save(session, self.folder + "/v")
        tf.reset_default_graph()
        tf.Variable([1.0, 2.0], name="other")
        saver = tf.train.Saver()

        def restored(session):
            return self.raised(lambda: session.run(saver.saver_def.restore_op_name, {saver.saver_def.filename_tensor_name: self.folder + "/v"}))

        with self.session() as ours, tf.Session() as local:
            for error in (restored(local), restored(ours)):
                self.assertIsInstance(error, tf.errors.NotFoundError)
                self.assertIn("Key other not found in checkpoint", error.message)
                self.assertEqual(error.op.name, "save/RestoreV2")


if __name__ == "__main__":
    unittest.main()
