"""tf.metrics of the best k, at rates and of lower and upper areas, over several steps."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)
numbers = np.random.RandomState(3)
labels = tf.placeholder(tf.int64, [None, 2])
scores = tf.placeholder(tf.float32, [None, 6])
weights = tf.placeholder(tf.float32, [None])
flat = tf.placeholder(tf.int64, [None])
metrics = {
    "recall": tf.metrics.recall_at_k(labels, scores, 3),
    "recall of a class": tf.metrics.recall_at_k(labels, scores, 3, class_id=2),
    "recall of one label": tf.metrics.recall_at_k(flat, scores, 2, weights=weights),
    "precision": tf.metrics.precision_at_k(labels, scores, 3, weights=weights),
    "precision of a class": tf.metrics.precision_at_k(labels, scores, 4, class_id=1, weights=weights),
    "of top": tf.metrics.precision_at_top_k(labels, tf.nn.top_k(scores, 2)[1], k=2),
    "recall of top": tf.metrics.recall_at_top_k(labels, tf.nn.top_k(scores, 2)[1], class_id=0),
    "average precision": tf.metrics.average_precision_at_k(labels, scores, 4),
    "weighted": tf.metrics.average_precision_at_k(labels, scores, 3, weights=weights),
    "of one label": tf.metrics.average_precision_at_k(flat, scores, 1),
}
sparse = tf.sparse_placeholder(tf.int64)
metrics["sparse"] = tf.metrics.recall_at_k(sparse, scores, 2)
metrics["sparse average"] = tf.metrics.average_precision_at_k(sparse, scores, 3)
metrics["by another name"] = tf.metrics.sparse_average_precision_at_k(sparse, scores, 2)
truths, guesses = tf.placeholder(tf.bool, [None]), tf.placeholder(tf.float32, [None])
metrics["sensitivity"] = tf.metrics.sensitivity_at_specificity(truths, guesses, 0.8)
metrics["specificity"] = tf.metrics.specificity_at_sensitivity(truths, guesses, 0.6, weights=weights, num_thresholds=50)
for curve in ("ROC", "PR"):
    for method in ("minoring", "majoring", "careful_interpolation"):
        metrics[curve + " " + method] = tf.metrics.auc(truths, guesses, curve=curve, summation_method=method)
metrics["of thresholds"] = tf.metrics.auc(truths, guesses, thresholds=[0.7, 0.3, 0.5], summation_method="majoring")
print([value.name for value, _ in metrics.values()])
print(len(tf.local_variables()), len(tf.get_collection(tf.GraphKeys.METRIC_VARIABLES)))
with tf.Session() as sess:
    sess.run(tf.local_variables_initializer())
    for rows in (4, 7):
        fed = {labels: numbers.randint(0, 6, [rows, 2]), scores: numbers.rand(rows, 6), weights: numbers.rand(rows),
               flat: numbers.randint(0, 6, [rows]), truths: numbers.rand(rows) > 0.5, guesses: numbers.rand(rows),
               sparse: tf.SparseTensorValue([[i, 0] for i in range(rows)], numbers.randint(0, 8, [rows]), [rows, 3])}
        for name, (value, update) in metrics.items():
            print(name, "%.5f" % sess.run(update, fed), "%.5f" % sess.run(value))
