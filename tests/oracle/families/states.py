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
