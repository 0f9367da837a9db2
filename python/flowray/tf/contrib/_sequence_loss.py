"""tf.contrib.seq2seq.sequence_loss."""

from flowray import tf as _tf

_NEARLY_NOTHING = 1e-12  # no division by 0 where nothing counts


def sequence_loss(logits, targets, weights, average_across_timesteps=True, average_across_batch=True, softmax_loss_function=None, name=None):
    """The cross-entropy of [batch, time, classes] logits and [batch, time] classes, of which each counts by its weight; the mean over the
    dimensions that are averaged."""
    for word, tensor, rank, dimensions in (("Logits", logits, 3, "[batch_size x sequence_length x logits]"),
                                           ("Targets", targets, 2, "[batch_size x sequence_length]"),
                                           ("Weights", weights, 2, "[batch_size x sequence_length]")):
        if _tf.convert_to_tensor(tensor).shape.ndims != rank:
            raise ValueError("%s must be a %s tensor" % (word, dimensions))
    with _tf.name_scope(name, "sequence_loss", [logits, targets, weights]):
        rows, classes = _tf.reshape(logits, [-1, _tf.shape(logits)[2]]), _tf.reshape(targets, [-1])
        if softmax_loss_function is None:
            losses = _tf.nn.sparse_softmax_cross_entropy_with_logits(labels=classes, logits=rows)
        else:
            losses = softmax_loss_function(labels=classes, logits=rows)
        losses = _tf.reshape(losses * _tf.reshape(weights, [-1]), _tf.shape(logits)[:2])
        averaged = [axis for axis, wanted in ((0, average_across_batch), (1, average_across_timesteps)) if wanted]
        if not averaged:
            return losses
        return _tf.reduce_sum(losses, averaged) / (_tf.reduce_sum(weights, averaged) + _NEARLY_NOTHING)
