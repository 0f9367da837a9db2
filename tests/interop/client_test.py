"""What each call of the client does: sessions, steps, callables, devices, errors."""

import unittest

from tensorflow_client import ServerTest, np, tf


class ClientTest(ServerTest):
    def test_variable_on_a_worker(self):
        with tf.device("/job:local/task:0"), tf.device("/cpu:0"):
            a = tf.constant([1.5, 6.0], name="a")
            b = tf.Variable([1.5, 3.2], name="b")
            c = (a * b) + (a / b)
            y = tf.assign(b, c * a)
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            np.testing.assert_allclose(session.run(y), [4.875, 126.450005], rtol=1e-6)

    def test_feeds_and_fetches(self):
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        y = tf.identity(x * 2 + 1, name="y")
        self.assert_same(lambda s: s.run([y, x, y], {x: [[1, 2], [3, 4], [5, 6]]}))
        self.assert_same(lambda s: s.run(y, {x: np.zeros((0, 2))}))
        self.assert_same(lambda s: s.run(tf.reduce_sum(x), {x: np.ones((1 << 20, 2))}))

    def test_strings(self):
        words = tf.placeholder(tf.string, [None])
        with self.session() as session:
            fed = [b"", b"hello", b"\x00\xff", "ü".encode() * 1000]
            self.assertEqual(list(session.run(tf.identity(words), {words: fed})), fed)

    def test_linear_regression(self):
        x = np.arange(100) / 100.0
        w = tf.Variable([-0.5])
        b = tf.Variable([0.0])
        loss = tf.reduce_mean(tf.square(w * tf.constant(x, tf.float32) + b - tf.constant(0.1 * x + 0.3, tf.float32)))
        train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
        init = tf.global_variables_initializer()

        def program(session):
            session.run(init)
            for _ in range(100):
                session.run(train)
            return session.run([w, b, loss])

        self.assert_same(program)

    def test_convolutional_network(self):
        rng = np.random.RandomState(0)
        images, labels = rng.rand(50, 28, 28, 1).astype(np.float32), np.eye(10, dtype=np.float32)[rng.randint(10, size=50)]
        x, y = tf.placeholder(tf.float32, [None, 28, 28, 1]), tf.placeholder(tf.float32, [None, 10])
        kernel = tf.Variable(rng.randn(5, 5, 1, 8).astype(np.float32) * 0.1)
        weights = tf.Variable(rng.randn(14 * 14 * 8, 10).astype(np.float32) * 0.01)
        hidden = tf.nn.max_pool(tf.nn.relu(tf.nn.conv2d(x, kernel, [1, 1, 1, 1], "SAME")), [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
        logits = tf.matmul(tf.reshape(hidden, [-1, 14 * 14 * 8]), weights)
        loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=logits))
        train = tf.train.AdamOptimizer(1e-3).minimize(loss)
        init = tf.global_variables_initializer()

        def program(session):
            session.run(init)
            return [session.run([train, loss], {x: images, y: labels})[1] for _ in range(20)]

        self.assert_same(program, 1e-4)

    def test_variables_outlive_sessions_and_are_shared(self):
        v = tf.Variable(3.0, name="shared")
        add = v.assign_add(1.0)
        with self.session() as one, self.session() as two:
            one.run(tf.global_variables_initializer())
            self.assertEqual(two.run(add), 4.0)
            self.assertEqual(one.run(v), 4.0)
        with self.session() as three:
            self.assertEqual(three.run(v), 4.0)
        with self.session(isolate_session_state=True) as alone:
            self.assertIsInstance(self.raised(lambda: alone.run(v)), tf.errors.FailedPreconditionError)

    def test_graph_that_grows(self):
        a = tf.constant(1.0)
        with self.session() as session:
            for i in range(5):
                self.assertEqual(session.run(a), 2.0**i)
                a = a * 2

    def test_errors(self):
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        m = tf.matmul(x, tf.placeholder(tf.float32, name="k"), name="m")
        v = tf.Variable(1.0, name="v")
        with self.session() as session:
            error = self.raised(lambda: session.run(m))
            self.assertIsInstance(error, tf.errors.InvalidArgumentError)
            self.assertIn("You must feed a value for placeholder tensor", error.message)
            self.assertIn(error.op.name, ("x", "k"))
            error = self.raised(lambda: session.run(m, {x: [[1, 2]], "k:0": np.ones((3, 2))}))
            self.assertIsInstance(error, tf.errors.InvalidArgumentError)
            self.assertEqual(error.op.name, "m")
            error = self.raised(lambda: session.run(v))
            self.assertIsInstance(error, tf.errors.FailedPreconditionError)
            self.assertIn("Attempting to use uninitialized value v", error.message)

    def test_devices(self):
        with self.session() as session:
            (device,) = session.list_devices()
            self.assertEqual(device.name, "/job:local/replica:0/task:0/device:CPU:0")
            self.assertEqual(device.device_type, "CPU")

    def test_callable(self):
        x = tf.placeholder(tf.float32, [])
        y = x * 3
        with self.session() as session:
            self.assertEqual(session.make_callable(y, [x])(2.0), 6.0)

    def test_session_that_was_reset(self):
        session = self.session()
        session.run(tf.constant(1.0))
        tf.Session.reset(self.server.target)
        error = self.raised(lambda: session.run(tf.constant(2.0)))
        self.assertIsInstance(error, tf.errors.AbortedError)


if __name__ == "__main__":
    unittest.main()
