"""tf.ConditionalAccumulator and tf.SparseConditionalAccumulator: sums of gradients that are taken once there are enough of them."""

from flowray import tf as _tf


class ConditionalAccumulatorBase:
    """What both kinds have."""

    def __init__(self, dtype, shape, accumulator_ref):
        self._dtype = _tf.as_dtype(dtype)
        self._shape = _tf.TensorShape(shape)
        self._accumulator_ref = accumulator_ref

    @property
    def accumulator_ref(self):
        return self._accumulator_ref

    @property
    def name(self):
        return self._accumulator_ref.op.name

    @property
    def dtype(self):
        return self._dtype

    def num_accumulated(self, name=None):
        """How many gradients have been added up since the last was taken."""
        return _tf.raw_ops.AccumulatorNumAccumulated(handle=self._accumulator_ref, name=name or "%s_NumAccumulated" % self.name)

    def set_global_step(self, new_global_step, name=None):
        """Gradients of earlier steps are dropped from now on."""
        step = _tf.cast(_tf.convert_to_tensor(new_global_step), _tf.int64)
        return _tf.raw_ops.AccumulatorSetGlobalStep(handle=self._accumulator_ref, new_global_step=step, name=name)


def _made(op, dtype, shape, shared_name, name, reduction_type):
    shape = _tf.TensorShape(None) if shape is None else _tf.TensorShape(shape)
    return op(dtype=dtype, shape=shape, shared_name=shared_name or "", reduction_type=reduction_type, name=name)


class ConditionalAccumulator(ConditionalAccumulatorBase):
    """Of gradients that are tensors."""

    def __init__(self, dtype, shape=None, shared_name=None, name="conditional_accumulator", reduction_type="MEAN"):
        super().__init__(dtype, shape, _made(_tf.raw_ops.ConditionalAccumulator, dtype, shape, shared_name, name, reduction_type))

    def apply_grad(self, grad, local_step=0, name=None):
        """Adds a gradient, unless `local_step` is before the accumulator's step."""
        grad = _tf.convert_to_tensor(grad, self._dtype)
        if not grad.shape.is_compatible_with(self._shape):
            raise ValueError("Shapes %s and %s are incompatible" % (grad.shape, self._shape))
        step = _tf.cast(_tf.convert_to_tensor(local_step), _tf.int64)
        return _tf.raw_ops.AccumulatorApplyGradient(handle=self._accumulator_ref, local_step=step, gradient=grad, name=name)

    def take_grad(self, num_required, name=None):
        """The mean (or sum) of at least `num_required` gradients, which are then forgotten; waits until there are as many."""
        taken = _tf.raw_ops.AccumulatorTakeGradient(handle=self._accumulator_ref, num_required=num_required, dtype=self._dtype, name=name)
        taken.set_shape(self._shape)
        return taken


class SparseConditionalAccumulator(ConditionalAccumulatorBase):
    """Of gradients that are IndexedSlices."""

    def __init__(self, dtype, shape=None, shared_name=None, name="sparse_conditional_accumulator", reduction_type="MEAN"):
        super().__init__(dtype, shape, _made(_tf.raw_ops.SparseConditionalAccumulator, dtype, shape, shared_name, name, reduction_type))

    def apply_indexed_slices_grad(self, grad, local_step=0, name=None):
        """Adds the gradient of IndexedSlices."""
        return self.apply_grad(grad.indices, grad.values, grad.dense_shape, local_step, name)

    def apply_grad(self, grad_indices, grad_values, grad_shape=None, local_step=0, name=None):
        """Adds rows of a gradient: `grad_values[i]` is row `grad_indices[i]`."""
        step = _tf.cast(_tf.convert_to_tensor(local_step), _tf.int64)
        known = grad_shape is not None
        shape = _tf.cast(_tf.convert_to_tensor(grad_shape), _tf.int64) if known else _tf.constant([], _tf.int64)
        return _tf.raw_ops.SparseAccumulatorApplyGradient(
            handle=self._accumulator_ref, local_step=step, gradient_indices=_tf.cast(_tf.convert_to_tensor(grad_indices), _tf.int64),
            gradient_values=_tf.convert_to_tensor(grad_values, self._dtype), gradient_shape=shape, has_known_shape=known, name=name)

    def take_grad(self, num_required, name=None):
        """(indices, values, shape) of the mean of at least `num_required` gradients."""
        return _tf.raw_ops.SparseAccumulatorTakeGradient(handle=self._accumulator_ref, num_required=num_required, dtype=self._dtype, name=name)

    def take_indexed_slices_grad(self, num_required, name=None):
        """The same as IndexedSlices."""
        taken = self.take_grad(num_required, name)
        return _tf.IndexedSlices(values=taken[1], indices=taken[0], dense_shape=taken[2])
