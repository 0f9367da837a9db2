"""Matrices of a batch: their diagonals, products of them, triangular systems; sums of products by labels."""

from families import family
from families.segments import values
from families.values import FLOATS, ints, numbers
from op_cases import raw
from tensorflow_v1 import np, tf

BFLOAT16 = tf.bfloat16.as_numpy_dtype
SOME = (np.float32, np.float64, np.int32, np.uint8, np.float16, np.complex64)
ALIGNS = ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT")


@family
def matrix_diagonals():
    for dtype in SOME:
        zero = np.array(7, dtype)
        yield raw("MatrixDiag", values((2, 3), dtype))
        yield raw("MatrixDiagPart", values((2, 3, 4), dtype))
        yield raw("MatrixSetDiag", values((2, 3, 4), dtype), values((2, 3), dtype, 1))
        yield raw("MatrixDiagV3", values((2, 3), dtype), np.int32(1), np.int32(-1), np.int32(-1), zero)
    zero = np.float32(9)
    for align in ALIGNS:
        for k in (ints(-1, 1), ints(-2, 0), ints(1, 2), ints(0), np.int32(-1), np.int32(2)):
            matrix = values((2, 3, 4), np.float32)
            yield raw("MatrixDiagPartV3", matrix, k, zero, align=align)
            shape = tf.raw_ops.MatrixDiagPartV3(input=matrix, k=k, padding_value=zero, align=align).shape
            diagonal = values(tuple(shape.as_list()), np.float32, 1)
            yield raw("MatrixSetDiagV3", matrix, diagonal, k, align=align)
            yield raw("MatrixDiagV3", diagonal, k, np.int32(3), np.int32(4), zero, align=align)
    for k in (ints(-1, 1), np.int32(0)):
        yield raw("MatrixDiagPartV2", values((3, 3), np.float32), k, zero)
        shape = (3, 3) if np.ndim(k) else (3,)
        yield raw("MatrixSetDiagV2", values((3, 3), np.float32), values(shape, np.float32, 1), k)
        yield raw("MatrixDiagV2", values(shape, np.float32), k, np.int32(-1), np.int32(-1), zero)
    yield raw("MatrixDiag", np.zeros((0, 2), np.float32))
    yield raw("MatrixDiagPart", np.zeros((2, 0, 3), np.float32))


@family
def typed_matmuls():
    for dtype in (np.float16, BFLOAT16, np.complex64, np.complex128, np.int32, np.int64):
        for a, b in ((False, False), (True, False), (False, True), (True, True)):
            yield raw("MatMul", values((3, 2) if a else (2, 3), dtype), values((4, 3) if b else (3, 4), dtype, 1), transpose_a=a,
                      transpose_b=b)
            for op in ("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"):
                x, y = values((2, 3, 2) if a else (2, 2, 3), dtype), values((2, 4, 3) if b else (2, 3, 4), dtype, 1)
                more = {"Tout": dtype} if op.endswith("3") else {}
                yield raw(op, x, y, adj_x=a, adj_y=b, **more)
    yield raw("BatchMatMulV3", values((2, 1, 2, 3), np.float32), values((3, 3, 2), np.float32), Tout=np.float32)
    yield raw("MatMul", np.zeros((2, 0), np.complex64), np.zeros((0, 3), np.complex64))


@family
def triangular_solves():
    for dtype in (*FLOATS, np.complex64):
        a = values((2, 3, 3), dtype) + 4 * np.eye(3, dtype=dtype)
        for lower in (False, True):
            for adjoint in (False, True):
                yield raw("MatrixTriangularSolve", a, values((2, 3, 2), dtype, 1), lower=lower, adjoint=adjoint)
    yield raw("MatrixTriangularSolve", a[0], values((2, 3, 2), np.complex64, 1))
    yield raw("MatrixTriangularSolve", np.zeros((0, 0), np.float32), np.zeros((0, 2), np.float32))


EQUATIONS = {
    "ij,jk->ik": ((2, 3), (3, 4)), "bij,bjk->bik": ((2, 3, 4), (2, 4, 2)), "...ij,...jk->...ik": ((2, 1, 3, 4), (3, 4, 2)),
    "ij->ji": ((2, 3),), "ii->i": ((3, 3),), "ii->": ((3, 3),), "i->ii": ((3,),), "ijk->j": ((2, 3, 4),), "->": ((),),
    "i,i->": ((3,), (3,)), "i,j->ij": ((2,), (3,)), "abc,cd->ad": ((2, 3, 4), (4, 2)), "iij,jk->ki": ((2, 2, 3), (3, 4)),
    "bhd,bkd->bhk": ((2, 3, 4), (2, 5, 4)), "...a,a->...": ((2, 3), (3,)), "ab,ab->ab": ((2, 3), (2, 3)), ",ab->ba": ((), (2, 3)),
    "ab,bc->ca": ((0, 3), (3, 2)), "ab,bc->ac": ((2, 0), (0, 3)),
}


@family
def einsums():
    for equation, shapes in EQUATIONS.items():
        for dtype in (*FLOATS, np.int32, np.complex64):
            yield raw("Einsum", [values(shape, dtype, seed) for seed, shape in enumerate(shapes)], equation=equation)
