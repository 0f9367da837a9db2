"""Nested structures of values: lists, tuples, namedtuples and dicts, whose keys are sorted. Everything else is one value."""


def is_nested(structure):
    return isinstance(structure, (list, tuple, dict)) and not hasattr(structure, "as_list")


def _items(structure):
    return [structure[key] for key in sorted(structure)] if isinstance(structure, dict) else list(structure)


def flatten(structure):
    """Its values in a row."""
    if not is_nested(structure):
        return [structure]
    return [value for item in _items(structure) for value in flatten(item)]


def _made_like(structure, items):
    if isinstance(structure, dict):
        return type(structure)(zip(sorted(structure), items))
    if hasattr(structure, "_fields"):
        return type(structure)(*items)
    return type(structure)(items)


def pack_sequence_as(structure, flat_sequence):
    """The values of `flat_sequence` in the places of those of `structure`."""
    values = iter(flat_sequence)

    def pack(part):
        return _made_like(part, [pack(item) for item in _items(part)]) if is_nested(part) else next(values)
    return pack(structure)


def map_structure(function, structure):
    return pack_sequence_as(structure, [function(value) for value in flatten(structure)])


def assert_same_structure(first, second):
    """TypeError for other kinds of lists, ValueError for other numbers of values."""
    if is_nested(first) != is_nested(second) or (is_nested(first) and len(first) != len(second)):
        raise ValueError(f"The two structures don't have the same nested structure.\n\nFirst structure: {first}\n\n"
                         f"Second structure: {second}")
    if not is_nested(first):
        return
    if type(first) is not type(second):
        raise TypeError(f"The two structures don't have the same nested structure.\n\nFirst structure: {first}\n\n"
                        f"Second structure: {second}\n\nThey are of {type(first)} and {type(second)}.")
    if isinstance(first, dict) and first.keys() != second.keys():
        raise ValueError(f"The two structures don't have the same nested structure.\n\nFirst structure: {first}\n\n"
                         f"Second structure: {second}\n\nTheir keys differ.")
    for one, other in zip(_items(first), _items(second)):
        assert_same_structure(one, other)
