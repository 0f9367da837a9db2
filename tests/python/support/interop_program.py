"""Runs programs of tests/interop with whatever `tensorflow` is here, in local sessions, and writes what they give.

    python interop_program.py RESULTS MODULE.CLASS.METHOD ...

RESULTS becomes a pickle: for each name its values (arrays as lists of numbers and such) with their tolerances, or the error.
"""

import importlib
import pickle
import sys
import traceback
import unittest
from pathlib import Path

PYTHON_TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(PYTHON_TESTS / "stand_ins" / "interop"), str(PYTHON_TESTS.parent / "interop")]

import numpy as np  # noqa: E402
import tensorflow_client  # noqa: E402


def plain(value):
    """Without classes of TensorFlow's or ours: lists, dicts, arrays."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if value is None or isinstance(value, (bytes, str, bool, int, float)):
        return value
    return np.asarray(value)


def results_of(name):
    module, case, method = name.split(".")
    test = getattr(importlib.import_module(module), case)(method)
    tensorflow_client.RESULTS.clear()
    try:
        test.setUp()
        getattr(test, method)()
    except unittest.SkipTest as reason:
        return f"skipped: {reason}"
    except Exception as error:  # the others must run
        line = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__}: {error} ({Path(line.filename).name}:{line.lineno})"
    return [(plain(value), tolerance) for value, tolerance in tensorflow_client.RESULTS]


def main():
    results = {name: results_of(name) for name in sys.argv[2:]}
    Path(sys.argv[1]).write_bytes(pickle.dumps(results))


if __name__ == "__main__":
    main()
