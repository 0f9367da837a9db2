"""tensorflow.python.training.moving_averages: a variable that follows a value."""

from flowray import _native


def assign_moving_average(variable, value, decay, zero_debias=True, name=None):
    """variable * decay + value * (1 - decay), assigned; with zero_debias as if it had not begun at zero."""
    with _native.name_scope(name, "AssignMovingAvg", [value]) as scope:
        decay = _native.convert_to_tensor(1.0 - decay, name="decay")
        if decay.dtype != variable.dtype.base_dtype:
            decay = _native.cast(decay, variable.dtype.base_dtype)
        value = _native.convert_to_tensor(value)
        delta = _debiased_change(variable, value, decay) if zero_debias else (variable - value) * decay
        return _native.assign_sub(variable, delta, name=scope)


def _debiased_change(variable, value, decay):
    """How far the variable is from the average of the values, each weighted by how many came after it."""
    from flowray.tf import _generated
    zeros, dtype = _native.zeros_initializer(), variable.dtype.base_dtype
    with _native.variable_scope(variable.op.name):
        biased = _native.get_variable("biased", variable.shape.as_list(), dtype, zeros, trainable=False)
        steps = _native.get_variable("local_step", [], dtype, zeros, trainable=False)
        change = _native.assign_sub(biased, (biased - value) * decay, name=variable.op.name.rpartition("/")[2])
        count = steps.assign_add(1)
        with _native.control_dependencies([change, count]):
            return variable - biased.read_value() / (1 - _generated.Pow(1 - decay, steps.read_value()))
