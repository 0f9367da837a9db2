"""tf.keras.losses: what a model is trained for. A function gives a number for each element; an object of a class one number for all."""

from flowray import _native
from flowray import tf as _tf
from flowray.tf import _with_python_words
from flowray.tf.keras import _custom_objects

_losses = _native.keras.losses
_binary_crossentropy = _with_python_words(_losses.binary_crossentropy)
_categorical_crossentropy = _with_python_words(_losses.categorical_crossentropy)
hinge = _with_python_words(_losses.hinge)
mean_absolute_error = mae = MAE = _with_python_words(_losses.mean_absolute_error)
mean_squared_error = mse = MSE = _with_python_words(_losses.mean_squared_error)
_sparse_categorical_crossentropy = _with_python_words(_losses.sparse_categorical_crossentropy)
_EPSILON = 1e-7


def _both(y_true, y_pred):
    y_pred = _tf.convert_to_tensor(y_pred)
    return _tf.cast(y_true, y_pred.dtype), y_pred


def _mean(values):
    return _tf.reduce_mean(values, axis=-1)


def _with_last(tensor, axis):
    """The tensor with this dimension as its last."""
    rank = tensor.shape.ndims
    if axis in (-1, rank - 1):
        return tensor
    return _tf.transpose(tensor, [i for i in range(rank) if i != axis % rank] + [axis % rank])


def _is_made_by(tensor, activation):
    """Whether its logits stand behind it in the graph: those are taken, whatever it is said to be."""
    return not _tf.executing_eagerly() and tensor.op.type == activation


def binary_crossentropy(y_true, y_pred, from_logits=False, label_smoothing=0.0, axis=-1):
    """Mean of -log of the chance that was given to what is so; of logits where `from_logits`. With label_smoothing 0.1 the true values are 0.05
    and 0.95."""
    y_true, y_pred = (_with_last(one, axis) for one in _both(y_true, y_pred))
    if label_smoothing:
        y_true = y_true * (1.0 - label_smoothing) + 0.5 * label_smoothing
    if from_logits and not _is_made_by(y_pred, "Sigmoid"):
        return _mean(_tf.nn.sigmoid_cross_entropy_with_logits(labels=y_true, logits=y_pred))
    return _binary_crossentropy(y_true, y_pred)


def categorical_crossentropy(y_true, y_pred, from_logits=False, label_smoothing=0.0, axis=-1):
    """-log of the chance that was given to the true class; of logits where `from_logits`."""
    y_true, y_pred = (_with_last(one, axis) for one in _both(y_true, y_pred))
    if label_smoothing:
        classes = _tf.cast(_tf.shape(y_true)[-1], y_pred.dtype)
        y_true = y_true * (1.0 - label_smoothing) + label_smoothing / classes
    if from_logits and not _is_made_by(y_pred, "Softmax"):
        return _tf.nn.softmax_cross_entropy_with_logits_v2(labels=y_true, logits=y_pred)
    return _categorical_crossentropy(y_true, y_pred)


def sparse_categorical_crossentropy(y_true, y_pred, from_logits=False, axis=-1):
    """The same for the number of the true class."""
    y_pred = _with_last(_tf.convert_to_tensor(y_pred), axis)
    if not from_logits or _is_made_by(y_pred, "Softmax"):
        return _sparse_categorical_crossentropy(y_true, y_pred)
    y_true = _tf.cast(y_true, _tf.int64)
    if y_true.shape.ndims == y_pred.shape.ndims:
        y_true = _tf.squeeze(y_true, -1)
    return _tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y_true, logits=y_pred)


def mean_absolute_percentage_error(y_true, y_pred):
    """Mean of |y_true - y_pred| / |y_true|, in percent."""
    y_true, y_pred = _both(y_true, y_pred)
    return 100.0 * _mean(_tf.abs((y_true - y_pred) / _tf.maximum(_tf.abs(y_true), _EPSILON)))


def mean_squared_logarithmic_error(y_true, y_pred):
    """Mean of (log(y_pred + 1) - log(y_true + 1))^2."""
    y_true, y_pred = _both(y_true, y_pred)
    return _mean(_tf.square(_tf.log(_tf.maximum(y_pred, _EPSILON) + 1.0) - _tf.log(_tf.maximum(y_true, _EPSILON) + 1.0)))


def _signed(y_true):
    """0 and 1 as -1 and 1; -1 and 1 as they are."""
    is_binary = _tf.reduce_all(_tf.logical_or(_tf.equal(y_true, 0.0), _tf.equal(y_true, 1.0)))
    return _tf.cond(is_binary, lambda: 2.0 * y_true - 1.0, lambda: _tf.identity(y_true))


def squared_hinge(y_true, y_pred):
    """Mean of max(1 - y_true * y_pred, 0)^2."""
    y_true, y_pred = _both(y_true, y_pred)
    return _mean(_tf.square(_tf.maximum(1.0 - _signed(y_true) * y_pred, 0.0)))


def categorical_hinge(y_true, y_pred):
    """max(0, the greatest prediction of another class - that of the true one + 1)."""
    y_true, y_pred = _both(y_true, y_pred)
    right = _tf.reduce_sum(y_true * y_pred, axis=-1)
    wrong = _tf.reduce_max((1.0 - y_true) * y_pred, axis=-1)
    return _tf.maximum(wrong - right + 1.0, 0.0)


def log_cosh(y_true, y_pred):
    """Mean of log(cosh(y_pred - y_true))."""
    y_true, y_pred = _both(y_true, y_pred)
    x = y_pred - y_true
    return _mean(x + _tf.nn.softplus(-2.0 * x) - 0.6931471805599453)


def huber(y_true, y_pred, delta=1.0):
    """Mean of the squared error below delta, which goes on straight above it."""
    y_true, y_pred = _both(y_true, y_pred)
    error = _tf.abs(y_pred - y_true)
    return _mean(_tf.where(error <= delta, 0.5 * _tf.square(error), delta * error - 0.5 * delta * delta))


def kl_divergence(y_true, y_pred):
    """sum of y_true * log(y_true / y_pred)."""
    y_true, y_pred = _both(y_true, y_pred)
    y_true, y_pred = _tf.clip_by_value(y_true, _EPSILON, 1.0), _tf.clip_by_value(y_pred, _EPSILON, 1.0)
    return _tf.reduce_sum(y_true * _tf.log(y_true / y_pred), axis=-1)


def poisson(y_true, y_pred):
    """Mean of y_pred - y_true * log(y_pred)."""
    y_true, y_pred = _both(y_true, y_pred)
    return _mean(y_pred - y_true * _tf.log(y_pred + _EPSILON))


def cosine_similarity(y_true, y_pred, axis=-1):
    """-1 where both point the same way, 1 where they point apart."""
    y_true, y_pred = _both(y_true, y_pred)
    return -_tf.reduce_sum(_tf.nn.l2_normalize(y_true, axis=axis) * _tf.nn.l2_normalize(y_pred, axis=axis), axis=axis)


mape = MAPE = mean_absolute_percentage_error
msle = MSLE = mean_squared_logarithmic_error
bce, BCE, huber_loss = binary_crossentropy, binary_crossentropy, huber
kld = KLD = kullback_leibler_divergence = kl_divergence
logcosh, cosine, cosine_proximity = log_cosh, cosine_similarity, cosine_similarity


class Reduction:
    """How a loss object makes one number of those of all elements."""
    AUTO, NONE, SUM, SUM_OVER_BATCH_SIZE = "auto", "none", "sum", "sum_over_batch_size"

    @classmethod
    def all(cls):
        return (cls.AUTO, cls.NONE, cls.SUM, cls.SUM_OVER_BATCH_SIZE)


class Loss:
    """A class of the program's has call(y_true, y_pred)."""

    def __init__(self, reduction="auto", name=None):
        if reduction not in Reduction.all():
            raise ValueError("Invalid Reduction Key: %s. Expected keys are \"%s\"" % (reduction, Reduction.all()))
        self.reduction, self.name = reduction, name

    def __call__(self, y_true, y_pred, sample_weight=None):
        values = self.call(y_true, y_pred)
        if sample_weight is not None:
            sample_weight = _tf.cast(sample_weight, values.dtype)
            if sample_weight.shape.ndims == (values.shape.ndims or 0) + 1:
                sample_weight = _tf.squeeze(sample_weight, -1)
            while (sample_weight.shape.ndims or 0) < (values.shape.ndims or 0) and sample_weight.shape.ndims:
                sample_weight = _tf.expand_dims(sample_weight, -1)
            values = values * sample_weight
        if self.reduction == "none":
            return values
        return _tf.reduce_sum(values) if self.reduction == "sum" else _tf.reduce_sum(values) / _tf.cast(_tf.size(values), values.dtype)

    def call(self, y_true, y_pred):
        raise NotImplementedError("Must be implemented in subclasses.")

    def get_config(self):
        return {"reduction": self.reduction, "name": self.name}

    @classmethod
    def from_config(cls, config):
        return cls(**config)


class _OfFunction(Loss):
    _function, _name = None, None

    def __init__(self, reduction="auto", name=None, **settings):
        super().__init__(reduction, self._name if name is None else name)
        self._settings = settings

    def call(self, y_true, y_pred):
        return type(self)._function[0](y_true, y_pred, **self._settings)

    def get_config(self):
        return {**super().get_config(), **self._settings}


def _loss_class(class_name, function, name):
    return type(class_name, (_OfFunction,), {"_function": (function,), "_name": name, "__doc__": "The mean of %s." % name,
                                             "__module__": __name__})


MeanSquaredError = _loss_class("MeanSquaredError", mean_squared_error, "mean_squared_error")
MeanAbsoluteError = _loss_class("MeanAbsoluteError", mean_absolute_error, "mean_absolute_error")
MeanAbsolutePercentageError = _loss_class("MeanAbsolutePercentageError", mean_absolute_percentage_error, "mean_absolute_percentage_error")
MeanSquaredLogarithmicError = _loss_class("MeanSquaredLogarithmicError", mean_squared_logarithmic_error, "mean_squared_logarithmic_error")
Hinge = _loss_class("Hinge", hinge, "hinge")
SquaredHinge = _loss_class("SquaredHinge", squared_hinge, "squared_hinge")
CategoricalHinge = _loss_class("CategoricalHinge", categorical_hinge, "categorical_hinge")
Poisson = _loss_class("Poisson", poisson, "poisson")
LogCosh = _loss_class("LogCosh", logcosh, "log_cosh")
KLDivergence = _loss_class("KLDivergence", kullback_leibler_divergence, "kl_divergence")
_Cosine = _loss_class("CosineSimilarity", cosine_similarity, "cosine_similarity")
_Huber = _loss_class("Huber", huber, "huber_loss")


class Huber(_Huber):
    """The mean of huber."""

    def __init__(self, delta=1.0, reduction="auto", name="huber_loss"):
        super().__init__(reduction, name, delta=delta)


class CosineSimilarity(_Cosine):
    """The mean of cosine_similarity."""

    def __init__(self, axis=-1, reduction="auto", name="cosine_similarity"):
        super().__init__(reduction, name, axis=axis)


class _CrossEntropy(Loss):
    """Cross-entropy of chances, or of logits."""

    def __init__(self, from_logits=False, label_smoothing=0, reduction="auto", name=None):
        super().__init__(reduction, name)
        self.from_logits, self.label_smoothing = from_logits, label_smoothing

    def get_config(self):
        return {**super().get_config(), "from_logits": self.from_logits, "label_smoothing": self.label_smoothing}


class BinaryCrossentropy(_CrossEntropy):
    """The mean of binary_crossentropy."""

    def __init__(self, from_logits=False, label_smoothing=0, reduction="auto", name="binary_crossentropy"):
        super().__init__(from_logits, label_smoothing, reduction, name)

    def call(self, y_true, y_pred):
        return binary_crossentropy(y_true, y_pred, self.from_logits, self.label_smoothing)


class CategoricalCrossentropy(_CrossEntropy):
    """The mean of categorical_crossentropy."""

    def __init__(self, from_logits=False, label_smoothing=0, reduction="auto", name="categorical_crossentropy"):
        super().__init__(from_logits, label_smoothing, reduction, name)

    def call(self, y_true, y_pred):
        return categorical_crossentropy(y_true, y_pred, self.from_logits, self.label_smoothing)


class SparseCategoricalCrossentropy(_CrossEntropy):
    """The mean of sparse_categorical_crossentropy."""

    def __init__(self, from_logits=False, reduction="auto", name="sparse_categorical_crossentropy"):
        super().__init__(from_logits, 0, reduction, name)

    def call(self, y_true, y_pred):
        return sparse_categorical_crossentropy(y_true, y_pred, self.from_logits)

    def get_config(self):
        config = super().get_config()
        del config["label_smoothing"]
        return config


_KNOWN = {name: value for name, value in globals().items()
          if not name.startswith("_") and (isinstance(value, type) and issubclass(value, Loss) or callable(value)) and not isinstance(value, type)
          or isinstance(value, type) and issubclass(value, Loss)}
_NATIVE_NAMES = {"mean_squared_error", "mse", "MSE", "mean_absolute_error", "mae", "MAE", "categorical_crossentropy",
                 "sparse_categorical_crossentropy", "binary_crossentropy", "hinge"}


def serialize(loss):
    """Its name or config."""
    return _custom_objects.serialize(loss)


def deserialize(name, custom_objects=None):
    """The loss that a name or a config stands for."""
    return _custom_objects.made(name, _KNOWN, "loss function", custom_objects)


def get(identifier):
    """A loss by its name or config, or what is one already."""
    if identifier is None:
        return None
    if isinstance(identifier, (str, dict)):
        return deserialize(identifier)
    if callable(identifier):
        return identifier
    raise ValueError("Could not interpret loss function identifier: %s" % (identifier,))


class _Named:
    """A function, and what the language calls it."""

    def __init__(self, function, name):
        self._function, self.__name__ = function, name

    def __call__(self, y_true, y_pred):
        return self._function(y_true, y_pred)


def for_compile(loss):
    """What the language trains for."""
    if isinstance(loss, str) and loss in _NATIVE_NAMES:
        return loss
    loss = get(loss)
    if isinstance(loss, type) and issubclass(loss, Loss):
        raise ValueError("Received uninstantiated Loss class: %s\nPlease call loss classes before passing them to Model.compile." % loss)
    if not isinstance(loss, Loss):
        return loss
    if loss.reduction == "none":
        raise ValueError("Loss with reduction 'none' cannot be trained for: the reduction makes one number of those of all elements.")
    if loss.reduction == "sum":
        return _Named(lambda y_true, y_pred: _of_sum(loss.call(y_true, y_pred)), loss.name or "loss")
    return _Named(loss.call, loss.name or "loss")


def _of_sum(values):
    """Values whose mean is the sum of these."""
    return values * _tf.cast(_tf.size(values), values.dtype)
