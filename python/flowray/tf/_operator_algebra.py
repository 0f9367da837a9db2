"""Linear operators that are made of others: adjoints, inverses, products, sums along a diagonal, updates of low rank."""

import functools as _functools
import operator as _operator

from flowray import tf as _tf
from flowray.tf._linear_operators import LinearOperator, adjoint_of, both, broadcast_batches, conjugate, tensor_of
from flowray.tf._matrix_operators import LinearOperatorDiag, LinearOperatorFullMatrix, LinearOperatorIdentity


def _static_batch(operators):
    shape = operators[0].batch_shape
    for operator in operators[1:]:
        shape = _tf.broadcast_static_shape(shape, operator.batch_shape)
    return shape


def _batch_tensor(operators):
    shape = operators[0].batch_shape_tensor()
    for operator in operators[1:]:
        shape = _tf.broadcast_dynamic_shape(shape, operator.batch_shape_tensor())
    return shape


def _sum(values):
    """Of numbers of each matrix of a batch, whose shapes may differ."""
    return _functools.reduce(_operator.add, values)


def _product(values):
    return _functools.reduce(_operator.mul, values)


def _one_behind_another(vectors):
    return _tf.squeeze(_tf.concat(broadcast_batches(*[vector[..., None] for vector in vectors]), -2), -1)


class _OfSeveral(LinearOperator):
    """What is made of a list of operators of one dtype."""

    _what = "operators"

    def _set_operators(self, operators):
        self.operators = list(operators)
        if not self.operators:
            raise ValueError("Expected a non-empty list of operators. Found: %s" % (self.operators,))
        if len({operator.dtype for operator in self.operators}) > 1:
            raise TypeError("Expected all operators to have the same dtype.  Found %s"
                            % "   ".join(str((operator.name, operator.dtype.name)) for operator in self.operators))

    def _implied(self, hint, said, word):
        """What is said of it, or follows from what is said of all of the operators."""
        if not all(getattr(operator, hint) for operator in self.operators):
            return said
        if said is False:
            raise ValueError("The %s of %s operators is always %s." % (self._what, word, word))
        return True

    def _set_hints(self, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name, implied=True):
        if implied:
            is_self_adjoint = self._implied("is_self_adjoint", is_self_adjoint, "self-adjoint")
            is_positive_definite = self._implied("is_positive_definite", is_positive_definite, "positive definite")
        LinearOperator.__init__(self, self.operators[0].dtype, None, self._implied("is_non_singular", is_non_singular, "non-singular"),
                                is_self_adjoint, is_positive_definite, is_square, name, dict(operators=self.operators))


def _shared(operator, hint, said, what):
    """A hint that an operator and what is made of it share."""
    own = getattr(operator, hint)
    if own is None or said is None:
        return own if said is None else said
    if bool(own) != bool(said):
        raise ValueError("The hint %s=%s of %s differs from that of the operator that it is of: %s" % (hint, said, what, own))
    return own


class _OfOne(LinearOperator):
    """What shares its hints with the operator that it is made of."""

    def _set_operator(self, operator, hints, name):
        self.operator = operator
        words = {hint: _shared(operator, hint, said, type(self).__name__) for hint, said in hints.items()}
        LinearOperator.__init__(self, operator.dtype, None, name=name, parameters=dict(operator=operator), **words)


class LinearOperatorAdjoint(_OfOne):
    """The adjoint of an operator: its transpose, conjugated."""

    def __init__(self, operator, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None, name=None):
        self._set_operator(operator, dict(is_non_singular=is_non_singular, is_self_adjoint=is_self_adjoint,
                                          is_positive_definite=is_positive_definite, is_square=is_square), name or operator.name + "_adjoint")

    def _shape(self):
        shape = self.operator.shape
        return shape if shape.ndims is None else shape[:-2].concatenate([shape[-1], shape[-2]])

    def _shape_tensor(self):
        shape = self.operator.shape_tensor()
        return _tf.concat([shape[:-2], [shape[-1], shape[-2]]], 0)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self.operator.matmul(x, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self.operator.solve(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _determinant(self):
        return conjugate(self.operator.determinant())

    def _log_abs_determinant(self):
        return self.operator.log_abs_determinant()

    def _trace(self):
        return conjugate(self.operator.trace())

    def _to_dense(self):
        return adjoint_of(self.operator.to_dense())

    def _diag_part(self):
        return conjugate(self.operator.diag_part())

    def _cond(self):
        return self.operator.cond()

    def _linop_adjoint(self):
        return self.operator

    def _assert_non_singular(self):
        return self.operator.assert_non_singular()

    def _assert_positive_definite(self):
        return self.operator.assert_positive_definite()

    def _assert_self_adjoint(self):
        return self.operator.assert_self_adjoint()


class LinearOperatorInversion(_OfOne):
    """The inverse of an operator."""

    def __init__(self, operator, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None, name=None):
        for hint, said in (("is_non_singular", is_non_singular), ("is_square", is_square)):
            if said is False or getattr(operator, hint) is False:
                raise ValueError("operator and supplied hints must have %s=True or None" % hint)
        self._set_operator(operator, dict(is_non_singular=True, is_self_adjoint=is_self_adjoint, is_positive_definite=is_positive_definite,
                                          is_square=is_square), name or operator.name + "_inv")

    def _shape(self):
        return self.operator.shape

    def _shape_tensor(self):
        return self.operator.shape_tensor()

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self.operator.solve(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self.operator.matmul(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _determinant(self):
        return 1.0 / self.operator.determinant()

    def _log_abs_determinant(self):
        return -self.operator.log_abs_determinant()

    def _eigvals(self):
        return 1.0 / self.operator.eigvals()

    def _cond(self):
        return self.operator.cond()

    def _linop_inverse(self):
        return self.operator

    def _assert_non_singular(self):
        return self.operator.assert_non_singular()

    def _assert_positive_definite(self):
        return self.operator.assert_positive_definite()

    def _assert_self_adjoint(self):
        return self.operator.assert_self_adjoint()


def in_a_row(left, right):
    """The product of two operators."""
    square = both(left.is_square, right.is_square)
    same = left.range_dimension == right.domain_dimension
    if same is False:
        return LinearOperatorComposition([left, right], False, False, False, False)
    return LinearOperatorComposition([left, right], both(left.is_non_singular, right.is_non_singular) if square else None,
                                     is_square=True if square or same else None)


class LinearOperatorComposition(_OfSeveral):
    """Operators in a row: the last one comes first."""

    _what = "composition"

    def __init__(self, operators, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None, name=None):
        self._set_operators(operators)
        for left, right in zip(self.operators, self.operators[1:]):
            left.domain_dimension.assert_is_compatible_with(right.range_dimension)
        self._set_hints(is_non_singular, is_self_adjoint, is_positive_definite, is_square,
                        name or "_o_".join(operator.name for operator in self.operators), implied=False)

    def _shape(self):
        return _static_batch(self.operators).concatenate([self.operators[0].range_dimension, self.operators[-1].domain_dimension])

    def _shape_tensor(self):
        return _tf.concat([_batch_tensor(self.operators),
                           [self.operators[0].range_dimension_tensor(), self.operators[-1].domain_dimension_tensor()]], 0)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        for operator in self.operators if adjoint else reversed(self.operators):
            x, adjoint_arg = operator.matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg), False
        return x

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        for operator in reversed(self.operators) if adjoint else self.operators:
            rhs, adjoint_arg = operator.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg), False
        return rhs

    def _determinant(self):
        return _product(operator.determinant() for operator in self.operators)

    def _log_abs_determinant(self):
        return _sum(operator.log_abs_determinant() for operator in self.operators)

    def _linop_adjoint(self):
        return LinearOperatorComposition([operator.adjoint() for operator in reversed(self.operators)], **self._hints())

    def _assert_non_singular(self):
        if not all(operator.is_square for operator in self.operators):
            return super()._assert_non_singular()
        return _tf.group(*[operator.assert_non_singular() for operator in self.operators])


class _OfEach(_OfSeveral):
    """What is adjoint, inverted and decomposed operator by operator."""

    def _of_each(self, do, **known):
        return type(self)([do(operator) for operator in self.operators], **self._hints(**known))

    def _linop_adjoint(self):
        return self._of_each(lambda operator: operator.adjoint())

    def _linop_inverse(self):
        return self._of_each(lambda operator: operator.inverse())

    def _linop_cholesky(self):
        return self._of_each(lambda operator: operator.cholesky(), is_self_adjoint=None, is_positive_definite=None)


class LinearOperatorKronecker(_OfEach):
    """The Kronecker product of operators: each element of the first one times the others."""

    _what = "Kronecker product"

    def __init__(self, operators, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None, name=None):
        self._set_operators(operators)
        self._set_hints(is_non_singular, is_self_adjoint, is_positive_definite, is_square,
                        name or "_x_".join(operator.name for operator in self.operators))

    def _shape(self):
        rows = columns = _tf.Dimension(1)
        for operator in self.operators:
            rows, columns = rows * operator.range_dimension, columns * operator.domain_dimension
        return _static_batch(self.operators).concatenate([rows, columns])

    def _shape_tensor(self):
        sizes = _tf.reduce_prod(_tf.stack([operator.shape_tensor()[-2:] for operator in self.operators]), 0)
        return _tf.concat([_batch_tensor(self.operators), sizes], 0)

    def _through_all(self, x, step, adjoint, adjoint_arg):
        """Each operator on its own part of the columns, which are the product of all their spaces."""
        x = adjoint_of(x) if adjoint_arg else x
        columns = _tf.shape(x)[-1]
        batch = _tf.broadcast_dynamic_shape(_tf.shape(x)[:-2], self.batch_shape_tensor())
        x = _tf.broadcast_to(x, _tf.concat([batch, _tf.shape(x)[-2:]], 0))
        for operator in self.operators:
            # [first space, all the rest and the columns] -> [all the rest, columns, what the operator makes of the first]
            size = operator.range_dimension_tensor() if (adjoint and step == "matmul") or (not adjoint and step == "solve") \
                else operator.domain_dimension_tensor()
            rest = _tf.reshape(x, _tf.concat([batch, [size, -1]], 0))
            x = _tf.linalg.matrix_transpose(getattr(operator, step)(rest, adjoint=adjoint))
        # Behind the last operator the columns stand before all spaces.
        return _tf.linalg.matrix_transpose(_tf.reshape(x, _tf.concat([batch, [columns, -1]], 0)))

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self._through_all(x, "matmul", adjoint, adjoint_arg)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._through_all(rhs, "solve", adjoint, adjoint_arg)

    def _powers(self, operator):
        return _tf.cast(self.domain_dimension_tensor() // operator.domain_dimension_tensor(), self.dtype)

    def _determinant(self):
        return _product(operator.determinant() ** self._powers(operator) for operator in self.operators)

    def _log_abs_determinant(self):
        return _sum(operator.log_abs_determinant() * self._powers(operator) for operator in self.operators)

    def _trace(self):
        return _product(operator.trace() for operator in self.operators)

    def _each_by_each(self, vectors):
        result = vectors[0]
        for vector in vectors[1:]:
            product = result[..., :, None] * vector[..., None, :]
            result = _tf.reshape(product, _tf.concat([_tf.shape(product)[:-2], [-1]], 0))
        return result

    def _diag_part(self):
        if not all(operator.is_square for operator in self.operators):
            return super()._diag_part()
        return self._each_by_each([operator.diag_part() for operator in self.operators])

    def _eigvals(self):
        return self._each_by_each([operator.eigvals() for operator in self.operators])


class LinearOperatorBlockDiag(_OfEach):
    """Operators along the diagonal, with zeros beside them."""

    _what = "direct sum"

    def __init__(self, operators, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=True, name=None):
        self._set_operators(operators)
        self._set_hints(is_non_singular, is_self_adjoint, is_positive_definite, is_square,
                        name or "_ds_".join(operator.name for operator in self.operators))

    def _shape(self):
        rows = columns = _tf.Dimension(0)
        for operator in self.operators:
            rows, columns = rows + operator.range_dimension, columns + operator.domain_dimension
        return _static_batch(self.operators).concatenate([rows, columns])

    def _shape_tensor(self):
        sizes = _tf.add_n([operator.shape_tensor()[-2:] for operator in self.operators])
        return _tf.concat([_batch_tensor(self.operators), sizes], 0)

    def _part_by_part(self, x, step, adjoint, adjoint_arg):
        of_rows = (step == "solve") != adjoint
        sizes = [operator.range_dimension_tensor() if of_rows else operator.domain_dimension_tensor() for operator in self.operators]
        parts = _tf.split(x, _tf.stack(sizes), axis=-1 if adjoint_arg else -2, num=len(sizes))
        made = [getattr(operator, step)(part, adjoint=adjoint, adjoint_arg=adjoint_arg) for operator, part in zip(self.operators, parts)]
        return _tf.concat(broadcast_batches(*made), -2)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return self._part_by_part(x, "matmul", adjoint, adjoint_arg)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        return self._part_by_part(rhs, "solve", adjoint, adjoint_arg)

    def _determinant(self):
        return _product(operator.determinant() for operator in self.operators)

    def _log_abs_determinant(self):
        return _sum(operator.log_abs_determinant() for operator in self.operators)

    def _trace(self):
        return _sum(operator.trace() for operator in self.operators)

    def _behind_each_other(self, vectors):
        return _one_behind_another(vectors)

    def _diag_part(self):
        if not all(operator.is_square for operator in self.operators):
            return super()._diag_part()
        return self._behind_each_other([operator.diag_part() for operator in self.operators])

    def _eigvals(self):
        return self._behind_each_other([operator.eigvals() for operator in self.operators])

    def _assert_of_each(self, check):
        return _tf.group(*[getattr(operator, check)() for operator in self.operators])

    def _assert_non_singular(self):
        return self._assert_of_each("assert_non_singular")

    def _assert_positive_definite(self):
        return self._assert_of_each("assert_positive_definite")

    def _assert_self_adjoint(self):
        return self._assert_of_each("assert_self_adjoint")


class LinearOperatorBlockLowerTriangular(LinearOperator):
    """A lower triangle of operators: row i has i + 1 of them."""

    def __init__(self, operators, is_non_singular=None, is_self_adjoint=None, is_positive_definite=None, is_square=None,
                 name="LinearOperatorBlockLowerTriangular"):
        self.operators = [list(row) for row in operators]
        if not self.operators:
            raise ValueError("Argument `operators` must be a list of >=1 operators. Received: %s." % (operators,))
        for number, row in enumerate(self.operators):
            if len(row) != number + 1:
                raise ValueError("Argument `operators[%d]` must contain %d blocks. Received: %d blocks." % (number, number + 1, len(row)))
            for block, above in zip(row, self.operators[number - 1] if number else []):
                above.domain_dimension.assert_is_compatible_with(block.domain_dimension)
            for block in row:
                row[-1].range_dimension.assert_is_compatible_with(block.range_dimension)
        diagonal = [row[-1] for row in self.operators]
        if any(operator.is_square is False for operator in diagonal):
            raise ValueError("Matrix of blocks with square diagonal operators is always square: those along the diagonal must be square.")
        if is_square is False:
            raise ValueError("A block lower triangular operator of square blocks is square: `is_square` must be True or None.")
        if all(operator.is_non_singular for operator in diagonal) and is_non_singular is False:
            raise ValueError("A blockwise lower-triangular operator with non-singular operators on the main diagonal is always non-singular.")
        if any(operator.is_non_singular is False for operator in diagonal) and is_non_singular:
            raise ValueError("A blockwise lower-triangular operator with a singular operator on the main diagonal is always singular.")
        is_non_singular = True if all(operator.is_non_singular for operator in diagonal) else is_non_singular
        super().__init__(diagonal[0].dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, True, name, dict(operators=operators))
        self._diagonal = diagonal

    def _blocks(self):
        return [operator for row in self.operators for operator in row]

    def _shape(self):
        size = _tf.Dimension(0)
        for operator in self._diagonal:
            size = size + operator.domain_dimension
        return _static_batch(self._blocks()).concatenate([size, size])

    def _shape_tensor(self):
        size = _tf.add_n([operator.domain_dimension_tensor() for operator in self._diagonal])
        return _tf.concat([_batch_tensor(self._blocks()), [size, size]], 0)

    def _parts(self, x, adjoint_arg):
        x = adjoint_of(x) if adjoint_arg else x
        sizes = [operator.domain_dimension_tensor() for operator in self._diagonal]
        return _tf.split(x, _tf.stack(sizes), axis=-2, num=len(sizes))

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        parts, made = self._parts(x, adjoint_arg), []
        for i in range(len(parts)):
            blocks = [(self.operators[j][i], parts[j]) for j in range(i, len(parts))] if adjoint else list(zip(self.operators[i], parts))
            total = blocks[0][0].matmul(blocks[0][1], adjoint=adjoint)
            for operator, part in blocks[1:]:
                total = total + operator.matmul(part, adjoint=adjoint)
            made.append(total)
        return _tf.concat(broadcast_batches(*made), -2)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        parts, known = self._parts(rhs, adjoint_arg), {}
        for i in reversed(range(len(parts))) if adjoint else range(len(parts)):
            rest = parts[i]
            for j, solution in known.items():
                block = self.operators[j][i] if adjoint else self.operators[i][j]
                rest = rest - block.matmul(solution, adjoint=adjoint)
            known[i] = self._diagonal[i].solve(rest, adjoint=adjoint)
        return _tf.concat(broadcast_batches(*[known[i] for i in range(len(parts))]), -2)

    def _determinant(self):
        return _product(operator.determinant() for operator in self._diagonal)

    def _log_abs_determinant(self):
        return _sum(operator.log_abs_determinant() for operator in self._diagonal)

    def _trace(self):
        return _sum(operator.trace() for operator in self._diagonal)

    def _linop_inverse(self):
        rows = []
        for i, row in enumerate(self.operators):
            last = row[-1].inverse()
            made = []
            for j in range(i):
                # What the rows above have given of column j, seen through this row: it must add up to nothing.
                seen = row[j].matmul(rows[j][j].to_dense())
                for k in range(j + 1, i):
                    seen = seen + row[k].matmul(rows[k][j].to_dense())
                made.append(LinearOperatorFullMatrix(-last.matmul(seen)))
            rows.append([*made, last])
        return LinearOperatorBlockLowerTriangular(rows, **self._hints())

    def _vector_of_diagonals(self, of_one):
        return _one_behind_another([of_one(operator) for operator in self._diagonal])

    def _diag_part(self):
        return self._vector_of_diagonals(lambda operator: operator.diag_part())

    def _eigvals(self):
        return self._vector_of_diagonals(lambda operator: operator.eigvals())

    def _assert_non_singular(self):
        return _tf.group(*[operator.assert_non_singular() for operator in self._diagonal])


class LinearOperatorLowRankUpdate(LinearOperator):
    """base_operator + u diag(diag_update) v^H, which is solved by the inverse of the base and one small matrix (Woodbury)."""

    def __init__(self, base_operator, u, diag_update=None, v=None, is_diag_update_positive=None, is_non_singular=None, is_self_adjoint=None,
                 is_positive_definite=None, is_square=None, name="LinearOperatorLowRankUpdate"):
        if diag_update is None:
            if is_diag_update_positive is False:
                raise ValueError("Default diagonal is the identity, which is positive.  However, user set 'is_diag_update_positive' to False.")
            is_diag_update_positive = True
        if base_operator.is_self_adjoint and v is None and not base_operator.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError("A = L + UDU^H, with L self-adjoint and D real diagonal.  Since UDU^H is self-adjoint, this must be a self-adjoint "
                                 "operator.")
            is_self_adjoint = True
        self._is_positive = bool(base_operator.is_positive_definite and base_operator.is_self_adjoint and is_diag_update_positive and v is None)
        if self._is_positive:
            if False in (is_positive_definite, is_self_adjoint, is_non_singular):
                raise ValueError("Arguments imply this is self-adjoint positive-definite operator.")
            is_positive_definite = is_self_adjoint = True
        self.base_operator, self.is_diag_update_positive = base_operator, is_diag_update_positive
        with _tf.name_scope(name):
            self.u = tensor_of(u, "u")
            self.v = self.u if v is None else tensor_of(v, "v")
            self.diag_update = None if diag_update is None else tensor_of(diag_update, "diag_update")
        base_operator.domain_dimension.assert_is_compatible_with(self.u.shape.dims[-2])
        super().__init__(base_operator.dtype, None, is_non_singular, is_self_adjoint, is_positive_definite, is_square, name,
                         dict(base_operator=base_operator, u=u, diag_update=diag_update, v=v))
        self.diag_operator = LinearOperatorIdentity(_tf.shape(self.u)[-1] if self.u.shape[-1].value is None else self.u.shape[-1].value, dtype=self.dtype) \
            if diag_update is None else LinearOperatorDiag(self.diag_update, is_positive_definite=is_diag_update_positive)

    def _shape(self):
        batch = _static_batch([self.base_operator, self.diag_operator])
        for factor in (self.u, self.v):
            batch = _tf.broadcast_static_shape(batch, factor.shape[:-2])
        return batch.concatenate(self.base_operator.shape[-2:])

    def _shape_tensor(self):
        batch = _batch_tensor([self.base_operator, self.diag_operator])
        for factor in (self.u, self.v):
            batch = _tf.broadcast_dynamic_shape(batch, _tf.shape(factor)[:-2])
        return _tf.concat([batch, self.base_operator.shape_tensor()[-2:]], 0)

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        left, right = (self.v, self.u) if adjoint else (self.u, self.v)
        within = self.diag_operator.matmul(_tf.matmul(right, x, adjoint_a=True, adjoint_b=adjoint_arg), adjoint=adjoint)
        return self.base_operator.matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg) + _tf.matmul(left, within)

    def _capacitance(self, left, right, adjoint=False):
        small = _tf.matmul(right, self.base_operator.solve(left, adjoint=adjoint), adjoint_a=True)
        inverse = self.diag_operator.inverse()
        return (inverse.adjoint() if adjoint else inverse).add_to_tensor(small)

    def _solve(self, rhs, adjoint=False, adjoint_arg=False):
        if self.base_operator.is_non_singular is False:
            raise ValueError("Solve not implemented unless this is a perturbation of a non-singular LinearOperator.")
        left, right = (self.v, self.u) if adjoint else (self.u, self.v)
        of_base = self.base_operator.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
        small, within = broadcast_batches(self._capacitance(_tf.convert_to_tensor(left), right, adjoint), _tf.matmul(right, of_base, adjoint_a=True))
        within = _tf.cholesky_solve(_tf.cholesky(small), within) if self._is_positive else _tf.matrix_solve(small, within)
        return of_base - self.base_operator.solve(_tf.matmul(left, within), adjoint=adjoint)

    def _determinant(self):
        if self.is_positive_definite:
            return _tf.exp(self.log_abs_determinant())
        small = _tf.matrix_determinant(self._capacitance(_tf.convert_to_tensor(self.u), self.v))
        return small * self.diag_operator.determinant() * self.base_operator.determinant()

    def _log_abs_determinant(self):
        small = self._capacitance(_tf.convert_to_tensor(self.u), self.v)
        if self._is_positive:
            of_small = 2.0 * _tf.reduce_sum(_tf.log(_tf.matrix_diag_part(_tf.cholesky(small))), -1)
        else:
            of_small = _tf.cast(_tf.log(_tf.abs(_tf.matrix_determinant(small))), self.dtype)
        return of_small + self.diag_operator.log_abs_determinant() + self.base_operator.log_abs_determinant()

    def _diag_part(self):
        product = self.u * conjugate(_tf.convert_to_tensor(self.v))
        if self.diag_update is not None:
            product = product * self.diag_update[..., None, :]
        return _tf.reduce_sum(product, -1) + self.base_operator.diag_part()
