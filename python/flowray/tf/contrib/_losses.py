"""tf.contrib.losses: tf.losses with predictions before labels, and weights of a batch for losses of more dimensions."""

import flowray.tf as _tf
from flowray import _native


def _fitting(weights, rank):
    """Weights as tf.losses wants them for losses of this rank: those of a batch count for all that is in a row."""
    if weights is None:
        raise ValueError("`weights` cannot be None")
    weights = _tf.convert_to_tensor(weights)
    own = weights.shape.ndims
    if own is None or rank is None or own == 0:
        return weights
    if own > 1 and weights.shape[-1].value == 1:
        weights, own = _tf.squeeze(weights, [-1]), own - 1
    for _ in range(rank - own):
        weights = _tf.expand_dims(weights, -1)
    return weights


def _rank(tensor):
    return _tf.convert_to_tensor(tensor).shape.ndims


def compute_weighted_loss(losses, weights=1.0, scope=None):
    """The mean of the losses whose weights are not 0, each times its weight; it is added to the collection of losses."""
    return _tf.losses.compute_weighted_loss(losses, _fitting(weights, _rank(losses)), scope=scope)


def absolute_difference(predictions, labels=None, weights=1.0, scope=None):
    """The mean of |predictions - labels|."""
    return _tf.losses.absolute_difference(labels, predictions, _fitting(weights, _rank(predictions)), scope=scope)


def mean_squared_error(predictions, labels=None, weights=1.0, scope=None):
    """The mean of (predictions - labels)^2."""
    return _tf.losses.mean_squared_error(labels, predictions, _fitting(weights, _rank(predictions)), scope=scope)


def log_loss(predictions, labels=None, weights=1.0, epsilon=1e-7, scope=None):
    """The mean cross-entropy of probabilities."""
    return _tf.losses.log_loss(labels, predictions, _fitting(weights, _rank(predictions)), epsilon, scope=scope)


def sigmoid_cross_entropy(logits, multi_class_labels, weights=1.0, label_smoothing=0, scope=None):
    """The mean cross-entropy of logits that are classes by themselves."""
    return _tf.losses.sigmoid_cross_entropy(multi_class_labels, logits, _fitting(weights, _rank(logits)), label_smoothing, scope=scope)


def softmax_cross_entropy(logits, onehot_labels, weights=1.0, label_smoothing=0, scope=None):
    """The mean cross-entropy of logits of which one class is right."""
    rank = _rank(logits)
    return _tf.losses.softmax_cross_entropy(onehot_labels, logits, _fitting(weights, rank and rank - 1), label_smoothing, scope=scope)


def sparse_softmax_cross_entropy(logits, labels, weights=1.0, scope=None):
    """softmax_cross_entropy of the classes' numbers."""
    rank = _rank(logits)
    return _tf.losses.sparse_softmax_cross_entropy(labels, logits, _fitting(weights, rank and rank - 1), scope=scope)


def mean_pairwise_squared_error(predictions, labels=None, weights=1.0, scope=None):
    """The mean over pairs of a row's elements, each also paired with itself, of how far their differences are apart. Weights are one
    number or those of a batch."""
    predictions = _tf.convert_to_tensor(predictions)
    if _tf.convert_to_tensor(weights).shape.ndims not in (0, 1):
        raise NotImplementedError("mean_pairwise_squared_error: weights are a number or those of a batch: take tf.losses' for others")
    with _native.name_scope(scope, "mean_pairwise_squared_error"):
        apart = _tf.losses.mean_pairwise_squared_error(labels, predictions, _fitting(weights, predictions.shape.ndims), loss_collection=None)
        in_row = _tf.cast(_tf.reduce_prod(_tf.shape(predictions)[1:]), predictions.dtype)
        loss = apart * (in_row - 1.0) / in_row
    _tf.losses.add_loss(loss)
    return loss


def hinge_loss(logits, labels=None, scope=None):
    """max(0, 1 - y * logits) with y = 1 for a label of 1 and -1 for 0: element by element, and in no collection."""
    with _native.name_scope(scope, "hinge_loss"):
        logits, labels = _tf.convert_to_tensor(logits), _tf.cast(labels, _tf.float32)
        logits.shape.assert_is_compatible_with(labels.shape)
        return _tf.nn.relu(1.0 - (2.0 * labels - 1.0) * logits)


def cosine_distance(predictions, labels=None, axis=None, weights=1.0, scope=None, dim=None):
    """The mean of 1 - the sum over `axis` of predictions * labels, which have length 1."""
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError("You must specify 'axis'.")
    predictions, labels = _tf.cast(predictions, _tf.float32), _tf.cast(labels, _tf.float32)
    predictions.shape.assert_is_compatible_with(labels.shape)
    with _native.name_scope(scope, "cosine_distance_loss"):
        return compute_weighted_loss(1.0 - _tf.reduce_sum(predictions * labels, [axis]), weights)


NAMES = {name: value for name, value in globals().items() if not name.startswith("_")}
NAMES.update({name: getattr(_tf.losses, name) for name in ("add_loss", "get_losses", "get_regularization_losses", "get_total_loss")})
