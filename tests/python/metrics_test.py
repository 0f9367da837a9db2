"""tf.metrics from Python. Expectations are worked out by hand."""

import unittest

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

    def test_what_is_not_there_is_refused(self):
        with self.assertRaisesRegex(tf.errors.UnimplementedError, "minoring"):
            tf.metrics.auc([True], [0.5], summation_method="minoring")


if __name__ == "__main__":
    unittest.main()
