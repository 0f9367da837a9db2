"""tf.train.Saver and tf.summary of TensorFlow's own client, on `flowray server` and on its local session."""

import os
import tempfile
import unittest

from tensorflow_client import ServerTest, np, tf


class CheckpointTest(ServerTest):
    resources = False

    def setUp(self):
        super().setUp()
        (tf.enable_resource_variables if self.resources else tf.disable_resource_variables)()
        self.addCleanup(tf.disable_resource_variables)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def targets(self):
        """From where to where: ours to ours, and across in both directions."""
        return [(self.server.target, self.server.target), (self.server.target, ""), ("", self.server.target)]

    def variables(self):
        kinds = {
            "matrix": np.arange(6, dtype=np.float32).reshape(2, 3),
            "double": np.float64(0.1),
            "whole": np.array([2**40, -1]),
            "yes": np.array([True, False]),
            "words": np.array([b"a", b"", b"longer than a word"], object),
            "none": np.zeros((0, 4), np.float32),
        }
        return {name: (tf.Variable(value, name=name), value) for name, value in kinds.items()}

    def test_saver(self):
        variables = self.variables()
        init = tf.global_variables_initializer()
        change = [v.assign(tf.zeros_like(v)) for v, value in variables.values() if value.dtype != object]
        saver = tf.train.Saver()
        for i, (first, second) in enumerate(self.targets()):
            with tf.Session(first) as session:
                session.run(init)
                path = saver.save(session, f"{self.folder}/{i}/model", global_step=3)
            self.assertEqual(path, f"{self.folder}/{i}/model-3")
            self.assertEqual(tf.train.latest_checkpoint(f"{self.folder}/{i}"), path)
            with tf.Session(second) as session:
                session.run(init)
                session.run(change)
                saver.restore(session, path)
                for variable, value in variables.values():
                    np.testing.assert_array_equal(session.run(variable), value)

    def test_restoring_initialises(self):
        v = tf.Variable([1.0, 2.0], name="v")
        saver = tf.train.Saver({"other/name": v})
        with tf.Session() as session:
            session.run(v.initializer)
            path = saver.save(session, self.folder + "/model")
        with tf.Session(self.server.target) as session:
            self.assertEqual(list(session.run(tf.report_uninitialized_variables())), [b"v"])
            saver.restore(session, path)
            self.assertEqual(list(session.run(v)), [1.0, 2.0])
            self.assertEqual(len(session.run(tf.report_uninitialized_variables())), 0)

    def test_partitioned_variables(self):
        def build(parts):
            tf.reset_default_graph()
            tf.Session.reset(self.server.target)  # whose variables of the same names have other shapes
            v = tf.get_variable("part", [5, 4], initializer=tf.random_normal_initializer(),
                                partitioner=tf.fixed_size_partitioner(parts))
            return tf.convert_to_tensor(v), tf.train.Saver(), tf.global_variables_initializer()

        for i, (first, second) in enumerate(self.targets()):
            v, saver, init = build(3)
            with tf.Session(first) as session:
                session.run(init)
                value, path = session.run(v), saver.save(session, f"{self.folder}/{i}")
            for parts in (3, 2, 1):
                v, saver, init = build(parts)
                with tf.Session(second) as session:
                    saver.restore(session, path)
                    np.testing.assert_array_equal(session.run(v), value)

    def test_training_goes_on(self):
        x = tf.constant(np.linspace(0, 1, 20, dtype=np.float32))
        w, b = tf.Variable(0.0), tf.Variable(0.0)
        step = tf.train.get_or_create_global_step()
        loss = tf.reduce_mean(tf.square(w * x + b - (0.5 * x + 1)))
        train = tf.train.AdamOptimizer(0.1).minimize(loss, global_step=step)
        saver, init = tf.train.Saver(max_to_keep=2), tf.global_variables_initializer()
        with tf.Session() as session:
            session.run(init)
            for _ in range(20):
                session.run(train)
            expected = session.run([w, b, step])
        with tf.Session(self.server.target) as session:
            session.run(init)
            for i in range(10):
                session.run(train)
                path = saver.save(session, self.folder + "/model", global_step=step)
        self.assertEqual(len([f for f in os.listdir(self.folder) if f.endswith(".index")]), 2)
        with tf.Session(self.server.target) as session:
            session.run(init)
            saver.restore(session, path)
            for _ in range(10):
                session.run(train)
            np.testing.assert_allclose(session.run([w, b, step]), expected, rtol=1e-5)

    def test_errors(self):
        v = tf.Variable([1.0, 2.0], name="v")
        init, saver = tf.global_variables_initializer(), tf.train.Saver()
        for target in (self.server.target, ""):
            with tf.Session(target) as session:
                with self.assertRaisesRegex(tf.errors.FailedPreconditionError, "uninitialized|Could not find variable"):
                    saver.save(session, self.folder + "/model")
                session.run(init)
                path = saver.save(session, self.folder + "/model")
                with self.assertRaisesRegex(ValueError, "not a valid checkpoint"):
                    saver.restore(session, self.folder + "/none")
                other = tf.train.Saver({"w": v})
                with self.assertRaisesRegex(tf.errors.NotFoundError, "Key w not found in checkpoint"):
                    other.restore(session, path)
        if self.resources:
            return  # they take the shape of what is restored
        tf.reset_default_graph()
        v = tf.Variable([1.0, 2.0, 3.0], name="v")
        saver = tf.train.Saver()
        for target in (self.server.target, ""):
            tf.Session.reset(self.server.target)
            with tf.Session(target) as session:
                session.run(v.initializer)
                with self.assertRaisesRegex(tf.errors.InvalidArgumentError, r"shapes? .*\[3\].*\[2\]"):
                    saver.restore(session, path)


class ResourceCheckpointTest(CheckpointTest):
    resources = True


if __name__ == "__main__":
    unittest.main()
