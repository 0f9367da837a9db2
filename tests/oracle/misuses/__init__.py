"""Wrong uses of compat.v1 whose errors are recorded. Each module holds one family; `MISUSES` maps a case to its function, which runs in a
fresh default graph and is expected to raise."""

from named_functions import NamedFunctions
from tensorflow_v1 import tf

MISUSES = NamedFunctions("misuses")
misuse = MISUSES.add


def run(fetches, feeds=None):
    """One step in a fresh session."""
    with tf.Session() as session:
        return session.run(fetches, feeds)
