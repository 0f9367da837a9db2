"""Reductions, argmax, matrix products."""

from families import family
from families.values import FLOATS, INTS, ints, numbers, scalar
from op_cases import raw
from tensorflow_v1 import np, tf

REDUCTIONS = "Sum Mean Max Min Prod".split()
AXES = [((5,), (0,)), ((2, 3), (0,)), ((2, 3), (1,)), ((2, 3), (0, 1)), ((2, 3), ()), ((2, 3, 4), (1,)), ((2, 3, 4), (0, 2))]
AXES += [((2, 3, 4), (-1,)), ((), ()), ((2, 3, 2, 2), (1, 3)), ((2, 3, 2, 2), (0, 1, 2)), ((17, 3), (0,)), ((3, 33), (1,))]
EMPTY = [((0,), (0,)), ((0, 3), (0,)), ((3, 0), (0,))]


@family
def reductions_float():
    for op in REDUCTIONS:
        for dtype in FLOATS:
            for shape, axes in AXES:
                yield raw(op, numbers(shape, dtype, -2, 2), ints(*axes), keep_dims=False)
            for shape, axes in AXES[1:6]:
                yield raw(op, numbers(shape, dtype, -2, 2), ints(*axes), keep_dims=True)
            for shape, axes in EMPTY:
                yield raw(op, numbers(shape, dtype), ints(*axes), keep_dims=False)
        yield raw(op, numbers((2, 3)), scalar(-1), keep_dims=False)
        yield raw(op, numbers((2, 3)), ints(0, dtype=np.int64), keep_dims=False)
        yield raw(op, np.array([[1, np.nan, 2], [np.inf, -np.inf, 3]], np.float32), ints(1), keep_dims=False)


@family
def reductions_int():
    for op in REDUCTIONS:
        for dtype in INTS:
            for shape, axes in AXES[:8] + EMPTY[:2]:
                if op != "Mean" or shape[0] != 0:  # the mean of no integers divides by zero
                    yield raw(op, numbers(shape, dtype, -4, 4), ints(*axes), keep_dims=False)
    for op in ("All", "Any"):
        for shape, axes in AXES + EMPTY:
            yield raw(op, numbers(shape, np.bool_), ints(*axes), keep_dims=False)
        yield raw(op, numbers((2, 3), np.bool_), ints(1), keep_dims=True)


@family
def large_sums():
    """A sum of many float32 loses digits when it is done one by one: TensorFlow's is pairwise or vectorised."""
    for count in (1000, 4096):
        yield raw("Sum", np.full(count, 0.1, np.float32), ints(0), keep_dims=False)
        yield raw("Mean", np.full(count, 0.1, np.float32), ints(0), keep_dims=False)


@family
def argmaxes():
    for op in ("ArgMax", "ArgMin"):
        for dtype in FLOATS + INTS:
            for shape, axis in (((5,), 0), ((2, 3), 0), ((2, 3), 1), ((2, 3, 4), 1), ((2, 3, 4), -1), ((17, 3), 0)):
                yield raw(op, numbers(shape, dtype, -9, 9), scalar(axis), output_type=tf.int64)
        yield raw(op, numbers((2, 3), np.bool_), scalar(1), output_type=tf.int64)
        yield raw(op, np.array([[1, 3, 3], [2, 2, 1]], np.float32), scalar(1), output_type=tf.int32)  # the first of equals
        yield raw(op, np.array([[1, np.nan, 3], [np.nan, 2, 1]], np.float32), scalar(1), output_type=tf.int64)
        yield raw(op, numbers((0, 3)), scalar(1), output_type=tf.int64)
        yield raw(op, numbers((2, 3)), scalar(1, np.int64), output_type=tf.int64)


@family
def l2_losses():
    for dtype in FLOATS:
        for shape in ((), (5,), (2, 3), (0,), (33,)):
            yield raw("L2Loss", numbers(shape, dtype))


SIZES = [(1, 1, 1), (2, 3, 4), (1, 7, 5), (5, 7, 1), (4, 1, 3), (17, 5, 3), (3, 33, 4), (9, 16, 17)]


@family
def matmuls():
    for dtype in FLOATS + INTS:
        for m, k, n in SIZES if dtype == np.float32 else SIZES[1:3]:
            for ta, tb in ((False, False), (True, False), (False, True), (True, True)):
                a = numbers((k, m) if ta else (m, k), dtype)
                b = numbers((n, k) if tb else (k, n), dtype, seed=1)
                yield raw("MatMul", a, b, transpose_a=ta, transpose_b=tb)
    for m, k, n in ((0, 3, 2), (2, 0, 3), (2, 3, 0)):
        yield raw("MatMul", numbers((m, k)), numbers((k, n), seed=1))
    yield raw("MatMul", np.array([[np.inf, 1], [np.nan, 2]], np.float32), numbers((2, 2)))


@family
def batched_matmuls():
    for dtype in FLOATS + INTS:
        for a, b in (((2, 2, 3), (2, 3, 4)), ((2, 3), (2, 3, 4)), ((2, 1, 2, 3), (3, 3, 2)), ((0, 2, 3), (0, 3, 2))):
            yield raw("BatchMatMulV2", numbers(a, dtype), numbers(b, dtype, seed=1))
        yield raw("BatchMatMulV2", numbers((2, 3, 2), dtype), numbers((2, 4, 3), dtype, seed=1), adj_x=True, adj_y=True)
        yield raw("BatchMatMul", numbers((2, 2, 3), dtype), numbers((2, 4, 3), dtype, seed=1), adj_y=True)
