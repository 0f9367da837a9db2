"""Sessions from Python: fetches of any nesting, feeds, NumPy, errors. Expectations are those of TensorFlow's Session."""

import collections
import gc
import glob
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np

from flowray import tf


class SessionTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def test_linear_regression_finds_the_line(self):
        xs = np.linspace(0, 1, 100, dtype=np.float32)
        x, y = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [None])
        w, b = tf.Variable(tf.random_uniform([1], -1.0, 1.0)), tf.Variable(tf.zeros([1]))
        loss = tf.reduce_mean(tf.square(w * x + b - y))
        train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(200):
                sess.run(train, feed_dict={x: xs, y: 0.1 * xs + 0.3})
            weight, bias = sess.run([w, b])
        np.testing.assert_allclose([weight[0], bias[0]], [0.1, 0.3], atol=1e-3)

    def test_the_result_has_the_structure_of_the_fetches(self):
        Pair = collections.namedtuple("Pair", "first second")
        a, b = tf.constant(1.0), tf.constant([2, 3])
        nothing = tf.no_op()
        with tf.Session() as sess:
            result = sess.run({"pair": Pair(a, [b, nothing]), "name": "Const:0", "tuple": (a,)})
        self.assertEqual(result["pair"].first, np.float32(1.0))
        np.testing.assert_array_equal(result["pair"].second[0], np.array([2, 3], np.int32))
        self.assertIsNone(result["pair"].second[1])
        self.assertEqual(result["name"], 1.0)
        self.assertEqual(result["tuple"], (1.0,))
        self.assertIsInstance(result["pair"], Pair)

    def test_a_key_of_feeds_may_be_a_structure(self):
        Pair = collections.namedtuple("Pair", "first second")
        a, b, c = (tf.placeholder(tf.float32, []) for _ in range(3))
        state = tf.nn.rnn_cell.LSTMStateTuple(tf.placeholder(tf.float32, [2]), tf.placeholder(tf.float32, [2]))
        one, two = np.float32([1, 2]), np.float32([3, 4])
        total = a + 10.0 * b + 100.0 * c
        with tf.Session() as sess:
            for feeds in ({(a, b): (1, 2), c: 3}, {Pair(a, b): Pair(1, 2), c: 3}, {(a, (b, c)): [1, [2, 3]]},
                          {(a, (c,), b): np.float32([1, 3, 2]).tolist()}):
                self.assertEqual(sess.run(total, feeds), 321)
            self.assertEqual(sess.run(state.c + state.h, {state: (one, two)}).tolist(), [4, 6])
            self.assertEqual(sess.run(state.c, {state: sess.run(state, {state: (one, two)})}).tolist(), [1, 2])
            with self.assertRaisesRegex(ValueError, "^Could not flatten dictionary. Key had 2 elements, but value had 3 elements. Key: "):
                sess.run(total, {(a, b): (1, 2, 3), c: 1})
            with self.assertRaisesRegex(TypeError, "Cannot interpret feed_dict key as Tensor"):
                sess.run(total, {(a, 3.0): (1, 2), b: 1, c: 1})

    def test_dtypes_cross_both_ways(self):
        for dtype in ("float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "bool", "complex64",
                      "complex128"):
            value = np.array([[0, 1, 2], [3, 4, 5]]).astype(dtype)
            with tf.Graph().as_default(), tf.Session() as sess:
                x = tf.placeholder(dtype, [2, 3])
                for fed in (value, np.asfortranarray(value), value.tolist()):
                    result = sess.run(tf.identity(x), {x: fed})
                    self.assertEqual(result.dtype, np.dtype(dtype))
                    np.testing.assert_array_equal(result, value)
                self.assertEqual(type(sess.run(x[0, 1], {x: value})), np.dtype(dtype).type)

    def test_strings_are_bytes(self):
        with tf.Session() as sess:
            self.assertEqual(sess.run(tf.constant("grün")), "grün".encode())
            result = sess.run(tf.constant([["a", "b"], ["c", "d"]]))
            self.assertEqual(result.tolist(), [[b"a", b"b"], [b"c", b"d"]])
            x = tf.placeholder(tf.string, [None])
            self.assertEqual(sess.run(tf.identity(x), {x: np.array(["x", "yz"])}).tolist(), [b"x", b"yz"])

    def test_strings_keep_their_bytes(self):
        x = tf.placeholder(tf.string)
        with tf.Session() as sess:
            for fed, value in (([b"a\0", "b\0\0"], [b"a\0", b"b\0\0"]), (np.array([b"a\0", 'c'], object), [b"a\0", b"c"]),
                               (b"a\0b\0", b"a\0b\0"), ([["a\0b"]], [[b"a\0b"]])):
                result = sess.run(tf.identity(x), {x: fed})
                self.assertEqual(result if isinstance(result, bytes) else result.tolist(), value)
            self.assertEqual(sess.run(tf.constant(["a\0b", b"c\0"])).tolist(), [b"a\0b", b"c\0"])
            for mixed in ([1, "a"], ["a", None]):
                with self.assertRaises(TypeError):
                    sess.run(x, {x: mixed})
            with self.assertRaises(UnicodeEncodeError):
                sess.run(x, {x: "\udc80"})

    def test_integers_are_fed_whole(self):
        with tf.Session() as sess:
            for dtype, number in ((tf.uint64, 2**63), (tf.uint64, 2**64 - 1), (tf.int64, -2**63), (tf.uint8, 255), (tf.int8, -128)):
                x = tf.placeholder(dtype, [])
                self.assertEqual(int(sess.run(tf.identity(x), {x: number})), number)
            for dtype, number in ((tf.uint64, -1), (tf.uint64, 2**64), (tf.int64, 2**63), (tf.uint8, -1), (tf.uint8, 256), (tf.int32, 2**31)):
                x = tf.placeholder(dtype, [])
                with self.assertRaisesRegex(TypeError, "is not compatible with Tensor type"):
                    sess.run(x, {x: number})

    def test_fetched_arrays_are_writable_and_alias_nothing(self):
        with tf.Session() as sess:
            v = tf.Variable([1.0, 2.0])
            sess.run(v.initializer)
            first = sess.run(v)
            first[0] = 100
            np.testing.assert_array_equal(sess.run(v), [1, 2])
            sess.run(v.assign_add([1.0, 1.0]))
            np.testing.assert_array_equal(first, [100, 2])
            one, other = sess.run([v, tf.identity(v)])
            one[0] = -1
            self.assertEqual(other[0], 2)
            fed = np.array([5.0, 6.0], np.float32)
            x = tf.placeholder(tf.float32, [2])
            sess.run(v.assign(x), {x: fed})
            fed[:] = 0
            np.testing.assert_array_equal(sess.run(v), [5, 6])

    def test_a_large_fetched_array_outlives_its_session(self):
        with tf.Graph().as_default():
            with tf.Session() as sess:
                result = sess.run(tf.ones([1000, 1000]))
        gc.collect()
        self.assertEqual(result.sum(), 1e6)

    def test_errors_are_tensorflows(self):
        x = tf.placeholder(tf.float32, [2], name="x")
        v = tf.Variable(1.0)
        with tf.Session() as sess:
            with self.assertRaisesRegex(ValueError, r"Cannot feed value of shape \(3,\) for Tensor"):
                sess.run(x, {x: [1, 2, 3]})
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "You must feed a value for placeholder tensor 'x'") as caught:
                sess.run(x + 1)
            self.assertEqual(caught.exception.op.name, "x")
            self.assertEqual(caught.exception.error_code, tf.errors.INVALID_ARGUMENT)
            with self.assertRaises(tf.errors.FailedPreconditionError):
                sess.run(v)
            with self.assertRaisesRegex(TypeError, "Cannot be None"):
                sess.run(None)
            with self.assertRaisesRegex(TypeError, "The value of a feed cannot be a tf.Tensor object"):
                sess.run(x, {x: tf.constant([1.0, 2.0])})
        with self.assertRaisesRegex(RuntimeError, "Attempted to use a closed Session"):
            sess.run(x)
        with self.assertRaisesRegex(ValueError, "No default session is registered"):
            x.eval()

    def test_errors_name_the_line_that_made_the_node(self):
        x = tf.placeholder(tf.float32, [2], name="x")  # this line
        with tf.Session() as sess, self.assertRaises(tf.errors.InvalidArgumentError) as caught:
            sess.run(x)
        text = str(caught.exception)
        self.assertIn("Originally defined at:", text)
        self.assertIn("session_test.py", text)
        self.assertIn("# this line", text)

    def test_a_callable_takes_one_value_for_each_feed(self):
        x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
        with tf.Session() as sess:
            add = sess.make_callable(x + y, [x, y])
            self.assertEqual(add(1, 2.5), 3.5)
            both = sess.make_callable([x - y, {"product": x * y}], [x, y])
            self.assertEqual(both(3, 2), [1.0, {"product": 6.0}])
            with self.assertRaises(ValueError):
                add(1)

    def test_a_callable_takes_options(self):
        x = tf.placeholder(tf.float32, [])
        y = tf.multiply(x, 2, name="y")
        two = tf.constant(2.0) + 1
        with tf.Session() as sess:
            for step, feeds in ((sess.make_callable(y, [x]), [1.5]), (sess.make_callable(two, accept_options=True), []),
                                (sess.make_callable(two, []), [])):
                told = tf.RunMetadata()
                value = step(*feeds, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=told)
                self.assertEqual(value, 3)
                self.assertEqual(step(*feeds), 3)
                if feeds:  # the others are constants by then
                    self.assertTrue(told.step_stats.dev_stats[0].node_stats)
            queue = tf.FIFOQueue(1, [tf.float32], shapes=[[]])
            waits = sess.make_callable(queue.dequeue(), accept_options=True)
            with self.assertRaises(tf.errors.DeadlineExceededError):
                waits(options=tf.RunOptions(timeout_in_ms=20))
            with self.assertRaisesRegex(TypeError, "got an unexpected keyword argument 'options'"):
                sess.make_callable(two)(options=tf.RunOptions())
            with self.assertRaisesRegex(TypeError, "got an unexpected keyword argument 'other'"):
                sess.make_callable(y, [x])(1, other=2)
            for wrong in (x, {x: 1}, "x"):
                with self.assertRaisesRegex(TypeError, "Argument `feed_list` must be a list or tuple. Received: feed_list="):
                    sess.make_callable(y, wrong)

    def test_arguments_of_sessions_are_checked(self):
        for arguments, text in (({"target": 5}, 'Argument `target` must be a string, but got "int"'),
                                ({"target": ["a"]}, 'Argument `target` must be a string, but got "list"'),
                                ({"graph": "x"}, 'Argument `graph` must be a tf.Graph, but got "str"'),
                                ({"config": 5}, 'Argument `config` must be a tf.ConfigProto, but got "int"')):
            with self.assertRaises(TypeError) as caught:
                tf.Session(**arguments)
            self.assertEqual(str(caught.exception), text)
        with self.assertRaisesRegex(tf.errors.NotFoundError, "No session factory registered for the given session options"):
            tf.Session("localhost:2222")

    def test_steps_run_in_many_threads(self):
        x = tf.placeholder(tf.float32, [100])
        y = tf.reduce_sum(x * 2)
        results = {}
        with tf.Session() as sess:
            def work(number):
                results[number] = [sess.run(y, {x: np.full(100, number)}) for _ in range(50)]
            threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(results, {n: [200.0 * n] * 50 for n in range(8)})

    def test_default_graphs_belong_to_threads(self):
        names = []
        thread = threading.Thread(target=lambda: names.append(tf.constant(1).name))
        tf.constant(1)
        thread.start()
        thread.join()
        self.assertEqual(names, ["Const:0"])

    def test_an_interactive_session_is_the_default_one_until_it_is_closed(self):
        sess = tf.InteractiveSession()
        v = tf.Variable([1.0, 2.0])
        v.initializer.run()
        np.testing.assert_array_equal((v - 1.0).eval(), [0, 1])
        sess.close()
        self.assertIsNone(tf.get_default_session())

    def test_a_default_session_lives_without_a_variable(self):
        tf.InteractiveSession()
        gc.collect()
        self.assertEqual(tf.constant(3).eval(), 3)
        tf.get_default_session().close()
        self.assertIsNone(tf.get_default_session())

    def test_sessions_end_out_of_order(self):
        first, second = tf.InteractiveSession(), tf.InteractiveSession()
        first.close()
        del first
        gc.collect()
        self.assertIs(tf.get_default_session(), second)
        second.close()
        self.assertIsNone(tf.get_default_session())

    def test_as_default_leaves_the_graph_of_the_session(self):
        with tf.Graph().as_default() as graph:
            sess = tf.InteractiveSession(graph=graph)
        with sess.as_default():
            self.assertIs(tf.get_default_session(), sess)
        self.assertIs(tf.get_default_graph(), graph)
        sess.close()

    def test_the_structure_of_fetches_is_that_of_the_call(self):
        a, b = tf.constant(1), tf.constant(2)
        fetches, named = [a], {"a": a}
        with tf.Session() as sess:
            step, step_named = sess.make_callable(fetches), sess.make_callable([named])
            fetches.append(b)
            named["b"] = b
            self.assertEqual((step(), step_named()), ([1], [{"a": 1}]))
            fetches.clear()
            self.assertEqual((step(), step_named()), ([1], [{"a": 1}]))
            self.assertEqual(sess.run(fetches), [])

    def test_lists_that_contain_themselves_are_recursion_errors(self):
        fetches, values = [tf.constant(1)], [1]
        fetches.append(fetches)
        values.append(values)
        with tf.Session() as sess:
            for misuse in (lambda: sess.run(fetches), lambda: sess.make_callable(fetches), lambda: tf.constant(values),
                           lambda: tf.group(*fetches), lambda: tf.stack(values)):
                with self.assertRaises(RecursionError):
                    misuse()

    def test_graphs_that_end_out_of_order_do_not_end_the_program(self):
        with tf.Graph().as_default() as graph:
            sess = tf.InteractiveSession(graph=graph)
            with tf.Graph().as_default():
                sess.close()
            self.assertIs(tf.get_default_graph(), graph)


class PartialRunTest(unittest.TestCase):
    """Texts and values are those of tensorflow-cpu 2.21."""

    def setUp(self):
        graph = tf.Graph().as_default()
        graph.__enter__()
        self.addCleanup(graph.__exit__, None, None, None)
        self.a, self.b, self.c = (tf.placeholder(tf.float32, [], name=name) for name in "abc")
        self.sum = tf.add(self.a, self.b, name="sum")
        self.product = tf.multiply(self.sum, self.c, name="product")
        self.count = tf.Variable(0.0)
        self.counted = self.count.assign_add(self.a)

    def check(self, session):
        handle = session.partial_run_setup([self.sum, self.product], [self.a, self.b, self.c])
        self.assertEqual(session.partial_run(handle, self.sum, {self.a: 1, self.b: 2}), 3)
        self.assertEqual(session.partial_run(handle, {"p": [self.product]}, {self.c: 5}), {"p": [15]})
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "Must run .* before performing partial runs"):
            session.partial_run(handle, self.sum, {self.a: 1})

        handle = session.partial_run_setup([self.sum, self.product], [self.a, self.b, self.c])
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "can't be computed from the feeds"):
            session.partial_run(handle, self.product, {self.a: 1, self.b: 2})
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "was not specified in partial_run_setup"):
            session.partial_run(handle, self.counted, {self.a: 1, self.b: 2})
        with self.assertRaisesRegex(RuntimeError, "partial_run\\(\\) requires empty target_list"):
            session.partial_run(handle, self.counted.op, {self.a: 1, self.b: 2})

        session.run(self.count.initializer)
        handle = session.partial_run_setup([self.counted, self.product], [self.a, self.b, self.c])
        self.assertEqual(session.partial_run(handle, [], {self.a: 4}), [])
        self.assertEqual(session.run(self.count), 4)  # all that it needed was fed
        self.assertEqual(session.partial_run(handle, [self.counted, self.product], {self.b: 1, self.c: 2}), [4, 10])
        self.assertEqual(session.run(self.count), 4)

    def test_it_is_fed_and_fetched_in_several_calls(self):
        with tf.Session() as session:
            self.check(session)

    def test_on_a_server_too(self):
        server = tf.train.Server.create_local_server()
        with tf.Session(server.target) as session:
            self.check(session)

    def test_a_node_that_fails_ends_it(self):
        bad = tf.gather(tf.constant([1.0, 2.0]), tf.cast(self.a, tf.int32), name="bad")
        with tf.Session() as session:
            handle = session.partial_run_setup([bad, self.sum], [self.a, self.b])
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "indices = 5 is not in \\[0, 2\\)") as caught:
                session.partial_run(handle, bad, {self.a: 5})
            self.assertEqual(caught.exception.op.name, "bad")
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "Must run .* before performing partial runs"):
                session.partial_run(handle, self.sum, {self.b: 1})


class ConfigTest(unittest.TestCase):
    def test_unknown_fields_are_refused(self):
        for message in (tf.ConfigProto, tf.GPUOptions, tf.RunOptions):
            with self.assertRaisesRegex(ValueError, "Protocol message \\w+ has no \"nothing\" field."):
                message(nothing=1)
        config = tf.ConfigProto()
        with self.assertRaisesRegex(AttributeError, 'Assignment not allowed \\(no field "nothing"'):
            config.nothing = 1
        with self.assertRaisesRegex(AttributeError, 'no field "nothing"'):
            config.gpu_options.experimental.nothing = 1
        config.gpu_options.experimental.use_unified_memory = True
        self.assertTrue(config.gpu_options.experimental.use_unified_memory)

    def test_what_is_not_there_is_refused(self):
        with self.assertRaisesRegex(NotImplementedError, "ConfigProto.use_per_session_threads is not there yet"):
            tf.ConfigProto(use_per_session_threads=True)
        self.assertFalse(tf.ConfigProto(use_per_session_threads=False).use_per_session_threads)
        rewrites = tf.ConfigProto().graph_options.rewrite_options
        rewrites.layout_optimizer = rewrites.ON  # no result changes by it
        rewrites.auto_mixed_precision = rewrites.OFF
        with self.assertRaisesRegex(NotImplementedError, "RewriterConfig.auto_mixed_precision cannot be 1: give the variables another"):
            rewrites.auto_mixed_precision = rewrites.ON
        with self.assertRaisesRegex(NotImplementedError, "RewriterConfig.debug_stripper cannot be 1: leave Assert, CheckNumerics and "):
            rewrites.debug_stripper = rewrites.ON
        with self.assertRaisesRegex(NotImplementedError, "OptimizerOptions.opt_level cannot be 7: say OptimizerOptions.L1 or L0"):
            tf.OptimizerOptions(opt_level=7)
        with self.assertRaisesRegex(NotImplementedError, "ConfigProto.Experimental.executor_type is not there yet"):
            tf.ConfigProto().experimental.executor_type = "SINGLE_THREADED_EXECUTOR"
        with self.assertRaisesRegex(AttributeError, 'no field "nothing"'):
            rewrites.nothing = 1

    def runs_sum(self, **options):
        """Whether 1 + 2, of x * (1 + 2), is computed in the step."""
        told = tf.RunMetadata()
        with tf.Graph().as_default(), tf.Session(config=tf.ConfigProto(graph_options=tf.GraphOptions(**options))) as sess:
            x = tf.placeholder(tf.float32, [])
            product = x * tf.add(1.0, 2.0, name="sum")
            self.assertEqual(sess.run(product, {x: 2}, tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), told), 6)
        return "sum" in [node.node_name for device in told.step_stats.dev_stats for node in device.node_stats]

    def test_constants_are_folded_unless_it_says_otherwise(self):
        from flowray.tf._language import RewriterConfig
        self.assertFalse(self.runs_sum())
        self.assertTrue(self.runs_sum(optimizer_options=tf.OptimizerOptions(opt_level=tf.OptimizerOptions.L0)))
        self.assertTrue(self.runs_sum(rewrite_options=RewriterConfig(constant_folding=RewriterConfig.OFF)))
        self.assertFalse(self.runs_sum(rewrite_options=RewriterConfig(constant_folding=RewriterConfig.AGGRESSIVE)))

    def test_the_graph_that_ran_is_told(self):
        with tf.Graph().as_default(), tf.Session() as sess:
            x = tf.placeholder(tf.float32, [], name="x")
            y = tf.add(x, 1.0, name="y")
            tf.negative(x, name="unused")
            told = tf.RunMetadata()
            self.assertEqual(sess.run(y, {x: 2}, tf.RunOptions(output_partition_graphs=True), told), 3)
            names = [node.name for graph in told.partition_graphs for node in graph.node]
            self.assertIn("y", names)
            self.assertNotIn("unused", names)
            self.assertIn(b"unused", sess.graph.as_graph_def().SerializeToString())
            self.assertIn(told.partition_graphs[0].SerializeToString(), told.SerializeToString())
            sess.run(y, {x: 2}, run_metadata=told)
            self.assertEqual(told.partition_graphs, [])

    def test_devices_are_one_cpu(self):
        with tf.Graph().as_default():
            self.assertEqual(tf.Session(config=tf.ConfigProto(device_count={"GPU": 0, "CPU": 1})).run(tf.constant(2)), 2)
            with self.assertRaisesRegex(tf.errors.UnimplementedError, "device_count asks for 2 devices of the type CPU"):
                tf.Session(config=tf.ConfigProto(device_count={"CPU": 2}))

    def test_placement_is_logged(self):
        program = "from flowray import tf\n" \
                  "with tf.Session(config=tf.ConfigProto(log_device_placement=True)) as sess: sess.run(tf.constant(1, name='one'))"
        said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
        self.assertEqual(said, "one: (Const): /job:localhost/replica:0/task:0/device:CPU:0\n")


class SupervisorTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def test_a_basic_loop_trains_until_the_supervisor_is_to_stop(self):
        step = tf.train.get_or_create_global_step()
        more = step.assign_add(1)
        supervisor = tf.train.Supervisor()
        seen, ended = [], []

        def train(session, last, of):
            seen.append(int(session.run(more)))
            if seen[-1] == 2 and not ended:
                ended.append(True)
                raise tf.errors.AbortedError(None, None, "the server was started again")
            if len(seen) == last:
                supervisor.request_stop()
            self.assertEqual(of, "words")

        tf.train.basic_train_loop(supervisor, train, (5,), {"of": "words"})
        self.assertEqual(seen, [1, 2, 1, 2, 3])

    def test_a_writer_that_stays_open_is_refused(self):
        tf.reset_default_graph()
        tf.Variable(1.0)
        supervisor = tf.train.Supervisor()
        with self.assertRaisesRegex(NotImplementedError, "close_summary_writer"):
            supervisor.stop(close_summary_writer=False)
        with self.assertRaisesRegex(NotImplementedError, "close_summary_writer"):
            with supervisor.managed_session(close_summary_writer=False):
                pass
        supervisor.stop()

    def test_its_thread_ends_before_what_it_uses(self):
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(20):  # each is given up while its thread saves
                with tf.Graph().as_default():
                    v = tf.Variable(tf.zeros([1000]))
                    saver = tf.train.Saver()
                    supervisor = tf.train.Supervisor(logdir=folder, saver=saver, save_model_secs=0.001)
                    supervisor.prepare_or_wait_for_session()
                    del saver, supervisor, v
                    gc.collect()

    def test_it_tells_when_it_begins_saves_and_ends(self):
        # As TensorFlow's: START and CHECKPOINT with their step, STOP with none, the graph as text, steps a second.
        step = tf.train.get_or_create_global_step()
        count = tf.assign_add(step, 1)
        with tempfile.TemporaryDirectory() as folder:
            supervisor = tf.train.Supervisor(logdir=folder, save_summaries_secs=0.01)
            with supervisor.managed_session() as sess:
                deadline = time.monotonic() + 60
                while not (saved := tf.train.latest_checkpoint(folder)) or not self.rates(folder):
                    self.assertLess(time.monotonic(), deadline)
                    sess.run(count)
            with open(os.path.join(folder, "graph.pbtxt"), encoding="utf-8") as file:
                self.assertIn('name: "global_step"', file.read())
            logs = [(event.session_log.status, event.step, event.session_log.checkpoint_path) for event in self.events(folder)
                    if event.HasField("session_log")]
            self.assertEqual([status for status, _, _ in logs], [tf.SessionLog.START, tf.SessionLog.CHECKPOINT, tf.SessionLog.STOP])
            self.assertEqual([logs[0][1], logs[2][1]], [0, 0])
            self.assertEqual(logs[1][2], os.path.join(folder, "model.ckpt"))
            self.assertEqual(saved, "%s-%d" % (logs[1][2], logs[1][1]))
            self.assertGreaterEqual(self.rates(folder)[0], 0)

    @staticmethod
    def events(folder):
        [name] = glob.glob(os.path.join(folder, "events.*"))
        try:
            return list(tf.train.summary_iterator(name))
        except tf.errors.DataLossError:  # a record that is half written yet
            return []

    def rates(self, folder):
        return [value.simple_value for event in self.events(folder) for value in event.summary.value if value.tag == "global_step/sec"]

    def test_its_writer_and_saver_outlive_it(self):
        v = tf.Variable(1.0)
        with tempfile.TemporaryDirectory() as folder:
            supervisor = tf.train.Supervisor(logdir=folder, save_model_secs=0)
            with supervisor.managed_session() as sess:
                self.assertIs(supervisor.saver, supervisor.saver)
                writer, saver = supervisor.summary_writer, supervisor.saver
                del supervisor
                gc.collect()
                self.assertEqual(writer.get_logdir(), folder)
                saver.restore(sess, saver.save(sess, folder + "/mine"))
                self.assertEqual(sess.run(v), 1)
                self.assertEqual(saver.last_checkpoints, [folder + "/mine"])

    def test_it_runs_what_it_is_given_in_order(self):
        fed = tf.placeholder(tf.float32, [])
        a = tf.Variable(fed, name="a")
        b = tf.get_variable("b", initializer=0.0, collections=[tf.GraphKeys.LOCAL_VARIABLES])
        supervisor = tf.train.Supervisor(init_op=a.initializer, init_feed_dict={fed: 5.0}, local_init_op=b.assign(a + 1.0),
                                         ready_for_local_init_op=tf.report_uninitialized_variables([a]),
                                         init_fn=lambda sess: a.load(sess.run(a) * 2, sess))
        session = supervisor.prepare_or_wait_for_session()
        self.assertEqual(session.run([a, b]), [10.0, 11.0])
        supervisor.stop()
        self.assertTrue(supervisor.should_stop())

    def test_it_says_what_is_not_ready(self):
        tf.get_variable("a", initializer=1.0)
        supervisor = tf.train.Supervisor(init_op=None)
        with self.assertRaisesRegex(RuntimeError, "did not make model ready.*Variables not initialized: a"):
            supervisor.prepare_or_wait_for_session()
        tf.reset_default_graph()
        tf.get_variable("a", initializer=1.0)
        other = tf.train.Supervisor(is_chief=False, recovery_wait_secs=0.01)
        with self.assertRaisesRegex(tf.errors.DeadlineExceededError, "Session was not ready after waiting 0 secs."):
            other.prepare_or_wait_for_session(max_wait_secs=0)

    def test_a_session_manager_restores_what_there_is(self):
        v = tf.get_variable("v", initializer=1.0)
        saver = tf.train.Saver()
        with tempfile.TemporaryDirectory() as folder:
            manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables())
            session, is_ready = manager.recover_session("", saver, folder)
            self.assertFalse(is_ready)
            session.run(v.initializer)
            v.load(7.0, session)
            saver.save(session, folder + "/mine")
            session, is_ready = manager.recover_session("", saver, folder)
            self.assertTrue(is_ready)
            self.assertEqual(session.run(v), 7.0)
            self.assertEqual(manager.prepare_session("", v.initializer, saver, folder).run(v), 7.0)
            self.assertEqual(manager.prepare_session("", v.initializer).run(v), 1.0)
        with self.assertRaisesRegex(RuntimeError, "Model is not initialized and no init_op or init_fn or local_init_op was given"):
            manager.prepare_session("")

    def test_others_run_while_variables_are_loaded_and_restored(self):
        v = tf.Variable([1.0, 2.0])
        saver = tf.train.Saver()
        with tempfile.TemporaryDirectory() as folder, tf.Session() as sess:
            sess.run(v.initializer)
            path = saver.save(sess, folder + "/mine")
            v.load([3, 4])
            np.testing.assert_array_equal(sess.run(v), [3, 4])
            saver.restore(sess, path)
            np.testing.assert_array_equal(sess.run(v), [1, 2])
            self.assertIn("Variable", sess.explain(v, 1))

    def test_a_saver_refuses_what_names_no_variables(self):
        a = tf.Variable(1.0, name="a")
        self.assertEqual(a.op.name, "a")
        for var_list, error, words in (
            ({}, ValueError, "No variables to save"),
            ([], ValueError, "No variables to save"),
            ([a, a], ValueError, "At least two variables have the same name: a"),
            ({"x": a, "y": a}, ValueError, "The same saveable will be restored with two names: y"),
            ({"x": None}, ValueError, "None values not supported."),
            ({"x": tf.identity(a)}, TypeError, "names_to_saveables must be a dict mapping string names to Tensors/Variables. Not a variable: "),
        ):
            with self.subTest(var_list=str(var_list)), self.assertRaises(error) as raised:
                tf.train.Saver(var_list)
            self.assertEqual(str(raised.exception)[: len(words)], words)


class InterruptTest(unittest.TestCase):
    def test_ctrl_c_is_raised_when_the_step_has_ended(self):
        # A process begun in the background ignores the signal.
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))
        queue = tf.FIFOQueue(1, [tf.int32], shapes=[[]])
        put, taken = queue.enqueue(3), queue.dequeue()

        def interrupt_and_let_it_end(session):
            os.kill(os.getpid(), signal.SIGINT)
            session.run(put)
        with tf.Session() as sess:
            thread = threading.Thread(target=interrupt_and_let_it_end, args=(sess,))
            with self.assertRaises(KeyboardInterrupt):
                thread.start()
                sess.run(taken)
                sess.run(tf.constant(1))  # where the signal came when the step had just ended
            thread.join()
            self.assertEqual(sess.run(tf.constant(2) + 3), 5)

    def test_ctrl_c_in_a_function_of_python_is_no_error_of_the_step(self):
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, signal.default_int_handler))

        def interrupted(value):
            os.kill(os.getpid(), signal.SIGINT)
            return value
        with tf.Session() as sess:
            for _ in range(3):
                with self.assertRaises(KeyboardInterrupt):
                    sess.run(tf.py_func(interrupted, [1.0], tf.float32))
            self.assertEqual(sess.run(tf.py_func(lambda value: value, [2.0], tf.float32)), 2.0)


if __name__ == "__main__":
    unittest.main()
