"""tf.linalg.LinearOperator: matrices, and batches of them, that are known by what they do to vectors. The class that programs derive from;
those of one matrix are in _matrix_operators.py, those of several operators in _operator_algebra.py, those of a pattern in _patterned_operators.py."""

import contextlib as _contextlib

from flowray import tf as _tf


def tensor_of(value, name, dtype=None):
    """Variables stay what they are: they are read where they are used."""
    return value if hasattr(value, "initializer") else _tf.convert_to_tensor(value, name=name, dtype=dtype)


def conjugate(x, do=True):
    return _tf.conj(x) if do and x.dtype.is_complex else x


def adjoint_of(x):
    return _tf.linalg.adjoint(x)


def broadcast_batches(*matrices):
    """The matrices with one batch shape, which is that of all of them together."""
    known = [matrix.shape[:-2] for matrix in matrices]
    if all(shape.is_fully_defined() and shape.as_list() == known[0].as_list() for shape in known):
        return matrices
    shape = _tf.shape(matrices[0])[:-2]
    for matrix in matrices[1:]:
        shape = _tf.broadcast_dynamic_shape(shape, _tf.shape(matrix)[:-2])
    return tuple(_tf.broadcast_to(matrix, _tf.concat([shape, _tf.shape(matrix)[-2:]], 0)) for matrix in matrices)


def both(one, other):
    """A hint about a product of two: what holds for both."""
    if one is False or other is False:
        return False
    return True if one and other else None


def of_product(one, other):
    """The hints of a product of two that commute, where they are self-adjoint."""
    symmetric = bool(one.is_self_adjoint and other.is_self_adjoint)
    return dict(is_non_singular=both(one.is_non_singular, other.is_non_singular), is_self_adjoint=True if symmetric else None,
                is_positive_definite=True if symmetric and one.is_positive_definite and other.is_positive_definite else None)


class LinearOperator:
    """A matrix of `shape` [..., rows, columns], of which there may be a batch. What is not said of it (None) is not known; hints are believed, and
    nobody looks whether they are true but the assert_ functions. A class of one's own has `_shape`, `_shape_tensor` and
    `_matmul(x, adjoint, adjoint_arg)`, and where it knows better ways `_solve`, `_determinant`, `_log_abs_determinant`, `_to_dense`, `_diag_part`."""

    def __init__(self, dtype, graph_parents=None, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None, name=None,
                 parameters=None):
        if is_positive_definite:
            if is_non_singular is False:
                raise ValueError("A positive definite matrix is always non-singular.")
            is_non_singular = True
        for hint, what in ((is_non_singular, "non-singular"), (is_self_adjoint, "self-adjoint")):
            if hint:
                if is_square is False:
                    raise ValueError("A %s matrix is always square." % what)
                is_square = True
        self._said_square = is_square
        self.graph_parents = list(graph_parents or [])
        self.dtype = _tf.as_dtype(dtype).base_dtype
        self.is_non_singular, self.is_self_adjoint, self.is_positive_definite = is_non_singular, is_self_adjoint, is_positive_definite
        self.parameters = dict(parameters or {})
        self.name = name or type(self).__name__

    @_contextlib.contextmanager
    def _name_scope(self, name):
        with _tf.name_scope("%s/%s" % (self.name, name)) as scope:
            yield scope

    def _hints(self, **known):
        """What is said of this one, for one that is made of it."""
        return dict(dict(is_non_singular=self.is_non_singular, is_self_adjoint=self.is_self_adjoint,
                         is_positive_definite=self.is_positive_definite, is_square=True if self.is_square else self._said_square), **known)

    # ---- shapes

    def _shape(self):
        raise NotImplementedError("_shape is not implemented.")

    def _shape_tensor(self):
        raise NotImplementedError("_shape_tensor is not implemented.")

    @property
    def shape(self):
        return self._shape()

    @property
    def batch_shape(self):
        return self.shape[:-2]

    @property
    def tensor_rank(self):
        return self.shape.ndims

    @property
    def domain_dimension(self):
        return self.shape.dims[-1] if self.shape.dims else _tf.Dimension(None)

    @property
    def range_dimension(self):
        return self.shape.dims[-2] if self.shape.dims else _tf.Dimension(None)

    @property
    def is_square(self):
        same = self.domain_dimension == self.range_dimension
        if self._said_square is False and same:
            raise ValueError("User set is_square hint to False, but the operator was square.")
        return same if self._said_square is None else self._said_square

    def shape_tensor(self, name="shape_tensor"):
        with self._name_scope(name):
            return _tf.constant(self.shape.as_list(), _tf.int32) if self.shape.is_fully_defined() else self._shape_tensor()

    def batch_shape_tensor(self, name="batch_shape_tensor"):
        with self._name_scope(name):
            if self.batch_shape.is_fully_defined():
                return _tf.constant(self.batch_shape.as_list(), _tf.int32)
            return self.shape_tensor()[:-2]

    def tensor_rank_tensor(self, name="tensor_rank_tensor"):
        with self._name_scope(name):
            return _tf.size(self.shape_tensor())

    def domain_dimension_tensor(self, name="domain_dimension_tensor"):
        with self._name_scope(name):
            return self.shape_tensor()[-1]

    def range_dimension_tensor(self, name="range_dimension_tensor"):
        with self._name_scope(name):
            return self.shape_tensor()[-2]

    def _of_dtype(self, x, name):
        x = _tf.convert_to_tensor(x, name=name)
        if x.dtype.base_dtype != self.dtype:
            raise TypeError("Expected argument to have dtype %s.  Found: %s in tensor %s" % (self.dtype, x.dtype, x))
        return x

    def _operand(self, x, name, dimension, at):
        """The argument as a tensor of the operator's dtype that has `dimension` at its axis `at`."""
        x = self._of_dtype(x, name)
        if x.shape.ndims is not None:
            dimension.assert_is_compatible_with(x.shape.dims[at])
        return x

    # ---- products

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        raise NotImplementedError("_matmul is not implemented.")

    def _matvec(self, x, adjoint=False):
        return _tf.squeeze(self.matmul(x[..., None], adjoint=adjoint), -1)

    def matmul(self, x, adjoint=False, adjoint_arg=False, name="matmul"):
        """This operator times a matrix, or times another operator."""
        if isinstance(x, LinearOperator):
            left, right = self.adjoint() if adjoint else self, x.adjoint() if adjoint_arg else x
            _check_dimensions(left, right, "x")
            with self._name_scope(name):
                return left._times(right)
        with self._name_scope(name):
            dimension = self.range_dimension if adjoint else self.domain_dimension
            return self._matmul(self._operand(x, "x", dimension, -1 if adjoint_arg else -2), adjoint=adjoint, adjoint_arg=adjoint_arg)

    def __matmul__(self, other):
        return self.matmul(other)

    def matvec(self, x, adjoint=False, name="matvec"):
        with self._name_scope(name):
            return self._matvec(self._operand(x, "x", self.range_dimension if adjoint else self.domain_dimension, -1), adjoint=adjoint)

    def _times(self, right):
        """The operator that this one and another one in a row are."""
        from flowray.tf import _matrix_operators, _operator_algebra
        if isinstance(right, _matrix_operators.LinearOperatorIdentity):
            return self
        if isinstance(right, _matrix_operators.LinearOperatorZeros):
            if not self.is_square or not right.is_square:
                raise ValueError("Matmul with non-square `LinearOperator`s or non-square `LinearOperatorZeros` not supported at this time.")
            return right
        return _operator_algebra.in_a_row(self, right)

    # ---- solutions

    def _dense_solve(self, rhs, adjoint=False, adjoint_arg=False):
        rhs = adjoint_of(rhs) if adjoint_arg else rhs
        matrix, rhs = broadcast_batches(self.to_dense(), rhs)
        if self._can_use_cholesky():
            return _tf.cholesky_solve(_tf.cholesky(matrix), rhs)
        return _tf.matrix_solve(matrix, rhs, adjoint=adjoint)

    _solve = _dense_solve

    def _solvevec(self, rhs, adjoint=False):
        return _tf.squeeze(self.solve(rhs[..., None], adjoint=adjoint), -1)

    def _check_solvable(self):
        for hint, what in ((self.is_non_singular, "be singular"), (self.is_square, "not be square")):
            if hint is False:
                raise NotImplementedError("Exact solve not implemented for an operator that is expected to %s." % what)

    def solve(self, rhs, adjoint=False, adjoint_arg=False, name="solve"):
        """What this operator makes `rhs` of, which is a matrix or another operator."""
        self._check_solvable()
        if isinstance(rhs, LinearOperator):
            left, right = self.adjoint() if adjoint else self, rhs.adjoint() if adjoint_arg else rhs
            _check_dimensions(left, right, "rhs")
            with self._name_scope(name):
                return left._inverse_times(right)
        with self._name_scope(name):
            dimension = self.domain_dimension if adjoint else self.range_dimension
            return self._solve(self._operand(rhs, "rhs", dimension, -1 if adjoint_arg else -2), adjoint=adjoint, adjoint_arg=adjoint_arg)

    def solvevec(self, rhs, adjoint=False, name="solve"):
        with self._name_scope(name):
            return self._solvevec(self._operand(rhs, "rhs", self.domain_dimension if adjoint else self.range_dimension, -1), adjoint=adjoint)

    def _inverse_times(self, right):
        from flowray.tf import _matrix_operators
        return self.inverse() if isinstance(right, _matrix_operators.LinearOperatorIdentity) else self.inverse()._times(right)

    # ---- other operators

    def adjoint(self, name="adjoint"):
        if self.is_self_adjoint:
            return self
        with self._name_scope(name):
            return self._linop_adjoint()

    H = property(lambda self: self.adjoint())

    def inverse(self, name="inverse"):
        for hint, what in ((self.is_square, "non square"), (self.is_non_singular, "singular")):
            if hint is False:
                raise ValueError("Cannot take the Inverse: This operator represents a %s matrix." % what)
        with self._name_scope(name):
            return self._linop_inverse()

    def cholesky(self, name="cholesky"):
        if not self._can_use_cholesky():
            raise ValueError("Cannot take the Cholesky decomposition: Not a positive definite self adjoint matrix.")
        with self._name_scope(name):
            return self._linop_cholesky()

    def _can_use_cholesky(self):
        return bool(self.is_self_adjoint and self.is_positive_definite)

    def _linop_adjoint(self):
        from flowray.tf import _operator_algebra
        return _operator_algebra.LinearOperatorAdjoint(self, **self._hints())

    def _linop_inverse(self):
        from flowray.tf import _operator_algebra
        return _operator_algebra.LinearOperatorInversion(self, **self._hints())

    def _linop_cholesky(self):
        from flowray.tf import _matrix_operators
        return _matrix_operators.LinearOperatorLowerTriangular(_tf.cholesky(self.to_dense()), is_non_singular=True, is_self_adjoint=False, is_square=True)

    def __getitem__(self, slices):
        raise NotImplementedError("%s[...] is not there today: slice the tensors that the operator is made of" % type(self).__name__)

    # ---- numbers

    def _check_square(self):
        if self.is_square is False:
            raise NotImplementedError("Determinant not implemented for an operator that is expected to not be square.")

    def _determinant(self):
        return _tf.exp(self.log_abs_determinant()) if self._can_use_cholesky() else _tf.matrix_determinant(self.to_dense())

    def determinant(self, name="det"):
        self._check_square()
        with self._name_scope(name):
            return self._determinant()

    def _log_abs_determinant(self):
        if self._can_use_cholesky():
            return 2.0 * _tf.reduce_sum(_tf.log(_tf.matrix_diag_part(_tf.cholesky(self.to_dense()))), -1)
        return _tf.linalg.slogdet(self.to_dense())[1]

    def log_abs_determinant(self, name="log_abs_det"):
        self._check_square()
        with self._name_scope(name):
            return self._log_abs_determinant()

    def _to_dense(self):
        columns, batch = self.domain_dimension.value, self.batch_shape
        return self.matmul(_tf.eye(self.domain_dimension_tensor() if columns is None else columns,
                                   batch_shape=batch.as_list() if batch.is_fully_defined() else self.batch_shape_tensor(), dtype=self.dtype))

    def to_dense(self, name="to_dense"):
        with self._name_scope(name):
            return self._to_dense()

    def _diag_part(self):
        return _tf.matrix_diag_part(self.to_dense())

    def diag_part(self, name="diag_part"):
        with self._name_scope(name):
            return self._diag_part()

    def _trace(self):
        return _tf.reduce_sum(self.diag_part(), -1)

    def trace(self, name="trace"):
        with self._name_scope(name):
            return self._trace()

    def _add_to_tensor(self, x):
        return self.to_dense() + x

    def add_to_tensor(self, x, name="add_to_tensor"):
        with self._name_scope(name):
            return self._add_to_tensor(self._of_dtype(x, "x"))

    def _eigvals(self):
        return _tf.self_adjoint_eigvals(self.to_dense())

    def eigvals(self, name="eigvals"):
        if not self.is_self_adjoint:
            raise NotImplementedError("Only self-adjoint matrices are supported.")
        with self._name_scope(name):
            return self._eigvals()

    def _cond(self):
        values = _tf.abs(self._eigvals()) if self.is_self_adjoint else _tf.svd(self.to_dense(), compute_uv=False)
        return _tf.reduce_max(values, -1) / _tf.reduce_min(values, -1)

    def cond(self, name="cond"):
        with self._name_scope(name):
            return self._cond()

    # ---- checks that a step makes

    def _assert_non_singular(self):
        if self._can_use_cholesky():
            return self.assert_positive_definite()
        values = _tf.svd(self.to_dense(), compute_uv=False)
        import numpy as np
        size = _tf.cast(_tf.reduce_max(self.shape_tensor()[-2:]), self.dtype.real_dtype)
        greatest = 1.0 / (_tf.maximum(size, 100.0) * np.finfo(self.dtype.as_numpy_dtype).eps)
        return _tf.assert_less(_tf.reduce_max(values, -1) / _tf.reduce_min(values, -1), greatest, message="Singular matrix up to precision epsilon.")

    def assert_non_singular(self, name="assert_non_singular"):
        with self._name_scope(name):
            return self._assert_non_singular()

    def _assert_positive_definite(self):
        if not self.is_self_adjoint:
            raise NotImplementedError("assert_positive_definite is not implemented.")
        return _tf.assert_positive(_tf.matrix_diag_part(_tf.cholesky(self.to_dense())), message="Matrix was not positive definite.")

    def assert_positive_definite(self, name="assert_positive_definite"):
        with self._name_scope(name):
            return self._assert_positive_definite()

    def _assert_self_adjoint(self):
        dense = self.to_dense()
        return _tf.assert_equal(dense, adjoint_of(dense), message="Matrix was not equal to its adjoint.")

    def assert_self_adjoint(self, name="assert_self_adjoint"):
        with self._name_scope(name):
            return self._assert_self_adjoint()


def _check_dimensions(left, right, argument):
    if not left.domain_dimension.is_compatible_with(right.range_dimension):
        raise ValueError("Operators are incompatible. Expected `%s` to have dimension %s but got %s."
                         % (argument, left.domain_dimension, right.range_dimension))
