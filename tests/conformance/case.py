"""A case: one op with its attributes and inputs. Families of ops (families/*.py) draft them with a Maker, for one choice of dtypes
after the other; what is the same for all ops, such as malformed inputs, is added here."""

import dataclasses
import zlib

import numpy as np

import signatures
import values

CASES_OF_A_FURTHER_DTYPE = 4


@dataclasses.dataclass(frozen=True)
class Ref:
    """An input that is a reference variable of this value; it is compared afterwards."""

    value: np.ndarray


@dataclasses.dataclass(frozen=True)
class Handle:
    """An input that is the handle of a resource variable of this value; it is compared afterwards."""

    value: np.ndarray


@dataclasses.dataclass
class Case:
    op: str
    inputs: list  # of arrays, Ref, Handle; a list of these for an input that is a list
    attrs: dict
    kind: str = "values"  # values, empty, large, malformed
    name: str = ""
    is_first_dtype: bool = True
    is_fed: bool = True  # False: the first input is missing, which is an error of every op

    def arrays(self):
        """All input arrays, those of lists and variables included."""
        flat = [item for value in self.inputs for item in (value if isinstance(value, list) else [value])]
        return [item.value if isinstance(item, (Ref, Handle)) else item for item in flat]

    def describe(self):
        texts = [_text(value) for value in self.inputs]
        texts += [f"{key}={getattr(value, 'name', value)}" for key, value in self.attrs.items()]
        return f"{self.op}({', '.join(texts)})" + ("" if self.is_fed else " without its first input")


def _text(value):
    if isinstance(value, list):
        return "[" + ", ".join(map(_text, value)) + "]"
    if isinstance(value, (Ref, Handle)):
        return f"{type(value).__name__.lower()} {_text(value.value)}"
    name = values.dtype_name(value.dtype)
    if value.size <= 6 and value.dtype.kind in "iub":
        return f"{name} {value.tolist()}"
    return f"{name}[{','.join(map(str, value.shape))}]"


class Maker:
    """Makes arrays for the dtypes of one combination, the same ones for the same op, dtypes and seed."""

    def __init__(self, signature, types, seed):
        self.signature, self.types = signature, types
        self.rng = np.random.RandomState(zlib.crc32(repr((signature.name, sorted(types.items()), seed)).encode()))

    def dtype(self, attribute=None):
        """Of a type attribute; by default of the one that the op computes in. A dtype's name stands for itself."""
        attribute = attribute or self.signature.main_type() or self.signature.inputs[0].type
        return values.as_numpy(self.types.get(attribute, attribute))

    def values(self, *shape, of=None, low=-3.0, high=3.0):
        return values.random(self.rng, shape, self.dtype(of), low, high)

    def distinct(self, *shape, of=None):
        """Values of which no two are equal, as far as the dtype has so many."""
        count = int(np.prod(shape))
        return np.asarray(self.rng.permutation(count) - count // 2).reshape(shape).astype(self.dtype(of))

    def special(self, of=None):
        """The edges of the dtype: extremes, zeros, infinities, NaN."""
        return values.special(self.dtype(of))

    def array(self, value, of=None):
        return np.asarray(value).astype(self.dtype(of))

    def indices(self, limit, *shape, of="int32"):
        return self.rng.randint(0, limit, shape).astype(self.dtype(of))

    def is_float(self, of=None):
        return values.is_float(self.dtype(of))

    def is_complex(self, of=None):
        return self.dtype(of).kind == "c"

    def is_number(self, of=None):
        return self.is_float(of) or self.dtype(of).kind in "iuc"


def draft(*inputs, kind=None, **attrs):
    """What families yield."""
    return inputs, kind, attrs


def malformed(*inputs, **attrs):
    return draft(*inputs, kind="malformed", **attrs)


def large(*inputs, **attrs):
    return draft(*inputs, kind="large", **attrs)


def generate(op, family, seed):
    """All cases of an op."""
    signature = signatures.signatures()[op]
    cases = []
    for number, types in enumerate(signatures.dtype_combinations(signature)):
        found = [_case(signature, types, d) for d in family.drafts(Maker(signature, types, seed))]
        if number > 0:
            found = _shortened(found)
        for case in found:
            case.is_first_dtype = number == 0
        cases += found
    whole = [case for case in cases if case.kind == "values" and case.is_first_dtype]
    if whole and not family.is_fragile:
        cases += _malformed(signature, whole[0])
    for number, case in enumerate(cases):
        case.name = f"c{number}"
    return cases


def _case(signature, types, drafted):
    inputs, kind, attrs = drafted
    inputs = [list(value) if isinstance(value, (list, tuple)) else value for value in inputs]
    inferred = {argument.type for argument in signature.inputs}
    open_types = {name: dtype for name, dtype in types.items() if name not in inferred}
    case = Case(signature.name, inputs, {**open_types, **attrs}, kind or "values")
    if kind is None and any(array.size == 0 for array in case.arrays()):
        case.kind = "empty"
    return case


def _shortened(cases):
    """For the further dtypes: the first few, one of them empty if there is any."""
    plain = [case for case in cases if case.kind == "values"]
    empty = [case for case in cases if case.kind == "empty"]
    return plain[: CASES_OF_A_FURTHER_DTYPE - 1] + empty[:1]


def _malformed(signature, case):
    """The case with one input made unfit: another rank, another size, an index far outside. What TensorFlow says of it is what we
    should say; where it takes it, it is a case like others. The last one has no first input."""
    for position, value in enumerate(case.inputs):
        is_list = isinstance(value, list)
        item = (value[-1] if value else None) if is_list else value
        if not isinstance(item, np.ndarray):
            continue
        is_index = item.dtype.kind in "iu" and signature.inputs[position].type != signature.main_type()
        for other in values.unfit(item, is_index):
            inputs = list(case.inputs)
            inputs[position] = value[:-1] + [other] if is_list else other
            yield Case(case.op, inputs, dict(case.attrs), "malformed")
    if case.inputs and (isinstance(case.inputs[0], np.ndarray) or isinstance(case.inputs[0], list) and case.inputs[0]):
        yield Case(case.op, case.inputs, dict(case.attrs), "malformed", is_fed=False)
