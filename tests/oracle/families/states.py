"""Ops that change reference variables: assignment and the optimizers' steps. Their cases record the variables afterwards."""

from families import family
from families.values import FLOATS, INTS, ints, numbers
from op_cases import Ref, raw
from tensorflow_v1 import np


def ref(shape, dtype, seed=0, low=-3.0, high=3.0):
    return Ref(numbers(shape, dtype, low, high, seed))


SHAPES = ((), (5,), (2, 3), (33,))


@family
def assignments():
    for dtype in FLOATS + INTS:
        for op in ("Assign", "AssignAdd", "AssignSub"):
            for shape in SHAPES:
                yield raw(op, ref(shape, dtype), numbers(shape, dtype, seed=1))
        for op in ("ScatterUpdate", "ScatterAdd", "ScatterSub"):
            yield raw(op, ref((4, 2), dtype), ints(2, 0), numbers((2, 2), dtype, seed=1))
        yield raw("ScatterAdd", ref((4, 2), dtype), ints(1, 3, 1), numbers((3, 2), dtype, seed=1))
    yield raw("Assign", ref((2,), np.bool_), np.array([True, False]))
    yield raw("Assign", ref((2,), np.float32), numbers((3, 2)), validate_shape=False)


def rate(value, dtype):
    return np.array(value, dtype)


@family
def optimizer_steps():
    for dtype in FLOATS:
        for shape in SHAPES:
            v, g = ref(shape, dtype), numbers(shape, dtype, seed=1)
            slot = ref(shape, dtype, 2, 0.1, 2)
            yield raw("ApplyGradientDescent", v, rate(0.1, dtype), g)
            for nesterov in (False, True):
                yield raw("ApplyMomentum", v, slot, rate(0.1, dtype), g, rate(0.9, dtype), use_nesterov=nesterov)
            yield raw("ApplyAdagrad", v, slot, rate(0.1, dtype), g)
            yield raw("ApplyAdagradV2", v, slot, rate(0.1, dtype), rate(1e-7, dtype), g)
            yield raw("ApplyRMSProp", v, slot, ref(shape, dtype, 3), *(rate(x, dtype) for x in (0.1, 0.9, 0.5, 1e-10)), g)
            yield adam(v, shape, dtype, g, False)
        yield adam(ref((5,), dtype), (5,), dtype, numbers((5,), dtype, seed=1), True)
        mean, square, momentum = ref((5,), dtype, 2, -0.2, 0.2), ref((5,), dtype, 3, 1, 2), ref((5,), dtype, 4)
        constants = [rate(x, dtype) for x in (0.1, 0.9, 0.5, 1e-10)]
        yield raw("ApplyCenteredRMSProp", ref((5,), dtype), mean, square, momentum, *constants, numbers((5,), dtype, seed=1))


def adam(v, shape, dtype, gradient, nesterov):
    m, s = ref(shape, dtype, 2), ref(shape, dtype, 3, 0.1, 2)
    constants = [rate(x, dtype) for x in (0.9**3, 0.999**3, 1e-3, 0.9, 0.999, 1e-8)]  # beta1_power, beta2_power, lr, ...
    return raw("ApplyAdam", v, m, s, *constants, gradient, use_nesterov=nesterov)


@family
def sparse_optimizer_steps():
    for dtype in FLOATS:
        constants = [rate(x, dtype) for x in (0.1, 0.9, 0.5, 1e-10)]
        for shape, indices in (((4, 3), ints(2, 0)), ((4,), ints(1, 3, 1)), ((3, 2, 2), np.zeros(0, np.int64))):
            v, slot, other = ref(shape, dtype), ref(shape, dtype, 2, 0.1, 2), ref(shape, dtype, 3, 0.1, 2)
            g = numbers((len(indices), *shape[1:]), dtype, seed=1)
            for nesterov in (False, True):
                yield raw("SparseApplyMomentum", v, slot, rate(0.1, dtype), g, indices, rate(0.9, dtype), use_nesterov=nesterov)
            for update in (False, True):
                yield raw("SparseApplyAdagrad", v, slot, rate(0.1, dtype), g, indices, update_slots=update)
            yield raw("SparseApplyAdagradV2", v, slot, rate(0.1, dtype), rate(1e-7, dtype), g, indices)
            yield raw("SparseApplyRMSProp", v, slot, other, *constants, g, indices)
            yield raw("SparseApplyAdadelta", v, slot, other, *(rate(x, dtype) for x in (0.1, 0.9, 1e-6)), g, indices)
            yield raw("SparseApplyFtrl", v, slot, other, g, indices, *(rate(x, dtype) for x in (0.1, 0.01, 0.02, -0.5)))
            yield raw("SparseApplyProximalGradientDescent", v, *(rate(x, dtype) for x in (0.1, 0.01, 0.02)), g, indices)
            yield raw("SparseApplyProximalAdagrad", v, slot, *(rate(x, dtype) for x in (0.1, 0.01, 0.02)), g, indices)
            yield raw("SparseApplyCenteredRMSProp", v, ref(shape, dtype, 2, -0.2, 0.2), ref(shape, dtype, 3, 1, 2), other, *constants,
                      g, indices)
        for shape in SHAPES:
            for l1 in (0.0, 0.01):
                yield raw("ApplyAdagradDA", ref(shape, dtype), ref(shape, dtype, 2), ref(shape, dtype, 3, 0.1, 2),
                          numbers(shape, dtype, seed=1), *(rate(x, dtype) for x in (0.1, l1, 0.02)), np.int64(3))


@family
def further_optimizer_steps():
    for dtype in FLOATS:
        for shape in SHAPES:
            v, m, g = ref(shape, dtype), ref(shape, dtype, 2), numbers(shape, dtype, seed=1)
            largest, slot = ref(shape, dtype, 3, 0.1, 2), ref(shape, dtype, 4, 0.1, 2)
            yield raw("ApplyAdaMax", v, m, largest, *(rate(x, dtype) for x in (0.9**3, 0.1, 0.9, 0.99, 1e-8)), g)
            yield raw("ApplyAddSign", v, m, *(rate(x, dtype) for x in (0.1, 1.0, 0.8, 0.9)), g)
            yield raw("ApplyPowerSign", v, m, *(rate(x, dtype) for x in (0.1, 1.0, 0.8, 0.9)), g)
            yield raw("ApplyAdadelta", v, largest, slot, *(rate(x, dtype) for x in (0.1, 0.9, 1e-6)), g)
            yield raw("ApplyProximalAdagrad", v, slot, *(rate(x, dtype) for x in (0.1, 0.01, 0.02)), g)
            yield raw("ApplyProximalGradientDescent", v, *(rate(x, dtype) for x in (0.1, 0.01, 0.02)), g)
            for by_rate in (False, True):
                four = [rate(x, dtype) for x in (0.1, 0.01, 0.02, -0.5)]
                yield raw("ApplyFtrl", v, slot, m, g, *four, multiply_linear_by_lr=by_rate)
                five = [rate(x, dtype) for x in (0.1, 0.01, 0.02, 0.03, -0.5)]
                yield raw("ApplyFtrlV2", v, slot, m, g, *five, multiply_linear_by_lr=by_rate)
        five = [rate(x, dtype) for x in (0.1, 0.01, 0.02, 0.03, -0.5)]
        yield raw("SparseApplyFtrlV2", ref((4, 3), dtype), ref((4, 3), dtype, 2, 0.1, 2), ref((4, 3), dtype, 3), numbers((2, 3), dtype),
                  ints(2, 0), *five)
        three = [rate(x, dtype) for x in (0.1, 0.01, 0.02)]
        yield raw("SparseApplyAdagradDA", ref((4, 3), dtype), ref((4, 3), dtype, 2), ref((4, 3), dtype, 3, 0.1, 2),
                  numbers((2, 3), dtype), ints(2, 0), *three, np.int64(3))
