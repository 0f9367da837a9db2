"""Gradients of gathering are IndexedSlices, which optimizers take. Expectations are worked out by hand, and TensorFlow's."""

import unittest

import numpy as np

from flowray import tf


class IndexedSlicesTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        self.table = tf.get_variable("table", initializer=tf.constant([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.0]]))

    def gradient(self, y):
        (gradient,) = tf.gradients(y, self.table)
        return gradient

    def test_gradients_of_gathering_are_rows(self):
        for gathered in (tf.gather(self.table, [3, 1, 3]), tf.nn.embedding_lookup(self.table, [3, 1, 3])):
            gradient = self.gradient(tf.reduce_sum(gathered * [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]))
            self.assertIsInstance(gradient, tf.IndexedSlices)
            self.assertEqual((gradient.dtype, gradient.values.shape.as_list(), gradient.indices.shape.as_list()),
                             (tf.float32, [3, 2], [3]))
            self.assertTrue(str(gradient).startswith("IndexedSlices(indices=Tensor("))
            with tf.Session() as sess:
                sess.run(tf.global_variables_initializer())
                value = sess.run(gradient)
                self.assertEqual(type(value).__name__, "IndexedSlicesValue")
                self.assertEqual(value.values.tolist(), [[1, 2], [3, 4], [5, 6]])
                self.assertEqual(value.indices.tolist(), [3, 1, 3])
                self.assertEqual(value.dense_shape.tolist(), [4, 2])
                self.assertEqual(sess.run(tf.convert_to_tensor(gradient)).tolist(), [[0, 0], [3, 4], [0, 0], [6, 8]])
                self.assertEqual(sess.run(tf.multiply(gradient, 2.0)).tolist(), [[0, 0], [6, 8], [0, 0], [12, 16]])

    def test_several_gatherings_are_one(self):
        y = tf.reduce_sum(tf.gather(self.table, [0, 2])) + tf.reduce_sum(tf.gather(self.table, [2]) * 5.0)
        gradient = self.gradient(y)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            value = sess.run(gradient)
            found = sorted(zip(value.indices.tolist(), value.values.tolist()))
            self.assertEqual(found, [(0, [1, 1]), (2, [1, 1]), (2, [5, 5])])

    def test_what_is_not_of_rows_alone_is_a_tensor(self):
        y = tf.reduce_sum(tf.gather(self.table, [0, 2])) + tf.reduce_sum(tf.square(self.table))
        self.assertIsInstance(self.gradient(y), tf.Tensor)
        self.assertIsInstance(self.gradient(tf.reduce_sum(self.table)), tf.Tensor)

    def test_optimizers_take_the_rows_as_they_are_or_changed(self):
        optimizer = tf.train.GradientDescentOptimizer(0.5)
        loss = tf.reduce_sum(tf.gather(self.table, [1, 1, 3]))
        ((gradient, variable),) = optimizer.compute_gradients(loss)
        self.assertIsInstance(gradient, tf.IndexedSlices)
        as_it_is = optimizer.apply_gradients([(gradient, variable)])
        halved = tf.IndexedSlices(gradient.values * 0.5, gradient.indices, gradient.dense_shape)
        changed = optimizer.apply_gradients([(halved, variable)])
        with tf.Session() as sess:
            for step, moved in ((as_it_is, 0.5), (changed, 0.25)):
                sess.run(tf.global_variables_initializer())
                sess.run(step)
                np.testing.assert_allclose(sess.run(self.table), [[0, 1], [2 - 2 * moved, 3 - 2 * moved], [4, 5], [6 - moved, 7 - moved]])

    def test_rows_that_are_not_there_keep_their_momentum(self):
        optimizer = tf.train.MomentumOptimizer(1.0, 0.5)
        rows = tf.placeholder(tf.int32, [None])
        step = optimizer.minimize(tf.reduce_sum(tf.gather(self.table, rows)))
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(step, {rows: [0]})
            sess.run(step, {rows: [1]})
            # A dense update would move row 0 once more, by its momentum.
            self.assertEqual(sess.run(self.table).tolist(), [[-1, 0], [1, 2], [4, 5], [6, 7]])

    def test_it_may_be_made_of_anything(self):
        slices = tf.IndexedSlices([[1.0, 2.0]], [1], [3, 2])
        without = tf.IndexedSlices(values=tf.constant([[1.0, 2.0]]), indices=tf.constant([1]))
        self.assertIsNone(without.dense_shape)
        with tf.Session() as sess:
            self.assertEqual(sess.run(tf.convert_to_tensor(slices)).tolist(), [[0, 0], [1, 2], [0, 0]])
            self.assertIsNone(sess.run(without).dense_shape)
        with self.assertRaisesRegex(ValueError, "without dense_shape"):
            tf.convert_to_tensor(without)

    def test_embeddings_refuse_what_they_cannot_look_up(self):
        with self.assertRaisesRegex(ValueError, "params must be specified"):
            tf.nn.embedding_lookup(None, [1])
        with self.assertRaises(ValueError):
            tf.nn.embedding_lookup([], [1])
        with self.assertRaises(ValueError):
            tf.nn.embedding_lookup(self.table, None)
        self.assertEqual(tf.nn.embedding_lookup([self.table], [[1, 2]]).shape.as_list(), [1, 2, 2])


if __name__ == "__main__":
    unittest.main()
