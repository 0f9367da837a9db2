"""What a session gives for IndexedSlices."""

from collections import namedtuple as _namedtuple

from flowray import _native

IndexedSlicesValue = _namedtuple("IndexedSlicesValue", ["values", "indices", "dense_shape"])


def value_of_parts(parts):
    return IndexedSlicesValue(*parts, *[None] * (3 - len(parts)))
