#!/usr/bin/env python3
"""Records what Ray's TensorFlowVariables does on real TensorFlow, and NumPy's means, as tests/golden/glue.json.

Usage: record_glue.py SOURCE   SOURCE is python/ray/experimental/tf_utils.py of Ray 0.7; later ones match other names too
The format is in tests/golden/README.md; the cases are those of tests/glue/tensorflow_variables_test.cpp.
"""

import inspect
import json
import os
import sys

from tensorflow_v1 import GOLDEN, np, tf, write_if_changed

DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()
CASES = []


def case(function):
    CASES.append(function)
    return function


def load_class(path):
    """The class, of a source that was written for the TensorFlow and NumPy of its time."""
    text = open(path, encoding="utf-8").read()
    text = text.replace("import tensorflow as tf", "from tensorflow_v1 import tf").replace("np.int)", "np.int64)")
    names = {}
    exec(compile(text, path, "exec"), names)
    return names["TensorFlowVariables"]


def line(n):
    """w x + b of shape [n], and a variable between them that nothing reads."""
    w = tf.Variable(tf.constant([0.5] * n))
    tf.Variable(7.0, name="unused")
    b = tf.Variable(tf.constant([-0.25] * n))
    return w * 2.0 + b


@case
def averaging(make):
    return make(line(2))


@case
def operation_as_output(make):
    return make(line(1).op)


@case
def control_inputs(make):
    counter = tf.Variable(3.0, name="counter")
    with tf.control_dependencies([counter.assign_add(1.0)]):
        return make(tf.identity(line(1)))


@case
def list_with_none(make):
    a, b, c = (tf.Variable(float(i), name=name) for i, name in enumerate("abc"))
    return make([c * 1.0, None, a * 1.0])


@case
def input_variables(make):
    a, b, c = (tf.Variable(float(i), name=name) for i, name in enumerate("abc"))
    return make(c * 1.0, input_variables=[c, a])


@case
def variable_as_output(make):
    tf.Variable(1.0, name="a")
    return make(tf.Variable([1.0, 2.0], name="b"))


@case
def local_variables(make):
    local = tf.Variable(1.0, name="local", collections=["local_variables"])
    return make(local + tf.Variable(2.0, name="in_the_graph"))


@case
def scopes(make):
    with tf.variable_scope("dense"):
        kernel = tf.get_variable("kernel", [2, 2], initializer=tf.constant_initializer([[1.0, 2.0], [3.0, 4.0]]))
    with tf.name_scope("outer"):
        return make(kernel + 1.0)


@case
def train_operation(make):
    loss = tf.reduce_sum(tf.square(line(1)))
    return make(tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss))


@case
def loss_of_a_trained_network(make):
    loss = tf.reduce_sum(tf.square(line(1)))
    tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    return make(loss)


@case
def mixed_dtypes(make):
    a = tf.Variable([1, 2], name="a")
    b = tf.Variable([0.5], name="b")
    return make(tf.cast(a, tf.float32) + b)


@case
def no_variables(make):
    return make(tf.constant(1.0))


@case
def two_networks(make):
    first = make(line(1))
    second = make(line(1))
    second.source = first
    return second


def attempt(function):
    """Class and message of what `function` raises."""
    try:
        function()
    except Exception as error:
        return {"class": type(error).__name__, "message": str(error).split("\n")[0]}
    return {"class": "none", "message": ""}


def weights_of(variables):
    return {name: np.asarray(value).ravel().tolist() for name, value in variables.get_weights().items()}


def record(build, TensorFlowVariables):
    with tf.Graph().as_default() as graph, tf.Session() as session:
        before = []

        def make(output, **options):
            before[:] = [op.name for op in graph.get_operations()]
            return TensorFlowVariables(output, session, **options)

        variables = build(make)
        added = [op.name for op in graph.get_operations() if op.name not in before]
        session.run(tf.global_variables_initializer())
        session.run(tf.local_variables_initializer())
        facts = {"variables": list(variables.variables), "added": added, "flat_size": int(variables.get_flat_size())}
        facts["weights"] = weights_of(variables)
        facts["get_flat_error"] = attempt(variables.get_flat)
        if facts["get_flat_error"]["class"] == "none":
            flat = variables.get_flat()
            facts["flat"], facts["flat_dtype"] = flat.tolist(), str(flat.dtype)
            variables.set_flat(np.arange(len(flat)) + 0.75)
            facts["after_set_flat"] = weights_of(variables)
            facts["too_long_error"] = attempt(lambda: variables.set_flat(np.zeros(len(flat) + 1)))
            some = {name: value * 0 + 9 for name, value in list(variables.get_weights().items())[:1]}
            variables.set_weights({**some, "unknown": np.zeros(3)})
            facts["after_set_weights"] = weights_of(variables)
        other = getattr(variables, "source", None)
        facts["foreign_error"] = attempt(
            lambda: variables.set_weights(other.get_weights() if other else {"unknown": np.zeros(1)})
        )
        variables.set_session(None)
        facts["no_session_error"] = attempt(variables.get_weights)
        return facts


def means():
    """Means of three arrays of each dtype: minus zero, sums that wrap around or overflow, thirds."""
    facts = []
    for name in DTYPES + ["bfloat16"]:
        dtype = np.dtype(tf.as_dtype(name).as_numpy_dtype)
        rows = [[0, 1, 100, 3, 60000], [0, 1, 100, 5, 60000], [0, 2, 100, 9, 5]]
        kind = "b" if name == "bool" else "f" if name == "bfloat16" else dtype.kind
        if kind in "fc":
            rows = [[-0.0, 0.1, 1e30, 3, 60000], [-0.0, 0.7, 1e30, 5, 60000], [-0.0, 0.3, -1e30, 9, 5]]
        arrays = [np.array(row, np.float64 if kind in "fc" else np.int64).astype(dtype) for row in rows]
        mean = sum(arrays) / len(arrays)
        facts.append({"dtype": name, "rows": rows, "mean_dtype": str(mean.dtype), "mean_bytes": mean.tobytes().hex()})
    return facts


def lines(facts):
    """JSON with a line for each case."""
    cases = ",\n".join(f"{json.dumps(name)}: {json.dumps(case)}" for name, case in facts["cases"].items())
    means_of = ",\n".join(json.dumps(mean) for mean in facts["means"])
    promotions = json.dumps(facts["promotions"])
    return f'{{"cases": {{\n{cases}}},\n"means": [\n{means_of}],\n"promotions": {promotions}}}\n'


def main(path):
    facts = {"cases": {build.__name__: record(build, load_class(path)) for build in CASES}, "means": means()}
    facts["promotions"] = {f"{a} {b}": str(np.result_type(a, b)) for a in DTYPES for b in DTYPES}
    if write_if_changed(os.path.join(GOLDEN, "glue.json"), lines(facts)):
        print("glue.json")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(inspect.cleandoc(__doc__))
    main(sys.argv[1])
