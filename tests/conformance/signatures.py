"""What tests/golden/ops.tsv and ops_beyond_the_list.tsv say of each op, and for which dtypes TensorFlow has a kernel on the CPU."""

import dataclasses
import functools
import re
from pathlib import Path

TABLE = Path(__file__).resolve().parents[1] / "golden" / "ops.tsv"
BEYOND = TABLE.with_name("ops_beyond_the_list.tsv")  # of no group; compared where they are asked for by name
# The dtypes of an attribute that TensorFlow leaves open. Quantised ones belong to group C.
ANY_DTYPE = ("float32", "float64", "int32", "int64", "bool", "float16", "bfloat16", "int8", "int16", "uint8", "uint16", "uint32",
             "uint64", "complex64", "complex128", "string")
FIRST_CHOICE = ("float32", "int32", "int64", "bool", "string", "complex64")


@dataclasses.dataclass(frozen=True)
class Argument:
    """`x:T` has the type attribute T, `x:N*T` is a list, `x:[Ts]` one of several dtypes, `x:ref T` a reference variable."""

    name: str
    type: str  # a dtype or the name of an attribute
    is_list: bool
    is_ref: bool


@dataclasses.dataclass(frozen=True)
class Attribute:
    kind: str  # type, int, bool, string, list(int), ...
    default: str | None
    allowed: tuple


@dataclasses.dataclass(frozen=True)
class Signature:
    name: str
    inputs: tuple
    outputs: tuple
    attributes: dict
    stateful: bool
    group: str

    def type_attributes(self):
        return [name for name, attribute in self.attributes.items() if attribute.kind == "type"]

    def main_type(self):
        """The type attribute of the first input that is not an index: that in which the op computes."""
        names = [argument.type for argument in self.inputs if argument.type in self.attributes]
        main = next((name for name in names if not name.startswith(("Tid", "Tind", "Index", "TI"))), None)
        return main or (names[0] if names and self.inputs[0].type == names[0] else None)


def _argument(text):
    name, kind = text.split(":", 1)
    is_ref = "ref " in kind
    kind = kind.replace("ref ", "")
    is_list = "*" in kind or kind.startswith("[")
    return Argument(name, kind.split("*")[-1].strip("[]"), is_list, is_ref)


def _attribute(text):
    kind, _, rest = text.partition("=")
    allowed = re.search(r"\{\[(.*?)\]\}", text)
    kind = re.sub(r"\{.*", "", kind)
    default = re.sub(r"\{\[.*", "", rest) if rest else None
    return Attribute(kind, default, tuple(allowed.group(1).split(",")) if allowed else ())


@functools.cache
def signatures():
    """All rows by name."""
    return of_table(BEYOND) | of_table(TABLE)


def of_table(path):
    """The rows of ops.tsv, or of another table of its columns or of the first of them, by name."""
    table = {}
    for line in path.read_text().splitlines()[1:]:
        name, inputs, outputs, attributes, stateful, *rest = line.split("\t")
        group = rest[-1] if rest else ""
        table[name] = Signature(
            name,
            tuple(_argument(text) for text in inputs.split(", ") if text),
            tuple(_argument(text) for text in outputs.split(", ") if text),
            {text.split(":", 1)[0]: _attribute(text.split(":", 1)[1]) for text in attributes.split("; ") if text},
            bool(stateful),
            group,
        )
    return table


@functools.cache
def kernels(op):
    """The type attributes of each CPU kernel: a dictionary from attribute to dtypes, empty where it takes all."""
    from tensorflow.python.framework import dtypes
    from tensorflow.python.framework import kernels as registered

    found = []
    for kernel in registered.get_registered_kernels_for_op(op).kernel:
        if kernel.device_type == "CPU" and not kernel.label:
            types = {c.name: [dtypes.as_dtype(t).name for t in c.allowed_values.list.type] for c in kernel.constraint}
            found.append({name: names for name, names in types.items() if names})
    return found


def dtype_combinations(signature):
    """Dictionaries from type attribute to dtype for which TensorFlow has a kernel: the first with the usual dtypes, then each
    attribute through all of its dtypes, the others as in the first."""
    names = signature.type_attributes()
    if not names:
        return [{}]
    choices = {name: _choices(signature, name) for name in names}
    first = {name: _first(signature, name, choices[name]) for name in names}
    if not _has_kernel(signature.name, first):
        first = next((c for c in _all(choices) if _has_kernel(signature.name, c)), first)
    combinations = [first]
    for name in names:
        for dtype in choices[name]:
            combination = {**first, name: dtype}
            if combination not in combinations and _has_kernel(signature.name, combination):
                combinations.append(combination)
    return combinations


def _choices(signature, name):
    allowed = signature.attributes[name].allowed or ANY_DTYPE
    return [dtype for dtype in ANY_DTYPE if dtype in allowed]


def _first(signature, name, choices):
    default = signature.attributes[name].default
    return default if default in choices else next(dtype for dtype in FIRST_CHOICE + ANY_DTYPE if dtype in choices)


def _all(choices):
    import itertools

    return (dict(zip(choices, dtypes)) for dtypes in itertools.product(*choices.values()))


def _has_kernel(op, combination):
    return any(all(combination.get(name, dtypes[0]) in dtypes for name, dtypes in kernel.items()) for kernel in kernels(op))
