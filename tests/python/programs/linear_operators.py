"""tf.linalg.LinearOperator: every kind against the matrix that it stands for, adjoints, inverses, products, and what is refused."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
rng = np.random.RandomState(2)


def numbers(*shape):
    return rng.uniform(0.5, 1.5, shape) * rng.choice([-1.0, 1.0], shape)


def shown(name, value):
    value = np.asarray(value)
    if np.iscomplexobj(value):
        value = np.stack([value.real, value.imag])
    print("  " + name, (np.round(value.astype(np.float64), 3) + 0.0).tolist())


L = tf.linalg
tril = np.tril(numbers(3, 3)) + 3.0 * np.eye(3)
spd = tril @ tril.T
batch = numbers(2, 3, 3) + 4.0 * np.eye(3)
full = L.LinearOperatorFullMatrix(batch)
definite = L.LinearOperatorFullMatrix(spd, is_self_adjoint=True, is_positive_definite=True)
diag = L.LinearOperatorDiag(numbers(3))
lower = L.LinearOperatorLowerTriangular(tril)
made = [
    full, definite, diag, L.LinearOperatorDiag([1.0 + 2.0j, 3.0 - 1.0j, 2.0j]), lower,
    L.LinearOperatorIdentity(3, dtype=tf.float64), L.LinearOperatorIdentity(2, batch_shape=[2], dtype=tf.float64),
    L.LinearOperatorScaledIdentity(3, tf.constant([2.0, -0.5], tf.float64)),
    L.LinearOperatorComposition([full, diag]), L.LinearOperatorKronecker([definite, L.LinearOperatorFullMatrix(numbers(2, 2))]),
    L.LinearOperatorBlockDiag([full, diag, L.LinearOperatorIdentity(2, dtype=tf.float64)]),
    L.LinearOperatorBlockLowerTriangular([[lower], [L.LinearOperatorFullMatrix(numbers(2, 3)), L.LinearOperatorFullMatrix(numbers(2, 2) + 3.0 * np.eye(2))]]),
    L.LinearOperatorLowRankUpdate(definite, numbers(3, 2), tf.constant([1.0, 2.0], tf.float64), is_diag_update_positive=True),
    L.LinearOperatorLowRankUpdate(diag, numbers(3, 1), v=numbers(3, 1)),
    L.LinearOperatorAdjoint(full), L.LinearOperatorInversion(definite),
    L.LinearOperatorHouseholder(numbers(3)), L.LinearOperatorPermutation([2, 0, 1], dtype=tf.float64),
    L.LinearOperatorTridiag(np.array([[1.0, 2.0, 0.0], [4.0, 5.0, 6.0], [0.0, 1.0, -1.0]])),
    L.LinearOperatorTridiag([np.array([1.0, 2.0, 9.0]), np.array([4.0, 5.0, 6.0]), np.array([9.0, 1.0, -1.0])], diagonals_format="sequence"),
    L.LinearOperatorToeplitz([3.0, 1.0, -0.5], [3.0, 0.5, 0.25]),
    L.LinearOperatorCirculant(tf.constant([6.0, 4.0 + 1.0j, 4.0 - 1.0j], tf.complex64), tf.float32),
    L.LinearOperatorCirculant(tf.constant([6.0, 4.0, 2.0])),
    L.LinearOperatorCirculant2D(tf.constant(np.abs(numbers(2, 2)) + 1.0, tf.float32)),
]
with tf.Session() as session:
    for operator in made:
        complex_numbers = operator.dtype.is_complex
        print(type(operator).__name__, operator.name, operator.dtype.name, operator.shape, operator.batch_shape, operator.tensor_rank, operator.is_square,
              operator.is_self_adjoint, operator.is_non_singular, operator.is_positive_definite)
        n = operator.shape[-1].value
        x = tf.cast(tf.constant(np.arange(2.0 * n).reshape(n, 2) - 3.0), operator.dtype)
        v = tf.cast(tf.constant(np.arange(1.0 * n) + 1.0), operator.dtype)
        shown("dense", session.run(operator.to_dense()))
        print("  sizes", *session.run([operator.shape_tensor(), operator.batch_shape_tensor(), operator.tensor_rank_tensor(),
                                       operator.domain_dimension_tensor(), operator.range_dimension_tensor()]))
        shown("matmul", session.run(operator.matmul(x)))
        shown("adjoint", session.run(operator.matmul(x, adjoint=True)))
        shown("of an adjoint", session.run(operator.matmul(tf.linalg.adjoint(x), adjoint_arg=True)))
        shown("matvec", session.run(operator.matvec(v)))
        shown("solve", session.run(operator.solve(x)))
        shown("solve adjoint", session.run(operator.solve(x, adjoint=True)))
        shown("solvevec", session.run(operator.solvevec(v)))
        shown("det", session.run(operator.determinant()))
        shown("log", session.run(operator.log_abs_determinant()))
        shown("diagonal", session.run(operator.diag_part()))
        shown("trace", session.run(operator.trace()))
        shown("added", session.run(operator.add_to_tensor(tf.ones(operator.shape, operator.dtype))))
        if operator.is_self_adjoint:
            shown("eigvals", np.sort(np.real(session.run(operator.eigvals()))))
        if not complex_numbers:
            shown("cond", session.run(operator.cond()))
        adjoint = session.run(operator.H.to_dense())
        shown("H", adjoint if complex_numbers else np.real(adjoint))  # TensorFlow's of a circulant is of complex numbers always
        if not isinstance(operator, L.LinearOperatorInversion):
            inverse = operator.inverse()
            print("  inverse", type(inverse).__name__)
            shown("of x", session.run(inverse.matmul(x)))
    print([type(one).__name__ for one in (diag @ diag, diag @ lower, lower @ diag, full @ diag, diag @ L.LinearOperatorIdentity(3, dtype=tf.float64),
                                          definite.cholesky(), L.LinearOperatorIdentity(3, dtype=tf.float64) @ full, definite.H)])
    shown("products", session.run((full @ definite).to_dense()))
    shown("solved", session.run(definite.solve(full).to_dense()))
    shown("cholesky", session.run(definite.cholesky().to_dense()))
    positive = L.LinearOperatorDiag(tf.constant([1.0, 4.0, 9.0], tf.float64), is_positive_definite=True)
    thrice = L.LinearOperatorScaledIdentity(3, tf.constant(3.0, tf.float64), is_positive_definite=True)
    shown("roots", session.run([(positive @ positive).cholesky().to_dense(), (positive @ thrice).cholesky().to_dense()]))
    shown("broadcast", session.run([full.add_to_tensor(tf.constant(1.0, tf.float64)), full.add_to_tensor(tf.ones([3, 1], tf.float64))]))
    zeros = L.LinearOperatorZeros(2, 3, is_square=False, is_self_adjoint=False)
    print(zeros.shape, session.run([zeros.to_dense(), zeros.matmul(tf.ones([3, 1]))]))
    session.run([operator.assert_non_singular() for operator in (full, definite, diag, lower)] + [definite.assert_positive_definite(), definite.assert_self_adjoint()])
    slope, = tf.gradients(tf.reduce_sum(L.LinearOperatorDiag(v := tf.constant([1.0, 2.0])).solvevec([1.0, 4.0])), v)
    shown("slope", session.run(slope))
    for check in (lambda: L.LinearOperatorDiag([1.0, 0.0]).assert_non_singular(),
                  lambda: L.LinearOperatorFullMatrix([[1.0, 2.0], [0.0, 1.0]]).assert_self_adjoint(),
                  lambda: L.LinearOperatorDiag([1.0, -2.0]).assert_positive_definite()):
        try:
            session.run(check())
            print("passed")
        except tf.errors.InvalidArgumentError as error:
            print(type(error).__name__)

for wrong in (lambda: diag.matmul(tf.ones([2, 2], tf.float64)), lambda: diag.matmul(tf.ones([3, 2])), lambda: L.LinearOperatorDiag(1.0),
              lambda: L.LinearOperatorDiag([1.0], is_self_adjoint=False), lambda: full.eigvals(), lambda: full.cholesky(),
              lambda: L.LinearOperatorFullMatrix([1.0]), lambda: L.LinearOperatorIdentity(-2), lambda: L.LinearOperatorComposition([]),
              lambda: zeros.inverse(), lambda: zeros.determinant(), lambda: L.LinearOperatorFullMatrix(spd, is_square=False, is_non_singular=True),
              lambda: L.LinearOperatorLowRankUpdate(definite, numbers(3, 1), is_diag_update_positive=False),
              lambda: L.LinearOperatorTridiag([[1.0]], diagonals_format="rows"), lambda: full @ zeros):
    try:
        wrong()
        print("passed")
    except (ValueError, TypeError, NotImplementedError) as error:
        print(type(error).__name__, str(error).split(". ")[0].split("  Found")[0][:70])


class Doubled(L.LinearOperator):
    """One of the program's own."""

    def __init__(self, size):
        self._size = size
        super().__init__(dtype=tf.float32, is_self_adjoint=True, is_positive_definite=True)

    def _shape(self):
        return tf.TensorShape([self._size, self._size])

    def _shape_tensor(self):
        return tf.constant([self._size, self._size])

    def _matmul(self, x, adjoint=False, adjoint_arg=False):
        return 2.0 * (tf.linalg.adjoint(x) if adjoint_arg else x)


with tf.Session() as session:
    own = Doubled(2)
    print(own.name, own.is_square, own.is_non_singular)
    shown("own", session.run([own.to_dense(), own.solve(tf.eye(2))]))
    shown("own numbers", session.run([own.determinant(), own.log_abs_determinant(), own.trace(), own.cond()]))
