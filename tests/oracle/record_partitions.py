#!/usr/bin/env python3
"""Records how TensorFlow's master splits steps over the tasks of a cluster, as tests/golden/partitions.json.

Usage: record_partitions.py
The format is in tests/golden/README.md.
"""

import json
import os
import socket

from record_control_flow import placeholder
from tensorflow_v1 import GOLDEN, tf, write_if_changed

WORKER, PS, OTHER = "/job:worker", "/job:ps/task:0", "/job:ps/task:1"


def on(place, make):
    with tf.device(place):
        return make()


def there_and_back():
    x = on(WORKER, lambda: placeholder(tf.float32, [2], "x"))
    a = on(WORKER, lambda: tf.add(x, 1.0, name="a"))
    b, c = on(PS, lambda: (tf.multiply(a, 2.0, name="b"), tf.multiply(a, a, name="c")))
    return [on(WORKER, lambda: tf.add(b, c, name="d")), b], {x: [1, 2]}


def control_edges():
    x = on(WORKER, lambda: placeholder(tf.float32, [2], "x"))
    a = on(PS, lambda: tf.add(x, 1.0, name="a"))
    with tf.control_dependencies([a]):
        b = on(WORKER, lambda: tf.multiply(x, 2.0, name="b"))
        c = on(WORKER, lambda: tf.multiply(x, 3.0, name="c"))
        d = on(OTHER, lambda: tf.constant(4.0, name="d"))
    return [on(WORKER, lambda: tf.add_n([b, c, d + x], name="sum"))], {x: [1, 2]}


def strings():
    x = on(WORKER, lambda: placeholder(tf.string, [], "x"))
    y = on(PS, lambda: tf.string_join([x, x], name="y"))
    return [on(WORKER, lambda: tf.identity(y, name="z"))], {x: b"ab"}


def update_of_a_variable():
    v = on(PS, lambda: tf.get_variable("v", [2], initializer=tf.zeros_initializer()))
    x = on(WORKER, lambda: placeholder(tf.float32, [2], "x"))
    s = on(WORKER, lambda: tf.add(v, x, name="s"))
    return [on(PS, lambda: tf.assign_add(v, s)), v], {x: [1, 2]}


def what_is_fed_is_fetched_and_read_elsewhere():
    x = on(PS, lambda: placeholder(tf.float32, [2], "x"))
    return [x, on(OTHER, lambda: tf.negative(x, name="y"))], {x: [1, 2]}


def fed_in_the_middle():
    a = on(PS, lambda: tf.constant([1.0, 2.0], name="a"))
    b = on(PS, lambda: tf.negative(a, name="b"))
    return [on(PS, lambda: tf.exp(b, name="c"))], {b: [0, 0]}


def branches_elsewhere():
    p, x = on(WORKER, lambda: (placeholder(tf.bool, [], "p"), tf.constant(3.0, name="x")))
    q = on(WORKER, lambda: tf.logical_not(p, name="q"))
    r = on(PS, lambda: tf.cond(q, lambda: x * 2.0, lambda: x + 1.0))
    return [on(WORKER, lambda: tf.identity(r, name="y"))], {p: True}


def body_elsewhere():
    i = on(WORKER, lambda: tf.constant(0, name="i"))

    def body(i):
        j = on(PS, lambda: tf.add(i, 1, name="inc"))
        return on(WORKER, lambda: tf.add(j, 1, name="back"))

    return [on(WORKER, lambda: tf.while_loop(lambda i: i < 10, body, [i]))], {}


def loop_in_loop_elsewhere():
    def outer(i, s):
        def inner(j, t):
            u = on(PS, lambda: tf.add(t, i, name="u"))
            return tf.add(j, 1, name="j1"), tf.identity(u, name="ui")

        _, s = tf.while_loop(lambda j, t: j < 3, inner, [tf.constant(0, name="j0"), s])
        return tf.add(i, 1, name="back"), s

    return [on(WORKER, lambda: tf.while_loop(lambda i, s: i < 4, outer, [tf.constant(0, name="i"), tf.constant(0, name="z")])[1])], {}


def whole_loop_elsewhere():
    i, x = on(WORKER, lambda: (tf.constant(0, name="i"), placeholder(tf.int32, [], "x")))
    r = on(PS, lambda: tf.while_loop(lambda i: i < 10, lambda i: tf.add(i, x, name="inc"), [i]))
    return [r, x], {x: 3}


PROGRAMS = [value for name, value in list(globals().items())
            if callable(value) and getattr(value, "__module__", None) == "__main__" and name != "on"]


def address():
    with socket.socket() as s:
        s.bind(("localhost", 0))
        return f"localhost:{s.getsockname()[1]}"


def recorded_attrs(node):
    """What tells which nodes belong together; incarnations are others each time."""
    attrs = {key: node.attr[key].s.decode() for key in ("tensor_name", "send_device", "recv_device", "frame_name") if key in node.attr}
    if node.attr["client_terminated"].b:
        attrs["client_terminated"] = True
    return attrs


def record(program, target):
    tf.reset_default_graph()
    tf.disable_control_flow_v2()
    fetches, feeds = program()
    config = tf.ConfigProto()
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    config.graph_options.optimizer_options.opt_level = -1
    with tf.Session(target, config=config) as session:
        session.run(tf.global_variables_initializer())
        metadata = tf.RunMetadata()
        session.run(fetches, feeds, options=tf.RunOptions(output_partition_graphs=True), run_metadata=metadata)
    partitions = [[{"name": n.name, "op": n.op, "inputs": list(n.input), "device": n.device, "attrs": recorded_attrs(n)}
                   for n in sorted(graph.node, key=lambda n: n.name)] for graph in metadata.partition_graphs]
    return {"graph": tf.get_default_graph().as_graph_def().SerializeToString(deterministic=True).hex(),
            "feeds": [t.name for t in feeds], "fetches": [t.name for t in fetches],
            "partitions": sorted(partitions, key=lambda nodes: nodes[0]["device"])}


def main():
    cluster = tf.train.ClusterSpec({"worker": [address()], "ps": [address(), address()]})
    servers = [tf.train.Server(cluster, job, task) for job, task in (("worker", 0), ("ps", 0), ("ps", 1))]
    recorded = {program.__name__: record(program, servers[0].target) for program in PROGRAMS}
    path = os.path.join(GOLDEN, "partitions.json")
    if write_if_changed(path, json.dumps(recorded, indent=1) + "\n"):
        print(path)
    os._exit(0)  # TensorFlow's servers cannot be ended


if __name__ == "__main__":
    main()
