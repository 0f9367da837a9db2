#!/usr/bin/env python3
"""Writes seeds.tfrecord: for each op small graphs in which it works, the cases and scenarios of tests/conformance. What tries to
break the op (hostile.cpp) starts from them and changes a few things. Needs TensorFlow; a record is the bytes of a GraphDef whose
nodes can be run one after the other, its inputs are constants."""

import collections
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path[:0] = [os.path.join(TESTS, "conformance"), os.path.join(TESTS, "interop")]

import numpy as np  # noqa: E402
from tensorflow_client import tf  # noqa: E402

import families  # noqa: E402
import programs  # noqa: E402
import signatures  # noqa: E402
from case import generate  # noqa: E402

CASES_OF_AN_OP = 4
LARGEST = 6000  # bytes


def with_constants(graph, feeds):
    """The graph's message, what is fed being constants."""
    message = graph.as_graph_def()
    values = {tensor.op.name: value for tensor, value in feeds.items()}
    for node in message.node:
        if node.op == "Placeholder" and node.name in values:
            value = np.asarray(values[node.name])
            dtype = node.attr["dtype"].type
            node.op = "Const"
            node.attr.clear()
            node.attr["dtype"].type = dtype
            node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value, tf.as_dtype(dtype), value.shape))
    return message.SerializeToString(deterministic=True)


def of_case(case, needs_shapes):
    graph = tf.Graph()
    with graph.as_default():
        program = programs.build(case, (lambda array: array.shape) if needs_shapes else (lambda array: None))
    return with_constants(graph, program.feeds)


def chosen(cases):
    """A few of different dtypes and attributes."""
    plain = [case for case in cases if case.kind in ("values", "empty") and case.is_fed]
    different = collections.OrderedDict()
    for case in plain:
        attrs = tuple(sorted((key, str(value)) for key, value in case.attrs.items()))
        different.setdefault((tuple(array.dtype.name for array in case.arrays()), attrs), case)
    found = list(different.values())
    return found[:: max(1, len(found) // CASES_OF_AN_OP)][:CASES_OF_AN_OP]


def of_op(op):
    family = families.FAMILIES.get(op)
    if family is not None:
        for case in chosen(list(generate(op, family, 0))):
            try:
                yield of_case(case, family.needs_shapes)
            except programs.Unbuildable:
                pass


def of_scenario(build):
    graph = tf.Graph()
    feeds = {}
    with graph.as_default():
        tf.set_random_seed(11)
        try:
            for step in build():
                feeds.update(step[1] or {})
        except Exception as error:  # what a scenario does that the client refuses ends it
            print(f"{build.__name__}: {type(error).__name__}: {error}", file=sys.stderr)
    return with_constants(graph, feeds)


def main():
    families.load()
    seen, count = set(), 0
    with tf.io.TFRecordWriter(os.path.join(HERE, "seeds.tfrecord"), "GZIP") as records:
        def add(message):
            nonlocal count
            if len(message) <= LARGEST and message not in seen:
                seen.add(message)
                records.write(message)
                count += 1

        for op in signatures.signatures():
            for message in of_op(op):
                add(message)
        scenarios = {build.__name__: build for builds in families.SCENARIOS.values() for build in builds}
        for build in scenarios.values():
            add(of_scenario(build))
    print(f"{count} graphs")


if __name__ == "__main__":
    main()
