"""Records where TensorFlow 1's namespaces hold each op's and each function's Python face, and the order of its arguments:
python/endpoints.tsv, from which python/generate_ops.py makes ours.

    PYTHONPATH=build/release/python python tests/oracle/record_python_names.py > python/endpoints.tsv

Rows of the kind "function" are functions of the language, "op" those that TensorFlow writes for its ops, and "face" those written by hand
that are one op, which faces_of_ops.py learns from python_calls/. It says on stderr which of those are more than one op.
"""

import glob
import importlib
import inspect
import itertools
import json
import os
import sys
import types

import tensorflow.compat.v1 as tf
from tensorflow.python.util import tf_decorator

from faces_of_ops import learn
from flowray import _native

NAMESPACES = {"": _native, **{name: getattr(_native, name) for name in ("linalg", "math", "nn", "signal", "strings", "train")}}


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


def public_functions(module=tf, depth=0):
    """Each function of compat.v1's modules."""
    for name, value in vars(module).items():
        if name.startswith("_") or name in ("keras", "estimator", "experimental", "lite", "tpu", "v1", "v2", "compat"):
            continue
        if isinstance(value, types.ModuleType):
            if "_api" in value.__dict__.get("__name__", "") and depth < 3:
                yield from public_functions(value, depth + 1)
        elif callable(value) and not isinstance(value, type) and v1_names(value):
            yield value


# What stands for an argument: a tensor of each kind, or what an attribute takes.
KINDS = [tf.complex64, tf.float32, tf.int32, tf.bool, tf.string, 2]

# Of a pattern that is a text their functions make another op.
WITH_STATIC_FORMS = {"RegexFullMatch", "RegexReplace"}


def wrapped_op(function, schemas):
    """The op that a function written by hand is another name of, and the order of its arguments, an input's as "theirs=ours" where its
    name is another. Whatever kind of tensor the function takes, it makes this one op, gives all that the op does, and has an argument
    for each attribute without default. None for all other functions: they have code of their own."""
    parameters = [p for p in inspect.signature(function).parameters.values() if p.name not in ("name", "ctx")]
    required = [p.name for p in parameters if p.default is p.empty]
    if not required or len(required) > 3 or any(p.kind != p.POSITIONAL_OR_KEYWORD for p in parameters):
        return None
    found = None
    for kinds in itertools.product(KINDS, repeat=len(required)):
        if all(kind == 2 for kind in kinds):
            continue
        with tf.Graph().as_default() as graph:
            fed = {name: 2 if kind == 2 else tf.placeholder(kind, name="fed_" + name) for name, kind in zip(required, kinds)}
            try:
                result = function(**fed)
            except Exception:  # these kinds are not what it takes
                continue
        made = [op for op in graph.get_operations() if not op.name.startswith("fed_")]
        # A name with a scope in it is a function with code of its own, too.
        if len(made) != 1 or made[0].type not in schemas or made[0].name != made[0].type or made[0].type in WITH_STATIC_FORMS:
            return None
        schema = schemas[made[0].type]
        outputs = list(result) if isinstance(result, (list, tuple)) else [result]
        if outputs != (made[0].outputs or [made[0]]):
            return None
        inputs = [row[0] for row in schema["inputs"]]
        ours = {op_input.op.name.removeprefix("fed_"): name for name, op_input in zip(inputs, made[0].inputs)}
        given = [p.name for p in parameters]
        attrs = {row[0]: row[3] for row in schema["attrs"] if row[0] not in schema["inferred"]}
        if (len(made[0].inputs) != len(inputs) or sorted(ours) != sorted(name for name, kind in zip(required, kinds) if kind != 2)
                or any(name not in ours and name not in attrs for name in given)
                or any(name not in given and not has_default for name, has_default in attrs.items())):
            return None
        this = made[0].type, [name if ours.get(name, name) == name else name + "=" + ours[name] for name in given]
        if found not in (None, this):
            return None
        found = this
    return found


def main():
    tf.disable_v2_behavior()
    schemas = {schema["name"]: schema for schema in _native.op_schemas()}
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
    found = {name for _, _, names, _ in rows for name in names.split(",")}
    learnt, others = learn(schemas, v1_names)
    for op, names, row in learnt:
        if not found & set(names):
            rows.add(("face", op, ",".join(names), json.dumps(row)))
    for endpoint, reason in others:
        print(endpoint, "has code of its own:", reason, file=sys.stderr)
    found |= {name for _, names, _ in learnt for name in names} | {endpoint for endpoint, _ in others}
    for function in public_functions():
        names = v1_names(function)
        if not found & set(names):
            wrapped = wrapped_op(function, schemas)
            if wrapped is not None:
                rows.add(("op", wrapped[0], ",".join(sorted(names)), ",".join(wrapped[1])))
    print("# Written by tests/oracle/record_python_names.py from TensorFlow", tf.__version__)
    for row in sorted(rows):
        print("\t".join(row))


main()
