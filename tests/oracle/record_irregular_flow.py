#!/usr/bin/env python3
"""Records graphs whose control flow is not made of nested conditionals and loops, and what real TensorFlow says to them, as
tests/golden/irregular_flow.json.

Usage: record_irregular_flow.py
The format is in tests/golden/README.md.
"""

import json
import os

from record_control_flow import placeholder, value_bytes
from tensorflow_v1 import GOLDEN, np, tf, write_if_changed
from tensorflow.python.ops import gen_control_flow_ops as flow  # noqa: E402

BOTH = (True, False)


def inputs():
    return placeholder(tf.bool, [], "p"), placeholder(tf.bool, [], "q"), placeholder(tf.float32, [2], "x")


def merge_of_two_predicates():
    p, q, x = inputs()
    merged = flow.merge([flow.switch(x + 1.0, p)[1], flow.switch(x * 2.0, q)[1]])
    cases = [(True, False), (False, True), (False, False)]
    return [merged[0] + 1.0, merged[1]], [{p: a, q: b, x: [1, 2]} for a, b in cases]


def merge_of_three():
    p, q, x = inputs()
    off, on = flow.switch(x, p)
    on_off, on_on = flow.switch(on, q)
    merged = flow.merge([tf.exp(on_on), tf.negative(off), on_off + 3.0])
    return [merged[0], merged[1]], [{p: a, q: b, x: [0, 1]} for a in BOTH for b in BOTH]


def fetch_where_taken():
    p, _, x = inputs()
    return [x + 1.0, tf.exp(flow.switch(x, p)[1])], [{p: True, x: [0, 0]}, {p: False, x: [0, 0]}]


def fetch_where_not_taken():
    p, _, x = inputs()
    off = tf.exp(flow.switch(x, p)[0])
    return [off, off * 2.0, x], [{p: True, x: [0, 0]}, {p: False, x: [0, 0]}]


def fetch_in_cond():
    p, _, x = inputs()
    inside = []

    def on():
        inside.append(tf.square(x))
        return inside[0] + 1.0

    y = tf.cond(p, on, lambda: -x)
    return [y, inside[0]], [{p: True, x: [2, 3]}, {p: False, x: [2, 3]}]


def crossing_switches():
    p, q, x = inputs()
    by_p, by_q = flow.switch(x, p), flow.switch(x, q)
    both = flow.switch(by_p[1], q)[1] + flow.switch(by_q[1], p)[1]
    neither = flow.switch(by_p[0], q)[0] * flow.switch(by_q[0], p)[0]
    merged = flow.merge([both, neither])
    return [merged[0], merged[1]], [{p: a, q: b, x: [1, 3]} for a in BOTH for b in BOTH]


def sum_of_both_branches():
    p, _, x = inputs()
    off, on = flow.switch(x, p)
    merged = flow.merge([off + on, x * 5.0])
    return [merged[0], merged[1]], [{p: a, x: [1, 3]} for a in BOTH]


def dead_control_input():
    p, _, x = inputs()
    off, on = flow.switch(x, p)
    with tf.control_dependencies([tf.exp(on)]):
        y = tf.identity(x)
    merged = flow.merge([y, off * 7.0])
    return [merged[0], merged[1]], [{p: a, x: [1, 2]} for a in BOTH]


def merge_with_dead_control_input():
    p, _, x = inputs()
    on, y = flow.switch(x, p)[1], x + 1.0
    with tf.control_dependencies([tf.exp(on)]):
        merged = flow.merge([y, on])
    return [merged[0]], [{p: False, x: [1, 2]}]


def switch_is_alive_where_its_output_is_dead():
    p, _, x = inputs()
    switch = flow.switch(x, p)
    with tf.control_dependencies([switch[0].op]):
        y = tf.identity(x)
    with tf.control_dependencies([switch[1]]):
        z = tf.identity(x)
    return [y, z, flow.merge([switch[1], x])[0]], [{p: True, x: [1, 2]}, {p: False, x: [1, 2]}]


def dead_target():
    p, _, x = inputs()
    v = tf.Variable([0.0, 0.0], name="v")
    on = flow.switch(x, p)[1]
    with tf.control_dependencies([tf.assign_add(v, on).op]):
        after = tf.no_op()
    with tf.control_dependencies([after]):
        read = v.read_value()
    merged = flow.merge([read, flow.switch(x * 2.0, p)[0]])
    with tf.control_dependencies([merged[0]]):
        last = v.read_value()
    return [merged[0][:1], last], [{p: a, x: [1, 2]} for a in BOTH], [tf.global_variables_initializer()]


def predicate_is_no_scalar():
    p, x = placeholder(tf.bool, None, "p"), placeholder(tf.float32, [2], "x")
    return [tf.exp(flow.switch(x, p)[1])], [{p: [True, False], x: [1, 2]}, {p: True, x: [0, 0]}]


def wrong_shapes_in_branch():
    p, x = placeholder(tf.bool, [], "p"), placeholder(tf.float32, None, "x")
    return [tf.matmul(flow.switch(x, p)[1], [[1.0], [2.0]])], [{p: True, x: [[1, 2, 3]]}, {p: True, x: [[1, 2]]}]


def uninitialised_variable_in_branch():
    p, _, x = inputs()
    v = tf.Variable([0.0, 0.0], name="v")
    off, on = flow.switch(x, p)
    merged = flow.merge([on + v, off, flow.switch(x, tf.constant(False))[1]])
    return [merged[0]], [{p: False, x: [1, 2]}, {p: True, x: [1, 2]}]


def variable_chosen_by_merge():
    p, _, x = inputs()
    a, b = tf.Variable([1.0, 2.0], name="a"), tf.Variable([10.0, 20.0], name="b")
    chosen = flow.ref_merge([flow.ref_switch(a._ref(), p)[1], flow.ref_switch(b._ref(), p)[0]])
    update = tf.assign_add(chosen[0], x)
    with tf.control_dependencies([update]):
        values = [a.read_value(), b.read_value()]
    return [chosen[1]] + values, [{p: True, x: [1, 1]}, {p: False, x: [1, 1]}, {p: False, x: [5, 5]}], \
        [tf.global_variables_initializer()]


def updates_in_branches():
    p, q, x = inputs()
    v = tf.Variable([1.0, 2.0], name="v")
    on = tf.assign_add(v, flow.switch(x, p)[1])
    off = tf.assign_sub(v, flow.switch(x, q)[0])
    merged = flow.merge([tf.identity(on), tf.identity(off)])
    with tf.control_dependencies([merged[0]]):
        after = v.read_value()
    return [merged[1], after], [{p: True, q: True, x: [1, 1]}, {p: False, q: False, x: [3, 1]}, {p: False, q: True, x: [1, 1]}], \
        [tf.global_variables_initializer()]


def gradient_of_switch_and_merge():
    p, _, x = inputs()
    off, on = flow.switch(x, p)
    y = flow.merge([tf.exp(on), off * off])[0]
    return [y, tf.gradients(y, x)[0]], [{p: a, x: [1, 2]} for a in BOTH]


def gradient_of_two_predicates():
    p, q, x = inputs()
    y = flow.merge([tf.exp(flow.switch(x, p)[1]), tf.square(flow.switch(x * 3.0, q)[1])])[0]
    return [y, tf.gradients(y, x)[0]], [{p: True, q: False, x: [1, 2]}, {p: False, q: True, x: [1, 2]}]


def loop(first, going_on, body, name="loop", constants=()):
    """A loop of raw nodes. `going_on` and `body` get the variables and the constants. Returns exits and all that is inside."""
    heads = []
    with tf.control_dependencies(None):
        for value in first:
            entered = flow.enter(value, name)
            heads.append(flow.merge([entered, entered])[0])
        held = [flow.ref_enter(value, name, is_constant=True) if value.dtype._is_ref_dtype else
                flow.enter(value, name, is_constant=True) for value in constants]
    with tf.control_dependencies(None):
        condition = flow.loop_cond(going_on(*heads, *held))
        gates = [flow.switch(head, condition) for head in heads]
        with tf.control_dependencies([gates[0][1]]):
            nexts = body(*[tf.identity(gate[1]) for gate in gates], *held)
        for head, value in zip(heads, nexts):
            head.op._update_input(1, flow.next_iteration(value))
        return [flow._exit(gate[0]) for gate in gates], heads, nexts, condition


def fetch_next_in_loop():
    n = placeholder(tf.int32, [], "n")
    _, _, nexts, _ = loop([0], tf.less, lambda i, n: [i + 1], constants=[n])
    return [nexts[0]], [{n: 1}, {n: 3}, {n: 0}]


def fetch_head_of_loop():
    n = placeholder(tf.int32, [], "n")
    exits, heads, _, _ = loop([0], tf.less, lambda i, n: [i + 1], constants=[n])
    return [exits[0], heads[0]], [{n: 0}, {n: 2}]


def fetch_condition_of_loop():
    n = placeholder(tf.int32, [], "n")
    _, _, _, condition = loop([0], tf.less, lambda i, n: [i + 1], constants=[n])
    return [condition], [{n: 0}, {n: 2}]


def inputs_of_different_loops():
    n = placeholder(tf.int32, [], "n")
    _, _, nexts, _ = loop([0], tf.less, lambda i, n: [i + 1], constants=[n])
    return [tf.add(nexts[0], tf.identity(n, name="out"), name="bad")], [{n: 1}]


def merge_of_two_predicates_in_loop():
    n, x = placeholder(tf.int32, [], "n"), placeholder(tf.float32, [2], "x")

    def body(i, y, n, x):
        even, third = tf.equal(i % 2, 0), tf.equal(i % 2, 1)
        merged = flow.merge([tf.add(flow.switch(y, even)[1], x), flow.switch(y * 2.0, third)[1]])
        return [i + 1, merged[0] + tf.cast(merged[1], tf.float32)]

    exits, _, _, _ = loop([0, x], lambda i, y, n, x: i < n, body, constants=[n, x])
    return exits, [{n: 0, x: [1, 2]}, {n: 1, x: [1, 2]}, {n: 6, x: [1, 2]}]


def loop_in_irregular_branch():
    p, q, x = inputs()
    n = placeholder(tf.int32, [], "n")
    on = flow.switch(x, p)[1]
    exits, _, _, _ = loop([flow.switch(tf.constant(0), p)[1], on], lambda i, y, n: i < n,
                          lambda i, y, n: [i + 1, y * 2.0], constants=[n])
    merged = flow.merge([exits[1], flow.switch(x - 1.0, q)[1]])
    return [merged[0], merged[1]], [{p: True, q: False, x: [1, 2], n: 3}, {p: False, q: True, x: [1, 2], n: 3},
                                    {p: True, q: False, x: [1, 2], n: 0}, {p: False, q: False, x: [1, 2], n: 3}]


def loops_in_irregular_loop():
    n = placeholder(tf.int32, [], "n")

    def body(i, total, n):
        odd = tf.equal(i % 2, 1)
        on = flow.switch(i, odd)[1]
        inner, _, _, _ = loop([on, flow.switch(total, odd)[1]], lambda j, t, n: j < n, lambda j, t, n: [j + 1, t + j], "inner", [n])
        merged = flow.merge([inner[1], flow.switch(total + 100, tf.equal(i % 2, 0))[1]])
        return [i + 1, merged[0]]

    exits, _, _, _ = loop([0, 0], lambda i, t, n: i < n, body, "outer", [n])
    return exits, [{n: 0}, {n: 1}, {n: 2}, {n: 5}]


def exit_of_a_value_of_the_condition():
    n, x = placeholder(tf.int32, [], "n"), placeholder(tf.int32, [], "x")
    entered = flow.enter(tf.constant(0), "loop")
    head = flow.merge([entered, entered])[0]
    square = tf.multiply(head, flow.enter(x, "loop", is_constant=True))
    condition = flow.loop_cond(tf.less(head, flow.enter(n, "loop", is_constant=True)))
    gate, gate_of_square = flow.switch(head, condition), flow.switch(square, condition)
    with tf.control_dependencies([gate[1]]):
        one = tf.constant(1)
    head.op._update_input(1, flow.next_iteration(gate[1] + one))
    return [flow._exit(gate_of_square[0]), flow._exit(gate[0])], [{n: 0, x: 3}, {n: 4, x: 3}]


def loop_that_ends_in_the_middle():
    """Two conditions: the loop ends as soon as either of them is false."""
    n, m = placeholder(tf.int32, [], "n"), placeholder(tf.int32, [], "m")
    entered = flow.enter(tf.constant(0), "loop")
    head = flow.merge([entered, entered])[0]
    first = flow.switch(head, flow.loop_cond(tf.less(head, flow.enter(n, "loop", is_constant=True))))
    second = flow.switch(first[1], tf.less(first[1], flow.enter(m, "loop", is_constant=True)))
    with tf.control_dependencies([second[1]]):
        one = tf.constant(1)
    head.op._update_input(1, flow.next_iteration(second[1] + one))
    left = flow.merge([flow._exit(first[0]), flow._exit(second[0])])
    return [left[0], left[1]], [{n: 3, m: 9}, {n: 9, m: 4}, {n: 0, m: 0}, {n: 4, m: 4}]


def updates_in_irregular_loop():
    n = placeholder(tf.int32, [], "n")
    v = tf.Variable(0, name="v")

    def body(i, n, v):
        even = tf.raw_ops.AssignAdd(ref=v, value=flow.switch(i, tf.equal(i % 2, 0))[1])
        odd = tf.raw_ops.AssignSub(ref=v, value=flow.switch(i * 10, tf.equal(i % 2, 1))[1])
        merged = flow.merge([tf.identity(even), tf.identity(odd)])
        with tf.control_dependencies([merged[0]]):
            return [i + 1]

    exits, _, _, _ = loop([0], lambda i, n, v: i < n, body, constants=[n, v._ref()])
    with tf.control_dependencies([exits[0]]):
        after = v.read_value()
    return [exits[0], after], [{n: 1}, {n: 3}, {n: 4}], [tf.global_variables_initializer()]


def queue_in_branch():
    p, q, x = inputs()
    queue = tf.FIFOQueue(10, tf.float32, [[2]], name="queue")
    put = queue.enqueue([flow.switch(x, p)[1]])
    with tf.control_dependencies([put]):
        taken = queue.dequeue()
    merged = flow.merge([taken * 3.0, flow.switch(x, q)[1]])
    return [merged[0], merged[1]], [{p: True, q: False, x: [1, 2]}, {p: False, q: True, x: [1, 2]}]


def stack_in_irregular_loop():
    n = placeholder(tf.int32, [], "n")
    array = tf.TensorArray(tf.int32, n, element_shape=[], clear_after_read=False)

    def body(i, f, n, handle):
        value = flow.merge([flow.switch(i * 2, tf.equal(i % 3, 0))[1], flow.switch(i, tf.not_equal(i % 3, 0))[1]])[0]
        written = tf.raw_ops.TensorArrayWriteV3(handle=handle, index=i, value=value, flow_in=f)
        return [i + 1, written]

    exits, _, _, _ = loop([0, array.flow], lambda i, f, n, h: i < n, body, constants=[n, array.handle])
    stacked = tf.raw_ops.TensorArrayGatherV3(handle=array.handle, indices=tf.range(n), flow_in=exits[1], dtype=tf.int32)
    return [stacked], [{n: 1}, {n: 5}]


def fed_value_of_branch():
    p, q, x = inputs()
    off, on = flow.switch(x, p, name="gate")
    merged = flow.merge([tf.exp(off), on * 2.0])
    return [merged[0], merged[1]], [{p: True, on: [1, 2], x: [7, 7]}]


def functional_branch_of_two_predicates():
    p, q, x = inputs()
    tf.enable_control_flow_v2()
    v = tf.get_variable("v", initializer=[10.0, 20.0], use_resource=True)
    y = tf.cond(q, lambda: x * v + 1.0, lambda: tf.exp(x))
    merged = flow.merge([flow.switch(y, p)[1], flow.switch(x * 2.0, q)[1]])
    return [merged[0] - 1.0], [{p: True, q: False, x: [1, 2]}, {p: False, q: True, x: [1, 2]}, {p: False, q: False, x: [1, 2]}], [v.initializer]


def functional_loop_in_irregular_branch():
    p, q, x = inputs()
    n = placeholder(tf.int32, [], "n")
    tf.enable_control_flow_v2()
    on = flow.switch(x, p)[1]
    _, y, rows = tf.while_loop(lambda i, y, rows: i < n, lambda i, y, rows: [i + 1, y * 2.0, tf.concat([rows, [i]], 0)],
                               [0, on, tf.zeros([0], tf.int32)], shape_invariants=[tf.TensorShape([]), tf.TensorShape([2]), tf.TensorShape([None])])
    merged = flow.merge([y, flow.switch(x - 1.0, q)[1]])
    return [merged[0], merged[1]], [{p: True, q: False, x: [1, 2], n: 3}, {p: False, q: True, x: [1, 2], n: 3},
                                    {p: True, q: False, x: [1, 2], n: 0}]


def functional_branches_in_irregular_loop():
    n = placeholder(tf.int32, [], "n")
    tf.enable_control_flow_v2()

    def body(i, total, n):
        even = tf.equal(i % 2, 0)
        more = tf.cond(i > 2, lambda: total * 3, lambda: total + 10)
        merged = flow.merge([flow.switch(more, even)[1], flow.switch(total - 1, tf.logical_not(even))[1]])
        return [i + 1, merged[0]]

    exits, _, _, _ = loop([0, 1], lambda i, t, n: i < n, body, constants=[n])
    return exits, [{n: 0}, {n: 1}, {n: 4}, {n: 7}]


def functional_case_updates_in_irregular_graph():
    p, q, x = inputs()
    which = placeholder(tf.int32, [], "which")
    tf.enable_control_flow_v2()
    v = tf.get_variable("v", initializer=[0.0, 0.0], use_resource=True)
    y = tf.switch_case(which, [lambda: v.assign_add(x), lambda: v.assign_sub(x), lambda: v.read_value()])
    merged = flow.merge([flow.switch(y * 2.0, p)[1], flow.switch(y, q)[1]])
    return [merged[0], merged[1]], [{p: True, q: False, x: [1, 2], which: 0}, {p: False, q: True, x: [1, 2], which: 0},
                                    {p: False, q: True, x: [5, 5], which: 1}, {p: True, q: False, x: [0, 0], which: 2}], [v.initializer]


PROGRAMS = [value for name, value in list(globals().items())
            if callable(value) and getattr(value, "__module__", None) == "__main__" and name not in ("inputs", "loop")]


def raw_message(error):
    """Without what Python adds for people."""
    return error.__context__.message if isinstance(error.__context__, tf.errors.OpError) else error.message


def run(session, fetches, feed):
    recorded = {"feeds": {t.name: value_bytes(v, t.dtype) for t, v in feed.items()}}
    try:
        values = session.run([t.name for t in fetches], {t.name: v for t, v in feed.items()},
                             options=tf.RunOptions(timeout_in_ms=10000))
        recorded["results"] = [value_bytes(v, t.dtype.base_dtype) for v, t in zip(values, fetches)]
    except tf.errors.OpError as error:
        recorded["error"] = {"code": error.error_code, "text": raw_message(error)}
    return recorded


def record(program):
    tf.reset_default_graph()
    tf.disable_control_flow_v2()
    result = program()
    fetches, feeds, initializers = result if len(result) == 3 else (*result, [])
    graph = tf.get_default_graph().as_graph_def()
    config = tf.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    config.graph_options.optimizer_options.opt_level = -1
    # Imported, the graph knows nothing of Python's contexts, which would refuse some fetches before TensorFlow sees them.
    with tf.Graph().as_default():
        tf.import_graph_def(graph, name="")
        with tf.Session(config=config) as session:
            session.run([op.name for op in initializers])
            runs = [run(session, fetches, {t: np.asarray(v, t.dtype.as_numpy_dtype) for t, v in feed.items()}) for feed in feeds]
    return {"graph": graph.SerializeToString().hex(),
            "initializers": [op.name for op in initializers],
            "fetches": [tensor.name for tensor in fetches],
            "runs": runs}


def main():
    recorded = {program.__name__: record(program) for program in PROGRAMS}
    path = os.path.join(GOLDEN, "irregular_flow.json")
    if write_if_changed(path, json.dumps(recorded, indent=1) + "\n"):
        print(path)


if __name__ == "__main__":
    main()
