"""Metrics with weights, of errors, of what is true and false, at thresholds, and of confusion."""

from programs import program
from tensorflow_v1 import tf


def pair(shape=(None,), dtype=tf.float32):
    return tf.placeholder(dtype, shape, name="labels"), tf.placeholder(dtype, shape, name="predictions")


@program
def metrics_of_weights():
    x = tf.placeholder(tf.float32, [4, 3], name="x")
    tf.metrics.mean(x, weights=tf.placeholder(tf.float32, [4, 1], name="w"))
    tf.metrics.mean(x, weights=2.0, name="of_a_number", metrics_collections=["values"], updates_collections=["updates"])
    labels, predictions = pair((4,), tf.int64)
    tf.metrics.accuracy(labels, predictions, weights=[1.0, 0.0, 1.0, 1.0])


@program
def metrics_of_weights_of_unknown_shape():
    tf.metrics.mean(tf.placeholder(tf.float32, [None, 3], name="x"), weights=tf.placeholder(tf.float32, [None, 1], name="w"))


@program
def metrics_of_errors():
    labels, predictions = pair()
    tf.metrics.mean_squared_error(labels, predictions)
    tf.metrics.root_mean_squared_error(labels, predictions)
    tf.metrics.mean_absolute_error(labels, predictions, name="absolute")
    tf.metrics.mean_relative_error(labels, predictions, normalizer=tf.placeholder(tf.float32, [None], name="normalizer"))
    tf.metrics.percentage_below(predictions, 0.5)
    tf.metrics.mean_tensor(tf.placeholder(tf.float32, [2, 3], name="x"))


@program
def metrics_of_angles():
    labels, predictions = pair((None, 3))
    tf.metrics.mean_cosine_distance(labels, predictions, 1)


@program
def metrics_of_squeezed_labels():
    tf.metrics.accuracy(tf.placeholder(tf.int64, [None, 1], name="labels"), tf.placeholder(tf.int64, [None], name="predictions"))


@program
def metrics_of_truth():
    labels, predictions = pair()
    tf.metrics.true_positives(labels, predictions)
    tf.metrics.false_positives(labels, predictions)
    tf.metrics.true_negatives(labels, predictions)
    tf.metrics.false_negatives(labels, predictions, name="missed")


@program
def metrics_of_weighted_truth():
    labels, predictions = pair((4,), tf.bool)
    tf.metrics.true_positives(labels, predictions, weights=[1.0, 2.0, 3.0, 4.0])


@program
def metrics_of_precision():
    labels, predictions = pair()
    tf.metrics.precision(labels, predictions)


@program
def metrics_of_recall():
    labels, predictions = pair()
    tf.metrics.recall(labels, predictions)


@program
def metrics_at_thresholds():
    labels, predictions = pair()
    tf.metrics.true_positives_at_thresholds(labels, predictions, [0.25, 0.75])
    tf.metrics.precision_at_thresholds(labels, predictions, [0.5])
    tf.metrics.recall_at_thresholds(labels, predictions, [0.5])


@program
def metrics_of_areas():
    labels, predictions = pair()
    tf.metrics.auc(labels, predictions, num_thresholds=5)


@program
def metrics_of_areas_of_precision():
    labels, predictions = pair()
    tf.metrics.auc(labels, predictions, num_thresholds=4, curve="PR", summation_method="careful_interpolation", name="area")


@program
def metrics_of_lower_and_upper_areas():
    labels, predictions = pair()
    tf.metrics.auc(labels, predictions, num_thresholds=3, summation_method="minoring")
    tf.metrics.auc(labels, predictions, thresholds=[0.75, 0.25], curve="PR", summation_method="majoring", name="upper")
    tf.metrics.auc(labels, predictions, num_thresholds=3, summation_method="careful_interpolation", name="straight")


@program
def metrics_at_rates():
    labels, predictions = pair()
    tf.metrics.sensitivity_at_specificity(labels, predictions, 0.75, num_thresholds=4)
    tf.metrics.specificity_at_sensitivity(labels, predictions, 0.5, num_thresholds=3, name="rate",
                                          metrics_collections=["values"], updates_collections=["updates"])


@program
def metrics_of_best():
    labels = tf.placeholder(tf.int64, [4, 2], name="labels")
    predictions = tf.placeholder(tf.float32, [4, 5], name="predictions")
    tf.metrics.recall_at_k(labels, predictions, 2)
    tf.metrics.precision_at_k(labels, predictions, 3, weights=tf.placeholder(tf.float32, [4], name="w"))
    tf.metrics.precision_at_top_k(labels, tf.placeholder(tf.int32, [4, 3], name="best"), name="of_top",
                                  metrics_collections=["values"], updates_collections=["updates"])
    tf.metrics.recall_at_top_k(tf.placeholder(tf.int64, [4], name="flat"), tf.placeholder(tf.int64, [4, 3], name="other"), k=3)


@program
def metrics_of_best_of_a_class():
    labels = tf.placeholder(tf.int64, [4, 2], name="labels")
    tf.metrics.recall_at_k(labels, tf.placeholder(tf.float32, [4, 5], name="predictions"), 2, class_id=3)
    tf.metrics.precision_at_k(tf.placeholder(tf.int64, [None, 2], name="unknown"),
                              tf.placeholder(tf.float32, [None, 5], name="guesses"), 1, class_id=0, name="zeros")


@program
def metrics_of_best_of_sparse_labels():
    labels = tf.sparse_placeholder(tf.int64, [4, 5], name="labels")
    predictions = tf.placeholder(tf.float32, [4, 5], name="predictions")
    tf.metrics.precision_at_k(labels, predictions, 2)
    tf.metrics.recall_at_k(labels, predictions, 2, class_id=1)


@program
def metrics_of_average_precision():
    predictions = tf.placeholder(tf.float32, [4, 5], name="predictions")
    tf.metrics.average_precision_at_k(tf.placeholder(tf.int64, [4, 2], name="labels"), predictions, 2)
    tf.metrics.average_precision_at_k(tf.placeholder(tf.int64, [4], name="flat"), predictions, 1,
                                      weights=tf.placeholder(tf.float32, [4], name="w"), name="weighted")


@program
def metrics_of_average_precision_of_sparse_labels():
    tf.metrics.average_precision_at_k(tf.sparse_placeholder(tf.int64, [4, 5], name="labels"),
                                      tf.placeholder(tf.float32, [4, 5], name="predictions"), 3)


@program
def metrics_of_confusion():
    labels, predictions = pair((None,), tf.int64)
    tf.metrics.mean_iou(labels, predictions, 3)
    tf.metrics.mean_per_class_accuracy(labels, predictions, 3)


@program
def matrices_of_confusion():
    labels, predictions = pair((None,), tf.int64)
    tf.confusion_matrix(labels, predictions)
    tf.confusion_matrix(labels, predictions, num_classes=4, dtype=tf.float32, name="known")
    tf.confusion_matrix([1, 2], [1, 0], num_classes=3, weights=[2, 3], name="weighted")


@program
def summaries_of_texts():
    tf.summary.text("note", tf.constant("hello"))
    tf.summary.text("notes", tf.placeholder(tf.string, [None], name="x"), collections=["mine"])


@program
def summaries_of_tensors():
    tf.summary.tensor_summary("values", tf.placeholder(tf.float32, [2], name="x"))
    tf.summary.tensor_summary("titled", tf.placeholder(tf.float32, [2], name="y"), display_name="Title", summary_description="What", family="f")
