#!/usr/bin/env python3
"""Records GraphDefs of real TensorFlow, and what it says to wrong ones, as tests/golden/graph_defs.json.

Usage: record_graph_defs.py
The format is in tests/golden/README.md.
"""

import importlib
import json
import os
import pkgutil

import programs
from google.protobuf import text_format
from tensorflow.core.framework import graph_pb2
from tensorflow_v1 import GOLDEN, tf, write_if_changed

# Few, because they are in full; that an export holds everything is seen with all programs (tests/support/golden_graph.cpp).
RECORDED = ["casts", "colocation", "constant_dtypes", "control_dependencies", "lenet5_job_momentum", "optimizer_adam",
            "placeholder_shapes", "random_uniforms", "slice_by_range", "splits", "variable_from_value"]

P = 'node { name: "p" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } } '


def node(op="Neg", inputs=("p",), name="n", attrs="", dtype="DT_FLOAT"):
    text = f'node {{ name: "{name}" op: "{op}" ' + "".join(f'input: "{item}" ' for item in inputs)
    if dtype:
        text += f'attr {{ key: "T" value {{ type: {dtype} }} }} '
    return text + attrs + "} "


def attr(key, value):
    return f'attr {{ key: "{key}" value {{ {value} }} }} '


def vector(name, size):
    return node("Placeholder", [], name, attr("dtype", "type: DT_FLOAT") + attr("shape", f"shape {{ dim {{ size: {size} }} }}"), "")


WRONG = {
    "unknown_op": P + node("NoSuchOp", []),
    "unknown_input": P + node(inputs=["q"]),
    "unknown_control_input": P + node("NoOp", ["^q"], dtype=""),
    "input_that_is_no_name": P + node(inputs=["p:x"]),
    "output_index": P + node(inputs=["p:3"]),
    "duplicate": P + P,
    "control_input_first": P + node(inputs=["^p", "p"]),
    "missing_attr": P + node(dtype=""),
    "attr_of_another_kind": P + node(dtype="", attrs=attr("T", "i: 1")),
    "attr_without_value": P + node(dtype="", attrs=attr("T", "")),
    "attr_of_another_list": P + node("Squeeze", attrs=attr("squeeze_dims", "list { f: 1 }")),
    "string_not_allowed": P + node("BiasAdd", ["p", "p"], attrs=attr("data_format", 's: "XX"')),
    "dtype_mismatch": P + node(dtype="DT_INT32"),
    "reference_wanted": P + node("Assign", ["p", "p"]),
    "too_many_inputs": P + node(inputs=["p", "p"]),
    "too_few_inputs": P + node("AddV2"),
    "no_inputs_in_list": node("AddN", [], attrs=attr("N", "i: 0")),
    "bad_name": node("NoOp", [], "p q", dtype=""),
    "empty_name": node("NoOp", [], "", dtype=""),
    "cycle": node(inputs=["b"], name="a") + node(inputs=["a"], name="b"),
    "cycle_of_one": node(inputs=["n"]),
    "shapes": vector("v", 3) + vector("w", 4) + node("AddV2", ["v", "w"]),
    "colocated_with_nothing": node("NoOp", [], attrs=attr("_class", 'list { s: "loc:@zz" }'), dtype=""),
    "min_consumer": P + "versions { producer: 2474 min_consumer: 999999 }",
    "bad_consumer": P + "versions { producer: 2474 bad_consumers: 2474 }",
    "old_producer": P + "versions { producer: -1 }",
}


def answer(graph_def):
    with tf.Graph().as_default():
        try:
            tf.import_graph_def(graph_def, name="")
        except Exception as error:
            return {"class": type(error).__name__, "message": str(error).replace("\t", "    ")}
    raise SystemExit("TensorFlow takes this graph")


def main():
    for module in pkgutil.iter_modules(programs.__path__):
        importlib.import_module("programs." + module.name)
    groups = {"programs": {}, "wrong": {}}
    for name in RECORDED:
        with tf.Graph().as_default() as graph:
            programs.PROGRAMS[name]()
            groups["programs"][name] = graph.as_graph_def().SerializeToString(deterministic=True).hex()
    for name, text in WRONG.items():
        graph_def = text_format.Parse(text, graph_pb2.GraphDef())
        groups["wrong"][name] = {"bytes": graph_def.SerializeToString(deterministic=True).hex(), **answer(graph_def)}
    lines = []
    for group, entries in groups.items():
        rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in entries.items())
        lines.append(f"{json.dumps(group)}: {{\n{rows}\n}}")
    if write_if_changed(os.path.join(GOLDEN, "graph_defs.json"), "{" + ",\n".join(lines) + "}\n"):
        print("graph_defs.json")


if __name__ == "__main__":
    main()
