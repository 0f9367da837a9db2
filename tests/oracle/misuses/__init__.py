"""Wrong uses of compat.v1 whose errors are recorded. Each module holds one family; `MISUSES` maps a case to its function."""

from tensorflow_v1 import tf

MISUSES = {}


def misuse(function):
    """Registers `function`, which takes nothing, runs in a fresh default graph and is expected to raise."""
    if function.__name__ in MISUSES:
        raise ValueError(f"two misuses are called {function.__name__}: rename one")
    MISUSES[function.__name__] = function
    return function


def run(fetches, feeds=None):
    """One step in a fresh session."""
    with tf.Session() as session:
        return session.run(fetches, feeds)
