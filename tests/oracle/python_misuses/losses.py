"""tf.losses with arguments that they cannot work with."""

from python_misuses import misuses_of
from tensorflow_v1 import tf


def rows(shape=(None, 3), dtype=tf.float32, name="x"):
    return tf.placeholder(dtype, shape, name=name)


def pair():
    return rows(name="labels"), rows(name="logits")


def classes(shape=(4,), dtype=tf.int64):
    return tf.placeholder(dtype, shape, name="classes")


def sparse(labels, logits, **named):
    return tf.losses.sparse_softmax_cross_entropy(labels, logits, **named)


for name, function in {"mean_squared_error": "mean_squared_error", "absolute_difference": "absolute_difference",
                       "softmax": "softmax_cross_entropy", "sigmoid": "sigmoid_cross_entropy",
                       "sparse": "sparse_softmax_cross_entropy"}.items():
    def loss(*arguments, function=function, **named):
        return getattr(tf.losses, function)(*arguments, **named)
    misuses_of(
        "loss_" + name,
        labels_none=lambda loss=loss: loss(None, rows()),
        predictions_none=lambda loss=loss: loss(rows(), None),
        both_none=lambda loss=loss: loss(None, None),
        weights_none=lambda loss=loss: loss(rows((2, 3), name="a"), rows((2, 3), name="b"), weights=None),
        labels_text=lambda loss=loss: loss("a", rows()),
        predictions_text=lambda loss=loss: loss(rows(), "a"),
        no_arguments=lambda loss=loss: loss(),
        one_argument=lambda loss=loss: loss(rows()),
        unknown_argument=lambda loss=loss: loss(rows(), rows(), nothing=1),
    )

misuses_of(
    "losses",
    shapes=lambda: tf.losses.mean_squared_error(rows((2, 3), name="a"), rows((2, 4), name="b")),
    ranks=lambda: tf.losses.absolute_difference(rows((2, 3), name="a"), rows((2,), name="b")),
    softmax_shapes=lambda: tf.losses.softmax_cross_entropy(rows((2, 3), name="a"), rows((2, 4), name="b")),
    sigmoid_shapes=lambda: tf.losses.sigmoid_cross_entropy(rows((2, 3), name="a"), rows((2, 4), name="b")),
    softmax_int_logits=lambda: tf.losses.softmax_cross_entropy(rows(), rows(dtype=tf.int32, name="b")),
    sigmoid_int_logits=lambda: tf.losses.sigmoid_cross_entropy(rows(), rows(dtype=tf.int32, name="b")),
    sparse_float_labels=lambda: sparse(classes(dtype=tf.float32), rows((4, 3))),
    sparse_shapes=lambda: sparse(classes((5,)), rows((4, 3))),
    sparse_ranks=lambda: sparse(classes((4, 3)), rows((4, 3))),
    sparse_int_logits=lambda: sparse(classes(), rows((4, 3), tf.int32)),
    sparse_scalar_logits=lambda: sparse(classes(()), rows(())),
    weights_rank=lambda: tf.losses.mean_squared_error(rows((2, 3), name="a"), rows((2, 3), name="b"), weights=[1.0, 2.0, 3.0]),
    weights_dimension=lambda: tf.losses.mean_squared_error(rows((2, 3), name="a"), rows((2, 3), name="b"), weights=[[1.0, 2.0]]),
    weights_rank_of_unknown_batch=lambda: tf.losses.mean_squared_error(*pair(), weights=[1.0, 2.0, 3.0]),
    weights_text=lambda: tf.losses.mean_squared_error(*pair(), weights="a"),
    weights_dtype=lambda: tf.losses.mean_squared_error(*pair(), weights=tf.constant(2)),
    reduction_word=lambda: tf.losses.mean_squared_error(*pair(), reduction="mean"),
    reduction_none=lambda: tf.losses.mean_squared_error(*pair(), reduction=None),
    reduction_number=lambda: tf.losses.compute_weighted_loss([1.0], reduction=3),
    smoothing_none=lambda: tf.losses.softmax_cross_entropy(*pair(), label_smoothing=None),
    smoothing_text=lambda: tf.losses.softmax_cross_entropy(*pair(), label_smoothing="a"),
    smoothing_negative=lambda: tf.losses.softmax_cross_entropy(*pair(), label_smoothing=-0.5),
    smoothing_large=lambda: tf.losses.sigmoid_cross_entropy(*pair(), label_smoothing=1.5),
    collection_none=lambda: tf.losses.mean_squared_error(*pair(), loss_collection=None),
    collection_number=lambda: tf.losses.mean_squared_error(*pair(), loss_collection=5),
    scope_number=lambda: tf.losses.mean_squared_error(*pair(), scope=5),
    compute_none=lambda: tf.losses.compute_weighted_loss(None),
    compute_weights_none=lambda: tf.losses.compute_weighted_loss([1.0], weights=None),
    compute_text=lambda: tf.losses.compute_weighted_loss("a"),
    compute_int=lambda: tf.losses.compute_weighted_loss([1, 2]),
    total_of_nothing=lambda: tf.losses.get_total_loss(),
    total_of_other_shapes=lambda: (tf.losses.add_loss(tf.zeros([2])), tf.losses.add_loss(tf.zeros([3])),
                                   tf.losses.get_total_loss()),
    add_none=lambda: (tf.losses.add_loss(None), tf.losses.get_total_loss()),
    regularization_of_nothing=lambda: tf.losses.get_regularization_loss(),
    scope_is_no_expression=lambda: (tf.losses.add_loss(tf.zeros([])), tf.losses.get_losses("(")),
)
