"""tf.nn: what a step's losses are on average. There is one replica here, as there is in TensorFlow without a strategy."""

from flowray import _native
from flowray import tf as _tf


def _with_as_many_dimensions(losses, weights):
    """A last dimension of 1 goes, or comes, where the weights have one more or one less than the losses."""
    if weights.shape.ndims is None or losses.shape.ndims is None:
        raise _tf.errors.UnimplementedError(None, None, "tf.nn.compute_average_loss does not take a sample_weight of unknown rank\n"
                                            "Give its placeholder a shape.")
    if weights.shape.ndims - losses.shape.ndims == 1:
        return losses, _tf.squeeze(weights, [-1])
    if losses.shape.ndims - weights.shape.ndims == 1 and weights.shape.ndims != 0:
        return losses, _native.expand_dims(weights, [-1])
    return losses, weights


def compute_average_loss(per_example_loss, sample_weight=None, global_batch_size=None):
    """The sum of the losses of examples [batch, ...], each times its weight, divided by the number of examples of all replicas: by that
    of `per_example_loss` where it is left out."""
    per_example_loss = _native.convert_to_tensor(per_example_loss)
    dtype = per_example_loss.dtype
    rank = per_example_loss.shape.ndims
    if rank == 0:
        raise ValueError("Invalid value passed for `per_example_loss`. Expected a tensor with at least rank 1. Received per_example_loss=%s "
                         "with rank 0" % per_example_loss)
    if rank is None:
        raise _tf.errors.UnimplementedError(None, None, "tf.nn.compute_average_loss does not take losses of unknown rank\n"
                                            "Call set_shape() on the tensor.")
    if sample_weight is not None:
        sample_weight = _native.convert_to_tensor(sample_weight)
        losses = _native.cast(per_example_loss, _tf.float32)
        losses, sample_weight = _with_as_many_dimensions(losses, _native.cast(sample_weight, _tf.float32))
        per_example_loss = _tf.multiply(losses, sample_weight)
    per_example_loss = _native.cast(per_example_loss, dtype)
    if global_batch_size is None:
        global_batch_size = _native.shape(per_example_loss)[0] * 1
    _tf.assert_scalar(global_batch_size, message="global_batch_size must be scalar.")
    _tf.assert_integer(global_batch_size, message="global_batch_size must be an integer.")
    _tf.assert_non_negative(global_batch_size, message="global_batch_size must be non-negative.")
    return _native.div_no_nan(_native.reduce_sum(per_example_loss), _native.cast(global_batch_size, dtype))


def scale_regularization_loss(regularization_loss):
    """The sum of losses that weights cause, one replica's part of it."""
    return _native.reduce_sum(regularization_loss) / 1
