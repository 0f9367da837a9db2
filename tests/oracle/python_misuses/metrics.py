"""tf.metrics of the best k and at rates, with arguments that they cannot work with."""

from python_misuses import misuses_of
from tensorflow_v1 import tf


def labels(dtype=tf.int64, shape=(4, 2)):
    return tf.placeholder(dtype, shape)


def predictions(shape=(4, 5)):
    return tf.placeholder(tf.float32, shape)


for name in ("recall_at_k", "precision_at_k", "average_precision_at_k"):
    def metric(*arguments, name=name, **named):
        return getattr(tf.metrics, name)(*arguments, **named)
    misuses_of(
        "metrics_" + name,
        rank_of_labels=lambda metric=metric: metric(labels(shape=[4, 2, 3, 1]), predictions(), 2),
        too_many=lambda metric=metric: metric(labels(), predictions(), 6),
        of_integers=lambda metric=metric: metric(labels(tf.int32), predictions(), 2),
        of_numbers=lambda metric=metric: metric(labels(tf.float32), predictions(), 2),
        labels_none=lambda metric=metric: metric(None, predictions(), 2),
    )

misuses_of(
    "metrics_best",
    average_of_none=lambda: tf.metrics.average_precision_at_k(labels(), predictions(), 0),
    average_of_fewer=lambda: tf.metrics.average_precision_at_k(labels(), predictions(), -3),
    average_of_unknown_rank=lambda: tf.metrics.average_precision_at_k(labels(), predictions(None), 2),
    recall_of_fewer=lambda: tf.metrics.recall_at_k(labels(), predictions(), -1),
    top_scalar=lambda: tf.metrics.precision_at_top_k(labels(), tf.placeholder(tf.int64, [])),
)


def at(name, rate, **named):
    return getattr(tf.metrics, name)(labels(tf.bool, [4]), predictions([4]), rate, **named)


misuses_of(
    "metrics_at",
    specificity_above=lambda: at("sensitivity_at_specificity", 1.5),
    specificity_below=lambda: at("sensitivity_at_specificity", -1),
    sensitivity_above=lambda: at("specificity_at_sensitivity", 2),
    sensitivity_below=lambda: at("specificity_at_sensitivity", -0.5),
    shapes=lambda: tf.metrics.specificity_at_sensitivity(labels(tf.bool, [3]), predictions([4]), 0.5),
)

misuses_of(
    "metrics_auc",
    curve=lambda: tf.metrics.auc(labels(tf.bool, [4]), predictions([4]), curve="R"),
    summation=lambda: tf.metrics.auc(labels(tf.bool, [4]), predictions([4]), summation_method="lower"),
)
