"""The structures of a dataset's elements: tuples, namedtuples and dicts, whose keys are sorted, of tensors and datasets. A list is one value:
it becomes a tensor."""

from flowray import _native
from flowray.tf._nest import _items, _made_like
from flowray.tf._shape import TensorShape
from flowray.tf._specs import TensorSpec


class DatasetSpec:
    """What is known of a dataset that is a component of elements."""

    def __init__(self, element_spec, dataset_shape=()):
        self._element_spec, self._shape = element_spec, TensorShape(dataset_shape)

    element_spec = property(lambda self: self._element_spec)
    dtype = property(lambda self: _native.as_dtype("variant"))
    shape = property(lambda self: self._shape)

    def __eq__(self, other):
        return isinstance(other, DatasetSpec) and repr(self) == repr(other)

    def __hash__(self):
        return hash(repr(self))

    def __repr__(self):
        return "DatasetSpec(%r, %r)" % (self._element_spec, self._shape)


def is_structure(value):
    return isinstance(value, (tuple, dict)) and not isinstance(value, TensorShape)


def flatten(structure):
    """Its values in a row."""
    if not is_structure(structure):
        return [structure]
    return [value for item in _items(structure) for value in flatten(item)]


def flatten_up_to(structure, value):
    """What stands in `value` where `structure` has its values. ValueError where it has no such places."""
    if not is_structure(structure):
        return [value]
    if isinstance(structure, dict) != isinstance(value, dict) or not hasattr(value, "__len__") or len(value) != len(structure):
        raise ValueError("%r has not the structure of %r" % (value, structure))
    parts = [value[key] for key in sorted(structure)] if isinstance(structure, dict) else list(value)
    return [item for part, own in zip(_items(structure), parts) for item in flatten_up_to(part, own)]


def map_structure(function, structure):
    """What `function` gives for each value, in the same places."""
    if not is_structure(structure):
        return function(structure)
    return _made_like(structure, [map_structure(function, item) for item in _items(structure)])


def pack(structure, values):
    """The values in the places of those of `structure`."""
    values = iter(values)
    return map_structure(lambda _: next(values), structure)


def returned(value):
    """What a function gave: a list or a range is a tuple of what is in it, but within a structure it is one value, as everywhere."""
    return tuple(value) if isinstance(value, (list, range)) else value


def specs_of(structure, types, shapes):
    """Its values' TensorSpecs, those of datasets as they are."""
    known = iter(zip(types, shapes))

    def spec(value):
        dtype, shape = next(known)
        return value if isinstance(value, DatasetSpec) else TensorSpec(shape, dtype)
    return map_structure(spec, structure)


def call(function, element):
    """`function` of an element: of its parts, where it is a tuple."""
    return function(*element) if type(element) is tuple else function(element)
