"""tf.contrib.training.create_train_op and slim.learning's: a step of training whose value is the loss."""

from flowray import tf as _tf

_USE_GLOBAL_STEP = 0


def clip_gradient_norms(gradients_to_variables, max_norm):
    """Each gradient's norm is at most `max_norm` then."""
    def clipped(gradient):
        if isinstance(gradient, _tf.IndexedSlices):
            return _tf.IndexedSlices(_tf.clip_by_norm(gradient.values, max_norm), gradient.indices, gradient.dense_shape)
        return gradient if gradient is None else _tf.clip_by_norm(gradient, max_norm)
    return [(clipped(gradient), variable) for gradient, variable in gradients_to_variables]


def multiply_gradients(grads_and_vars, gradient_multipliers):
    """The gradients of some variables times a number; variables are meant by themselves or by name."""
    if not isinstance(grads_and_vars, list):
        raise ValueError("`grads_and_vars` must be a list.")
    if not gradient_multipliers:
        raise ValueError("`gradient_multipliers` is empty.")
    if not isinstance(gradient_multipliers, dict):
        raise ValueError("`gradient_multipliers` must be a dict.")
    by_name = {key if isinstance(key, str) else key.op.name: factor for key, factor in gradient_multipliers.items()}

    def times(gradient, variable):
        if variable.op.name not in by_name:
            return gradient
        if gradient is None:
            raise ValueError("Requested multiple of `None` gradient.")
        factor = _tf.cast(by_name[variable.op.name], variable.dtype.base_dtype)
        if isinstance(gradient, _tf.IndexedSlices):
            return _tf.IndexedSlices(gradient.values * factor, gradient.indices, gradient.dense_shape)
        return gradient * factor
    return [(times(gradient, variable), variable) for gradient, variable in grads_and_vars]


def add_gradients_summaries(grads_and_vars):
    """A histogram and the norm of each gradient."""
    made = []
    for gradient, variable in grads_and_vars:
        if gradient is not None:
            values = gradient.values if isinstance(gradient, _tf.IndexedSlices) else gradient
            made.append(_tf.summary.histogram(variable.op.name + "_gradient", values))
            made.append(_tf.summary.scalar(variable.op.name + "_gradient_norm", _tf.global_norm([values])))
    return made


def _after_updates(total_loss, update_ops):
    everything = _tf.get_collection(_tf.GraphKeys.UPDATE_OPS)
    updates = everything if update_ops is None else list(update_ops)
    if {update.name for update in everything} - {update.name for update in updates}:
        _tf.logging.warning("update_ops in create_train_op does not contain all the update_ops in GraphKeys.UPDATE_OPS")
    if not updates:
        return total_loss
    with _tf.control_dependencies(updates):
        barrier = _tf.no_op(name="update_barrier")
    with _tf.control_dependencies([barrier]):
        return _tf.identity(total_loss)


def create_train_op(total_loss, optimizer, global_step=_USE_GLOBAL_STEP, update_ops=None, variables_to_train=None, transform_grads_fn=None,
                    summarize_gradients=False, gate_gradients=1, aggregation_method=None, colocate_gradients_with_ops=False,
                    check_numerics=True):
    """The loss, which is computed after the collected updates, and given when the variables are updated."""
    if global_step is _USE_GLOBAL_STEP:
        global_step = _tf.train.get_or_create_global_step()
    total_loss = _after_updates(total_loss, update_ops)
    gradients = optimizer.compute_gradients(total_loss, variables_to_train or _tf.trainable_variables(), gate_gradients=gate_gradients,
                                            aggregation_method=aggregation_method, colocate_gradients_with_ops=colocate_gradients_with_ops)
    if transform_grads_fn:
        gradients = transform_grads_fn(gradients)
    if summarize_gradients:
        with _tf.name_scope("summarize_grads"):
            add_gradients_summaries(gradients)
    updated = optimizer.apply_gradients(gradients, global_step=global_step)
    with _tf.name_scope("train_op"):
        if check_numerics:
            total_loss = _tf.check_numerics(total_loss, "LossTensor is inf or nan")
        with _tf.control_dependencies([updated]):
            train_op = _tf.identity(total_loss)
    _tf.add_to_collection(_tf.GraphKeys.TRAIN_OP, train_op)
    return train_op


def create_train_op_of_slim(total_loss, optimizer, global_step=_USE_GLOBAL_STEP, update_ops=None, variables_to_train=None, clip_gradient_norm=0,
                            summarize_gradients=False, gate_gradients=1, aggregation_method=None, colocate_gradients_with_ops=False,
                            gradient_multipliers=None, check_numerics=True):
    """... with clipped and multiplied gradients: slim.learning.create_train_op."""
    def changed(gradients):
        if gradient_multipliers:
            with _tf.name_scope("multiply_grads"):
                gradients = multiply_gradients(gradients, gradient_multipliers)
        if clip_gradient_norm > 0:
            with _tf.name_scope("clip_grads"):
                gradients = clip_gradient_norms(gradients, clip_gradient_norm)
        return gradients
    return create_train_op(total_loss, optimizer, global_step, update_ops, variables_to_train, changed, summarize_gradients, gate_gradients,
                           aggregation_method, colocate_gradients_with_ops, check_numerics)
