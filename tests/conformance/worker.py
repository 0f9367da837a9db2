"""A process that runs the cases of the ops it reads, in TensorFlow's local session and on a server, and writes what came of it: a
line of JSON for each op."""

import argparse
import collections
import json
import os
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "interop")]

import numpy as np  # noqa: E402
import tensorflow_client as client  # noqa: E402
from tensorflow_client import tf  # noqa: E402

import families  # noqa: E402
import programs  # noqa: E402
import values  # noqa: E402
from case import generate  # noqa: E402

REMOVED = "is not available in GraphDef version"  # as TensorFlow says it
RUNS = [(fused, threads) for fused in (False, True) for threads in (1, 2)]
SHOWN_DIFFERENCES = 40
# They call functions of the program's, which are not in a server's process.
OF_PROGRAMS = ("PyFunc", "EagerPyFunc")


class Ops:
    """Which ops the server has."""

    def __init__(self, server):
        self.address, self.known = server.address, {}

    def missing(self, graph):
        """The ops of a graph that are not there."""
        return sorted({op.type for op in graph.get_operations() if not self.has(op.type)})

    def has(self, name):
        if name not in self.known:
            request = client.master_messages.request("CreateSession")()
            request.graph_def.node.add(name="n", op=name)
            self.known[name] = "Op type not registered" not in client.call(self.address, "CreateSession", request)[1]
        return self.known[name]


class Result:
    """What is counted of an op."""

    def __init__(self, op):
        self.op, self.counts, self.differences, self.notes = op, collections.Counter(), [], []
        self.state = None  # state_of
        self.started = time.monotonic()

    def add(self, case, found, where=""):
        self.counts["cases"] += 1
        self.counts[case.kind] += 1
        if found is None:
            self.counts["equal"] += 1
            return
        text, worst = found
        self.counts["different"] += 1
        self.differences.append({"case": case.describe(), "kind": case.kind, "where": where, "text": text, "worst": worst})

    def extend(self, arrays, is_error):
        """Counts what a case reaches: report.EXTENT is what each op needs one of."""
        self.counts["that is an error"] += is_error
        self.counts["with several dimensions"] += not is_error and any(array.ndim > 1 and array.size > 1 for array in arrays)
        self.counts["of nothing"] += any(array.size == 0 for array in arrays)

    def as_json(self):
        return {"op": self.op, "state": self.state, **self.counts, "differences": self.differences, "notes": self.notes[:SHOWN_DIFFERENCES],
                "seconds": round(time.monotonic() - self.started, 2)}


class Comparison:
    """Runs the programs of a graph in both, case by case."""

    def __init__(self, server, family, least_size=0):
        self.server, self.family, self.least_size = server, family, least_size

    def reference(self, graph, all_programs):
        with tf.Session(graph=graph, config=programs.config(False, 2)) as session:
            return [programs.run(session, p.fetches, p.feeds) for p in all_programs]

    def compare(self, graph, all_programs, expected):
        """For each program what is different, and in which run, or None."""
        found = [None] * len(all_programs)
        for fused, threads in RUNS:
            where = name_of_run(fused, threads)
            options = programs.config(fused, threads, isolate_session_state=True)
            with tf.Session(self.server.target, graph=graph, config=options) as session:
                for i, (program, wanted) in enumerate(zip(all_programs, expected)):
                    if found[i] is None:
                        difference = self.of_program(session, program, wanted)
                        found[i] = difference and (*difference, where)
        return found

    def of_program(self, session, program, expected):
        chained = program.chained if not isinstance(expected, programs.Failure) else []
        ours = programs.run(session, program.fetches + chained, program.feeds)
        if isinstance(expected, programs.Failure) or isinstance(ours, programs.Failure):
            return difference_of_failures(expected, ours)
        count = len(program.fetches)
        unset = self.family.unset(program.case) if self.family.unset else ()
        for results, name in ((ours[:count], ""), (ours[count:], "among neighbours ")):
            for i, (a, b) in enumerate(zip(expected, results)):
                difference = a is not None and i not in unset and self.of_arrays(program.case, a, b)
                if difference:
                    return f"{name}output {i} {difference[0]}", difference[1]
        return None

    def of_arrays(self, case, expected, ours):
        if self.family.compare is not None:
            expected, ours = self.family.compare(case, expected), self.family.compare(case, ours)
        return values.difference(expected, ours, self.family.tolerance, self.family.is_accumulated, max(self.least_size, self.family.least_size),
                                 self.family.units)


def difference_of_failures(expected, ours):
    if not isinstance(ours, programs.Failure):
        return f"gives a value where TensorFlow says {expected.kind}: {expected.first_line()}", None
    if not isinstance(expected, programs.Failure):
        return f"says {ours.kind}: {ours.first_line()}", None
    if ours.kind != expected.kind:
        return f"{ours.kind}: {ours.first_line()} for {expected.kind}: {expected.first_line()}", None
    if ours.first_line() != expected.first_line():
        return f"says: {ours.first_line()} for: {expected.first_line()}", None
    return None


def run_op(op, server, ops, seed, sample):
    result = Result(op)
    family = families.FAMILIES.get(op)
    if family is not None:
        run_family(result, op, family, server, ops, seed, sample)
    for build in families.SCENARIOS.get(op, []) if not sample else families.SCENARIOS.get(op, [])[:1]:
        run_scenario(result, build, server, ops)
    result.state = state_of(result, ops)
    return result


def state_of(result, ops):
    """Why an op has no cases: nobody wrote any, it is not there, or TensorFlow itself takes it in old graphs only."""
    if result.counts["cases"]:
        return "has cases"
    if result.op in OF_PROGRAMS:
        return "is of programs"
    if not ops.has(result.op):
        return "is not registered"
    return "is of older graphs" if any(REMOVED in note for note in result.notes) else "has none"


def run_scenario(result, build, server, ops):
    """Each step is a case. A scenario that another op has run already is not run again, only counted."""
    if (build, server.target) not in run_scenario.done:
        run_scenario.done[build, server.target] = scenario_steps(build, server, ops)
    steps, extents, note = run_scenario.done[build, server.target]
    if note:
        result.notes.append(f"{build.__name__}: {note}")
    for arrays, is_error in extents:
        result.extend(arrays, is_error)
    for text, found, where in steps:
        result.counts["cases"] += 1
        if where == "missing":
            result.counts["missing"] += 1
        elif found is None:
            result.counts["equal"] += 1
        else:
            result.counts["different"] += 1
            result.differences.append({"case": text, "kind": "step", "where": where, "text": found[0], "worst": found[1]})


run_scenario.done = {}


def scenario_steps(build, server, ops):
    graph = tf.Graph()
    with graph.as_default():
        tf.set_random_seed(11)
        steps, note = [], ""
        try:
            for step in build():
                steps.append(step)
        except Exception as error:  # a program of Python's: whatever it does not do ends it
            note = f"ends at step {len(steps)}: {type(error).__name__}: {error}"
    texts = [f"{build.__name__} step {number}" for number in range(len(steps))]
    missing = ops.missing(graph)
    if missing:
        return [(text, None, "missing") for text in texts], [], f"needs {', '.join(missing)}"
    with tf.Session(graph=graph, config=programs.config(False, 2)) as session:
        expected = [flat_run(session, *step) for step in steps]
    extents = [([*map(np.asarray, feeds.values()), *values_of(wanted), *constants(fetches)], isinstance(wanted, programs.Failure))
               for (fetches, feeds), wanted in zip(steps, expected)]
    found = [None] * len(steps)
    for fused, threads in RUNS:
        options = programs.config(fused, threads, isolate_session_state=True)
        with tf.Session(server.target, graph=graph, config=options) as session:
            for number, step in enumerate(steps):
                ours = flat_run(session, *step)
                different = difference_of_steps(expected[number], ours)
                if found[number] is None and different is not None:
                    found[number] = (different, name_of_run(fused, threads))
    return [(text, f and f[0], f[1] if f else "") for text, f in zip(texts, found)], extents, note


def constants(fetches):
    """The values of the constants that a step reads."""
    waiting, seen = [getattr(fetch, "op", fetch) for fetch in tf.nest.flatten(fetches, expand_composites=True)], set()
    while waiting:
        op = waiting.pop()
        if op not in seen:
            seen.add(op)
            waiting += [tensor.op for tensor in op.inputs] + op.control_inputs
    return [tf.make_ndarray(op.get_attr("value")) for op in seen if op.type == "Const"]


def flat_run(session, fetches, feeds):
    return programs.run(session, [f for f in tf.nest.flatten(fetches, expand_composites=True)], feeds)


def difference_of_steps(expected, ours):
    if isinstance(expected, programs.Failure) or isinstance(ours, programs.Failure):
        return difference_of_failures(expected, ours)
    for number, (a, b) in enumerate(zip(expected, ours)):
        different = a is not None and values.difference(a, b, 4, True)
        if different:
            return f"fetch {number} {different[0]}", different[1]
    return None


def name_of_run(fused, threads):
    return f"{'fused' if fused else 'unfused'}, {threads} thread{'s' * (threads > 1)}"


def values_of(result):
    return [] if isinstance(result, programs.Failure) else [np.asarray(value) for value in result if value is not None]


def unknown(array):
    return None


def shape_of(array):
    return array.shape


def run_family(result, op, family, server, ops, seed, sample):
    cases = generate(op, family, seed)
    if sample:
        cases = [case for case in cases if case.kind != "large"][:: max(1, len(cases) // sample)]
    graph = tf.Graph()
    built = []
    with graph.as_default():
        for case in cases:
            try:
                built.append(programs.build(case, shape_of if family.needs_shapes else unknown))
            except programs.Unbuildable as error:
                result.notes.append(f"unbuildable {case.describe()}: {error}")
    missing = [] if ops.has(op) else [op]
    comparison = Comparison(server, family)
    expected = comparison.reference(graph, built)
    for program, wanted in zip(built, expected):
        if isinstance(wanted, programs.Failure) and program.case.kind in ("values", "empty", "large"):
            result.notes.append(f"an error in TensorFlow: {program.case.describe()}: {wanted.first_line()}")
            program.case.kind = "error"
        elif isinstance(wanted, programs.Failure):
            program.case.kind = "error"
        elif program.case.kind == "malformed":
            program.case.kind = "taken"
        result.extend(program.case.arrays() + values_of(wanted), isinstance(wanted, programs.Failure))
    if missing:
        result.counts["missing"] += len(built)
        result.counts["cases"] += len(built)
        return
    for program, found in zip(built, comparison.compare(graph, built, expected)):
        result.add(program.case, found and found[:2], found and found[2])
    if not sample:
        add_gradients(result, family, server, ops, list(zip(built, expected)))


def add_gradients(result, family, server, ops, done):
    """TensorFlow's gradient graphs of the cases with floats of the first dtype, in both."""
    comparison = Comparison(server, families.Family(None, 4 * family.tolerance, is_accumulated=True), least_size=1)
    rng = np.random.RandomState(7)
    graph, built = tf.Graph(), []
    with graph.as_default():
        for program, expected in done:
            if program.case.kind not in ("values", "empty") or not program.case.is_first_dtype:
                continue
            try:
                static = programs.build(program.case, shape_of)
            except programs.Unbuildable:
                continue
            made = programs.gradient(static, expected, rng)
            if made is not None:
                built.append(made)
    if not built:
        return
    missing = ops.missing(graph)
    if missing:
        result.counts["gradients missing"] = len(built)
        result.notes.append("the gradient needs " + ", ".join(missing))
        return
    expected = comparison.reference(graph, built)
    for program, found in zip(built, comparison.compare(graph, built, expected)):
        result.counts["gradients"] += 1
        result.counts["gradients equal"] += found is None
        if found is not None:
            result.differences.append({"case": program.case.describe(), "kind": "gradient", "where": found[2], "text": found[0],
                                       "worst": found[1]})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("flowray")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sample", type=int, default=0, help="at most about so many cases an op")
    options = parser.parse_args()
    families.load()
    server = client.Server(options.flowray, "server", "--port", "0")
    ops = Ops(server)
    for line in sys.stdin:
        op = line.strip()
        print(json.dumps({"begin": op}), flush=True)
        print(json.dumps(run_op(op, server, ops, options.seed, options.sample).as_json(), default=str), flush=True)
        if server.process.poll() is not None:
            print(json.dumps({"server died": server.process.poll()}), flush=True)
            server = client.Server(options.flowray, "server", "--port", "0")
            ops.address = server.address
    server.end()


if __name__ == "__main__":
    main()
