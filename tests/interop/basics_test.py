"""First programs: constants, variables, several graphs, feeds of any tensor, scopes of variables, a graph that is looked through."""

import unittest

from tensorflow_client import ServerTest, np, tf


class BasicsTest(ServerTest):
    def test_constants(self):
        a, b, c, d = (tf.constant(i) for i in (1, 2, 3, 4))
        self.assertEqual(self.assert_same(lambda s: s.run(tf.add(tf.add(a, b), tf.multiply(b, c)))), 9)
        self.assertEqual(self.assert_same(lambda s: s.run([tf.add(c, d), tf.multiply(b, c)])), [7, 6])

    def test_two_graphs_and_two_sessions(self):
        one, two = tf.Graph(), tf.Graph()
        with one.as_default():
            product = tf.constant([1.5, 6.0]) * tf.constant([1.5, 3.2])
        with two.as_default():
            matrices = tf.matmul(tf.constant([[1.0, 0, 2], [-1, 3, 1]]), tf.constant([[3.0, 1], [2, 1], [1, 0]]))
        with self.session(one) as first, self.session(two) as second:
            np.testing.assert_allclose(first.run(product), [2.25, 19.2], rtol=1e-6)
            np.testing.assert_array_equal(second.run(matrices), [[5, 1], [4, 2]])
            np.testing.assert_allclose(first.run(product), [2.25, 19.2], rtol=1e-6)

    def test_interactive_session(self):
        session = tf.InteractiveSession(self.server.target)
        x = tf.Variable([1.0, 2.0])
        x.initializer.run()
        np.testing.assert_array_equal(tf.subtract(x, tf.constant([3.0, 3.0])).eval(), [-2, -1])
        np.testing.assert_array_equal(x.eval(), [1, 2])
        session.close()

    def test_counter(self):
        state = tf.Variable(0, name="counter")
        update = tf.assign(state, tf.add(state, tf.constant(1)))
        init = tf.global_variables_initializer()

        def program(session):
            session.run(init)
            return [session.run(state)] + [session.run([update, state])[0] for _ in range(3)] + [session.run(state)]

        self.assertEqual(self.assert_same(program), [0, 1, 2, 3, 3])

    def test_several_fetches_of_any_structure(self):
        a, b = tf.constant(3.0), tf.constant([1, 2])
        ours = self.assert_same(lambda s: s.run({"a": a, "both": [a, b], "none": (), "op": b.op}))
        self.assertIsNone(ours["op"])
        self.assertEqual(ours["both"][0], 3.0)

    def test_any_tensor_may_be_fed(self):
        a = tf.constant(2.0)
        product = a * 3.0
        result = product + 1.0
        self.assertEqual(self.assert_same(lambda s: [s.run(result), s.run(result, {product: 10.0}), s.run(result, {a: 5.0})]),
                         [7.0, 11.0, 16.0])

    def test_placeholder_with_default(self):
        x = tf.placeholder_with_default(tf.constant([1.0, 2.0]), [None])
        self.assert_same(lambda s: [s.run(x * 2), s.run(x * 2, {x: [5.0]})])

    def test_scopes_of_variables(self):
        with tf.variable_scope("test1", initializer=tf.constant_initializer(0.4)):
            one = tf.get_variable("v", [2])
            with tf.variable_scope("test2"):
                two = tf.get_variable("v", [2])
                three = tf.get_variable("w", [2], initializer=tf.constant_initializer(0.3))
        with tf.variable_scope("test1", reuse=True):
            again = tf.get_variable("v", [2])
        first, second = tf.Variable(1.0, name="v"), tf.Variable(2.0, name="v")
        init = tf.global_variables_initializer()
        self.assertIs(one, again)
        self.assertEqual([v.name for v in (two, first, second)], ["test1/test2/v:0", "v:0", "v_1:0"])

        def program(session):
            session.run(init)
            return session.run([one, two, three, again, first, second])

        ours = self.assert_same(program)
        np.testing.assert_allclose(ours[:3], [[0.4, 0.4], [0.4, 0.4], [0.3, 0.3]], rtol=1e-6)

    def test_graph_that_is_looked_through(self):
        a, b = tf.constant([[1.0, 2.0]]), tf.constant([[1.0], [3.0]])
        tf.matmul(a, b, name="product")
        with self.session() as session:
            np.testing.assert_array_equal(session.run("product:0"), [[7.0]])
            found = tf.get_default_graph().get_tensor_by_name("product:0")
            np.testing.assert_array_equal(session.run(found), [[7.0]])
            self.assertIsNone(session.run(tf.get_default_graph().get_operation_by_name("product")))

    def test_a_graph_that_was_exported_and_imported(self):
        x = tf.placeholder(tf.float32, [None], name="x")
        tf.reduce_sum(x * 2, name="y")
        definition = tf.get_default_graph().as_graph_def()
        with tf.Graph().as_default() as graph:
            y, = tf.import_graph_def(definition, return_elements=["y:0"], name="imported")
            with self.session(graph) as session:
                self.assertEqual(session.run(y, {"imported/x:0": [1, 2, 3]}), 12.0)

    def test_random_numbers_of_a_seed(self):
        for make in (
            lambda: tf.random_uniform([7], -1.0, 1.0), lambda: tf.random_normal([3, 5]),
            lambda: tf.truncated_normal([9], stddev=0.5, seed=3), lambda: tf.random_uniform([6], 0, 10, tf.int32),
            lambda: tf.random_shuffle(tf.range(10)), lambda: tf.multinomial([[0.1, 0.5, 0.4]], 8),
            lambda: tf.glorot_uniform_initializer(seed=0)([4, 3]), lambda: tf.orthogonal_initializer(seed=0)([4, 3]),
            lambda: tf.random_gamma([5], 2.0), lambda: tf.random_poisson(3.0, [6]),
        ):
            tf.reset_default_graph()
            tf.set_random_seed(1)
            tensor = make()
            with self.subTest(op=tensor.op.name):
                self.assert_same(lambda s, tensor=tensor: [s.run(tensor), s.run(tensor)])


if __name__ == "__main__":
    unittest.main()
