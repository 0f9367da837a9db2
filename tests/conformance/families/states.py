"""Ops that change variables: assignments, scatters, the optimizers' steps."""

import re

import numpy as np

from case import Handle, Ref, draft, malformed
from families import family

SHAPES = ((2, 3), (5,), (), (0, 3), (33,))


def var(m, array):
    """As the op takes it: a reference or a handle."""
    is_resource = any(argument.type == "resource" for argument in m.signature.inputs)
    return Handle(array) if is_resource else Ref(array)


@family("Assign", "AssignAdd", "AssignSub", "AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp")
def assignments(m):
    for shape in SHAPES:
        yield draft(var(m, m.values(*shape)), m.values(*shape))
    yield malformed(var(m, m.values(2, 3)), m.values(3, 2))


@family("IsVariableInitialized", "VarIsInitializedOp", "ReadVariableOp", "VariableShape")
def reads(m):
    dtype = m.types.get("dtype", "float32")
    extra = {"dtype": dtype} if m.signature.name == "ReadVariableOp" else {}
    for shape in SHAPES:
        yield draft(var(m, m.values(*shape, of=dtype)), **extra)


@family("CountUpTo")
def count_up(m):
    largest = np.iinfo(m.dtype()).max
    for value, limit in ((3, 5), (-3, 5), (4, 5), (-9, -4), (0, 1), (largest - 1, 2**31 - 1)):
        yield draft(Ref(m.array(value)), limit=limit)
    for value, limit in ((5, 5), (6, 5), (0, 0), (0, -3), (largest, 5)):
        yield malformed(Ref(m.array(value)), limit=limit)


# Shape of the variable and indices of its rows.
ROWS = (((4, 2), (2, 0)), ((5,), (1, 4, 3)), ((4, 2), ()), ((3, 2, 2), ((0, 2), (1, 1))), ((4, 2), 3))


@family("ScatterUpdate", "ScatterAdd", "ScatterSub", "ScatterMul", "ScatterDiv", "ScatterMin", "ScatterMax", "ResourceScatterUpdate", "ResourceScatterAdd",
        "ResourceScatterSub", "ResourceScatterMul", "ResourceScatterDiv", "ResourceScatterMin", "ResourceScatterMax")
def scatters(m):
    low = 1 if "Div" in m.signature.name else -3
    for shape, indices in ROWS:
        indices = m.array(indices, "Tindices")
        if "Update" in m.signature.name and indices.ndim == 2:
            indices = indices[:, :1]
        yield draft(var(m, m.values(*shape)), indices, m.values(*indices.shape, *shape[1:], low=low))
        yield draft(var(m, m.values(*shape)), indices, m.values(low=low))
    for index in (4, -1):
        yield malformed(var(m, m.values(4, 2)), m.array((0, index), "Tindices"), m.values(2, 2, low=low))


@family("ScatterNdAdd", "ScatterNdUpdate", "ScatterNdSub", "ResourceScatterNdAdd", "ResourceScatterNdUpdate", "ResourceScatterNdSub",
        "ScatterNdMax", "ScatterNdMin", "ResourceScatterNdMax", "ResourceScatterNdMin")
def scatters_nd(m):
    for shape, indices in (((5,), ((1,), (3,), (0,))), ((3, 4), ((0, 1), (2, 3))), ((3, 4), ((2,), (0,))), ((3, 4), np.zeros((0, 1)))):
        indices = m.array(indices, "Tindices")
        yield draft(var(m, m.values(*shape)), indices, m.values(*indices.shape[:-1], *shape[indices.shape[-1]:]))
    for index in (5, -1):
        yield malformed(var(m, m.values(5)), m.array(((index,),), "Tindices"), m.values(1))


@family("ScatterNdNonAliasingAdd")
def scatter_nd_of_values(m):
    for shape, indices in (((5,), ((1,), (3,), (0,))), ((3, 4), ((0, 1), (2, 3))), ((3, 4), ((2,), (0,))), ((3, 4), np.zeros((0, 1)))):
        indices = m.array(indices, "Tindices")
        yield draft(m.values(*shape), indices, m.values(*indices.shape[:-1], *shape[indices.shape[-1]:]))
    yield malformed(m.values(5), m.array(((5,),), "Tindices"), m.values(1))


@family("ResourceGather")
def resource_gather(m):
    for shape, indices in (((4, 3), (3, 0, 0, 2)), ((5,), 3), ((4, 3), ((0, 1), (2, 3))), ((5,), ())):
        yield draft(Handle(m.values(*shape, of="dtype")), m.array(indices, "Tindices"), dtype=m.types["dtype"])
    for index in (4, -1):
        yield malformed(Handle(m.values(4, 3, of="dtype")), m.array((0, index), "Tindices"), dtype=m.types["dtype"])


# What the inputs of the optimizers' ops are, by name: the range of a slot's values, or a constant.
SLOTS = {"var": (-3, 3), "accum": (0.1, 2), "accum_update": (0.1, 2), "gradient_accumulator": (-1, 1), "gradient_squared_accumulator": (0.1, 2),
         "m": (-1, 1), "v": (0.1, 2), "ms": (1, 2), "mom": (-1, 1), "mg": (-0.2, 0.2), "linear": (-1, 1), "vhat": (0.1, 2)}
CONSTANTS = {"lr": 0.1, "alpha": 0.1, "rho": 0.9, "epsilon": 1e-3, "l1": 0.01, "l2": 0.02, "momentum": 0.9, "beta1_power": 0.729, "beta2_power": 0.997, "beta1": 0.9,
             "beta2": 0.999, "lr_power": -0.5, "l2_shrinkage": 0.03, "global_step": 3, "logbase": 0.5, "sign_decay": 0.8, "beta": 0.9}
BOOLEANS = ("use_nesterov", "update_slots", "multiply_linear_by_lr")


def optimizers():
    import signatures

    return [op for op in signatures.signatures() if re.fullmatch(r"(Resource)?(Sparse)?Apply\w+", op)]


def drafts_of_steps(m):
    sparse = any(argument.name == "indices" for argument in m.signature.inputs)
    switches = [name for name in BOOLEANS if name in m.signature.attributes]
    for attrs in [{}] + [{name: value} for name in switches for value in (True, False)]:
        for shape, indices in ROWS[:3] if sparse else [(shape, None) for shape in SHAPES]:
            yield draft(*inputs_of_step(m, shape, indices), **attrs)
    if "l1" in [argument.name for argument in m.signature.inputs]:
        shape, indices = ((4, 2), (1, 3, 1)) if sparse else ((3, 4), None)
        rate = "alpha" if m.signature.name.endswith("GradientDescent") else "lr"
        for constants in ({"l1": 0}, {"l2": 0}, {"l1": 0, "l2": 0}, {"l1": 5}, {"l2": 5}, {rate: 0}, {rate: 2}, {"l1": -0.5}, {"l2": -0.5}, {rate: -0.5}):
            yield draft(*inputs_of_step(m, shape, indices, **constants))
    if sparse:
        yield malformed(*inputs_of_step(m, (4, 2), (0, 4)))
        yield malformed(*inputs_of_step(m, (4, 2), (0, -1)))


@family(*(op for op in optimizers() if "Sparse" not in op), tolerance=4, is_accumulated=True)
def steps(m):
    yield from drafts_of_steps(m)


@family(*(op for op in optimizers() if "Sparse" in op), tolerance=4, is_accumulated=True, is_fragile=True)
def sparse_steps(m):
    yield from drafts_of_steps(m)


def inputs_of_step(m, shape, indices, **constants):
    for argument in m.signature.inputs:
        name = argument.name
        if name == "indices":
            yield m.array(indices, "Tindices")
        elif name in ("grad", "delta"):
            yield m.values(*(shape if indices is None else (len(indices), *shape[1:])))
        elif name == "global_step":
            yield m.array(3, "int64")
        elif argument.is_ref or argument.type == "resource":
            yield var(m, m.values(*shape, low=SLOTS[name][0], high=SLOTS[name][1]))
        else:
            yield m.array(constants.get(name, CONSTANTS[name]))
