"""tf.contrib.metrics: tf.metrics by older names and with predictions before labels."""

import flowray.tf as _tf
from flowray import _native

_COLLECTIONS = ("metrics_collections", "updates_collections", "name")


def _by_older_name(older, newer, words, defaults=()):
    """tf.metrics.NEWER with these words in this order; `defaults` of words that have another than None."""
    words, defaults = words.split(), dict(defaults)
    required = words[:words.index("weights")]

    def metric(*arguments, **named):
        if len(arguments) > len(words):
            raise TypeError("%s() takes from %d to %d positional arguments but %d were given"
                            % (older, len(required), len(words), len(arguments)))
        given = dict(zip(words, arguments))
        for word, value in named.items():
            if word in given:
                raise TypeError("%s() got multiple values for argument '%s'" % (older, word))
            if word not in words:
                raise TypeError("%s() got an unexpected keyword argument '%s'" % (older, word))
            given[word] = value
        missing = [word for word in required if word not in given and word != "class_id"]
        if missing:
            raise TypeError("%s() missing %d required positional argument%s: %s" % (
                older, len(missing), "s" if len(missing) > 1 else "", " and ".join("'%s'" % word for word in missing)))
        return getattr(_tf.metrics, newer)(**{**defaults, **given})
    metric.__name__ = metric.__qualname__ = older
    metric.__doc__ = "tf.metrics.%s of (%s)." % (newer, ", ".join(words))
    return metric


def _words(*own):
    return " ".join(("predictions labels", *own, "weights", *_COLLECTIONS))


def _words_of_thresholds(*own):
    return " ".join(("predictions labels", *own, "weights num_thresholds", *_COLLECTIONS))


NAMES = {}
for _older, _newer, _order in (
        *(("streaming_" + name, name, _words()) for name in (
            "accuracy", "precision", "recall", "true_positives", "true_negatives", "false_positives", "false_negatives",
            "mean_absolute_error", "mean_squared_error", "root_mean_squared_error")),
        *(("streaming_" + name, name, _words("thresholds")) for name in (
            "precision_at_thresholds", "recall_at_thresholds", "true_positives_at_thresholds", "true_negatives_at_thresholds",
            "false_positives_at_thresholds", "false_negatives_at_thresholds")),
        ("streaming_auc", "auc", " ".join((_words_of_thresholds()[:-len(" name")], "curve name"))),
        ("streaming_specificity_at_sensitivity", "specificity_at_sensitivity", _words_of_thresholds("sensitivity")),
        ("streaming_sensitivity_at_specificity", "sensitivity_at_specificity", _words_of_thresholds("specificity")),
        ("streaming_mean_relative_error", "mean_relative_error", _words("normalizer")),
        ("streaming_mean_cosine_distance", "mean_cosine_distance", _words("dim")),
        ("streaming_mean_iou", "mean_iou", _words("num_classes")),
        ("streaming_sparse_recall_at_k", "recall_at_k", _words("k class_id")),
        ("streaming_sparse_precision_at_k", "precision_at_k", _words("k class_id")),
        ("streaming_mean", "mean", " ".join(("values weights", *_COLLECTIONS))),
        ("streaming_mean_tensor", "mean_tensor", " ".join(("values weights", *_COLLECTIONS))),
        ("streaming_percentage_less", "percentage_below", " ".join(("values threshold weights", *_COLLECTIONS)))):
    NAMES[_older] = globals()[_older] = _by_older_name(_older, _newer, _order)  # pickle finds it by its name


def streaming_recall_at_k(predictions, labels, k, weights=None, metrics_collections=None, updates_collections=None, name=None):
    """How often the label is among the k highest predictions."""
    hits = _tf.cast(_tf.nn.in_top_k(predictions, labels, k), _tf.float32)
    return _tf.metrics.mean(hits, weights, metrics_collections, updates_collections, name or "recall_at_%d" % k)


def accuracy(predictions, labels, weights=None, name=None):
    """The share of predictions that are the labels: of these values alone, without variables."""
    predictions, labels = _tf.convert_to_tensor(predictions), _tf.convert_to_tensor(labels)
    if labels.dtype != predictions.dtype:
        raise ValueError("dtype of predictions and labels should match. Given: predictions (%r) and labels (%r)"
                         % (predictions.dtype, labels.dtype))
    predictions.shape.assert_is_compatible_with(labels.shape)
    with _native.name_scope(name, "accuracy"):
        correct = _tf.cast(_tf.equal(predictions, labels), _tf.float32)
        if weights is None:
            return _tf.reduce_mean(correct)
        correct = correct * weights
        return _tf.reduce_sum(correct) / _tf.reduce_sum(weights * _tf.ones_like(correct))


def aggregate_metrics(*value_update_tuples):
    """([values], [update operations]) of metrics."""
    if not value_update_tuples:
        raise ValueError("Expected at least one value_tensor/update_op pair")
    values, updates = zip(*value_update_tuples)
    return list(values), list(updates)


def aggregate_metric_map(names_to_tuples):
    """({name: value}, {name: update operation}) of a dict of metrics."""
    return ({name: value for name, (value, _) in names_to_tuples.items()}, {name: update for name, (_, update) in names_to_tuples.items()})


def confusion_matrix(labels, predictions, num_classes=None, dtype=_tf.int32, name=None, weights=None):
    """tf.confusion_matrix with its arguments in contrib's order."""
    return _tf.confusion_matrix(labels, predictions, num_classes, dtype=dtype, name=name, weights=weights)


NAMES.update(streaming_recall_at_k=streaming_recall_at_k, accuracy=accuracy, aggregate_metrics=aggregate_metrics,
             aggregate_metric_map=aggregate_metric_map, confusion_matrix=confusion_matrix)
NAMES.update({name: getattr(_tf.sets, name) for name in ("set_difference", "set_intersection", "set_size", "set_union")})
