"""Wrong uses of compat.v1 that only Python can write: None, other kinds of objects, words. tests/python runs them again.

As misuses/, recorded in tests/golden/python_errors.txt.
"""

MISUSES = {}


def misuse(function):
    """Registers `function`, which takes nothing, runs in a fresh default graph and is expected to raise."""
    if function.__name__ in MISUSES:
        raise ValueError(f"two misuses are called {function.__name__}: rename one")
    MISUSES[function.__name__] = function
    return function


def misuses_of(family, **functions):
    """Registers several: NAME=lambda: ... is called FAMILY_NAME."""
    for name, function in functions.items():
        function.__name__ = f"{family}_{name}"
        misuse(function)
