"""Linear operators of one matrix: a full one, a triangle, a diagonal, the identity and its multiples, zeros."""

from flowray import tf as _tf
from flowray.tf._linear_operators import LinearOperator, adjoint_of, both, broadcast_batches, conjugate, of_product, tensor_of


class LinearOperatorFullMatrix(LinearOperator):
    """A matrix with nothing that makes it simpler."""

    def __init__(self, matrix, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None, name="LinearOperatorFullMatrix"):
        with _tf.name_scope(name):
            self.matrix = tensor_of(matrix, "matrix")
        if self.matrix.dtype.base_dtype not in (_tf.float16, _tf.float32, _tf.float64, _tf.complex64, _tf.complex128):
            raise TypeError("Argument `matrix` must have dtype in %s. Received: %s."
                            % ([_tf.float16, _tf.float32, _tf.float64, _tf.complex64, _tf.complex128], self.matrix.dtype))
        if self.matrix.shape.ndims is not None and self.matrix.shape.ndims < 2:
            raise ValueError("Argument `matrix` must have at least 2 dimensions. Received: %s." % (self.matrix,))
        super().__init__(self.matrix.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name, dict(matrix=matrix))

    def _shape(self):
        return self.matrix.shape

    def _shape_tensor(self):
        return _tf.shape(self.matrix)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return _tf.matmul(self.matrix, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _to_dense(self):
        return _tf.convert_to_tensor(self.matrix)


class LinearOperatorLowerTriangular(LinearOperator):
    """A matrix of which only the lower triangle counts."""

    def __init__(self, tril, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None,
                 name="LinearOperatorLowerTriangular"):
        if is_square is False:
            raise ValueError("Only square lower triangular operators supported at this time.")
        with _tf.name_scope(name):
            self.tril = tensor_of(tril, "tril")
        if self.tril.shape.ndims is not None and self.tril.shape.ndims < 2:
            raise ValueError("Argument tril must have at least 2 dimensions.  Found: %s" % (self.tril,))
        super().__init__(self.tril.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name, dict(tril=tril))

    def _shape(self):
        return self.tril.shape

    def _shape_tensor(self):
        return _tf.shape(self.tril)

    def _to_dense(self):
        return _tf.matrix_band_part(self.tril, -1, 0)

    def _diag_part(self):
        return _tf.matrix_diag_part(self.tril)

    _eigvals = _diag_part

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return _tf.matmul(self._to_dense(), x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        matrix, rhs = broadcast_batches(self._to_dense(), adjoint_of(rhs) if adjoint_arg else rhs)
        return _tf.matrix_triangular_solve(matrix, rhs, lower=True, adjoint=adjoint)

    def _determinant(self):
        return _tf.reduce_prod(self._diag_part(), -1)

    def _log_abs_determinant(self):
        return _tf.reduce_sum(_tf.log(_tf.abs(self._diag_part())), -1)

    def _assert_non_singular(self):
        return _without_zeros(self._diag_part(), "Singular operator:  Diagonal contained zero values.")

    def _times(self, right):
        if isinstance(right, LinearOperatorDiag):
            return LinearOperatorLowerTriangular(self.to_dense() * right.diag[..., None, :], both(self.is_non_singular, right.is_non_singular))
        return super()._times(right)


def _without_zeros(values, message):
    size = _tf.abs(values)
    return _tf.assert_less(_tf.zeros_like(size), size, message=message)


def _real_or_self_adjoint(dtype, is_self_adjoint):
    """The hint of an operator that is self-adjoint where its numbers are real."""
    if dtype.is_complex:
        return is_self_adjoint
    if is_self_adjoint is False:
        raise ValueError("A real diagonal operator is always self adjoint.")
    return True


class LinearOperatorDiag(LinearOperator):
    """A matrix with nothing beside its diagonal."""

    def __init__(self, diag, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None, name="LinearOperatorDiag"):
        with _tf.name_scope(name):
            self.diag = tensor_of(diag, "diag")
        if self.diag.shape.ndims == 0:
            raise ValueError("Argument diag must have at least 1 dimension.  Found: %s" % (self.diag,))
        if is_square is False:
            raise ValueError("Only square diagonal operators currently supported.")
        super().__init__(self.diag.dtype, None, is_non_singular, _real_or_self_adjoint(self.diag.dtype, is_self_adjoint), is_positive_definite, True,
                         name, dict(diag=diag))

    def _shape(self):
        return self.diag.shape.concatenate(self.diag.shape[-1:])

    def _shape_tensor(self):
        shape = _tf.shape(self.diag)
        return _tf.concat([shape, shape[-1:]], 0)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return conjugate(_tf.convert_to_tensor(self.diag), adjoint)[..., None] * (adjoint_of(x) if adjoint_arg else x)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return (adjoint_of(rhs) if adjoint_arg else rhs) / conjugate(_tf.convert_to_tensor(self.diag), adjoint)[..., None]

    def _determinant(self):
        return _tf.reduce_prod(self.diag, -1)

    def _log_abs_determinant(self):
        return _tf.cast(_tf.reduce_sum(_tf.log(_tf.abs(self.diag)), -1), self.dtype)

    def _to_dense(self):
        return _tf.matrix_diag(self.diag)

    def _diag_part(self):
        return _tf.convert_to_tensor(self.diag)

    _eigvals = _diag_part

    def _add_to_tensor(self, x):
        x = x + _tf.zeros(self.shape_tensor(), self.dtype)
        return _tf.matrix_set_diag(x, _tf.matrix_diag_part(x) + self.diag)

    def _cond(self):
        sizes = _tf.abs(self.diag)
        return _tf.reduce_max(sizes, -1) / _tf.reduce_min(sizes, -1)

    def _linop_adjoint(self):
        return LinearOperatorDiag(conjugate(_tf.convert_to_tensor(self.diag)), **self._hints())

    def _linop_inverse(self):
        return LinearOperatorDiag(1.0 / self.diag, **self._hints())

    def _linop_cholesky(self):
        return LinearOperatorDiag(_tf.sqrt(self.diag), True, True, True, True)

    def _times(self, right):
        if isinstance(right, LinearOperatorDiag):
            return LinearOperatorDiag(self.diag * right.diag, **of_product(self, right))
        if isinstance(right, LinearOperatorScaledIdentity):
            return LinearOperatorDiag(self.diag * right.multiplier[..., None], **of_product(self, right))
        if isinstance(right, LinearOperatorLowerTriangular):
            return LinearOperatorLowerTriangular(self._diag_part()[..., None] * right.to_dense(), both(self.is_non_singular, right.is_non_singular))
        return super()._times(right)

    def _assert_non_singular(self):
        return _without_zeros(self.diag, "Singular operator:  Diagonal contained zero values.")

    def _assert_positive_definite(self):
        kind = "Diagonal operator had diagonal entries with non-positive real part" if self.dtype.is_complex \
            else "Real diagonal operator had non-positive diagonal entries"
        return _tf.assert_positive(_tf.real(self.diag), message=kind + ", thus was not positive definite.")

    def _assert_self_adjoint(self):
        return _tf.assert_equal(_tf.imag(self.diag), 0.0,
                                message="This diagonal operator contained non-zero imaginary values.   Thus it was not self-adjoint.")


class _OfSize(LinearOperator):
    """What is known by its number of rows, and by a batch shape that may be said."""

    def _set_size(self, num_rows, num_columns, batch_shape):
        self._rows, self._columns = _size(num_rows, "num_rows", 0), _size(num_columns, "num_columns", 0)
        self._batch = None if batch_shape is None else _size(batch_shape, "batch_shape", 1)

    def _shape(self):
        batch = _tf.TensorShape([] if self._batch is None else _known_sizes(self._batch))
        return batch.concatenate([_known_size(self._rows), _known_size(self._columns)])

    def _shape_tensor(self):
        matrix = _tf.stack([self._rows, self._columns])
        return matrix if self._batch is None else _tf.concat([self._batch, matrix], 0)

    def _filled(self, value):
        """One value for each row of each matrix."""
        return _tf.fill(_tf.concat([self.batch_shape_tensor(), [_tf.reduce_min(self.shape_tensor()[-2:])]], 0), _tf.constant(value, self.dtype))

    def _for_each(self, value):
        return _tf.fill(self.batch_shape_tensor(), _tf.constant(value, self.dtype))

    def _spread(self, x):
        """A matrix for each of the batch."""
        return x if self._batch is None else x + _tf.zeros(_tf.concat([self._batch, [1, 1]], 0), self.dtype)


def _size(value, name, rank):
    import numpy as np
    size = _tf.convert_to_tensor(np.asarray(value, np.int32) if isinstance(value, (int, list, tuple, _tf.Dimension)) and not any(
        hasattr(one, "op") for one in (value if isinstance(value, (list, tuple)) else [])) else value, name=name)
    if not size.dtype.is_integer:
        raise TypeError("Argument %s must be integer type.  Found: %s" % (name, size))
    known = _tf.get_static_value(size)
    if size.shape.ndims not in (None, rank):
        raise ValueError("Argument %s must be a %d-D Tensor.  Found: %s" % (name, rank, known if known is not None else size))
    if known is not None and np.any(known < 0):
        raise ValueError("Argument %s must be non-negative.  Found: %s" % (name, known))
    return _tf.cast(size, _tf.int32)


def _known_size(size):
    known = _tf.get_static_value(size)
    return None if known is None else int(known)


def _known_sizes(sizes):
    known = _tf.get_static_value(sizes)
    return [None] * sizes.shape[0] if known is None else [int(one) for one in known]


class LinearOperatorIdentity(_OfSize):
    """The matrix that changes nothing."""

    def __init__(self, num_rows, batch_shape=None, dtype=None, is_non_singular=True, is_self_adjoint=True, is_positive_definite=True, is_square=True,
                 assert_proper_shapes=False, name="LinearOperatorIdentity"):
        for hint, what in ((is_self_adjoint, "self adjoint"), (is_non_singular, "non-singular"), (is_positive_definite, "positive-definite"),
                           (is_square, "square")):
            if not hint:
                raise ValueError("An identity operator is always %s." % what)
        _refuse_checked_shapes(assert_proper_shapes)
        with _tf.name_scope(name):
            self._set_size(num_rows, num_rows, batch_shape)
        super().__init__(dtype or _tf.float32, None, True, True, True, True, name, dict(num_rows=num_rows, batch_shape=batch_shape, dtype=dtype))

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self._spread(adjoint_of(x) if adjoint_arg else x)

    _solve = _matmul

    def _determinant(self):
        return self._for_each(1.0)

    _cond = _determinant

    def _log_abs_determinant(self):
        return self._for_each(0.0)

    def _diag_part(self):
        return self._filled(1.0)

    _eigvals = _diag_part

    def _add_to_tensor(self, x):
        x = x + _tf.zeros(self.shape_tensor(), self.dtype)
        return _tf.matrix_set_diag(x, _tf.matrix_diag_part(x) + 1.0)

    def _linop_inverse(self):
        return self

    _linop_cholesky = _linop_inverse

    def _times(self, right):
        return right

    _inverse_times = _times

    def _assert_non_singular(self):
        return _tf.no_op()

    _assert_positive_definite = _assert_self_adjoint = _assert_non_singular


def _refuse_checked_shapes(assert_proper_shapes):
    if assert_proper_shapes:
        raise NotImplementedError("assert_proper_shapes=True is not there today: sizes that a step gives are looked at by the operations themselves")


class LinearOperatorScaledIdentity(_OfSize):
    """The identity times a number."""

    def __init__(self, num_rows, multiplier, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=True,
                 assert_proper_shapes=False, name="LinearOperatorScaledIdentity"):
        _refuse_checked_shapes(assert_proper_shapes)
        if not is_square:
            raise ValueError("A ScaledIdentity operator is always square.")
        with _tf.name_scope(name):
            self.multiplier = tensor_of(multiplier, "multiplier")
            self._set_size(num_rows, num_rows, None)
        super().__init__(self.multiplier.dtype, None, is_non_singular, _real_or_self_adjoint(self.multiplier.dtype, is_self_adjoint),
                         is_positive_definite, True, name, dict(num_rows=num_rows, multiplier=multiplier))

    def _shape(self):
        return self.multiplier.shape.concatenate([_known_size(self._rows)] * 2)

    def _shape_tensor(self):
        return _tf.concat([_tf.shape(self.multiplier), [self._rows, self._rows]], 0)

    def _factor(self, adjoint=False):
        return conjugate(_tf.convert_to_tensor(self.multiplier), adjoint)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self._factor(adjoint)[..., None, None] * (adjoint_of(x) if adjoint_arg else x)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return (adjoint_of(rhs) if adjoint_arg else rhs) / self._factor(adjoint)[..., None, None]

    def _determinant(self):
        return self._factor() ** _tf.cast(self._rows, self.dtype)

    def _log_abs_determinant(self):
        return _tf.cast(_tf.cast(self._rows, self.dtype.real_dtype) * _tf.log(_tf.abs(self._factor())), self.dtype)

    def _diag_part(self):
        return self._factor()[..., None] * self._filled(1.0)

    _eigvals = _diag_part

    def _trace(self):
        return self._factor() * _tf.cast(self._rows, self.dtype)

    def _add_to_tensor(self, x):
        x = x + _tf.zeros(self.shape_tensor(), self.dtype)
        return _tf.matrix_set_diag(x, _tf.matrix_diag_part(x) + self._factor()[..., None])

    def _cond(self):
        return _tf.cast(_tf.where_v2(_tf.equal(self._factor(), 0.0), float("nan"), 1.0), self.dtype)

    def _linop_adjoint(self):
        return LinearOperatorScaledIdentity(self._rows, self._factor(True), **self._hints())

    def _linop_inverse(self):
        return LinearOperatorScaledIdentity(self._rows, 1.0 / self._factor(), **self._hints())

    def _linop_cholesky(self):
        return LinearOperatorScaledIdentity(self._rows, _tf.sqrt(self._factor()), True, True, True)

    def _times(self, right):
        if isinstance(right, LinearOperatorScaledIdentity):
            return LinearOperatorScaledIdentity(self._rows, self._factor() * right.multiplier, **of_product(self, right))
        if isinstance(right, LinearOperatorDiag):
            return LinearOperatorDiag(self._factor()[..., None] * right.diag, **of_product(self, right))
        return super()._times(right)

    def _assert_non_singular(self):
        return _tf.assert_positive(_tf.abs(self._factor()), message="LinearOperator was singular")

    def _assert_positive_definite(self):
        return _tf.assert_positive(_tf.real(self._factor()), message="LinearOperator was not positive definite.")

    def _assert_self_adjoint(self):
        return _tf.assert_equal(_tf.imag(self._factor()), 0.0, message="LinearOperator was not self-adjoint")


class LinearOperatorZeros(_OfSize):
    """The matrix that makes zeros of everything."""

    def __init__(self, num_rows, num_columns=None, batch_shape=None, dtype=None, is_non_singular=False, is_self_adjoint=True,
                 is_positive_definite=False, is_square=True, assert_proper_shapes=False, name="LinearOperatorZeros"):
        _refuse_checked_shapes(assert_proper_shapes)
        if not is_self_adjoint and is_square:
            raise ValueError("A zero operator is always self adjoint.")
        if is_non_singular:
            raise ValueError("A zero operator is always singular.")
        if is_positive_definite:
            raise ValueError("A zero operator is always not positive-definite.")
        with _tf.name_scope(name):
            self._set_size(num_rows, num_rows if num_columns is None else num_columns, batch_shape)
        rows, columns = _known_size(self._rows), _known_size(self._columns)
        if is_square and None not in (rows, columns) and rows != columns:
            raise ValueError("LinearOperatorZeros initialized as is_square=True, but got num_rows({}) != num_columns({})".format(num_rows, num_columns))
        super().__init__(dtype or _tf.float32, None, False, is_self_adjoint, False, is_square, name,
                         dict(num_rows=num_rows, num_columns=num_columns, batch_shape=batch_shape, dtype=dtype))

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        rows, columns = self._columns if adjoint else self._rows, _tf.shape(x)[-2 if adjoint_arg else -1]
        batch = _tf.broadcast_dynamic_shape(_tf.shape(x)[:-2], self.batch_shape_tensor())
        return _tf.zeros(_tf.concat([batch, [rows, columns]], 0), self.dtype)

    def _to_dense(self):
        return _tf.zeros(self.shape_tensor(), self.dtype)

    def _determinant(self):
        return self._for_each(0.0)

    _trace = _determinant

    def _log_abs_determinant(self):
        return self._for_each(-float("inf"))

    def _diag_part(self):
        return self._filled(0.0)

    _eigvals = _diag_part

    def _add_to_tensor(self, x):
        return self._spread(x)

    def _linop_inverse(self):
        raise ValueError("The Zeros operator is not invertible.")

    def _linop_adjoint(self):
        return LinearOperatorZeros(self._columns, self._rows, self._batch, self.dtype, is_self_adjoint=self.is_self_adjoint, is_square=self.is_square)

    def _times(self, right):
        if not self.is_square or not right.is_square:
            raise ValueError("Matmul with non-square `LinearOperator`s or non-square `LinearOperatorZeros` not supported at this time.")
        return self

    def _assert_non_singular(self):
        raise _tf.errors.InvalidArgumentError(None, None, "Zeros operators are always non-invertible.")

    def _assert_positive_definite(self):
        raise _tf.errors.InvalidArgumentError(None, None, "Zeros operators are always non-positive definite.")

    def _assert_self_adjoint(self):
        return _tf.no_op()
