#!/usr/bin/env python3
"""Writes seeds.tfrecord: for each op small graphs in which it works, the cases and scenarios of tests/conformance, and the graphs with
functions and control flow of tests/golden. What tries to break the op (hostile.cpp) starts from them and changes a few things. Needs
TensorFlow; a record is the bytes of a GraphDef whose nodes can be run one after the other, its inputs are constants.
`hostile --untried` prints the registered ops that no graph has."""

import collections
import json
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
LARGEST = 12_000  # bytes
COMPONENTS_OF_A_SCENARIO = 6


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
    return message


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


def ops_of(message):
    nodes = list(message.node) + [node for function in message.library.function for node in function.node_def]
    return {node.op for node in nodes}


def scenario_message(build):
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


def components(message):
    """The parts of a graph that have nothing to do with each other, in its order, each with the functions that it needs."""
    names = {node.name: index for index, node in enumerate(message.node)}
    part = list(range(len(message.node)))

    def root(index):
        while part[index] != index:
            part[index] = part[part[index]]
            index = part[index]
        return index

    for index, node in enumerate(message.node):
        for name in [text.lstrip("^").split(":")[0] for text in node.input] + colocated_with(node):
            if name in names:
                part[root(index)] = root(names[name])
    found = collections.OrderedDict()
    for index, node in enumerate(message.node):
        found.setdefault(root(index), []).append(node)
    for nodes in found.values():
        yield with_functions(nodes, message)


def colocated_with(node):
    return [text[5:].decode() for text in node.attr["_class"].list.s if text.startswith(b"loc:@")] if "_class" in node.attr else []


def with_functions(nodes, message):
    result = tf.GraphDef()
    result.node.extend(nodes)
    result.versions.CopyFrom(message.versions)
    functions = {function.signature.name: function for function in message.library.function}
    wanted, queue = set(), list(nodes)
    while queue:
        node = queue.pop()
        called = [node.op] + [item.name for attr in node.attr.values() for item in [attr.func, *attr.list.func]]
        for name in called:
            if name in functions and name not in wanted:
                wanted.add(name)
                queue.extend(functions[name].node_def)
    result.library.function.extend(functions[name] for name in functions if name in wanted)
    return result


def of_scenario(build):
    """The whole, or where that is large its parts: those with other ops than the ones before, and a few more."""
    message = scenario_message(build)
    if message.ByteSize() <= LARGEST:
        yield message
        return
    parts = [part for part in components(message) if len(part.node) > 1 and part.ByteSize() <= LARGEST]
    seen, alike = set(), []
    for part in parts:
        if ops_of(part) <= seen:
            alike.append(part)
        else:
            seen |= ops_of(part)
            yield part
    yield from alike[:: max(1, len(alike) // COMPONENTS_OF_A_SCENARIO)][:COMPONENTS_OF_A_SCENARIO]


def of_golden_graphs():
    """Programs with functions and control flow, whose placeholders become constants of ones."""
    for name in ("functions", "function_gradients", "control_flow", "irregular_flow"):
        with open(os.path.join(TESTS, "golden", name + ".json"), encoding="utf-8") as file:
            programs_of_file = json.load(file)
        for program in programs_of_file.values():
            if not isinstance(program, dict) or "graph" not in program:
                continue
            message = tf.GraphDef.FromString(bytes.fromhex(program["graph"]))
            for node in message.node:
                if node.op != "Placeholder":
                    continue
                dtype, shape = tf.as_dtype(node.attr["dtype"].type), tf.TensorShape(node.attr["shape"].shape)
                dims = [2 if dim is None else dim for dim in (shape.as_list() if shape.rank is not None else [])]
                if dtype not in (tf.resource, tf.variant):
                    node.op = "Const"
                    node.attr.clear()
                    node.attr["dtype"].type = dtype.as_datatype_enum
                    value = np.full(dims, b"x" if dtype == tf.string else 1, dtype.as_numpy_dtype)
                    node.attr["value"].tensor.CopyFrom(tf.make_tensor_proto(value, dtype, dims))
            yield message


def main():
    families.load()
    seen, tried, count = set(), set(), 0
    with tf.io.TFRecordWriter(os.path.join(HERE, "seeds.tfrecord"), "GZIP") as records:
        def add(message):
            nonlocal count
            bytes_of_message = message.SerializeToString(deterministic=True)
            if len(bytes_of_message) <= LARGEST and bytes_of_message not in seen:
                seen.add(bytes_of_message)
                tried.update(ops_of(message))
                records.write(bytes_of_message)
                count += 1

        for op in signatures.signatures():
            for message in of_op(op):
                add(message)
        scenarios = {build.__name__: build for builds in families.SCENARIOS.values() for build in builds}
        for build in scenarios.values():
            for message in of_scenario(build):
                add(message)
        for message in of_golden_graphs():
            add(message)
    print(f"{count} graphs of {len(tried)} ops")


if __name__ == "__main__":
    main()
