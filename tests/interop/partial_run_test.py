"""Partial runs: what is fed and fetched comes in several calls."""

import unittest

from tensorflow_client import ServerTest, np, tf


class PartialRunTest(ServerTest):
    def setUp(self):
        super().setUp()
        self.a, self.b, self.c = (tf.placeholder(tf.float32, [], name=name) for name in "abc")
        self.sum = tf.add(self.a, self.b, name="sum")
        self.product = tf.multiply(self.sum, self.c, name="product")

    def test_values_go_back_and_forth(self):
        def program(session):
            handle = session.partial_run_setup([self.sum, self.product], [self.a, self.b, self.c])
            first = session.partial_run(handle, self.sum, {self.a: 1, self.b: 2})
            return [first, session.partial_run(handle, self.product, {self.c: first * 17})]

        self.assertEqual(self.assert_same(program), [3, 153])

    def test_a_random_number_is_drawn_once(self):
        drawn = tf.random_uniform([])
        one, two = drawn + self.a, drawn + self.b
        with self.session() as session:
            handle = session.partial_run_setup([one, two], [self.a, self.b])
            self.assertEqual(session.partial_run(handle, one, {self.a: 0}), session.partial_run(handle, two, {self.b: 0}))

    def test_an_update_is_made_once(self):
        v = tf.Variable(0.0)
        with tf.control_dependencies([tf.assign_add(v, 1.0)]):
            one, two = tf.identity(self.a), tf.identity(self.b)
        with self.session() as session:
            session.run(v.initializer)
            handle = session.partial_run_setup([one, two], [self.a, self.b])
            session.partial_run(handle, one, {self.a: 0})
            self.assertEqual(session.run(v), 1)
            session.partial_run(handle, two, {self.b: 0})
            self.assertEqual(session.run(v), 1)

    def test_a_loop_runs_when_all_of_it_can(self):
        powers = tf.while_loop(lambda i, x: i < self.b, lambda i, x: (i + 1, x * self.a), [0.0, 1.0])[1]
        with self.session() as session:
            handle = session.partial_run_setup([self.sum, powers], [self.a, self.b])
            session.partial_run(handle, [], {self.a: 2})
            self.assertEqual(session.partial_run(handle, [powers, self.sum], {self.b: 5}), [32, 7])

    def test_what_may_not_be_asked_for(self):
        refused = "Must run PartialRunSetup before performing partial runs"
        with self.session() as session:
            handle = session.partial_run_setup([self.sum, self.product], [self.a, self.b, self.c])
            for feeds, fetch, text in [
                ({self.a: 1}, self.sum, "Fetch b:0 can't be computed from the feeds that have been fed so far."),
                ({}, tf.identity(self.a), "was not specified in partial_run_setup."),
            ]:
                with self.assertRaisesRegex(tf.errors.InvalidArgumentError, text):
                    session.partial_run(handle, fetch, feeds)
            np.testing.assert_equal(session.partial_run(handle, self.sum, {self.a: 1, self.b: 2}), 3)
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "The feed a:0 has already been fed."):
                session.partial_run(handle, self.product, {self.a: 1, self.c: 2})
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "The fetch sum:0 has already been fetched."):
                session.partial_run(handle, self.sum)
            np.testing.assert_equal(session.partial_run(handle, self.product, {self.c: 2}), 6)
            for handle in (handle, "77"):
                with self.assertRaisesRegex(tf.errors.InvalidArgumentError, refused):
                    session.partial_run(handle, self.product)


if __name__ == "__main__":
    unittest.main()
