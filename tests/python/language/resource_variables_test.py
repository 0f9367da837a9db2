"""Resource variables, constraints, caching devices and their scopes, as programs in Python use them."""

import os
import tempfile
import unittest

import numpy as np

from flowray import tf


class ResourceVariablesTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def test_a_variable_has_what_a_resource_variable_of_tensorflows_has(self):
        v = tf.get_variable("v", [2], use_resource=True, initializer=tf.ones_initializer())
        self.assertEqual((v.name, v.dtype, v.op.type, v.handle.dtype), ("v:0", tf.float32, "VarHandleOp", tf.resource))
        self.assertEqual(v.shape.as_list(), [2])
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            np.testing.assert_array_equal(sess.run(v), [1, 1])
            np.testing.assert_array_equal(v.eval(), [1, 1])
            v.load([3, 4])
            np.testing.assert_array_equal(sess.run(v + 1.0), [4, 5])
            self.assertTrue(sess.run(v.is_initialized()))

    def test_what_an_assignment_gives_is_the_variable_afterwards(self):
        v = tf.Variable(1.0, use_resource=True, name="v")
        after = v.assign_add(2.0)
        self.assertIsInstance(after, tf.Variable)
        self.assertEqual((after.op.type, after.name), ("AssignAddVariableOp", "AssignAddVariableOp"))
        twice = after * 2.0
        alone = v.assign(5.0, read_value=False)
        with tf.Session() as sess:
            sess.run(v.initializer)
            self.assertEqual(sess.run([after, twice]), [3.0, 6.0])
            self.assertIsNone(sess.run(alone))
            self.assertEqual(sess.run(v), 5.0)

    def test_a_wrong_assignment_is_refused(self):
        v = tf.Variable([1.0, 2.0], use_resource=True, name="v")
        with self.assertRaisesRegex(ValueError, "Cannot assign value to variable ' v:0': Shape mismatch"):
            v.assign([1.0, 2.0, 3.0])
        with self.assertRaisesRegex(ValueError, "Tensor conversion requested dtype float32 for Tensor with dtype int32"):
            v.assign(tf.constant([1, 2]))

    def test_an_initializer_that_one_of_a_part_calls_is_told_of_the_whole_by_it_alone(self):
        def blocks(shape, dtype=None):
            return tf.initializers.identity()(shape, dtype)
        w = tf.get_variable("w", [4, 2], initializer=blocks, partitioner=tf.fixed_size_partitioner(2))
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            np.testing.assert_array_equal(sess.run(w.as_tensor()), [[1, 0], [0, 1], [1, 0], [0, 1]])

    def test_which_kind_a_variable_is(self):
        def kind(variable):
            return variable.op.type
        self.assertFalse(tf.resource_variables_enabled())
        self.assertEqual(kind(tf.Variable(0)), "VariableV2")
        with tf.variable_scope("scope", use_resource=True) as scope:
            self.assertTrue(scope.use_resource)
            self.assertEqual(kind(tf.get_variable("v", [])), "VarHandleOp")
            self.assertEqual(kind(tf.Variable(0)), "VarHandleOp")
            self.assertEqual(kind(tf.get_variable("w", [], use_resource=False)), "VariableV2")
        tf.enable_resource_variables()
        self.addCleanup(tf.disable_resource_variables)
        self.assertTrue(tf.resource_variables_enabled())
        self.assertEqual(kind(tf.get_variable("x", [])), "VarHandleOp")

    def test_training_and_saving(self):
        for optimizer in (tf.train.GradientDescentOptimizer(0.1), tf.train.MomentumOptimizer(0.1, 0.9), tf.train.AdamOptimizer(0.1),
                          tf.train.AdagradOptimizer(0.1), tf.train.RMSPropOptimizer(0.1), tf.train.FtrlOptimizer(0.1)):
            with self.subTest(type(optimizer).__name__):
                results = [self.trained(optimizer.__class__, use_resource) for use_resource in (False, True)]
                np.testing.assert_array_equal(results[0][0], results[1][0])
                np.testing.assert_array_equal(results[0][1], results[1][1])

    def trained(self, optimizer, use_resource):
        """The same numbers with variables of both kinds: three steps, saved and restored in a graph from the .meta file."""
        arguments = (0.1, 0.9) if optimizer is tf.train.MomentumOptimizer else (0.1,)
        with tf.Graph().as_default(), tempfile.TemporaryDirectory() as folder:
            w = tf.get_variable("w", [2, 3], initializer=tf.constant_initializer(0.5), use_resource=use_resource)
            table = tf.get_variable("table", [4, 3], initializer=tf.constant_initializer(0.25), use_resource=use_resource)
            loss = tf.reduce_sum(tf.square(w)) + tf.reduce_sum(tf.square(tf.gather(table, [1, 2, 1])))
            train = optimizer(*arguments).minimize(loss)
            saver = tf.train.Saver()
            with tf.Session() as sess:
                sess.run(tf.global_variables_initializer())
                for _ in range(3):
                    sess.run(train)
                path = saver.save(sess, os.path.join(folder, "model"))
            with tf.Graph().as_default(), tf.Session() as sess:
                tf.train.import_meta_graph(path + ".meta").restore(sess, path)
                first, second = tf.global_variables()[:2]
                self.assertEqual(first.op.type, "VarHandleOp" if use_resource else "VariableV2")
                return sess.run([first, second])

    def test_a_constraint_holds_after_each_step(self):
        for use_resource in (False, True):
            with tf.Graph().as_default(), self.subTest(use_resource=use_resource):
                v = tf.get_variable("v", [2], initializer=tf.ones_initializer(), use_resource=use_resource,
                                    constraint=lambda v: tf.clip_by_value(v, 0.75, 2.0))
                self.assertTrue(callable(v.constraint))
                train = tf.train.GradientDescentOptimizer(0.5).minimize(tf.reduce_sum(v))
                with tf.Session() as sess:
                    sess.run(tf.global_variables_initializer())
                    sess.run(train)
                    np.testing.assert_array_equal(sess.run(v), [0.75, 0.75])
        with self.assertRaisesRegex(ValueError, "The `constraint` argument must be a callable."):
            tf.Variable(1.0, constraint=3)

    def test_gather_nd_reads_what_is_asked_for_alone(self):
        with tf.Graph().as_default() as graph, tf.Session() as session:
            table = tf.Variable([[1.0, 2.0], [3.0, 4.0]], use_resource=True)
            picked = tf.gather_nd(table, [[1, 0], [0, 1]])
            self.assertEqual([op.type for op in graph.get_operations() if op.type.endswith("GatherNd")], ["ResourceGatherNd"])
            session.run(tf.global_variables_initializer())
            self.assertEqual(session.run(picked).tolist(), [3.0, 2.0])
            rows = tf.gather_nd(table, [[[1]], [[0]]], batch_dims=1)
            self.assertEqual(session.run(rows).tolist(), [[2.0], [3.0]])
            for batch_dims, error in ((-1, ValueError), (2, ValueError), (1.0, TypeError)):
                with self.assertRaises(error):
                    tf.gather_nd(table, [[[1]], [[0]]], batch_dims=batch_dims)

    def test_a_constraint_and_sparse_gradients_do_not_go_together(self):
        table = tf.get_variable("table", [3], constraint=tf.nn.relu, use_resource=True)
        with self.assertRaisesRegex(RuntimeError, "Cannot use a constraint function on a sparse variable."):
            tf.train.GradientDescentOptimizer(0.5).minimize(tf.reduce_sum(tf.gather(table, [0, 1])))

    def test_a_custom_getter_sees_what_its_scope_says(self):
        seen = {}

        def getter(getter, name, **arguments):
            seen.update(arguments)
            return getter(name, **arguments)
        with tf.variable_scope("scope", custom_getter=getter, use_resource=True, constraint=tf.nn.relu, caching_device="/cpu:0"):
            v = tf.get_variable("v", [2])
        self.assertTrue(seen["use_resource"] and callable(seen["constraint"]) and callable(seen["caching_device"]))
        self.assertEqual((v.op.type, v.value().op.type), ("VarHandleOp", "Identity"))

    def test_a_variable_is_read_where_its_caching_device_says(self):
        v = tf.Variable(1.0, caching_device="/cpu:1", name="v")
        w = tf.Variable(1.0, caching_device=lambda op: "/cpu:2", use_resource=True, name="w")
        self.assertEqual((v.value().device, w.value().device), ("/device:CPU:1", "/device:CPU:2"))

    def test_the_expected_shape_is_checked(self):
        tf.Variable([1.0, 2.0], expected_shape=[2])
        with self.assertRaisesRegex(ValueError, "not compatible with expected_shape"):
            tf.Variable([1.0, 2.0], expected_shape=[3])

    def test_an_update_under_other_assignments_is_waited_for(self):
        v = tf.get_variable("v", initializer=[1.0, 2.0], use_resource=True)
        steps = tf.get_variable("steps", initializer=np.int64(0), use_resource=True)
        train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(v * v), global_step=steps)
        averages = tf.train.ExponentialMovingAverage(0.5)
        with tf.control_dependencies([train]):
            both = averages.apply([v])
        with tf.control_dependencies([steps.assign_add(1).op]):
            adam = tf.train.AdamOptimizer(0.1).minimize(tf.reduce_sum(v * v))
        power, = [own for own in tf.global_variables() if own.op.name == "beta1_power"]
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(2):
                sess.run(both)
            np.testing.assert_allclose(sess.run(v), [0.64, 1.28], rtol=1e-6)  # times 0.8 twice
            np.testing.assert_allclose(sess.run(averages.average(v)), [0.77, 1.54], rtol=1e-6)
            sess.run(adam)
            np.testing.assert_allclose(sess.run([power, steps]), [0.81, 3], rtol=1e-6)

    def test_a_branch_in_a_loop_that_does_not_read_it_gives_no_gradient(self):
        v = tf.get_variable("v", initializer=[1.0, 2.0], use_resource=True)
        step = lambda i, sum_: (i + 1, sum_ + tf.cond(i < 2, lambda: tf.reduce_sum(v * v), lambda: tf.constant(0.0)))  # noqa: E731
        y = tf.while_loop(lambda i, sum_: i < 4, step, [0, 0.0])[1]
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            np.testing.assert_array_equal(sess.run(tf.gradients(y, v)[0]), [4, 8])  # 2 v in two of four turns
            self.assertEqual(sess.run(y), 10)

    def test_functions_of_datasets_read_it_whatever_its_shape(self):
        v = tf.get_variable("v", initializer=np.arange(3, dtype=np.float32).reshape(3, 1), use_resource=True)
        dataset = tf.data.Dataset.range(3).map(lambda i: tf.gather(v, i) + tf.matmul([[1.0, 1.0, 1.0]], v)[0])
        iterator = tf.data.make_initializable_iterator(dataset)
        element = iterator.get_next()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(iterator.initializer)
            self.assertEqual([sess.run(element).tolist() for _ in range(3)], [[3], [4], [5]])


if __name__ == "__main__":
    unittest.main()
