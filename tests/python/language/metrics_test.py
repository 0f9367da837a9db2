"""tf.metrics from Python. Expectations are worked out by hand."""

import unittest

import numpy as np

from flowray import tf


class MetricsTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def test_a_metric_is_of_all_steps_until_now(self):
        labels, predictions = tf.placeholder(tf.int64, [None]), tf.placeholder(tf.int64, [None])
        accuracy, update = tf.metrics.accuracy(labels=labels, predictions=predictions, name="right")
        mean, update_mean = tf.metrics.mean(labels)
        self.assertEqual([v.name for v in tf.local_variables()], ["right/total:0", "right/count:0", "mean/total:0", "mean/count:0"])
        with tf.Session() as sess:
            sess.run(tf.local_variables_initializer())
            self.assertEqual(sess.run([accuracy, mean]), [0, 0])
            self.assertEqual(sess.run([update, update_mean], {labels: [1, 2], predictions: [1, 3]}), [0.5, 1.5])
            self.assertEqual(sess.run([update, update_mean], {labels: [6, 7], predictions: [6, 7]}), [0.75, 4])
            self.assertEqual(sess.run([accuracy, mean]), [0.75, 4])

    def test_weights_say_how_much_each_value_counts(self):
        x, w = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [None])
        mean, update = tf.metrics.mean(x, weights=w)
        with tf.Session() as sess:
            sess.run(tf.local_variables_initializer())
            self.assertEqual(sess.run(update, {x: [1, 2, 9], w: [1, 1, 0]}), 1.5)
            self.assertEqual(sess.run(update, {x: [7], w: [2]}), 4.25)
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "weights can not be broadcast to values"):
                sess.run(update, {x: [1, 2, 3], w: [1, 1]})

    def test_labels_of_the_best_may_be_sparse_and_fed(self):
        labels = tf.sparse_placeholder(tf.int64, [2, 2])
        predictions = tf.placeholder(tf.float32, [2, 3])
        recall, update = tf.metrics.recall_at_k(labels, predictions, k=1)
        value = tf.SparseTensorValue([[0, 0], [0, 1], [1, 0]], np.array([2, 0, 1]), [2, 2])
        _, update_of_value = tf.metrics.sparse_precision_at_k(value, [[0.1, 0.2, 0.7], [0.5, 0.3, 0.2]], 2)
        self.assertEqual(recall.name, "recall_at_1:0")
        with tf.Session() as sess:
            sess.run(tf.local_variables_initializer())
            self.assertAlmostEqual(sess.run(update, {labels: value, predictions: [[0.1, 0.2, 0.7], [0.5, 0.3, 0.2]]}), 1 / 3)
            self.assertAlmostEqual(sess.run(recall), 1 / 3)
            # The best are 2 and 1, and 0 and 1; 2 and 1 are right.
            self.assertAlmostEqual(sess.run(update_of_value), 2 / 4)

    def test_rows_must_fit_their_weights(self):
        weights = tf.placeholder(tf.float32, [None])
        _, update = tf.metrics.precision_at_k(np.array([[1], [0]]), [[0.1, 0.9], [0.2, 0.8]], 1, weights=weights)
        with tf.Session() as sess:
            sess.run(tf.local_variables_initializer())
            self.assertEqual(sess.run(update, {weights: [1, 3]}), 0.25)
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "weights can not be broadcast to values"):
                sess.run(update, {weights: [1, 2, 3]})


if __name__ == "__main__":
    unittest.main()
