"""Records where TensorFlow 1's namespaces hold each op's and each function's Python face, and the order of its arguments:
python/endpoints.tsv, from which python/generate_ops.py makes ours.

    PYTHONPATH=build/release/python python tests/oracle/record_python_names.py > python/endpoints.tsv
"""

import glob
import importlib
import inspect
import os

import tensorflow.compat.v1 as tf
from tensorflow.python.util import tf_decorator

from flowray import _native

NAMESPACES = {"": _native, "nn": _native.nn, "train": _native.train}


def unwrapped(function):
    return tf_decorator.unwrap(function)[1]


def v1_names(function):
    for candidate in (function, unwrapped(function)):
        names = candidate.__dict__.get("_tf_api_names_v1") or candidate.__dict__.get("_tf_api_names")
        if names:
            return [name for name in names if not name.startswith(("raw_ops.", "compat.", "experimental.numpy"))]
    return []


def generated_functions():
    """(op, function) for each op that TensorFlow writes a Python function for."""
    folder = os.path.dirname(tf.__file__.split("_api")[0] + "python/ops/") or "."
    for path in sorted(glob.glob(os.path.join(folder, "gen_*.py")) + glob.glob(os.path.join(folder, "gen_*"))):
        name = os.path.basename(path).split(".")[0]
        module = importlib.import_module("tensorflow.python.ops." + name)
        for op, raw in vars(module).items():
            if not op[:1].isupper() or not inspect.isfunction(raw):
                continue
            function = getattr(module, unwrapped(raw).__code__.co_name, None)
            if function is not None:
                yield op, function


def main():
    known = {schema["name"] for schema in _native.op_schemas()}
    rows = set()
    for op, function in generated_functions():
        if op not in known:
            continue
        arguments = [name for name in inspect.signature(unwrapped(function)).parameters if name not in ("name", "ctx")]
        rows.add(("op", op, ",".join(sorted(v1_names(function))), ",".join(arguments)))
    for prefix, module in NAMESPACES.items():
        for name, ours in vars(module).items():
            if name.startswith("_") or not callable(ours):
                continue
            holder = getattr(tf, prefix) if prefix else tf
            theirs = getattr(holder, name, None)
            names = v1_names(theirs) if theirs is not None and hasattr(theirs, "__dict__") else []
            if names:
                rows.add(("function", (prefix + "." if prefix else "") + name, ",".join(sorted(names)), ""))
    print("# Written by tests/oracle/record_python_names.py from TensorFlow", tf.__version__)
    for row in sorted(rows):
        print("\t".join(row))


main()
