"""tf.keras.metrics: what a model is judged by."""

from flowray import _native
from flowray import tf as _tf
from flowray.tf import _with_python_words
from flowray.tf.keras import _custom_objects
from flowray.tf.keras import losses as _losses
from flowray.tf.keras.losses import (  # noqa: F401: metrics, too
    BCE, KLD, MAE, bce, MAPE, MSE, MSLE, binary_crossentropy, categorical_crossentropy, categorical_hinge, hinge, kl_divergence, kld,
    kullback_leibler_divergence, log_cosh, logcosh, mae, mape, mean_absolute_error, mean_absolute_percentage_error, mean_squared_error,
    mean_squared_logarithmic_error, mse, msle, poisson, sparse_categorical_crossentropy, squared_hinge)

from flowray.tf.keras.own_metrics import (  # noqa: F401
    AUC, FalseNegatives, PrecisionAtRecall, RecallAtPrecision, FalsePositives, Mean, MeanIoU, MeanMetricWrapper, MeanRelativeError, MeanTensor, Metric, Precision, Recall,
    RootMeanSquaredError, SensitivityAtSpecificity, SpecificityAtSensitivity, Sum, TrueNegatives, TruePositives)

_metrics = _native.keras.metrics
binary_accuracy = _with_python_words(_metrics.binary_accuracy)
categorical_accuracy = _with_python_words(_metrics.categorical_accuracy)
sparse_categorical_accuracy = _with_python_words(_metrics.sparse_categorical_accuracy)


def accuracy(y_true, y_pred):
    """1 where both are equal."""
    y_true, y_pred = _tf.convert_to_tensor(y_true), _tf.convert_to_tensor(y_pred)
    y_true.shape.assert_is_compatible_with(y_pred.shape)
    return _tf.cast(_tf.equal(y_true, _tf.cast(y_pred, y_true.dtype)), _tf.float32)


def cosine_similarity(y_true, y_pred, axis=-1):
    """1 where both point the same way, -1 where they point apart."""
    return -_losses.cosine_similarity(y_true, y_pred, axis)


cosine = cosine_proximity = cosine_similarity


def _of_shapes(y_true, y_pred, binary, sparse, categorical):
    """That one of three functions which the shapes are of."""
    classes, truths = y_pred.shape.as_list()[-1], y_true.shape.as_list()
    if classes == 1:
        return binary(y_true, y_pred)
    return (sparse if len(truths) < len(y_pred.shape) or truths[-1] == 1 else categorical)(y_true, y_pred)


def _crossentropy(y_true, y_pred):
    return _of_shapes(y_true, y_pred, binary_crossentropy, sparse_categorical_crossentropy, categorical_crossentropy)


def _accuracy(y_true, y_pred):
    return _of_shapes(y_true, y_pred, binary_accuracy, sparse_categorical_accuracy, categorical_accuracy)


def top_k_categorical_accuracy(y_true, y_pred, k=5):
    """1 where the true class is among the k with the greatest predictions."""
    return _tf.cast(_tf.nn.in_top_k(y_pred, _tf.argmax(y_true, axis=-1), k), _tf.float32)


def sparse_top_k_categorical_accuracy(y_true, y_pred, k=5):
    """The same with the number of the class."""
    return _tf.cast(_tf.nn.in_top_k(y_pred, _tf.cast(_tf.reshape(y_true, [-1]), _tf.int32), k), _tf.float32)


class _FunctionMean(MeanMetricWrapper):
    _function, _name = None, None

    def __init__(self, name=None, dtype=None, **settings):
        super().__init__(type(self)._function[0], self._name if name is None else name, dtype, **settings)


def _metric_class(class_name, function, name, **settings):
    names = list(settings)

    def __init__(self, *values, **options):
        values = dict(zip([*names, "name", "dtype"], values))
        values.update(options)
        _FunctionMean.__init__(self, values.pop("name", None), values.pop("dtype", None),
                               **{key: values.pop(key, settings[key]) for key in names})
        if values:
            raise TypeError("%s takes no %s" % (class_name, ", ".join(sorted(values))))
    return type(class_name, (_FunctionMean,), {"_function": (function,), "_name": name, "__init__": __init__, "__module__": __name__,
                                               "__doc__": "The mean of %s." % name})


def _with_logits(function, loss):
    def called(y_true, y_pred, from_logits=False, label_smoothing=0):
        return loss(from_logits=from_logits, label_smoothing=label_smoothing).call(y_true, y_pred)
    return called


def _binary_accuracy(y_true, y_pred, threshold=0.5):
    y_pred = _tf.convert_to_tensor(y_pred)
    return _tf.reduce_mean(_tf.cast(_tf.equal(_tf.cast(y_true, y_pred.dtype), _tf.cast(y_pred > threshold, y_pred.dtype)), _tf.float32), axis=-1)


Accuracy = _metric_class("Accuracy", accuracy, "accuracy")
BinaryAccuracy = _metric_class("BinaryAccuracy", _binary_accuracy, "binary_accuracy", threshold=0.5)
CategoricalAccuracy = _metric_class("CategoricalAccuracy", categorical_accuracy, "categorical_accuracy")
SparseCategoricalAccuracy = _metric_class("SparseCategoricalAccuracy", sparse_categorical_accuracy, "sparse_categorical_accuracy")
TopKCategoricalAccuracy = _metric_class("TopKCategoricalAccuracy", top_k_categorical_accuracy, "top_k_categorical_accuracy", k=5)
SparseTopKCategoricalAccuracy = _metric_class("SparseTopKCategoricalAccuracy", sparse_top_k_categorical_accuracy,
                                              "sparse_top_k_categorical_accuracy", k=5)
MeanSquaredError = _metric_class("MeanSquaredError", mean_squared_error, "mean_squared_error")
MeanAbsoluteError = _metric_class("MeanAbsoluteError", mean_absolute_error, "mean_absolute_error")
MeanAbsolutePercentageError = _metric_class("MeanAbsolutePercentageError", mean_absolute_percentage_error, "mean_absolute_percentage_error")
MeanSquaredLogarithmicError = _metric_class("MeanSquaredLogarithmicError", mean_squared_logarithmic_error, "mean_squared_logarithmic_error")
Hinge = _metric_class("Hinge", hinge, "hinge")
SquaredHinge = _metric_class("SquaredHinge", squared_hinge, "squared_hinge")
CategoricalHinge = _metric_class("CategoricalHinge", categorical_hinge, "categorical_hinge")
LogCoshError = _metric_class("LogCoshError", logcosh, "logcosh")
Poisson = _metric_class("Poisson", poisson, "poisson")
KLDivergence = _metric_class("KLDivergence", kullback_leibler_divergence, "kullback_leibler_divergence")
CosineSimilarity = _metric_class("CosineSimilarity", cosine_similarity, "cosine_similarity", axis=-1)
BinaryCrossentropy = _metric_class("BinaryCrossentropy", _with_logits(binary_crossentropy, _losses.BinaryCrossentropy),
                                   "binary_crossentropy", from_logits=False, label_smoothing=0)
CategoricalCrossentropy = _metric_class("CategoricalCrossentropy", _with_logits(categorical_crossentropy, _losses.CategoricalCrossentropy),
                                        "categorical_crossentropy", from_logits=False, label_smoothing=0)
SparseCategoricalCrossentropy = _metric_class(
    "SparseCategoricalCrossentropy", lambda y_true, y_pred, from_logits=False: _losses.SparseCategoricalCrossentropy(from_logits).call(
        y_true, y_pred), "sparse_categorical_crossentropy", from_logits=False)

_KNOWN = {name: value for name, value in globals().items() if not name.startswith("_") and callable(value)}
_NATIVE_NAMES = {"accuracy", "acc", "binary_accuracy", "categorical_accuracy", "sparse_categorical_accuracy", *_losses._NATIVE_NAMES}


def serialize(metric):
    """Its name or config."""
    return _custom_objects.serialize(metric)


def deserialize(config, custom_objects=None):
    """The metric that a name or a config stands for."""
    if isinstance(config, dict) and config.get("class_name") == "MeanMetricWrapper":
        told = config["config"]
        return _losses._Named(deserialize(told["fn"], custom_objects), told.get("name", "metric"))
    return _custom_objects.made(config, _KNOWN, "metric function", custom_objects)


def get(identifier):
    """A metric by its name or config, or what is one already."""
    if isinstance(identifier, (str, dict)):
        return deserialize(identifier)
    if callable(identifier) or isinstance(identifier, Metric):
        return identifier
    raise ValueError("Could not interpret metric identifier: %s" % (identifier,))


def resolved(metric):
    """What compile() was given, with metrics made where names or configs stand for their classes."""
    if isinstance(metric, dict):
        return get(metric)
    made = get(metric) if isinstance(metric, str) and metric not in {"crossentropy", "ce", *_NATIVE_NAMES} else metric
    return made if is_running(made) else metric


def by_given_name(metric):
    """resolved() as tf.keras does it while operations run at once: what is given as text is called by that text."""
    made = resolved(metric)
    if not isinstance(made, str):
        return made
    kinds = {"accuracy": _accuracy, "acc": _accuracy, "crossentropy": _crossentropy, "ce": _crossentropy}
    return _losses._Named(kinds[made] if made in kinds else get(made), made)


def is_running(metric):
    """Whether it is kept over batches, and not the mean of theirs."""
    return isinstance(metric, Metric) and not isinstance(metric, _FunctionMean)


def for_compile(metric):
    """What the language judges by."""
    if isinstance(metric, str) and metric in _NATIVE_NAMES:
        return metric
    if isinstance(metric, str) and metric in ("crossentropy", "ce"):
        return _losses._Named(_crossentropy, "ce")
    made = get(metric)
    if isinstance(made, _FunctionMean):
        return _losses._Named(made.call, made.name)  # a mean of batches, of which the model's loop keeps account
    if isinstance(made, Metric):
        named = _losses._Named(made.running, made.name)
        named._weighted = made.running  # in weighted_metrics it takes the weights, too
        return named
    return _losses._Named(made, metric) if isinstance(metric, str) else made
