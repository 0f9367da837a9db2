"""What is known of each op beyond its signature: how the shapes of its inputs hang together, which of them are indices into what,
which values are worth a case. A family is a generator of drafts (case.draft) for all ops that are named with it."""

import dataclasses
import importlib
import pkgutil


@dataclasses.dataclass(frozen=True)
class Family:
    drafts: object  # a function of a Maker
    tolerance: float = 1  # times that of the dtype (values.TOLERANCE)
    units: int | None = None  # in the last place: of float32 and float64, instead of the tolerance
    is_accumulated: bool = False  # sums of many terms: errors count against the largest element
    least_size: float = 0  # of that element, where terms of both signs may cancel each other
    is_fragile: bool = False  # TensorFlow aborts the process for some malformed inputs: the family names what is malformed
    needs_shapes: bool = False  # TensorFlow's client wants to know the shapes of the inputs
    unset: object = None  # a function of a case: the outputs that TensorFlow leaves unset
    compare: object = None  # a function of (case, expected, ours) that puts both into a form that can be compared


FAMILIES = {}
SCENARIOS = {}


def family(*ops, **options):
    def add(drafts):
        for op in ops:
            assert op not in FAMILIES, op
            FAMILIES[op] = Family(drafts, **options)
        return drafts

    return add


def scenario(*ops, **options):
    """A function of a case number that builds a small program with Python's functions and gives back steps: lists of fetches, or
    (fetches, feeds). It tests all of the ops named."""

    def add(build):
        for op in ops:
            SCENARIOS.setdefault(op, []).append(build)
        return build

    return add


def load():
    for module in pkgutil.iter_modules(__path__):
        importlib.import_module(f"{__name__}.{module.name}")
