"""Functions with TensorFlow's client: control flow of version 2, tf.function, Defun, and gradients through them."""

import unittest

from tensorflow.python.framework import function
from tensorflow_client import ServerTest, np, tf


class FunctionsTest(ServerTest):
    def setUp(self):
        super().setUp()
        tf.enable_control_flow_v2()
        self.addCleanup(tf.disable_control_flow_v2)

    def test_cond_and_its_gradient(self):
        p, x = tf.placeholder(tf.bool, []), tf.placeholder(tf.float32, [3])
        y = tf.cond(p, lambda: tf.reduce_sum(x * x), lambda: tf.reduce_sum(tf.exp(x)))
        fetches = [y, tf.gradients(y, x)[0]]
        for value in (True, False):
            self.assert_same(lambda s, value=value: s.run(fetches, {p: value, x: [0.5, 1, 2]}))

    def test_while_loop_and_its_gradients(self):
        n, x = tf.placeholder(tf.int32, []), tf.placeholder(tf.float32, [])

        def body(i, a):
            return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: a * x, lambda: a + tf.sin(x))

        y = tf.while_loop(lambda i, a: i < n, body, [0, x])[1]
        first = tf.gradients(y, x)[0]
        fetches = [y, first, tf.gradients(first, x)[0]]
        for times in (0, 1, 5):
            self.assert_same(lambda s, times=times: s.run(fetches, {n: times, x: 1.5}))

    def test_case(self):
        i, x = tf.placeholder(tf.int32, []), tf.placeholder(tf.float32, [2])
        y = tf.switch_case(i, [lambda: x, lambda: x * 2.0, lambda: tf.exp(x)])
        fetches = [y, tf.gradients(y, x)[0]]
        for index in (-1, 0, 1, 2, 7):
            self.assert_same(lambda s, index=index: s.run(fetches, {i: index, x: [1, 2]}))

    def test_map_and_scan_and_their_gradients(self):
        x = tf.placeholder(tf.float32, [None, 3])
        y, z = tf.map_fn(lambda e: tf.reduce_sum(e) * e, x), tf.scan(lambda a, e: a * 0.5 + e, x)
        fetches = [y, z, tf.gradients(y, x)[0], tf.gradients(z, x)[0]]
        for rows in (1, 4):
            self.assert_same(lambda s, rows=rows: s.run(fetches, {x: np.arange(3.0 * rows).reshape(rows, 3)}))

    def test_recurrent_network(self):
        x = tf.placeholder(tf.float32, [2, 5, 3])
        cell = tf.nn.rnn_cell.BasicRNNCell(4)
        with tf.variable_scope("rnn", initializer=tf.constant_initializer(0.1), use_resource=True):
            outputs, state = tf.nn.dynamic_rnn(cell, x, sequence_length=[5, 3], dtype=tf.float32)
        train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(outputs * outputs))
        init = tf.global_variables_initializer()

        def program(session):
            session.run(init)
            return [session.run([outputs, state, train], {x: np.sin(np.arange(30.0)).reshape(2, 5, 3)})[:2] for _ in range(3)]

        self.assert_same(program, 1e-5)

    def test_training_through_a_function(self):
        x = tf.placeholder(tf.float32, [None, 2])
        w = tf.get_variable("w", initializer=[[0.5], [0.3]], use_resource=True)
        steps = tf.get_variable("steps", initializer=0, use_resource=True)

        @tf.function
        def loss_of(a):
            steps.assign_add(1)
            return tf.reduce_mean(tf.square(tf.matmul(a, w) - 1.0))

        loss = loss_of(x)
        train = tf.train.AdamOptimizer(0.1).minimize(loss)
        init = tf.global_variables_initializer()

        def program(session):
            session.run(init)
            losses = [session.run([loss, train], {x: [[1, 2], [3, 4]]})[0] for _ in range(5)]
            return losses, session.run(steps), session.run(w)

        self.assert_same(program, 1e-5)

    def test_defun(self):
        @function.Defun(tf.float32, tf.float32)
        def f(a, b):
            return a - b, a * b

        x = tf.placeholder(tf.float32, [2])
        difference, product = f(x, x + 1.0)
        self.assert_same(lambda s: s.run([difference, product, *f(product, difference)], {x: [1, 2]}))

    def test_custom_gradient(self):
        @tf.custom_gradient
        def f(a):
            e = tf.exp(a)
            return tf.math.log(1.0 + e), lambda dy: dy * 3.0 * e

        x = tf.placeholder(tf.float32, [3])
        y = f(x)
        self.assert_same(lambda s: s.run([y, tf.gradients(y, x)[0]], {x: [-1, 0, 2]}))

    def test_graph_that_grows_by_functions(self):
        x = tf.placeholder(tf.float32, [])

        @tf.function
        def double(a):
            return a * 2.0

        with self.session() as session:
            self.assertEqual(session.run(double(x), {x: 1.0}), 2.0)

            @tf.function
            def more(a):
                return double(a) + 3.0

            self.assertEqual(session.run([more(x), double(x)], {x: 1.0}), [5.0, 2.0])
            self.assertEqual(session.run(tf.while_loop(lambda a: a < 100.0, more, [x]), {x: 1.0}), 125.0)

    def test_errors_name_the_node_in_the_function(self):
        x = tf.placeholder(tf.int32, [], name="x")

        @tf.function
        def f(i):
            return tf.gather([1, 2, 3], i, name="in_function")

        fetches = {
            "in_branch": tf.cond(x > 0, lambda: tf.gather([1, 2, 3], x, name="in_branch"), lambda: x),
            "in_body": tf.while_loop(lambda i: i < 10, lambda i: i + tf.gather([1, 2, 3], i, name="in_body"), [x]),
            "in_function": f(x) + 1,
        }
        with self.session() as session, tf.Session() as local:
            for name, fetch in fetches.items():
                texts = []
                for runner in (session, local):
                    error = self.raised(lambda runner=runner, fetch=fetch: runner.run(fetch, {x: 7}))
                    self.assertIsInstance(error, tf.errors.InvalidArgumentError)
                    texts.append([line for line in error.message.splitlines() if "not in [0, 3)" in line or "{{node" in line])
                self.assertEqual(*texts)
                self.assertIn(name, texts[0][-1])

    def test_a_million_iterations_hold_no_memory(self):
        n = tf.placeholder(tf.int32, [])
        loop = tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a + 1.0), [0, 0.0])
        with self.session() as session:
            session.run(loop, {n: 1000})
            before = self.server.status()["VmRSS"]
            self.assertEqual(session.run(loop, {n: 1_000_000})[0], 1_000_000)
            self.assertLess(self.server.status()["VmRSS"] - before, 4096)


if __name__ == "__main__":
    unittest.main()
