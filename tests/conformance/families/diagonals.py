"""Ops that take diagonals and bands out of matrices or put them in."""

from case import draft, malformed
from families import family


@family("MatrixBandPart", "BatchMatrixBandPart")
def band(m):
    of = "Tindex" if "Tindex" in m.types else "int64"
    for lower, upper in ((0, -1), (-1, 0), (1, 1), (0, 0), (-1, -1), (2, 1)):
        yield draft(m.values(2, 3, 4), m.array(lower, of), m.array(upper, of))
    yield draft(m.values(4, 3), m.array(1, of), m.array(0, of))
    yield draft(m.values(0, 3), m.array(0, of), m.array(0, of))
    yield malformed(m.values(3, 3), m.array(5, of), m.array(0, of))


@family("Diag", "MatrixDiag", "BatchMatrixDiag")
def diagonal(m):
    for shape in ((3,), (2, 3), (1,), (0,)):
        yield draft(m.values(*shape))


@family("DiagPart")
def diagonal_part(m):
    for shape in ((3, 3), (2, 3, 2, 3), (0, 0), (1, 1)):
        yield draft(m.values(*shape))
    for shape in ((2, 3), (3,), (3, 3, 3)):
        yield malformed(m.values(*shape))


@family("MatrixDiagPart", "BatchMatrixDiagPart")
def old_matrix_diagonal_part(m):
    for shape in ((3, 3), (2, 3, 4), (2, 4, 3), (0, 3, 3)):
        yield draft(m.values(*shape))


BANDS = ((0, 0), (1, 1), (-1, -1), (-1, 1), (0, 2), (-2, 0))


def aligned(m):
    return [{"align": a} for a in ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")] if m.signature.name.endswith("V3") else [{}]


@family("MatrixDiagPartV2", "MatrixDiagPartV3")
def matrix_diagonal_part(m):
    for attrs in aligned(m):
        for k in BANDS:
            yield draft(m.values(2, 3, 4), m.array(k, "int32"), m.values(), **attrs)
        yield draft(m.values(3, 3), m.array(1, "int32"), m.values(), **attrs)
    yield draft(m.values(0, 3, 3), m.array(0, "int32"), m.values())
    yield malformed(m.values(3, 3), m.array((1, 0), "int32"), m.values())
    yield malformed(m.values(3, 3), m.array(7, "int32"), m.values())


def band_shape(rows, columns, k):
    lengths = [min(rows + min(d, 0), columns - max(d, 0)) for d in range(k[0], k[1] + 1)]
    return (max(lengths),) if k[0] == k[1] else (len(lengths), max(lengths))


@family("MatrixDiagV2", "MatrixDiagV3")
def matrix_diagonal(m):
    for attrs in aligned(m):
        for k in BANDS:
            yield draft(m.values(2, *band_shape(3, 4, k)), m.array(k, "int32"), m.array(3, "int32"), m.array(4, "int32"), m.values(), **attrs)
        yield draft(m.values(3), m.array(0, "int32"), m.array(-1, "int32"), m.array(-1, "int32"), m.values(), **attrs)
    yield malformed(m.values(3), m.array((1, 0), "int32"), m.array(-1, "int32"), m.array(-1, "int32"), m.values())


@family("MatrixSetDiag", "BatchMatrixSetDiag")
def old_set_diagonal(m):
    for shape, diagonal_shape in (((3, 3), (3,)), ((2, 3, 4), (2, 3)), ((0, 3, 3), (0, 3))):
        yield draft(m.values(*shape), m.values(*diagonal_shape))


@family("MatrixSetDiagV2", "MatrixSetDiagV3")
def set_diagonal(m):
    for attrs in aligned(m):
        for k in BANDS:
            yield draft(m.values(2, 3, 4), m.values(2, *band_shape(3, 4, k)), m.array(k, "int32"), **attrs)
        yield draft(m.values(3, 3), m.values(3), m.array(0, "int32"), **attrs)


