"""Families of op cases. Each module holds related ones; `FAMILIES` maps a family (a JSON file) to a function that yields cases."""

FAMILIES = {}


def family(function):
    """Registers `function`, a generator of op_cases.Case, under its own name."""
    if function.__name__ in FAMILIES:
        raise ValueError(f"two families are called {function.__name__}: rename one")
    FAMILIES[function.__name__] = function
    return function
