"""Small compat.v1 programs whose graphs are recorded. Each module holds one family; `PROGRAMS` maps a name to its function."""

PROGRAMS = {}


def program(function):
    """Registers `function`, which takes nothing and builds into the default graph, under its own name."""
    if function.__name__ in PROGRAMS:
        raise ValueError(f"two programs are called {function.__name__}: rename one")
    PROGRAMS[function.__name__] = function
    return function
