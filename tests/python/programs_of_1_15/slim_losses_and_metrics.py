"""Losses and metrics of tf.contrib, whose predictions stand before the labels."""

import numpy as np
import tensorflow.compat.v1 as tf

try:
    import tf_slim as slim  # the same, released apart from TensorFlow 1.15
except ImportError:
    from tensorflow.contrib import slim

tf.disable_v2_behavior()
random = np.random.RandomState(3)
logits, classes = random.randn(4, 3).astype("f"), np.array([0, 2, 1, 2])
onehot, pictures = np.eye(3, dtype="f")[classes], random.rand(4, 2, 2).astype("f")
probabilities, bits, rows = random.rand(4, 3).astype("f"), (random.rand(4, 3) > 0.5).astype("f"), np.array([1.0, 0.0, 2.0, 0.5], "f")

LOSSES = {
    "softmax": lambda: slim.losses.softmax_cross_entropy(tf.constant(logits), tf.constant(onehot), label_smoothing=0.1),
    "softmax of rows": lambda: slim.losses.softmax_cross_entropy(tf.constant(logits), tf.constant(onehot), rows),
    "sparse": lambda: slim.losses.sparse_softmax_cross_entropy(tf.constant(logits), tf.constant(classes), weights=rows[:, None]),
    "sigmoid": lambda: slim.losses.sigmoid_cross_entropy(tf.constant(logits), tf.constant(bits), 2.0),
    "sigmoid of rows": lambda: slim.losses.sigmoid_cross_entropy(tf.constant(logits), tf.constant(bits), rows),
    "squares": lambda: slim.losses.mean_squared_error(tf.constant(logits), tf.constant(onehot)),
    "squares of pictures": lambda: slim.losses.mean_squared_error(tf.constant(pictures), tf.constant(pictures * 2), rows),
    "absolute": lambda: slim.losses.absolute_difference(tf.constant(logits), tf.constant(onehot), weights=rows[:, None]),
    "log": lambda: slim.losses.log_loss(tf.constant(probabilities), tf.constant(bits), epsilon=0.01),
    "pairs": lambda: slim.losses.mean_pairwise_squared_error(tf.constant(logits), tf.constant(onehot)),
    "pairs of rows": lambda: slim.losses.mean_pairwise_squared_error(tf.constant(logits), tf.constant(onehot), tf.constant(rows)),
    "hinge": lambda: slim.losses.hinge_loss(tf.constant(logits), tf.constant(bits)),
    "cosine": lambda: slim.losses.cosine_distance(tf.nn.l2_normalize(logits, 1), tf.nn.l2_normalize(probabilities, 1), axis=1),
    "cosine of rows": lambda: slim.losses.cosine_distance(tf.constant(logits), tf.constant(onehot), dim=1, weights=rows),
    "any": lambda: slim.losses.compute_weighted_loss(tf.constant(pictures), rows, scope="mine"),
    "total": lambda: slim.losses.get_total_loss(),
}
found, right, given = (tf.constant(value) for value in (np.argmax(logits, 1), classes, logits))
METRICS = {
    "accuracy": lambda: slim.metrics.streaming_accuracy(found, right),
    "weighted": lambda: slim.metrics.streaming_accuracy(found, right, weights=rows, name="good"),
    "precision": lambda: slim.metrics.streaming_precision(tf.constant(probabilities) > 0.4, tf.constant(bits > 0)),
    "recall": lambda: slim.metrics.streaming_recall(tf.constant(probabilities) > 0.4, tf.constant(bits > 0)),
    "auc": lambda: slim.metrics.streaming_auc(tf.constant(probabilities), tf.constant(bits > 0), num_thresholds=20),
    "top": lambda: slim.metrics.streaming_recall_at_k(given, right, 2),
    "sparse top": lambda: slim.metrics.streaming_sparse_recall_at_k(given, tf.constant(classes[:, None]), 2),
    "mean": lambda: slim.metrics.streaming_mean(rows),
    "means": lambda: slim.metrics.streaming_mean_tensor(rows),
    "less": lambda: slim.metrics.streaming_percentage_less(rows, 0.7),
    "iou": lambda: slim.metrics.streaming_mean_iou(found, right, 3),
    "error": lambda: slim.metrics.streaming_mean_absolute_error(given, tf.constant(onehot)),
    "root": lambda: slim.metrics.streaming_root_mean_squared_error(given, tf.constant(onehot)),
    "relative": lambda: slim.metrics.streaming_mean_relative_error(given, tf.constant(onehot), tf.constant(probabilities)),
    "thresholds": lambda: slim.metrics.streaming_precision_at_thresholds(tf.constant(probabilities), tf.constant(bits > 0), [0.2, 0.6]),
    "specificity": lambda: slim.metrics.streaming_specificity_at_sensitivity(tf.constant(probabilities), tf.constant(bits > 0), 0.5),
    "positives": lambda: slim.metrics.streaming_true_positives(tf.constant(probabilities) > 0.4, tf.constant(bits > 0)),
}

def short(value):
    return np.round(np.asarray(value, np.float64), 3).tolist()


with tf.Session() as sess:
    for name, loss in LOSSES.items():
        print(name, short(sess.run(loss())), len(slim.losses.get_losses()))
    for name, metric in METRICS.items():
        value, update = metric()
        sess.run(tf.local_variables_initializer())
        print(name, value.name, short(sess.run(update)), short(sess.run(value)))
    values, updates = slim.metrics.aggregate_metric_map({"mean": slim.metrics.streaming_mean(rows), "less": slim.metrics.streaming_percentage_less(rows, 1.0)})
    sess.run(tf.local_variables_initializer())
    sess.run(list(updates.values()))
    print(sorted((key, short(value)) for key, value in sess.run(values).items()), [len(part) for part in slim.metrics.aggregate_metrics((1, 2), (3, 4), (5, 6))])
    print(short(sess.run([slim.metrics.accuracy(found, right), slim.metrics.accuracy(found, right, rows)])))
