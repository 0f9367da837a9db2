"""tf.cond, tf.case and tf.while_loop from Python. Expectations are those of TensorFlow."""

import unittest

import numpy as np

from flowray import tf

NOT_THE_SAME = "The two structures don't have the same nested structure."


class ControlFlowTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def test_a_case_of_one_pair_gives_what_its_function_does(self):
        p = tf.placeholder(tf.bool, [], name="p")
        for exclusive in (False, True):
            one = tf.case([(p, lambda: tf.constant(3.0) * 2)], exclusive=exclusive)
            with tf.Session() as sess:
                self.assertEqual(sess.run(one, {p: True}), np.float32(6))
                with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "None of conditions evaluated as True"):
                    sess.run(one, {p: False})
        self.assertEqual(tf.case([(p, lambda: 1)]), 1)
        self.assertIsInstance(tf.case([(p, lambda: tf.no_op())]), tf.Operation)
        self.assertEqual(tf.case([(p, lambda: [])]), [])
        self.assertIsNone(tf.case([(p, lambda: None)]))
        listed = tf.case([(p, lambda: [tf.constant(2.0)])])
        self.assertIsInstance(listed, list)
        self.assertEqual(listed[0].shape, [])

    def test_branches_of_different_structures_are_told_in_tensorflows_words(self):
        p, one = tf.placeholder(tf.bool, []), tf.constant
        for error, yes, no in ((ValueError, lambda: one(1), lambda: [one(1), one(2)]),
                               (TypeError, lambda: [one(1), one(3)], lambda: (one(1), one(2))),
                               (ValueError, lambda: {"a": one(1)}, lambda: {"b": one(1)}),
                               (ValueError, lambda: [one(1), one(3)], lambda: [one(1)]),
                               (ValueError, lambda: [one(1), [one(3), one(4)]], lambda: [[one(1), one(3)], one(4)])):
            with self.assertRaises(error) as raised:
                tf.cond(p, yes, no)
            self.assertEqual(str(raised.exception).split("\n")[0], NOT_THE_SAME)

    def test_a_boolean_variable_chooses(self):
        v = tf.Variable(True, name="v")
        w = tf.get_variable("w", initializer=False, use_resource=True)
        x = tf.placeholder(tf.float32, [])
        chosen = [tf.cond(p, lambda: x * 2.0, lambda: -x) for p in (v, v.read_value(), tf.identity(v), w, tf.identity(w))]
        constant = tf.cond(v, lambda: 1, lambda: 2)
        with tf.control_dependencies(chosen + [constant]):
            turned = v.assign(tf.logical_not(v.read_value()))
        switched = tf.cond(v, lambda: v.assign(False), lambda: v.assign(True))
        looped = tf.while_loop(lambda i: i < 3.0, lambda i: tf.cond(v, lambda: i + 1.0, lambda: i + 2.0), [0.0])
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            self.assertEqual(sess.run(chosen + [constant, looped], {x: 3.0}), [6, 6, 6, -3, -3, 1, 3])
            sess.run(turned, {x: 3.0})
            self.assertEqual(sess.run(chosen + [constant, looped], {x: 3.0}), [-3, -3, -3, -3, -3, 2, 4])
            self.assertEqual([bool(sess.run(switched)) for _ in range(3)], [True, False, True])

    def test_what_is_inside_is_not_fetched(self):
        x = tf.constant(2.0, name="x")
        inside = []

        def body(i):
            inside.append(i * x)
            return inside[-1]
        result = tf.while_loop(lambda i: i < 3.0, body, [1.0])
        with tf.Session() as sess:
            for fetch in (inside[0], inside[0].op, "while/mul:0", [result, inside[0]], {"a": inside[0]}):
                with self.assertRaisesRegex(ValueError, "^Operation while/mul has been marked as not fetchable."):
                    sess.run(fetch)
            with self.assertRaisesRegex(ValueError, "^Tensor while/mul:0 may not be fed."):
                sess.run(result, {inside[0]: 1.0})
            self.assertEqual(sess.run(result), 4.0)


if __name__ == "__main__":
    unittest.main()
