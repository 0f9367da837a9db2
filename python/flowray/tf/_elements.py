"""The structures of a dataset's elements: tuples, namedtuples and dicts, whose keys are sorted, of tensors, sparse tensors and datasets. A list
is one value: it becomes a tensor."""

from flowray import _native
from flowray.tf._nest import _items, _made_like
from flowray.tf import _sparse_components
from flowray.tf._shape import TensorShape
from flowray.tf._sparse import SparseTensorSpec, SparseTensorValue, is_sparse
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
    return isinstance(value, (tuple, dict)) and not isinstance(value, (TensorShape, SparseTensorValue))


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


def with_sparse(structure):
    """The structure with SparseTensors where it has their values."""
    return map_structure(lambda value: _sparse_components.as_sparse(value) if is_sparse(value) else value, structure)


def kinds_of(structure):
    """What says in the places of its values which are datasets or sparse tensors; None stands for all others."""
    def kind(value):
        if isinstance(value, (DatasetSpec, SparseTensorSpec)):
            return value
        if is_sparse(value):
            return SparseTensorSpec.from_value(value)
        return DatasetSpec(value.element_spec) if hasattr(value, "_variant_tensor") else None
    return map_structure(kind, structure)


def components_of(structure):
    """The tensors that carry its values, in a row."""
    def component(value):
        if is_sparse(value):
            return _sparse_components.serialized(value)
        return value._variant_tensor if hasattr(value, "_variant_tensor") else value
    return [component(value) for value in flatten(structure)]


def native_specs(structure):
    """The dtypes and the shapes of the tensors that carry values of these specs."""
    specs = flatten(structure)
    return [_native.as_dtype("variant") if isinstance(spec, SparseTensorSpec) else spec.dtype for spec in specs], \
        [TensorShape(None) if isinstance(spec, SparseTensorSpec) else spec.shape for spec in specs]


def returned(value):
    """What a function gave: a list or a range is a tuple of what is in it, but within a structure it is one value, as everywhere."""
    return tuple(value) if isinstance(value, (list, range)) else value


def specs_of(structure, types, shapes):
    """Its values' TensorSpecs, those of datasets and sparse tensors as they are."""
    known = iter(zip(types, shapes))

    def spec(kind):
        dtype, shape = next(known)
        return TensorSpec(shape, dtype) if kind is None else kind
    return map_structure(spec, kinds_of(structure))


def call(function, element):
    """`function` of an element: of its parts, where it is a tuple."""
    return function(*element) if type(element) is tuple else function(element)
