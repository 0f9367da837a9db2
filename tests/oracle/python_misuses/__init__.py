"""Wrong uses of compat.v1 that only Python can write: None, other kinds of objects, words. tests/python runs them again.

As misuses/, recorded in tests/golden/python_errors.txt.
"""

from named_functions import NamedFunctions

MISUSES = NamedFunctions("misuses")


def misuses_of(family, **functions):
    """Registers several: NAME=lambda: ... is called FAMILY_NAME."""
    for name, function in functions.items():
        function.__name__ = f"{family}_{name}"
        MISUSES.add(function)
