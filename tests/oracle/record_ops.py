#!/usr/bin/env python3
"""Records what single ops of real TensorFlow compute, as tests/golden/ops/<family>.json, for the cases in families/.

Usage: record_ops.py [WORD...]   only families whose name contains one of the words.
The format is in tests/golden/README.md.
"""

import importlib
import os
import pkgutil
import sys

import families
from op_cases import run, write
from tensorflow_v1 import GOLDEN, write_if_changed

MAX_BYTES = 400_000


def line(family, number, case):
    try:
        return write(run(case))
    except Exception as error:
        if "No OpKernel was registered" in str(error):
            return None  # nothing to compare with
        inputs = [getattr(value, "shape", value) for value in case.values]
        sys.exit(f"{family}, case {number}, inputs {inputs}: {type(error).__name__}: {str(error)[:1500]}")


def record(name):
    lines = [line(name, number, case) for number, case in enumerate(families.FAMILIES[name]())]
    lines = [text for text in lines if text is not None]
    text = "[\n" + ",\n".join(lines) + "\n]\n"
    if len(text) > MAX_BYTES:
        sys.exit(f"{name}.json would have {len(text)} bytes, more than {MAX_BYTES}: split the family or use smaller shapes")
    if write_if_changed(os.path.join(GOLDEN, "ops", name + ".json"), text):
        print(f"{name}: {len(lines)} cases, {len(text)} bytes")


def main(words):
    for module in pkgutil.iter_modules(families.__path__):
        importlib.import_module("families." + module.name)
    chosen = [name for name in sorted(families.FAMILIES) if not words or any(word in name for word in words)]
    if not chosen:
        sys.exit(f"no family matches {words}; there are {sorted(families.FAMILIES)}")
    for name in chosen:
        record(name)


if __name__ == "__main__":
    main(sys.argv[1:])
