"""tf.nn: labels of sequences, made ready for losses of connectionist temporal classification, and the loss of rows of labels."""

from flowray import _native
from flowray import tf as _tf


def _size(tensor, axis):
    """Known, or what the step finds."""
    known = _tf.dimension_value(tensor.shape[axis])
    return _native.shape(tensor)[axis] if known is None else known


def collapse_repeated(labels, seq_length, name=None):
    """Labels [batch, time] without those that repeat the one before them, filled up with zeros, and how many are left of each row's
    `seq_length`."""
    with _native.name_scope(name, "collapse_repeated_labels", [labels, seq_length]):
        labels = _native.convert_to_tensor(labels, name="labels")
        seq_length = _native.convert_to_tensor(seq_length, name="seq_length")
        stays = _native.concat([_native.ones_like(labels[:, :1], _tf.bool), _native.not_equal(labels[:, 1:], labels[:, :-1])], axis=1)
        longest = _size(labels, 1)
        stays = _native.logical_and(stays, _native.sequence_mask(seq_length, maxlen=longest))
        lengths = _native.reduce_sum(_native.cast(stays, _tf.int32), axis=1)
        longest = _native.reduce_max(lengths)
        places = _native.sequence_mask(lengths, maxlen=longest)
        flat_labels, flat_stays = _native.reshape(labels, [-1]), _native.reshape(stays, [-1])
        flat_places = _native.reshape(places, [-1])
        numbers = _native.range(_size(flat_places, 0))
        flat = _tf.scatter_nd(indices=_native.expand_dims(_tf.boolean_mask(numbers, flat_places), axis=1),
                              updates=_tf.boolean_mask(flat_labels, flat_stays), shape=_native.shape(flat_places))
        rows = _size(labels, 0)
        return _native.reshape(flat, [rows, longest]), _native.cast(lengths, seq_length.dtype)


def ctc_unique_labels(labels, name=None):
    """Of labels [batch, time] those of each row once, filled up with zeros, and where each label stands among them."""
    with _native.name_scope(name, "ctc_unique_labels", [labels]):
        labels = _native.convert_to_tensor(labels, name="labels")

        def unique(row):
            found, places = _tf.unique(row)
            found = _tf.pad(found, [[0, _size(places, 0) - _size(found, 0)]])
            return [_native.cast(found, _tf.int64), places]

        return _tf.map_fn(unique, labels, dtype=[_tf.int64, _tf.int32])


def _blank_last(logits, blank_index):
    """Logits [time, batch, classes] with the class of no label behind the others."""
    if blank_index == _size(logits, 2) - 1:
        return logits
    return _native.concat([logits[:, :, :blank_index], logits[:, :, blank_index + 1:], logits[:, :, blank_index:blank_index + 1]], axis=2)


def ctc_loss_v2(labels, logits, label_length, logit_length, logits_time_major=True, unique=None, blank_index=None, name=None):
    """The loss of each row: how unlikely `logits` [time, batch, classes] make its labels. `labels` are a sparse tensor, whose rows are as
    long as they are, or [batch, time] with `label_length`; `blank_index` is the class that is not a label, 0 for rows unless said otherwise.
    `unique`, what ctc_unique_labels gives for the labels, only saves TensorFlow work: nothing depends on it."""
    with _native.name_scope(name, "ctc_loss_dense", [logits, label_length, logit_length]):
        logits = _native.convert_to_tensor(logits, name="logits")
        is_sparse = isinstance(labels, _tf.SparseTensor)
        if is_sparse and blank_index is None:
            raise ValueError("Argument `blank_index` must be provided when labels is a SparseTensor.")
        blank_index = blank_index or 0
        if blank_index < 0:
            blank_index += _size(logits, 2)
        if not is_sparse:
            labels = _native.convert_to_tensor(labels, name="labels")
            label_length = _native.convert_to_tensor(label_length, name="label_length")
            places = _native.sequence_mask(label_length, maxlen=_size(labels, 1))
            labels = _tf.SparseTensor(_tf.where(places), _tf.boolean_mask(_native.cast(labels, _tf.int32), places),
                                      _tf.shape(labels, out_type=_tf.int64))
        values = _native.where(labels.values < blank_index, labels.values, labels.values - 1)
        labels = _tf.SparseTensor(labels.indices, values, labels.dense_shape)
        logits = _blank_last(logits, blank_index)
        return _tf.nn.ctc_loss(labels=labels, inputs=logits, sequence_length=logit_length, time_major=logits_time_major)
