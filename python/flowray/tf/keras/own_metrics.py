"""Metrics that keep what they have seen in variables: what all classes of metrics have, those of the program's too, and those that are not means
of their batches."""

import re as _re

import numpy as _np

from flowray import _native
from flowray import tf as _tf
from flowray.tf.keras import backend as _backend
from flowray.tf.keras import initializers as _initializers

_LEAST = 1e-7
_NEVER = -1e10


_builds_resets = []  # the metrics whose reset is being built, rather than run


def _changes(graph, function):
    """(what the function gives, the operations among those that it adds which change something)."""
    before = len(graph.get_operations())
    given = function()
    added = graph.get_operations()[before:]
    return given, [op for op in added if op.type.startswith(("Assign", "Scatter", "ResourceScatter"))]


def _next_name(class_name):
    base = _re.sub(r"([a-z])([A-Z])", r"\1_\2", _re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", class_name)).lower()
    number = _backend.get_uid(base)
    return base if number == 1 else "%s_%d" % (base, number - 1)


class Metric:
    """Its variables by add_weight, what a batch changes of them by update_state, and its value by result: a class of the program's has those."""

    _mean_of = None  # of metrics that are means: the function, as a tuple

    def __new__(cls, *args, **options):
        made = object.__new__(cls)
        made._weights, made._first_values, made._begins = [], [], None
        made._update, made.update_state = made.update_state, made._updated
        return made

    def __init__(self, name=None, dtype=None, **others):
        for option in others:
            raise TypeError("('Keyword argument not understood:', '%s')" % option)
        self.name = name or _next_name(type(self).__name__)
        self.dtype = _tf.as_dtype(dtype or "float32").name
        self._dtype, self.stateful, self.built = self.dtype, True, True

    def add_weight(self, name=None, shape=(), aggregation=None, synchronization=None, initializer=None, dtype=None):
        """A variable that stays from batch to batch, until reset_states()."""
        for value, allowed in ((synchronization, (0, 3)), (aggregation, (0, 2, 3))):
            if value is not None and getattr(value, "value", value) not in allowed:
                raise NotImplementedError("Metric.add_weight: there is one copy of a variable; leave synchronization and aggregation out")
        dtype = _tf.as_dtype(dtype or self._dtype)
        shape = tuple(_tf.TensorShape(shape).as_list())
        made = _initializers.get(initializer or "zeros")
        in_graph = not _tf.executing_eagerly()
        variable = _tf.Variable(lambda: made(shape, dtype=dtype), trainable=False, name=name, use_resource=in_graph, dtype=dtype,
                                collections=["metric_variables_of_keras"] if in_graph else None)
        self._weights.append(variable)
        self._first_values.append(made)
        return variable

    def _with_inner(self):
        """It and the metrics in its attributes."""
        found = [self]
        for metric in found:  # grows while it is gone through
            for value in metric.__dict__.values():
                for item in value if isinstance(value, (list, tuple)) else value.values() if isinstance(value, dict) else (value,):
                    if isinstance(item, Metric) and not any(item is other for other in found):
                        found.append(item)
        return found

    weights = property(lambda self: [weight for metric in self._with_inner() for weight in metric._weights])
    variables = property(lambda self: self.weights)
    non_trainable_weights = property(lambda self: self.weights)
    trainable_weights = property(lambda self: [])

    def update_state(self, *args, **options):
        raise NotImplementedError("Must be implemented in subclasses.")

    def result(self):
        raise NotImplementedError("Must be implemented in subclasses.")

    def _updated(self, *args, **options):
        """update_state: in a graph an operation that does it."""
        if _tf.executing_eagerly():
            return self._update(*args, **options)
        graph = _tf.get_default_graph()
        _, changes = _changes(graph, lambda: self._update(*args, **options))
        return _tf.group(*changes)

    def reset_state(self):
        """Begins anew."""
        if type(self).reset_states is not Metric.reset_states:
            return self.reset_states()
        if _tf.executing_eagerly():
            self._begun()
        elif _builds_resets:
            return _tf.group(*self._begun())
        elif self.weights:
            session = _tf.get_default_session()
            if session is not None:
                session.run(self._reset())
            else:
                self.begin()
        return None

    def reset_states(self):
        """reset_state() by its older name."""
        return self.reset_state()

    def _begun(self):
        return [variable.assign(made(tuple(variable.shape.as_list()), dtype=variable.dtype)) for variable, made in
                (pair for metric in self._with_inner() for pair in zip(metric._weights, metric._first_values))]

    def __call__(self, *args, **options):
        """Counts a batch, and gives the value with it."""
        update = self.update_state(*args, **options)
        if _tf.executing_eagerly():
            return self.result()
        with _tf.control_dependencies([update]):
            return _tf.identity(self.result())

    def running(self, y_true, y_pred, sample_weight=None):
        """For a model's steps: the value with this batch."""
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        return _tf.cast(self(y_true, y_pred, **weights), _tf.float32)

    def begin(self):
        """Sets it back, in a graph in the session of its models."""
        if _tf.executing_eagerly():
            self.reset_state()
        elif self.weights:
            _native.keras._run_in_models_session([self._reset()], [], [])

    def _reset(self):
        """What sets it back when it runs."""
        if self._begins is None:
            graph = self.weights[0].graph
            _builds_resets.append(self)
            try:
                with graph.as_default():
                    _, changes = _changes(graph, self.reset_state)
                    with _tf.control_dependencies(changes):
                        self._begins = _tf.constant(1)
            finally:
                _builds_resets.pop()
        return self._begins

    def get_config(self):
        return {"name": self.name, "dtype": self.dtype}

    @classmethod
    def from_config(cls, config):
        return cls(**config)


def _of_one_rank(y_true, y_pred):
    """Both without a last dimension of 1 that only one of them has."""
    ranks = y_true.shape.ndims, y_pred.shape.ndims
    if None not in ranks:
        if ranks[0] == ranks[1] + 1 and y_true.shape.as_list()[-1] in (1, None):
            y_true = _tf.squeeze(y_true, axis=-1)
        elif ranks[1] == ranks[0] + 1 and y_pred.shape.as_list()[-1] == 1:
            y_pred = _tf.squeeze(y_pred, axis=-1)
    return y_true, y_pred


def _weighted(values, sample_weight):
    """(values, weights of their shape or None): weights of each element are repeated along its dimensions."""
    values = _tf.cast(values, _tf.float32)
    if sample_weight is None:
        return values, None
    weights = _tf.cast(sample_weight, _tf.float32)
    while weights.shape.ndims is not None and values.shape.ndims is not None and weights.shape.ndims > values.shape.ndims:
        weights = _tf.squeeze(weights, axis=-1)
    while weights.shape.ndims is not None and values.shape.ndims is not None and 0 < weights.shape.ndims < values.shape.ndims:
        weights = _tf.expand_dims(weights, axis=-1)
    return values, weights * _tf.ones_like(values)


def _ratio(a, b):
    return _tf.div_no_nan(_tf.cast(a, _tf.float32), _tf.cast(b, _tf.float32))


class Sum(Metric):
    """The sum of all values."""

    def __init__(self, name="sum", dtype=None):
        super().__init__(name, dtype)
        self.total = self.add_weight("total")

    def update_state(self, values, sample_weight=None):
        values, weights = _weighted(values, sample_weight)
        self.total.assign_add(_tf.reduce_sum(values if weights is None else values * weights))

    def result(self):
        return _tf.identity(self.total)


class Mean(Sum):
    """The mean of all values."""

    def __init__(self, name="mean", dtype=None):
        super().__init__(name, dtype)
        self.count = self.add_weight("count")

    def update_state(self, values, sample_weight=None):
        values, weights = _weighted(values, sample_weight)
        self.total.assign_add(_tf.reduce_sum(values if weights is None else values * weights))
        self.count.assign_add(_tf.cast(_tf.size(values), _tf.float32) if weights is None else _tf.reduce_sum(weights))

    def result(self):
        return _ratio(self.total, self.count)


class MeanMetricWrapper(Mean):
    """The mean of a function of true values and predictions."""

    def __init__(self, fn, name=None, dtype=None, **settings):
        super().__init__(name, dtype)
        self._fn, self._settings = fn, settings

    def update_state(self, y_true, y_pred, sample_weight=None):
        y_pred = _tf.convert_to_tensor(y_pred)
        super().update_state(self.call(*_of_one_rank(_tf.cast(y_true, y_pred.dtype), y_pred)), sample_weight)

    def call(self, y_true, y_pred):
        return self._fn(y_true, y_pred, **self._settings)

    def get_config(self):
        return {**super().get_config(), **self._settings}


class RootMeanSquaredError(Mean):
    """The root of the mean of squared differences."""

    def __init__(self, name="root_mean_squared_error", dtype=None):
        super().__init__(name, dtype)

    def update_state(self, y_true, y_pred, sample_weight=None):
        y_true, y_pred = _of_one_rank(_tf.cast(y_true, _tf.float32), _tf.cast(y_pred, _tf.float32))
        super().update_state(_tf.squared_difference(y_pred, y_true), sample_weight)

    def result(self):
        return _tf.sqrt(super().result())


class MeanRelativeError(Mean):
    """The mean of differences by a number for each."""

    def __init__(self, normalizer, name=None, dtype=None):
        super().__init__(name, dtype)
        self.normalizer = _np.asarray(normalizer, _np.float32)

    def update_state(self, y_true, y_pred, sample_weight=None):
        y_true, y_pred = _of_one_rank(_tf.cast(y_true, _tf.float32), _tf.cast(y_pred, _tf.float32))
        super().update_state(_tf.div_no_nan(_tf.abs(y_true - y_pred), _tf.constant(self.normalizer) * _tf.ones_like(y_pred)), sample_weight)

    def get_config(self):
        return {**super().get_config(), "normalizer": self.normalizer}


class MeanTensor(Metric):
    """The mean of each element of tensors of one shape."""

    def __init__(self, name="mean_tensor", dtype=None, shape=None):
        super().__init__(name, dtype)
        self._shape, self.total, self.count = None, None, None
        if shape is not None:
            self._make(shape)

    def _make(self, shape):
        self._shape = tuple(_tf.TensorShape(shape).as_list())
        self.total, self.count = self.add_weight("total", self._shape), self.add_weight("count", self._shape)

    def update_state(self, values, sample_weight=None):
        values = _tf.cast(values, _tf.float32)
        if self._shape is None:
            self._make(values.shape)
        elif tuple(values.shape.as_list()) != self._shape:
            raise ValueError("MeanTensor input values must always have the same shape. Expected shape (set during the first call): %s. Got: %s."
                             % (self._shape, tuple(values.shape.as_list())))
        values, weights = _weighted(values, sample_weight)
        self.total.assign_add(values if weights is None else values * weights)
        self.count.assign_add(_tf.ones_like(values) if weights is None else weights)

    def result(self):
        if self._shape is None:
            raise ValueError("MeanTensor does not have any value yet. Please call the MeanTensor instance or use `.update_state(value)` before "
                             "retrieving the result.")
        return _ratio(self.total, self.count)


# ---- numbers of right and wrong predictions at thresholds

def _flat_predictions(y_true, y_pred, sample_weight, top_k=None, class_id=None):
    y_pred = _tf.cast(y_pred, _tf.float32)
    checks = [_tf.assert_greater_equal(y_pred, 0.0, message="predictions must be >= 0"),
              _tf.assert_less_equal(y_pred, 1.0, message="predictions must be <= 1")]
    if not _tf.executing_eagerly():
        with _tf.control_dependencies(checks):
            y_pred = _tf.identity(y_pred)
    y_true, y_pred = _of_one_rank(_tf.cast(y_true, _tf.float32), y_pred)
    if top_k is not None:
        _, places = _tf.nn.top_k(y_pred, top_k, sorted=False)
        kept = _tf.reduce_sum(_tf.one_hot(places, y_pred.shape.as_list()[-1]), axis=-2)
        y_pred = y_pred * kept + _NEVER * (1.0 - kept)
    if class_id is not None:
        y_true, y_pred = y_true[..., class_id], y_pred[..., class_id]
    weights = None
    if sample_weight is not None:
        _, weights = _weighted(y_pred, sample_weight)
        weights = _tf.reshape(weights, [1, -1])
    return _tf.reshape(y_true, [1, -1]), _tf.reshape(y_pred, [1, -1]), weights


def _counted(y_true, y_pred, weights, thresholds):
    """{kind: how many of it at each threshold}; kinds are tp, fp, tn and fn."""
    says = _tf.cast(y_pred > _tf.constant(_np.asarray(thresholds, _np.float32)[:, None]), _tf.float32)
    truth = _tf.cast(_tf.cast(y_true, _tf.bool), _tf.float32)
    of_each = {"tp": says * truth, "fp": says * (1.0 - truth), "tn": (1.0 - says) * (1.0 - truth), "fn": (1.0 - says) * truth}
    return {kind: _tf.reduce_sum(values if weights is None else values * weights, axis=1) for kind, values in of_each.items()}


def _checked_thresholds(thresholds, default):
    values = list(thresholds) if isinstance(thresholds, (list, tuple)) else [default if thresholds is None else thresholds]
    wrong = [value for value in values if value is None or not 0 <= value <= 1]
    if wrong:
        raise ValueError("Threshold values must be in [0, 1]. Received: %s" % wrong)
    return [float(value) for value in values]


class _OfThresholds(Metric):
    _kinds = ()

    def __init__(self, thresholds, name, dtype, default=0.5, top_k=None, class_id=None):
        super().__init__(name, dtype)
        self.init_thresholds, self.top_k, self.class_id = thresholds, top_k, class_id
        self.thresholds = _checked_thresholds(thresholds, default)
        names = {kind: "accumulator" if len(self._kinds) == 1 else _NAMES_OF_KINDS[kind] for kind in self._kinds}
        self._counts = {kind: self.add_weight(name, (len(self.thresholds),)) for kind, name in names.items()}
        for kind, variable in self._counts.items():
            setattr(self, names[kind], variable)

    def update_state(self, y_true, y_pred, sample_weight=None):
        counted = _counted(*_flat_predictions(y_true, y_pred, sample_weight, self.top_k, self.class_id), self.thresholds)
        for kind, variable in self._counts.items():
            variable.assign_add(counted[kind])

    def _value(self):
        raise NotImplementedError

    def result(self):
        value = self._value()
        return value[0] if len(self.thresholds) == 1 else value

    def get_config(self):
        return {**super().get_config(), "thresholds": self.init_thresholds}


_NAMES_OF_KINDS = {"tp": "true_positives", "fp": "false_positives", "tn": "true_negatives", "fn": "false_negatives"}


class _Count(_OfThresholds):
    def __init__(self, thresholds=None, name=None, dtype=None):
        super().__init__(thresholds, name, dtype)

    def _value(self):
        return _tf.identity(self._counts[self._kinds[0]])


class TruePositives(_Count):
    """How many were rightly said to be so."""

    _kinds = ("tp",)


class FalsePositives(_Count):
    """How many were wrongly said to be so."""

    _kinds = ("fp",)


class TrueNegatives(_Count):
    """How many were rightly said not to be so."""

    _kinds = ("tn",)


class FalseNegatives(_Count):
    """How many were wrongly said not to be so."""

    _kinds = ("fn",)


class _Share(_OfThresholds):
    def __init__(self, thresholds=None, top_k=None, class_id=None, name=None, dtype=None):
        super().__init__(thresholds, name, dtype, 0.5 if top_k is None else 0.0, top_k, class_id)
        if top_k is not None and thresholds is None:
            self.thresholds = [_NEVER]

    def _value(self):
        first, other = (self._counts[kind] for kind in self._kinds)
        return _ratio(first, first + other)

    def get_config(self):
        return {**super().get_config(), "top_k": self.top_k, "class_id": self.class_id}


class Precision(_Share):
    """Of those that are said to be so, how many are."""

    _kinds = ("tp", "fp")


class Recall(_Share):
    """Of those that are so, how many are said to be."""

    _kinds = ("tp", "fn")


def _even_thresholds(number):
    return [0.0 - _LEAST, *((i + 1) / (number - 1) for i in range(number - 2)), 1.0 + _LEAST]


class _OfFour(Metric):
    """The numbers of all four kinds at even thresholds."""

    def __init__(self, num_thresholds, name, dtype, thresholds=None):
        super().__init__(name, dtype)
        if thresholds is not None:
            _checked_thresholds(list(thresholds), None)
            self.thresholds = [0.0 - _LEAST, *sorted(thresholds), 1.0 + _LEAST]
        else:
            self.thresholds = _even_thresholds(num_thresholds) if num_thresholds > 1 else [0.5]
        self.num_thresholds = len(self.thresholds)
        shape = (self.num_thresholds,)
        self.true_positives, self.true_negatives = self.add_weight("true_positives", shape), self.add_weight("true_negatives", shape)
        self.false_positives, self.false_negatives = self.add_weight("false_positives", shape), self.add_weight("false_negatives", shape)

    def update_state(self, y_true, y_pred, sample_weight=None):
        counted = _counted(*_flat_predictions(y_true, y_pred, sample_weight), self.thresholds)
        for kind, name in _NAMES_OF_KINDS.items():
            getattr(self, name).assign_add(counted[kind])

    def _numbers(self):
        return tuple(_tf.identity(getattr(self, name)) for name in _NAMES_OF_KINDS.values())


class AUC(_OfFour):
    """The area under the curve of receivers (ROC) or of precision and recall (PR)."""

    def __init__(self, num_thresholds=200, curve="ROC", summation_method="interpolation", name=None, dtype=None, thresholds=None,
                 multi_label=False, num_labels=None, label_weights=None, from_logits=False):
        curve = {"roc": "ROC", "pr": "PR", "pr_gain": "PR_GAIN", "prgain": "PR_GAIN", "PRGAIN": "PR_GAIN"}.get(curve, curve)
        summation_method = {"Interpolation": "interpolation", "Majoring": "majoring", "Minoring": "minoring"}.get(summation_method, summation_method)
        self._from_logits = from_logits
        for option, value in (("multi_label", multi_label), ("num_labels", num_labels), ("label_weights", label_weights)):
            if value:
                raise NotImplementedError("AUC(%s=) is not there yet: make one for each label" % option)
        if curve == "PR_GAIN":
            raise NotImplementedError("AUC(curve=\"PR_GAIN\") is not there yet: \"PR\" is")
        if curve not in ("ROC", "PR"):
            raise ValueError("Invalid AUC curve value: \"%s\". Expected values are [\"PR\", \"ROC\", \"PR_GAIN\"]" % curve)
        if summation_method not in ("interpolation", "minoring", "majoring"):
            raise ValueError("Invalid AUC summation method value: \"%s\". Expected values are [\"interpolation\", \"majoring\", \"minoring\"]"
                             % summation_method)
        if num_thresholds <= 1 and thresholds is None:
            raise ValueError("Argument `num_thresholds` must be an integer > 1. Received: num_thresholds=%s" % num_thresholds)
        super().__init__(num_thresholds, name, dtype, thresholds)
        self.curve, self.summation_method, self._init_thresholds = curve, summation_method, thresholds

    def update_state(self, y_true, y_pred, sample_weight=None):
        super().update_state(y_true, _tf.sigmoid(_tf.cast(y_pred, _tf.float32)) if self._from_logits else y_pred, sample_weight)

    def result(self):
        tp, fp, tn, fn = self._numbers()
        if self.curve == "PR" and self.summation_method == "interpolation":
            return self._area_of_precision(tp, fp, fn)
        recall = _ratio(tp, tp + fn)
        x, y = (_ratio(fp, fp + tn), recall) if self.curve == "ROC" else (recall, _ratio(tp, tp + fp))
        left, right = y[:-1], y[1:]
        heights = {"interpolation": lambda: (left + right) / 2.0, "minoring": lambda: _tf.minimum(left, right),
                   "majoring": lambda: _tf.maximum(left, right)}[self.summation_method]()
        return _tf.reduce_sum((x[:-1] - x[1:]) * heights)

    @staticmethod
    def _area_of_precision(tp, fp, fn):
        """Source: Davis and Goadrich, 2006: between two points true positives grow evenly with what is said to be so."""
        said = tp + fp
        gained, added = tp[:-1] - tp[1:], said[:-1] - said[1:]
        slope = _tf.div_no_nan(gained, _tf.maximum(added, 0))
        offset = tp[1:] - slope * said[1:]
        grows = _tf.logical_and(said[:-1] > 0, said[1:] > 0)
        factor = _tf.where(grows, _tf.div_no_nan(said[:-1], _tf.maximum(said[1:], 0)), _tf.ones_like(said[1:]))
        return _tf.reduce_sum(_tf.div_no_nan(slope * (gained + offset * _tf.log(factor)), _tf.maximum(tp[1:] + fn[1:], 0)))

    def get_config(self):
        config = {**super().get_config(), "num_thresholds": self.num_thresholds, "curve": self.curve, "summation_method": self.summation_method,
                  "multi_label": False, "label_weights": None}
        return config if self._init_thresholds is None else {**config, "thresholds": self.thresholds[1:-1]}


class _BestAt(_OfFour):
    """One share at the threshold that is best of those where another one is large enough."""

    def __init__(self, word, value, num_thresholds, name, dtype):
        if not 0 <= value <= 1:
            raise ValueError("Argument `%s` must be in the range [0, 1]. Received: %s=%s" % (word, word, value))
        if num_thresholds <= 0:
            raise ValueError("Argument `num_thresholds` must be an integer > 0. Received: num_thresholds=%s" % num_thresholds)
        super().__init__(num_thresholds, name, dtype)
        self._word, self.value = word, value
        setattr(self, word, value)

    def _shares(self):
        """(sensitivity, specificity) at each threshold."""
        tp, fp, tn, fn = self._numbers()
        return _ratio(tp, tp + fn), _ratio(tn, tn + fp)

    def get_config(self):
        return {**super().get_config(), "num_thresholds": self.num_thresholds, self._word: self.value}


class SensitivityAtSpecificity(_BestAt):
    """Of those that are so how many are said to be, where at least so many of the others are said not to be."""

    def __init__(self, specificity, num_thresholds=200, name=None, dtype=None):
        super().__init__("specificity", specificity, num_thresholds, name, dtype)

    def result(self):
        sensitivity, specificity = self._shares()
        return _best_where(specificity >= self.value, sensitivity)


class SpecificityAtSensitivity(_BestAt):
    """The other way round."""

    def __init__(self, sensitivity, num_thresholds=200, name=None, dtype=None):
        super().__init__("sensitivity", sensitivity, num_thresholds, name, dtype)

    def result(self):
        sensitivity, specificity = self._shares()
        return _best_where(sensitivity >= self.value, specificity)


class PrecisionAtRecall(_BestAt):
    """How many of those that are said to be so are, where at least so many of those that are so are said to be."""

    def __init__(self, recall, num_thresholds=200, name=None, dtype=None):
        super().__init__("recall", recall, num_thresholds, name, dtype)

    def result(self):
        tp, fp, _, fn = self._numbers()
        return _best_where(_ratio(tp, tp + fn) >= self.value, _ratio(tp, tp + fp))


class RecallAtPrecision(_BestAt):
    """The other way round."""

    def __init__(self, precision, num_thresholds=200, name=None, dtype=None):
        super().__init__("precision", precision, num_thresholds, name, dtype)

    def result(self):
        tp, fp, _, fn = self._numbers()
        return _best_where(_ratio(tp, tp + fp) >= self.value, _ratio(tp, tp + fn))


def _best_where(allowed, values):
    return _tf.reduce_max(_tf.where(allowed, values, _tf.zeros_like(values)))


class MeanIoU(Metric):
    """Of each class those that are it and are said to be, by those that are one of both; the mean over the classes."""

    def __init__(self, num_classes, name=None, dtype=None):
        super().__init__(name, dtype)
        self.num_classes = num_classes
        self.total_cm = self.add_weight("total_confusion_matrix", (num_classes, num_classes))

    def update_state(self, y_true, y_pred, sample_weight=None):
        y_true, y_pred = _tf.reshape(_tf.cast(y_true, _tf.int64), [-1]), _tf.reshape(_tf.cast(y_pred, _tf.int64), [-1])
        weights = None if sample_weight is None else _tf.reshape(_tf.cast(sample_weight, _tf.float32), [-1])
        self.total_cm.assign_add(_tf.confusion_matrix(y_true, y_pred, self.num_classes, weights=weights, dtype=_tf.float32))

    def result(self):
        counted = _tf.identity(self.total_cm)
        both = _tf.linalg.diag_part(counted)
        one = _tf.reduce_sum(counted, axis=0) + _tf.reduce_sum(counted, axis=1) - both
        there = _tf.reduce_sum(_tf.cast(_tf.not_equal(one, 0.0), _tf.float32))
        return _tf.div_no_nan(_tf.reduce_sum(_tf.div_no_nan(both, one)), there)

    def get_config(self):
        return {**super().get_config(), "num_classes": self.num_classes}
