"""Linear operators whose matrices have a pattern: permutations, reflections, three diagonals, and what Fourier transforms diagonalize."""

from flowray import tf as _tf
from flowray.tf._linear_operators import LinearOperator, adjoint_of, conjugate, tensor_of


def _always(said, what):
    if said is False:
        raise ValueError("A %s." % what)
    return True


class LinearOperatorPermutation(LinearOperator):
    """The matrix whose row i has its 1 in column perm[i]."""

    def __init__(self, perm, dtype=_tf.float32, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None,
                 name="LinearOperatorPermutation"):
        _always(is_non_singular, "Permutation operator is always non-singular")
        _always(is_square, "Permutation operator is always square")
        with _tf.name_scope(name):
            self.perm = tensor_of(perm, "perm")
        if not self.perm.dtype.is_integer:
            raise TypeError("Argument `perm` must have dtype int32 or int64. Received: %s." % (self.perm,))
        if self.perm.shape.ndims == 0:
            raise ValueError("Argument `perm` must have at least 1 dimension. Received: %s." % (self.perm,))
        super().__init__(dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name, dict(perm=perm, dtype=dtype))

    def _shape(self):
        return self.perm.shape.concatenate(self.perm.shape[-1:])

    def _shape_tensor(self):
        shape = _tf.shape(self.perm)
        return _tf.concat([shape, shape[-1:]], 0)

    def _to_dense(self):
        return _tf.one_hot(self.perm, self.domain_dimension_tensor(), dtype=self.dtype)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x = adjoint_of(x) if adjoint_arg else x
        if self.perm.shape.ndims != 1:
            return _tf.matmul(self._to_dense(), x, adjoint_a=adjoint)
        return _tf.gather(x, _tf.math.invert_permutation(self.perm) if adjoint else self.perm, axis=-2)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._matmul(rhs, not adjoint, adjoint_arg)

    def _log_abs_determinant(self):
        return _tf.zeros(self.batch_shape_tensor(), self.dtype)

    def _cond(self):
        return _tf.ones(self.batch_shape_tensor(), self.dtype)


class LinearOperatorHouseholder(LinearOperator):
    """The reflection at the plane that `reflection_axis` stands on."""

    def __init__(self, reflection_axis, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None,
                 name="LinearOperatorHouseholder"):
        _always(is_self_adjoint, "Householder operator is always self adjoint")
        _always(is_non_singular, "Householder operator is always non-singular")
        _always(is_square, "Householder operator is always square")
        if is_positive_definite:
            raise ValueError("A Householder operator is always non-positive definite.")
        with _tf.name_scope(name):
            self.reflection_axis = tensor_of(reflection_axis, "reflection_axis")
        if self.reflection_axis.shape.ndims == 0:
            raise ValueError("Argument reflection_axis must have at least 1 dimension.  Found: %s" % (self.reflection_axis,))
        super().__init__(self.reflection_axis.dtype, None, is_non_singular, True, False, True, name, dict(reflection_axis=reflection_axis))

    def _shape(self):
        return self.reflection_axis.shape.concatenate(self.reflection_axis.shape[-1:])

    def _shape_tensor(self):
        shape = _tf.shape(self.reflection_axis)
        return _tf.concat([shape, shape[-1:]], 0)

    def _axis(self):
        return self.reflection_axis / _tf.norm(self.reflection_axis, axis=-1, keepdims=True)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x, axis = adjoint_of(x) if adjoint_arg else x, self._axis()[..., None]
        return x - 2.0 * axis * _tf.matmul(axis, x, adjoint_a=True)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._matmul(rhs, adjoint, adjoint_arg)

    def _determinant(self):
        return -_tf.ones(self.batch_shape_tensor(), self.dtype)

    def _log_abs_determinant(self):
        return _tf.zeros(self.batch_shape_tensor(), self.dtype)

    def _cond(self):
        return _tf.ones(self.batch_shape_tensor(), self.dtype)

    def _trace(self):
        return _tf.fill(self.batch_shape_tensor(), _tf.cast(self.domain_dimension_tensor(), self.dtype) - 2.0)

    def _diag_part(self):
        axis = self._axis()
        return 1.0 - 2.0 * axis * conjugate(axis)

    def _eigvals(self):
        ones = _tf.ones_like(_tf.convert_to_tensor(self.reflection_axis))
        return _tf.concat([-ones[..., :1], ones[..., 1:]], -1)

    def _linop_inverse(self):
        return self


class LinearOperatorTridiag(LinearOperator):
    """A matrix of three diagonals."""

    def __init__(self, diagonals, diagonals_format="compact", is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None,
                 name="LinearOperatorTridiag"):
        if diagonals_format not in ("matrix", "sequence", "compact"):
            raise ValueError("Argument `diagonals_format` must be one of compact, matrix, or sequence. Received : %s." % diagonals_format)
        if is_square is False:
            raise ValueError("Only square tridiagonal operators are supported.")
        with _tf.name_scope(name):
            if diagonals_format == "sequence":
                self.diagonals = [tensor_of(diagonal, "diagonals") for diagonal in diagonals]
                dtype = self.diagonals[0].dtype
            else:
                self.diagonals = tensor_of(diagonals, "diagonals")
                dtype = self.diagonals.dtype
        self.diagonals_format = diagonals_format
        super().__init__(dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name,
                         dict(diagonals=diagonals, diagonals_format=diagonals_format))

    def _shape(self):
        if self.diagonals_format == "matrix":
            return self.diagonals.shape
        if self.diagonals_format == "compact":
            return self.diagonals.shape[:-2].concatenate([self.diagonals.shape[-1], self.diagonals.shape[-1]])
        shape = self.diagonals[1].shape
        for diagonal in (self.diagonals[0], self.diagonals[2]):
            shape = _tf.broadcast_static_shape(shape[:-1], diagonal.shape[:-1]).concatenate(shape[-1:])
        return shape.concatenate(shape[-1:])

    def _shape_tensor(self):
        shape = _tf.shape(self._compact())
        return _tf.concat([shape[:-2], shape[-1:], shape[-1:]], 0)

    def _compact(self):
        """[..., 3, n]: the diagonal above, its last element not used; the one in the middle; the one below, its first element not used."""
        if self.diagonals_format == "compact":
            return _tf.convert_to_tensor(self.diagonals)
        if self.diagonals_format == "matrix":
            none = _tf.zeros_like(self.diagonals[..., :1, 0])
            above, middle, below = (_tf.linalg.diag_part(self.diagonals, k=k) for k in (1, 0, -1))
            return _tf.stack([_tf.concat([above, none], -1), middle, _tf.concat([none, below], -1)], -2)
        zeros = _tf.add_n([_tf.zeros_like(self.diagonals[0] + self.diagonals[1] + self.diagonals[2])])
        return _tf.stack([diagonal + zeros for diagonal in self.diagonals], -2)

    def _rows(self, adjoint):
        compact = self._compact()
        above, middle, below = compact[..., 0, :], compact[..., 1, :], compact[..., 2, :]
        if not adjoint:
            return compact
        none = _tf.zeros_like(above[..., :1])
        return conjugate(_tf.stack([_tf.concat([below[..., 1:], none], -1), middle, _tf.concat([none, above[..., :-1]], -1)], -2))

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x = adjoint_of(x) if adjoint_arg else x
        rows = self._rows(adjoint)[..., None]
        none = _tf.zeros_like(x[..., :1, :])
        return rows[..., 0, :, :] * _tf.concat([x[..., 1:, :], none], -2) + rows[..., 1, :, :] * x \
            + rows[..., 2, :, :] * _tf.concat([none, x[..., :-1, :]], -2)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        rhs, rows = adjoint_of(rhs) if adjoint_arg else rhs, self._rows(adjoint)
        batch = _tf.broadcast_dynamic_shape(_tf.shape(rhs)[:-2], _tf.shape(rows)[:-2])
        rhs = _tf.broadcast_to(rhs, _tf.concat([batch, _tf.shape(rhs)[-2:]], 0))
        rows = _tf.broadcast_to(rows, _tf.concat([batch, _tf.shape(rows)[-2:]], 0))
        return _tf.linalg.tridiagonal_solve(rows, rhs)

    def _diag_part(self):
        return self._compact()[..., 1, :]


def _complex_of(dtype):
    return dtype if dtype.is_complex else (_tf.complex128 if dtype == _tf.float64 else _tf.complex64)


class _Circulant(LinearOperator):
    """What is diagonal between a Fourier transform of `block_depth` dimensions and its inverse: `spectrum` is the diagonal."""

    block_depth = 1
    _transforms = None  # the names of the transform and of its inverse in tf.signal

    def __init__(self, spectrum, input_output_dtype=_tf.complex64, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None,
                 is_square=True, name=None):
        name = name or type(self).__name__
        with _tf.name_scope(name):
            self.spectrum = tensor_of(spectrum, "spectrum")
        if self.spectrum.shape.ndims is not None and self.spectrum.shape.ndims < self.block_depth:
            raise ValueError("Argument spectrum must have at least %d dimensions.  Found: %s" % (self.block_depth, self.spectrum))
        if not self.spectrum.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError("A real spectrum always corresponds to a self-adjoint operator.")
            is_self_adjoint = True
        if is_square is False:
            raise ValueError("A [[nested] block] circulant operator is always square.")
        super().__init__(input_output_dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name,
                         dict(spectrum=spectrum, input_output_dtype=input_output_dtype))

    @property
    def block_shape(self):
        return self.spectrum.shape[self.spectrum.shape.ndims - self.block_depth:]

    def block_shape_tensor(self):
        return _tf.shape(self.spectrum)[-self.block_depth:]

    def _shape(self):
        size = self.block_shape.num_elements() if self.block_shape.is_fully_defined() else None
        return self.spectrum.shape[:self.spectrum.shape.ndims - self.block_depth].concatenate([size, size])

    def _shape_tensor(self):
        size = _tf.reduce_prod(self.block_shape_tensor())
        return _tf.concat([_tf.shape(self.spectrum)[:-self.block_depth], [size, size]], 0)

    def _complex_spectrum(self):
        return _tf.cast(self.spectrum, _complex_of(self.dtype))

    def _through_spectrum(self, x, spectrum):
        """[..., n, columns] through the transform, times `spectrum`, and back."""
        rows = _tf.linalg.matrix_transpose(_tf.cast(x, _complex_of(self.dtype)))
        forward, backward = (getattr(_tf.signal, name) for name in self._transforms)
        blocks = _tf.reshape(rows, _tf.concat([_tf.shape(rows)[:-1], self.block_shape_tensor()], 0))
        where = [Ellipsis, None] + [slice(None)] * self.block_depth
        made = backward(forward(blocks) * spectrum[tuple(where)])
        made = _tf.reshape(made, _tf.concat([_tf.shape(made)[:-self.block_depth], [-1]], 0))
        return _tf.cast(_tf.linalg.matrix_transpose(made), self.dtype)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self._through_spectrum(adjoint_of(x) if adjoint_arg else x, conjugate(self._complex_spectrum(), adjoint))

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._through_spectrum(adjoint_of(rhs) if adjoint_arg else rhs, 1.0 / conjugate(self._complex_spectrum(), adjoint))

    def convolution_kernel(self, name="convolution_kernel"):
        """The operator's first column, in the shape of the blocks."""
        with self._name_scope(name):
            return _tf.cast(getattr(_tf.signal, self._transforms[1])(self._complex_spectrum()), self.dtype)

    def _axes(self):
        return list(range(-self.block_depth, 0))

    def _determinant(self):
        return _tf.cast(_tf.reduce_prod(self.spectrum, self._axes()), self.dtype)

    def _log_abs_determinant(self):
        return _tf.cast(_tf.reduce_sum(_tf.log(_tf.abs(self.spectrum)), self._axes()), self.dtype)

    def _trace(self):
        return _tf.cast(_tf.reduce_sum(self.spectrum, self._axes()), self.dtype)

    def _diag_part(self):
        size = self.domain_dimension_tensor()
        each = self._trace() / _tf.cast(size, self.dtype)
        return each[..., None] * _tf.ones([size], self.dtype)

    def _eigvals(self):
        shape = _tf.concat([_tf.shape(self.spectrum)[:-self.block_depth], [-1]], 0)
        return _tf.reshape(_tf.convert_to_tensor(self.spectrum), shape)

    def _cond(self):
        sizes = _tf.abs(self._eigvals())
        return _tf.reduce_max(sizes, -1) / _tf.reduce_min(sizes, -1)

    def _linop_adjoint(self):
        return type(self)(conjugate(_tf.convert_to_tensor(self.spectrum)), self.dtype, **self._hints())

    def _linop_inverse(self):
        return type(self)(1.0 / self.spectrum, self.dtype, **self._hints())

    def _assert_non_singular(self):
        size = _tf.abs(self.spectrum)
        return _tf.assert_less(_tf.zeros_like(size), size, message="Singular operator:  Spectrum contained zero values.")

    def _assert_positive_definite(self):
        return _tf.assert_positive(_tf.real(self.spectrum), message="Not positive definite:  Real part of spectrum was not all positive.")

    def assert_hermitian_spectrum(self, name="assert_hermitian_spectrum"):
        """That the operator is one of real numbers: its first column has no imaginary parts."""
        with self._name_scope(name):
            kernel = getattr(_tf.signal, self._transforms[1])(self._complex_spectrum())
            return _tf.assert_less(_tf.abs(_tf.imag(kernel)), _tf.cast(1e-4, kernel.dtype.real_dtype) * _tf.cast(self.domain_dimension_tensor(),
                                                                                                               kernel.dtype.real_dtype),
                                   message="Spectrum was not Hermitian")


class LinearOperatorCirculant(_Circulant):
    """Convolution of a circle: each row is the one above, moved by one."""

    _transforms = "fft", "ifft"


class LinearOperatorCirculant2D(_Circulant):
    """Convolution of images whose opposite borders meet."""

    block_depth = 2
    _transforms = "fft2d", "ifft2d"


class LinearOperatorCirculant3D(_Circulant):
    """Convolution of rooms whose opposite walls meet."""

    block_depth = 3
    _transforms = "fft3d", "ifft3d"


class LinearOperatorToeplitz(LinearOperator):
    """A matrix whose diagonals are constant: `col` is its first column, `row` its first row."""

    def __init__(self, col, row, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None,
                 name="LinearOperatorToeplitz"):
        if is_square is False:
            raise ValueError("Only square Toeplitz operators currently supported.")
        with _tf.name_scope(name):
            self.row, self.col = tensor_of(row, "row"), tensor_of(col, "col")
        for argument, tensor in (("row", self.row), ("col", self.col)):
            if tensor.shape.ndims == 0:
                raise ValueError("Argument %s must have at least 1 dimension.  Found: %s" % (argument, tensor))
        if self.row.shape.ndims and self.col.shape.ndims and not self.row.shape[-1:].is_compatible_with(self.col.shape[-1:]):
            raise ValueError("Expected square matrix, got row.shape=%s and col.shape=%s." % (self.row.shape, self.col.shape))
        super().__init__(self.row.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name, dict(col=col, row=row))

    def _shape(self):
        shape = _tf.broadcast_static_shape(self.row.shape, self.col.shape)
        return shape.concatenate(shape[-1:])

    def _shape_tensor(self):
        shape = _tf.broadcast_dynamic_shape(_tf.shape(self.row), _tf.shape(self.col))
        return _tf.concat([shape, shape[-1:]], 0)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        x = adjoint_of(x) if adjoint_arg else x
        col, row = (conjugate(_tf.convert_to_tensor(self.row)), conjugate(_tf.convert_to_tensor(self.col))) if adjoint else (self.col, self.row)
        col = _tf.convert_to_tensor(col) + _tf.zeros_like(row)
        row = _tf.convert_to_tensor(row) + _tf.zeros_like(col)
        circle = _tf.concat([col, _tf.zeros_like(col[..., :1]), _tf.reverse(row[..., 1:], [-1])], -1)
        around = LinearOperatorCirculant(_tf.signal.fft(_tf.cast(circle, _complex_of(self.dtype))), self.dtype)
        return around.matmul(_tf.concat([x, _tf.zeros_like(x)], -2))[..., :_tf.shape(x)[-2], :]

    def _trace(self):
        return _tf.cast(self.domain_dimension_tensor(), self.dtype) * self.diag_part()[..., 0]

    def _diag_part(self):
        return self.col[..., :1] * _tf.ones(self.shape_tensor()[:-1], self.dtype)

    def _to_dense(self):
        size = self.domain_dimension_tensor()
        numbers = _tf.concat([_tf.reverse(self.row[..., 1:] + _tf.zeros_like(self.col[..., 1:]), [-1]), self.col + _tf.zeros_like(self.row)], -1)
        places = _tf.range(size)[:, None] - _tf.range(size)[None] + size - 1
        return _tf.gather(numbers, places, axis=-1)
