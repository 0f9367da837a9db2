"""Each call of the MasterService and each error, made by one script against TensorFlow's server and ours: the requests, the
responses' fields, and what the client makes of them are compared. Handles, incarnations, request ids and times differ, of course.
"""

import contextlib
import gc
import inspect
import json
import re
import sys
import tempfile
import unittest

from google.protobuf import json_format
from tensorflow.core.protobuf import config_pb2

import master_messages
from recording_proxy import recorded_calls, wait_until_written
from tensorflow_client import HERE, TENSORFLOW_SERVER, Server, call, np, tf

CODES = {code: name for name, code in vars(tf.errors).items() if name.isupper() and isinstance(code, int)}
# Steps of the script that differ, and why; they count as skipped until they do not.
KNOWN_DIFFERENCES = {}
# Steps of which only the result is compared: the partitions of a graph and the times of a step are each server's own, and
# whether it is the server or gRPC who notices first that the time is over is chance.
RESULT_ONLY = {"partition_graphs", "trace", "error_deadline"}
# What each server says in its own way, in both made the same.
SAME = (
    # TensorFlow blames the node that would send the value to the client, which the client cannot know; we, the variable.
    (r"Detected at node '\w+' .*\nNode: '\w+'\n(From \S+\nAttempting to use uninitialized value )", r"\1"),
    (r"(Attempting to use uninitialized value \w+\n).*\[\[\{\{node \w+\}\}\]\]", r"\1"),
    (r"(nodes in a cycle)\nThey are: [\w, ]+", r"\1"),  # we name the nodes, too
    # We tell where an unknown op is.
    (r"(in the binary running in this process\.)\nIt is the op of node '\w+'\.[^\n\"]*(\nKnown ops[^\n\"]*)?", r"\1"),
    (r"Debug info: container=\w+, [^\n\"]*", "Debug info: ..."),  # tells of TensorFlow's own tables
    # Advice about modules that there are no more.
    (r" Note that if you are loading a saved graph which used ops from tf\.contrib .*? is first accessed\.", ""),
    (r"goo\.gle/debug\w+ *\n", ""),
    (r"_recv_(\w+)_0", r"\1"),
    (r"Session [0-9a-f]{16} ", "Session H "),
)


def node(graph_def, name, op, inputs=(), **attrs):
    made = graph_def.node.add(name=name, op=op, input=inputs)
    for key, value in attrs.items():
        made.attr[key].CopyFrom(tf.AttrValue(type=value.as_datatype_enum) if isinstance(value, tf.DType) else tf.AttrValue(**value))
    return made


def doubling():
    """y = x + x, as a graph that no client has made."""
    graph_def = tf.GraphDef()
    graph_def.versions.producer = 2474
    node(graph_def, "x", "Placeholder", dtype=tf.float32, shape={"shape": tf.TensorShape([None, 2]).as_proto()})
    node(graph_def, "y", "AddV2", ["x", "x"], T=tf.float32)
    return graph_def


class Script:
    """The steps, each a method; what it returns is compared, errors as what the client shows of them."""

    def __init__(self, target):
        self.target = target

    def raw(self, method, **fields):
        """A call as bytes, for what no client would ask."""
        request = master_messages.request(method)(**fields)
        answer, error = call(self.target.removeprefix("grpc://"), method, request)
        return master_messages.response(method).FromString(answer), error

    def raw_session(self, graph_def=None, **config):
        response, error = self.raw("CreateSession", graph_def=graph_def or doubling(), config=tf.ConfigProto(**config))
        assert not error, error
        return response.session_handle

    def raw_run(self, **fields):
        named = [{"name": name, "tensor": tf.make_tensor_proto(value)} for name, value in fields.pop("feeds", ())]
        return self.raw("RunStep", session_handle=fields.pop("session", None) or self.raw_session(), feed=named, **fields)[1]

    def session(self, **config):
        return tf.Session(self.target, config=tf.ConfigProto(**config))

    # What works.

    def run_and_close(self):
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        y = tf.reduce_sum(x * 2, name="y")
        with self.session() as session:
            return [session.run([y, x], {x: [[1, 2]]}), session.run(y.op, {x: [[1, 2]]}), session.run(y, {x: np.zeros((0, 2))})]

    def extend(self):
        a = tf.constant([1.0, 2.0])
        with self.session() as session:
            first = session.run(a)
            b = a + 1
            return [first, session.run([b, a]), session.run({"twice": [b, b]})]

    def list_devices_before_anything_else(self):
        with self.session() as session:
            devices = session.list_devices()
            return [[(d.name, d.device_type, d.memory_limit_bytes) for d in devices], session.run(tf.constant(1))]

    def variables(self):
        v = tf.Variable([1, 2], name="v")
        r = tf.get_variable("r", initializer=tf.constant(0.5), use_resource=True)
        with self.session() as session:
            session.run(tf.global_variables_initializer())
            before = session.run([v, r])
            session.run([v.assign_add([1, 1]), r.assign_add(1.0)])  # in a step of its own: within one, no order is promised
            return before + session.run([v, r])

    def callable(self):
        x = tf.placeholder(tf.float32, [2], name="x")
        tf.negative(tf.multiply(x, 3.0, name="y"), name="z")
        options = config_pb2.CallableOptions(feed=["x:0"], fetch=["y:0", "z:0"], target=["y"])
        with self.session() as session:
            made = session._make_callable_from_options(options)
            again = session._make_callable_from_options(options)
            results = [made(np.ones(2, np.float32)), again(np.zeros(2, np.float32))]
            del made, again
            return results

    def callable_with_metadata(self):
        x = tf.placeholder(tf.float32, [2], name="x")
        tf.multiply(x, 3.0, name="y")
        with self.session() as session:
            made = session._make_callable_from_options(config_pb2.CallableOptions(feed=["x:0"], fetch=["y:0"]))
            metadata = tf.RunMetadata()
            return [made(np.ones(2, np.float32), run_metadata=metadata), metadata.HasField("step_stats")]

    def partial_run(self):
        a, b, c = (tf.placeholder(tf.float32, [], name=name) for name in "abc")
        first = a + b
        second = first * c
        with self.session() as session:
            handle = session.partial_run_setup([first, second], [a, b, c])
            one = session.partial_run(handle, first, {a: 1, b: 2})
            return [one, session.partial_run(handle, second, {c: one * 17})]

    def reset(self):
        v = tf.Variable(1.0, name="v")
        with self.session() as session:
            session.run(v.initializer)
        tf.Session.reset(self.target)
        with self.session() as other:
            return session_error(lambda: other.run(v))[:3]

    def trace(self):
        x = tf.placeholder(tf.float32, [4, 4], name="x")
        y = tf.matmul(x, x, name="product")
        metadata = tf.RunMetadata()
        with self.session() as session:
            result = session.run(y, {x: np.ones((4, 4))}, tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), metadata)
        stats = metadata.step_stats.dev_stats
        traced = {node.node_name: node for device in stats for node in device.node_stats}
        product = traced["product"]
        output = product.output[0].tensor_description
        return [result, stats[0].device, product.timeline_label, output.dtype, str(output.shape),
                product.all_start_micros > 0, 0 <= product.op_start_rel_micros <= product.op_end_rel_micros <= product.all_end_rel_micros]

    def partition_graphs(self):
        x = tf.placeholder(tf.float32, [2], name="x")
        y = tf.negative(x, name="y")
        metadata = tf.RunMetadata()
        with self.session() as session:
            session.run(y, {x: [1, 2]}, tf.RunOptions(output_partition_graphs=True), metadata)
        return [node.op for graph in metadata.partition_graphs for node in graph.node if node.name == "y"]

    def isolated_state(self):
        v = tf.Variable(1.0, name="isolated")
        with self.session(isolate_session_state=True) as one, self.session(isolate_session_state=True) as two:
            one.run(v.initializer)
            return [one.run(v), session_error(lambda: two.run(v))[:3]]

    def containers(self):
        with tf.container("kept"):
            v = tf.get_variable("v", initializer=3.0, use_resource=True)
        w = tf.get_variable("w", initializer=4.0, use_resource=True)
        with self.session() as session:
            session.run(tf.global_variables_initializer())
        tf.Session.reset(self.target)
        with self.session() as session:
            kept = [session.run(v), session_error(lambda: session.run(w))]
        tf.Session.reset(self.target, ["kept"])
        with self.session() as session:
            return [*kept, session_error(lambda: session.run(v))]

    # What does not, as the client sees it.

    def error_placeholder(self):
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        with self.session() as session:
            return session_error(lambda: session.run(x * 2))

    def error_placeholder_of_no_shape(self):
        x = tf.placeholder(tf.int64, name="x")
        with self.session() as session:
            return session_error(lambda: session.run(tf.identity(x)))

    def error_uninitialized(self):
        v = tf.Variable(1.0, name="v")
        with self.session() as session:
            return session_error(lambda: session.run(v * 2))

    def error_uninitialized_variable_fetched(self):
        v = tf.Variable(1.0, name="v")
        with self.session() as session:
            return session_error(lambda: session.run(v))[:3]

    def error_uninitialized_resource(self):
        v = tf.get_variable("v", [2], use_resource=True)
        with self.session() as session:
            return session_error(lambda: session.run(v * 2))

    def error_in_a_kernel(self):
        x, k = tf.placeholder(tf.float32, name="x"), tf.placeholder(tf.float32, name="k")
        m = tf.matmul(x, k, name="m")
        with self.session() as session:
            return session_error(lambda: session.run(m, {x: [[1, 2]], k: np.ones((3, 2))}))

    def error_in_a_reshape(self):
        x = tf.placeholder(tf.float32, [None], name="x")
        y = tf.reshape(x, [-1, 7], name="y")
        with self.session() as session:
            return session_error(lambda: session.run(y, {x: np.ones(8)}))

    def error_of_an_index(self):
        i = tf.placeholder(tf.int32, [None], name="i")
        y = tf.gather(tf.constant([1.0, 2.0]), i, name="rows")
        with self.session() as session:
            return session_error(lambda: session.run(y, {i: [0, 7]}))

    def error_of_labels(self):
        labels = tf.placeholder(tf.int32, [2], name="labels")
        loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=tf.zeros([2, 3]), name="loss")
        with self.session() as session:
            return session_error(lambda: session.run(loss, {labels: [0, 3]}))

    def error_of_a_new_shape(self):
        with self.session() as session:
            session.run(tf.Variable([1.0, 2.0], name="v").initializer)
        tf.reset_default_graph()
        v = tf.Variable(tf.zeros([3]), name="v")
        with self.session() as session:
            return session_error(lambda: session.run(v.initializer))

    def error_numbers(self):
        x = tf.placeholder(tf.float32, [2], name="x")
        y = tf.check_numerics(x, "these", name="checked")
        with self.session() as session:
            return session_error(lambda: session.run(y, {x: [1.0, np.nan]}))

    def error_after_a_reset(self):
        a = tf.constant(1.0)
        session = self.session()
        session.run(a)
        tf.Session.reset(self.target)
        result = [session_error(lambda: session.run(a)), session_error(lambda: session.run(a + 1)), session_error(session.close)]
        return result

    def error_device(self):
        with tf.device("/job:nope/task:0"):
            a = tf.constant(1.0, name="kn")
        with self.session() as session:
            return session_error(lambda: session.run(a))

    def error_device_of_no_kind(self):
        with tf.device("/device:GPU:0"):
            a = tf.constant(1.0, name="kn")
        with self.session() as session:
            return session_error(lambda: session.run(a))

    def soft_placement(self):
        with tf.device("/device:GPU:0"):
            a = tf.constant(1.0, name="kn")
        with self.session(allow_soft_placement=True) as session:
            return session.run(a)

    def error_thread_pools(self):
        config = tf.ConfigProto()
        config.session_inter_op_thread_pool.add(num_threads=2)
        with tf.Session(self.target, config=config) as session:
            return session_error(lambda: session.run(tf.constant(1)))

    def error_cluster(self):
        config = tf.ConfigProto()
        config.cluster_def.job.add(name="worker").tasks[0] = "localhost:1"
        with tf.Session(self.target, config=config) as session:
            return session_error(lambda: session.run(tf.constant(1)))

    def error_queue_is_closed(self):
        queue = tf.FIFOQueue(10, tf.int32, name="q")
        with self.session() as session:
            session.run(queue.close())
            return session_error(lambda: session.run(queue.dequeue()))

    def error_deadline(self):
        queue = tf.FIFOQueue(10, tf.int32, name="q")
        with self.session() as session:
            return session_error(lambda: session.run(queue.dequeue(), options=tf.RunOptions(timeout_in_ms=200)))

    def error_long(self):
        """More than a gRPC status can hold: it comes in the body."""
        x = tf.placeholder(tf.float32, [], name="x")
        checked = tf.Assert(x > 0, ["z" * 20_000], summarize=3, name="checked")
        with self.session() as session:
            return session_error(lambda: session.run(checked, {x: -1}))

    # What no client would ask.

    def error_no_session(self):
        return [self.raw_run(session="none", fetch=["y:0"]),
                self.raw("ExtendSession", session_handle="none", graph_def=doubling())[1],
                self.raw("CloseSession", session_handle="none")[1], self.raw("ListDevices", session_handle="none")[1],
                self.raw("MakeCallable", session_handle="none")[1], self.raw("RunCallable", session_handle="none", handle=1)[1],
                self.raw("ReleaseCallable", session_handle="none", handle=1)[1],
                self.raw("PartialRunSetup", session_handle="none", fetch=["y:0"])[1]]

    def error_version(self):
        return self.raw("ExtendSession", session_handle=self.raw_session(), graph_def=doubling(), current_graph_version=9)[1]

    def error_node_exists(self):
        return self.raw("ExtendSession", session_handle=self.raw_session(), graph_def=doubling())[1]

    def error_fetch(self):
        return [self.raw_run(fetch=["zz:0"]), self.raw_run(fetch=["y:1"]), self.raw_run(fetch=["y:0", "zz:0"])]

    def error_target(self):
        return [self.raw_run(target=["zz"]), self.raw_run(target=["zz", "y", "q"])]

    def error_feed(self):
        one = np.ones((1, 2), np.float32)
        return [self.raw_run(feeds=[("zz:0", one)], fetch=["y:0"]), self.raw_run(feeds=[("x:1", one)], fetch=["y:0"]),
                self.raw_run(feeds=[("x:0", one), ("x:0", one)], fetch=["y:0"])]

    def error_nothing_to_do(self):
        return self.raw_run()

    def error_type_of_a_feed(self):
        return self.raw_run(feeds=[("x:0", np.ones((1, 2), np.int32))], fetch=["y:0"])

    def error_op(self):
        graph_def = doubling()
        node(graph_def, "n", "Nonesuch")
        return self.raw("CreateSession", graph_def=graph_def)[1]

    def error_op_later(self):
        graph_def = tf.GraphDef()
        node(graph_def, "n", "Nonesuch")
        session = self.raw_session()
        return [self.raw("ExtendSession", session_handle=session, graph_def=graph_def)[1], self.raw_run(session=session, fetch=["y:0"])]

    def error_input(self):
        graph_def = tf.GraphDef()
        node(graph_def, "n", "Neg", ["nothing"], T=tf.float32)
        return self.raw("CreateSession", graph_def=graph_def)[1]

    def error_attribute(self):
        graph_def = tf.GraphDef()
        node(graph_def, "n", "Placeholder")
        wrong = tf.GraphDef()
        node(wrong, "n", "Neg", ["n"], T=tf.string)
        return [self.raw("CreateSession", graph_def=graph_def)[1], self.raw("CreateSession", graph_def=wrong)[1]]

    def error_body(self):
        """The error of a step in the body, where it is asked for."""
        response, error = self.raw("RunStep", session_handle=self.raw_session(), fetch=["y:0"], store_errors_in_response_body=True)
        return [error, response.status_code, response.status_error_message]

    def error_callable(self):
        session = self.raw_session()
        # A callable that gets too few feeds is left out: TensorFlow's server dies of it.
        return [self.raw("RunCallable", session_handle=session, handle=77)[1],
                self.raw("ReleaseCallable", session_handle=session, handle=77)[1],
                self.raw("MakeCallable", session_handle=session, options={"fetch": ["zz:0"]})[1],
                self.raw("MakeCallable", session_handle=session, options={"feed": ["x:0"], "fetch": ["x:0"]})[1],
                self.raw("MakeCallable", session_handle=session)[1]]

    def error_partial_run(self):
        session = self.raw_session()
        return [self.raw_run(session=session, partial_run_handle="none", fetch=["y:0"]),
                self.raw("PartialRunSetup", session_handle=session, fetch=["zz:0"])[1],
                self.raw("PartialRunSetup", session_handle=session)[1]]


STEPS = [name for name, member in vars(Script).items() if inspect.isfunction(member) and not name.startswith(("_", "raw", "session"))]


def session_error(run):
    """What the client shows of an error."""
    try:
        return ["no error", run()]
    except tf.errors.OpError as error:
        op = error.op.name if error.op is not None else None
        # The client shows also where the user made the node.
        message = re.sub(r'(?m)^ *File ".*\n', "", error.message.split("\n\nOriginal stack trace for")[0])
        return [type(error).__name__, CODES[error.error_code], message, op, str(error.node_def)]


def recorded(server):
    """By step: its result, and the calls that it made."""
    with tempfile.NamedTemporaryFile() as file, contextlib.ExitStack() as end:
        proxy = Server(sys.executable, f"{HERE}/recording_proxy.py", server.address, file.name)
        end.callback(proxy.end)
        script, found, num_calls = Script(proxy.target), {}, 0
        for name in STEPS:
            tf.reset_default_graph()
            tf.Session.reset(proxy.target)
            try:
                result = getattr(script, name)()
            except (tf.errors.OpError, AssertionError, KeyError, IndexError) as error:
                result = f"{type(error).__name__}: {error}"
            wait_until_written(proxy.target)
            calls = recorded_calls(file.name)
            found[name], num_calls = (result, calls[num_calls + 1 :]), len(calls)
        gc.collect()
    return found


def as_fields(message):
    return json_format.MessageToDict(message, preserving_proto_field_name=True)


def comparable(fields, key=""):
    """Without what differs from process to process, values as numbers and not as one of the forms that they may be written in."""
    if isinstance(fields, list):
        return [comparable(one, key) for one in fields]
    if not isinstance(fields, dict):
        return "some" if key in HANDLES else same(fields) if isinstance(fields, str) else fields
    if key in ("tensor", "feed", "fetch") and fields.get("dtype", "DT_STRING") != "DT_STRING":
        proto = json_format.ParseDict(fields, tf.make_tensor_proto(0).__class__())
        return [fields["dtype"], repr(tf.make_ndarray(proto).tolist())]
    compared = {name: comparable(value, name) for name, value in sorted(fields.items())}
    return {name: value for name, value in compared.items() if value != {}}  # an empty message says as much as none


HANDLES = {"target", "session_handle", "request_id", "incarnation", "physical_device_desc", "partial_run_handle"}


class RecordingsTest(unittest.TestCase):
    maxDiff = 4000

    @classmethod
    def setUpClass(cls):
        servers = Server(*TENSORFLOW_SERVER), Server()
        try:
            cls.theirs, cls.ours = (recorded(server) for server in servers)
        finally:
            for server in servers:
                server.end()

    def test_the_script_makes_each_call(self):
        made = {call.method for _, calls in self.theirs.values() for call in calls if call.code == 0}
        self.assertEqual(made, set(master_messages.METHODS))

    def assert_step(self, name):
        expected, their_calls = self.theirs[name]
        result, our_calls = self.ours[name]
        self.assertEqual(plain(expected), plain(result))
        self.assertEqual([call.method for call in their_calls], [call.method for call in our_calls])
        if name in RESULT_ONLY:
            return
        for theirs, ours in zip(their_calls, our_calls):
            request = master_messages.request(theirs.method)
            self.assertEqual(*(comparable(as_fields(request.FromString(call.request))) for call in (theirs, ours)))
            self.assertEqual((theirs.code, same(theirs.details)), (ours.code, same(ours.details)))
            response = master_messages.response(theirs.method)
            self.assertEqual(*(comparable(as_fields(response.FromString(call.response))) for call in (theirs, ours)))


def plain(result):
    """A result whose arrays are lists, as text in which what may differ does not."""
    return same(json.dumps(result, default=lambda array: array.tolist(), indent=1).replace("\\n", "\n"))


def same(text):
    for pattern, instead in SAME:
        text = re.sub(pattern, instead, text)
    # Nodes that are missing come in any order.
    return re.sub(r"(target nodes not found: )([\w ]+)", lambda found: found[1] + " ".join(sorted(found[2].split())), text)


def add_test(name):
    def test(self):
        try:
            self.assert_step(name)
        except AssertionError as difference:
            if name not in KNOWN_DIFFERENCES:
                raise
            self.skipTest(f"{KNOWN_DIFFERENCES[name]}: {str(difference).splitlines()[0][:200]}")

    setattr(RecordingsTest, f"test_{name}", test)


for step in STEPS:
    add_test(step)

if __name__ == "__main__":
    unittest.main()
