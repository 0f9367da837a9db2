"""One object for each variable that a program holds."""

import gc
import unittest
import weakref

from flowray import tf


class VariableIdentityTest(unittest.TestCase):
    def test_a_reused_variable_is_the_object_that_was_made(self):
        with tf.Graph().as_default():
            with tf.variable_scope("s") as scope:
                made = tf.get_variable("v", [2])
                made.note = "kept"
                scope.reuse_variables()
                found = tf.get_variable("v", [2])
            self.assertIs(found, made)
            self.assertEqual(found.note, "kept")
            self.assertIs(tf.global_variables()[0], made)
            self.assertIs(tf.get_collection("trainable_variables", "s")[0], made)

    def test_it_is_one_behind_a_custom_getter(self):
        def getter(getter, name, *arguments, **named):
            seen.append(getter(name, *arguments, **named))
            return seen[-1]
        seen = []
        with tf.Graph().as_default():
            with tf.variable_scope("s", custom_getter=getter, reuse=tf.AUTO_REUSE):
                made, found = (tf.get_variable("v", [2]) for _ in range(2))
            self.assertTrue(made is found is seen[0] is seen[1])

    def test_variables_of_one_name_in_two_graphs_are_two(self):
        variables = []
        for _ in range(2):
            with tf.Graph().as_default():
                variables.append(tf.get_variable("v", [2]))
        self.assertIsNot(variables[0], variables[1])
        self.assertNotEqual(variables[0], variables[1])

    def test_a_graph_goes_with_the_last_that_holds_it(self):
        with tf.Graph().as_default() as graph:
            held = tf.get_variable("v", [2], use_resource=True)
            gone = weakref.ref(graph), weakref.ref(held)
            tf.global_variables()
        del graph, held
        gc.collect()
        self.assertEqual([one() for one in gone], [None, None])


if __name__ == "__main__":
    unittest.main()
