"""Nested structures of values: lists, tuples, namedtuples and dicts, whose keys are sorted. Everything else is one value."""


def is_nested(structure):
    """Whether it is a list, tuple or dict."""
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
        values = dict(zip(sorted(structure), items))
        return type(structure)((key, values[key]) for key in structure)
    if hasattr(structure, "_fields"):
        return type(structure)(*items)
    return type(structure)(items)


def pack_sequence_as(structure, flat_sequence):
    """The values of `flat_sequence` in the places of those of `structure`."""
    values = iter(flat_sequence)

    def pack(part):
        return _made_like(part, [pack(item) for item in _items(part)]) if is_nested(part) else next(values)
    return pack(structure)


def map_structure(function, *structures, **options):
    """What `function` makes of the values at each place of one structure, or of several that are alike."""
    for other in structures[1:]:
        assert_same_structure(structures[0], other, options.get("check_types", True))
    return pack_sequence_as(structures[0], [function(*values) for values in zip(*map(flatten, structures))])


is_sequence = is_nested_or_composite = is_nested


def flatten_dict_items(dictionary):
    """{(i, j): (x, y)} is {i: x, j: y}."""
    flat = {}
    for key, value in dictionary.items():
        keys, values = (flatten(key), flatten(value)) if is_nested(key) else ([key], [value])
        if len(keys) != len(values):
            raise ValueError(f"Could not flatten dictionary. Key had {len(keys)} elements, but value had {len(values)} elements. "
                             f"Key: {keys}, value: {values}.")
        for one, its_value in zip(keys, values):
            if one in flat:
                raise ValueError(f"Could not flatten dictionary: key {one} is not unique.")
            flat[one] = its_value
    return flat


def paired(key, value):
    """[(i, x), (j, y)] of {(i, j): (x, y)}."""
    return list(flatten_dict_items({key: value}).items())


def flatten_up_to(shallow_tree, input_tree):
    """The parts of `input_tree` that stand where `shallow_tree` has values."""
    if not is_nested(shallow_tree):
        return [input_tree]
    if not is_nested(input_tree):
        raise TypeError(f"If shallow structure is a sequence, input must also be a sequence. Input has type: {type(input_tree)}.")
    if len(shallow_tree) != len(input_tree):
        raise ValueError("The two structures don't have the same sequence length. Input structure has length "
                         f"{len(input_tree)}, while shallow structure has length {len(shallow_tree)}.")
    return [part for shallow, inner in zip(_items(shallow_tree), _items(input_tree)) for part in flatten_up_to(shallow, inner)]


def map_structure_up_to(shallow_tree, function, *inputs):
    """map_structure, of parts of the inputs as a whole where `shallow_tree` has values."""
    flat = [flatten_up_to(shallow_tree, one) for one in inputs]
    return pack_sequence_as(shallow_tree, [function(*values) for values in zip(*flat)])


def assert_same_structure(first, second, check_types=True):
    """TypeError for other kinds of lists, ValueError for other numbers of values."""
    if is_nested(first) != is_nested(second) or (is_nested(first) and len(first) != len(second)):
        raise ValueError(f"The two structures don't have the same nested structure.\n\nFirst structure: {first}\n\n"
                         f"Second structure: {second}")
    if not is_nested(first):
        return
    if check_types and type(first) is not type(second):
        raise TypeError(f"The two structures don't have the same nested structure.\n\nFirst structure: {first}\n\n"
                        f"Second structure: {second}\n\nThey are of {type(first)} and {type(second)}.")
    if isinstance(first, dict) and first.keys() != second.keys():
        raise ValueError(f"The two structures don't have the same nested structure.\n\nFirst structure: {first}\n\n"
                         f"Second structure: {second}\n\nTheir keys differ.")
    for one, other in zip(_items(first), _items(second)):
        assert_same_structure(one, other, check_types)
