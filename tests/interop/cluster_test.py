"""Parameter servers and workers, ours, TensorFlow's and both mixed, driven by TensorFlow's own client: what a cluster of TensorFlow's
servers alone does and computes, every mixture must."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest

import numpy as np
import tensorflow_client
from tensorflow.python.client import timeline
from tensorflow_client import FLOWRAY, tf

HERE = os.path.dirname(os.path.abspath(__file__))
OURS, THEIRS = "ours", "theirs"


def free_ports(count):
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(count)]
        for one in sockets:
            one.bind(("localhost", 0))
        return [one.getsockname()[1] for one in sockets]


class Cluster:
    """A server for each task, of the make that `makes` says: {"ps": [OURS], "worker": [THEIRS, OURS]}."""

    def __init__(self, makes, environment=()):
        """`environment`: of our servers, such as "NAME=VALUE"."""
        self.makes, self.environment = makes, environment
        ports = iter(free_ports(sum(len(tasks) for tasks in makes.values())))
        self.addresses = {job: [f"localhost:{next(ports)}" for _ in tasks] for job, tasks in makes.items()}
        self.servers = {}
        for job, tasks in makes.items():
            for task in range(len(tasks)):
                self.start(job, task)

    def start(self, job, task):
        if self.makes[job][task] == OURS:
            cluster = [f"{name}={','.join(hosts)}" for name, hosts in self.addresses.items()]
            command = ["env", *self.environment, FLOWRAY, "server", "--cluster", *cluster, "--job", job, "--task", str(task)]
        else:
            command = [sys.executable, os.path.join(HERE, "tensorflow_server.py"), json.dumps(self.addresses), job, str(task)]
        self.servers[job, task] = tensorflow_client.Server(*command)

    def kill(self, job, task):
        server = self.servers.pop((job, task))
        server.process.kill()
        server.process.wait()
        server.process.stdout.close()

    def target(self, job="worker", task=0):
        return "grpc://" + self.addresses[job][task]

    def end(self):
        tensorflow_client.close_sessions([self.target(job, task) for job, task in self.servers])
        for server in self.servers.values():
            server.process.kill()
            server.process.wait()
            server.process.stdout.close()


def adagrad(num_steps=20, resources=False):
    """The losses and last parameters of a regression whose variables are on the ps and whose loss is on worker 0."""
    tf.reset_default_graph()
    with tf.device("/job:ps/task:0"):
        weight = tf.Variable(0.0, name="weight", use_resource=resources)
        bias = tf.Variable(0.0, name="bias", use_resource=resources)
        count = tf.Variable(0, name="count", use_resource=resources, trainable=False)
    with tf.device("/job:worker/task:0"):
        x = tf.placeholder(tf.float32)
        y = tf.placeholder(tf.float32)
        loss = tf.square(y - tf.multiply(x, weight) - bias)
        train = tf.train.AdagradOptimizer(0.1).minimize(loss, global_step=count)
    init = tf.global_variables_initializer()

    def program(session):
        session.run(init)
        losses = [session.run([loss, train], {x: i % 10 / 10, y: 10 + i % 10 / 5})[0] for i in range(num_steps)]
        return losses, session.run([weight, bias, count])

    return program


class SilentServerTest(unittest.TestCase):
    """A server of TensorFlow's that is there, but says nothing: it takes no pings, so ours find it out by questions."""

    def setUp(self):
        tf.reset_default_graph()
        self.cluster = Cluster({"ps": [THEIRS], "worker": [OURS]}, ["FLOWRAY_KEEPALIVE_MS=800"])
        self.addCleanup(self.cluster.end)

    def test_it_is_unavailable_and_may_come_back(self):
        with tf.device("/job:ps/task:0"):
            weight = tf.Variable(2.0)
        with tf.device("/job:worker/task:0"):
            doubled = 2 * weight
        no_longer_than = tf.RunOptions(timeout_in_ms=60_000)
        with tf.Session(self.cluster.target()) as session:
            session.run(weight.initializer)
            self.assertEqual(session.run(doubled), 4)
            process = self.cluster.servers["ps", 0].process
            process.send_signal(signal.SIGSTOP)
            self.addCleanup(process.send_signal, signal.SIGCONT)
            os.waitpid(process.pid, os.WUNTRACED)  # all of its threads have stopped
            with self.assertRaises((tf.errors.UnavailableError, tf.errors.AbortedError)):
                session.run(doubled, options=no_longer_than)
            process.send_signal(signal.SIGCONT)
        with tf.Session(self.cluster.target()) as session:
            self.assertEqual(session.run(doubled, options=no_longer_than), 4)

    def test_a_long_step_is_not_silence(self):
        """Its kernels take all threads of the ps for several times as long as silence may last."""
        with tf.device("/job:ps/task:0"):
            ones = tf.ones([1024, 1024]) / 1024  # whose product with itself it is, without rounding
            rounds = tf.placeholder(tf.int32, [])
            products = [tf.while_loop(lambda i, m: i < rounds, lambda i, m: (i + 1, tf.matmul(m, ones)), [0, ones])[1] for _ in range(4)]
            total = tf.reduce_mean(tf.add_n(products))
        with tf.device("/job:worker/task:0"):
            result = total * 1024
        with tf.Session(self.cluster.target()) as session:
            count, lasted = 20, 0
            while lasted < 1.6:  # a shorter one shows nothing
                begin = time.monotonic()
                np.testing.assert_allclose(session.run(result, {rounds: count}), 4, rtol=1e-4)
                lasted = time.monotonic() - begin
                count = int(count * max(2, 2 / lasted)) + 1


class ReplacedServerTest(unittest.TestCase):
    """A server of ours in whose place TensorFlow's is started, while ours have connections to the first."""

    def test_it_is_as_one_that_was_started_anew(self):
        for environment in [[], ["FLOWRAY_NETWORK_ONLY=1"]]:
            tf.reset_default_graph()
            cluster = Cluster({"ps": [OURS], "worker": [OURS]}, environment)
            self.addCleanup(cluster.end)
            with tf.device("/job:ps/task:0"):
                weight = tf.Variable(2.0)
            with tf.device("/job:worker/task:0"):
                doubled = 2 * weight
            no_longer_than = tf.ConfigProto(operation_timeout_in_ms=60_000)
            with tf.Session(cluster.target(), config=no_longer_than) as session:
                session.run(weight.initializer)
                self.assertEqual(session.run(doubled), 4)
                cluster.kill("ps", 0)
                cluster.makes["ps"] = [THEIRS]
                cluster.start("ps", 0)
                with self.assertRaises((tf.errors.AbortedError, tf.errors.UnavailableError)):
                    session.run(doubled)
            for attempt in range(3):  # each call may be the first that meets it
                try:
                    with tf.Session(cluster.target(), config=no_longer_than) as session:
                        session.run(weight.initializer)
                        self.assertEqual(session.run(doubled), 4)
                    break
                except (tf.errors.AbortedError, tf.errors.UnavailableError):
                    self.assertLess(attempt, 2)


class ClusterTest(unittest.TestCase):
    makes = {"ps": [OURS], "worker": [OURS, OURS]}
    names_first = "ps"  # in an error: the task that had it

    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster(cls.makes)
        cls.addClassCleanup(cls.cluster.end)

    def setUp(self):
        tf.reset_default_graph()
        for job, tasks in self.makes.items():
            for task in range(len(tasks)):
                if (job, task) not in self.cluster.servers:
                    self.cluster.start(job, task)

    def session(self, **options):
        return tf.Session(self.cluster.target(), config=tf.ConfigProto(**options))

    def assert_as_expected(self, program, without_devices):
        with self.session() as session:
            ours = program(session)
        for a, b in zip(tf.nest.flatten(without_devices), tf.nest.flatten(ours), strict=True):
            np.testing.assert_allclose(b, a, rtol=1e-5, atol=1e-6)

    def test_adagrad_steps_are_those_of_one_process(self):
        # By hand, in double precision: the gradient of (y - x w - b)^2 by w is -2 x e, by b -2 e, with e the inner term.
        w = b = 0.0
        sums = [0.1, 0.1]
        losses = []
        for i in range(20):
            x, y = i % 10 / 10, 10 + i % 10 / 5
            error = y - x * w - b
            losses.append(error**2)
            for k, gradient in enumerate((-2 * x * error, -2 * error)):
                sums[k] += gradient**2
                step = 0.1 * gradient / sums[k] ** 0.5
                w, b = (w - step, b) if k == 0 else (w, b - step)
        for resources in (False, True):
            with self.subTest(resources=resources):
                self.assert_as_expected(adagrad(resources=resources), (losses, [w, b, 20]))

    def test_values_of_every_kind_cross(self):
        values = [np.float32(1.5), np.zeros([0, 3], np.float64), np.array([b"a", b"", b"\xff" * 100]), np.array([True, False]),
                  np.arange(300_000, dtype=np.int64), np.array([1 + 2j], np.complex64), np.array(3, np.uint8)]
        fed = [tf.placeholder(value.dtype if value.dtype.kind != "S" else tf.string, value.shape) for value in values]
        with tf.device("/job:ps/task:0"):
            there = [tf.identity(one) for one in fed]
        with tf.device("/job:worker/task:1"):
            back = [tf.identity(one) for one in there]
        with self.session() as session:
            for value, got in zip(values, session.run(back, dict(zip(fed, values)))):
                np.testing.assert_array_equal(got, value if value.dtype.kind != "S" else value.astype(object))

    def test_branches_and_loops_go_over_tasks(self):
        x = tf.placeholder(tf.float32, [])

        def body(a):
            with tf.device("/job:ps/task:0"):
                return a * a

        with tf.device("/job:worker/task:1"):
            power = tf.while_loop(lambda a: a < 100.0, body, [x])
            chosen = tf.cond(x > 3, lambda: body(x), lambda: -x)
        with self.session() as session:
            self.assertEqual(session.run([power, chosen], {x: 2.0}), [256.0, -2.0])
            self.assertEqual(session.run([power, chosen], {x: 4.0}), [256.0, 16.0])

    def test_an_error_names_its_node_and_task(self):
        with tf.device("/job:ps/task:0"):
            values = tf.Variable([1.0, 2.0], name="values")
            bad = tf.gather(values, 5, name="bad")
        with tf.device("/job:worker/task:0"):
            result = tf.square(bad)
        with self.session() as session:
            with self.assertRaisesRegex(tf.errors.FailedPreconditionError, "uninitialized value values"):
                session.run(result)
            session.run(values.initializer)
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError,
                                        r"From /job:%s/replica:0/task:0:\nindices = 5 is not in \[0, 2\)" % self.names_first) as caught:
                session.run(result)
            self.assertEqual(caught.exception.op.name, "bad")

    def test_devices_of_all_tasks_are_listed(self):
        with self.session() as session:
            names = {device.name for device in session.list_devices() if device.device_type == "CPU"}
        self.assertEqual(names, {"/job:ps/replica:0/task:0/device:CPU:0", "/job:worker/replica:0/task:0/device:CPU:0",
                                 "/job:worker/replica:0/task:1/device:CPU:0"})

    def test_reset_clears_the_variables_of_the_ps(self):
        with tf.device("/job:ps/task:0"):
            value = tf.Variable(1.0, name="value_to_clear")
        with self.session() as session:
            session.run(value.initializer)
        with self.session() as session:
            self.assertEqual(session.run(value), 1.0)
        tf.Session.reset(self.cluster.target())
        with self.session() as session, self.assertRaises(tf.errors.FailedPreconditionError):
            session.run(value)

    def test_a_trace_shows_all_tasks(self):
        with tf.device("/job:ps/task:0"):
            value = tf.Variable(2.0)
        with tf.device("/job:worker/task:1"):
            result = tf.square(value)
        metadata = tf.RunMetadata()
        with self.session() as session:
            session.run(value.initializer)
            session.run(result, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
        traced = {device.device.split("/device:")[0] for device in metadata.step_stats.dev_stats}
        self.assertLessEqual({"/job:ps/replica:0/task:0", "/job:worker/replica:0/task:1"}, traced)
        # Worker 1 has got the value of the ps. TensorFlow says "[4B] NAME from ...".
        calls = [node.timeline_label for device in metadata.step_stats.dev_stats for node in device.node_stats
                 if node.node_name == "RecvTensor" and "from /job:ps/" in node.timeline_label]
        self.assertEqual(len(calls), 1, calls)
        self.assertRegex(calls[0], r"\b4 bytes|\[4B\]")
        self.assertIn("traceEvents", timeline.Timeline(metadata.step_stats).generate_chrome_trace_format())

    def test_a_queue_of_the_ps_is_shared(self):
        with tf.device("/job:ps/task:0"):
            queue = tf.FIFOQueue(3, [tf.float32], [[]], shared_name="shared")
        put = queue.enqueue(5.0)
        with tf.device("/job:worker/task:1"):
            taken = tf.identity(queue.dequeue())
        got = []
        with self.session() as taker, tf.Session(self.cluster.target("worker", 1)) as giver:
            waiting = threading.Thread(target=lambda: got.append(taker.run(taken)))
            waiting.start()
            giver.run(put)
            waiting.join(30)
        self.assertEqual(got, [5.0])

    def test_functions_of_the_library_run_on_other_tasks(self):
        from tensorflow.python.framework import function

        @function.Defun(tf.float32, tf.float32)
        def norm(a, b):
            return tf.sqrt(a * a + b * b)

        @function.Defun(tf.float32)
        def twice(a):
            return norm(a, a) + norm(a, 0.0)

        x = tf.placeholder(tf.float32, [])
        with tf.device("/job:ps/task:0"):
            there = norm(x, 4.0)
        with tf.device("/job:worker/task:1"):
            result = twice(there)
        self.assertTrue(tf.get_default_graph().as_graph_def().library.function)
        with self.session() as session:
            got = session.run([there, result], {x: 3.0})
        np.testing.assert_allclose(got, [5, 5 * 2**0.5 + 5], rtol=1e-6)

    def test_functions_are_cut_at_the_devices_of_their_nodes(self):
        import tensorflow as tf2

        @tf2.function
        def there_and_back(x, total):
            with tf.device("/job:ps/task:0"):
                twice = x + x
                total.assign_add(twice)
            with tf.device("/job:worker/task:1"):
                limit = twice * 10.0

            def grown(value):
                with tf.device("/job:ps/task:0"):
                    return value * 2.0

            def below(value):
                with tf.device("/job:worker/task:1"):
                    return value < limit

            last = tf2.while_loop(below, lambda value: [grown(value)], [twice])[0]

            def of_the_ps():
                with tf.device("/job:ps/task:0"):
                    return -last

            return tf2.cond(x > 2.0, of_the_ps, lambda: last), limit

        x = tf.placeholder(tf.float32, [])
        with tf.device("/job:ps/task:0"):
            total = tf2.Variable(0.5)
        result, limit = there_and_back(x, total)
        with self.session() as session:
            session.run(total.initializer)
            # 6, 12, 24, 48, 96 and 2, 4, 8, 16, 32
            self.assertEqual(session.run([result, limit], {x: 3.0}), [-96.0, 60.0])
            self.assertEqual(session.run([result, limit], {x: 1.0}), [32.0, 20.0])
            self.assertEqual(session.run(total.read_value()), 8.5)

    def test_functions_that_are_cut_call_others(self):
        if self.makes["worker"][0] == THEIRS:
            self.skipTest("TensorFlow's master takes a function that is called by its name along with the device of its caller")
        import tensorflow as tf2
        from tensorflow.python.framework import function

        @function.Defun(tf.float32)
        def thrice(v):
            return v * 3.0

        thrice(0.0)  # made here, where no device is asked for

        @tf2.function
        def either(v, is_large):
            def of_the_ps():
                with tf.device("/job:ps/task:0"):
                    return tf.sin(v * 2.0)

            def of_the_worker():
                with tf.device("/job:worker/task:1"):
                    return thrice(v)

            return tf2.cond(is_large, of_the_ps, of_the_worker)

        v, is_large = tf.placeholder(tf.float32, []), tf.placeholder(tf.bool, [])
        y = either(v, is_large)
        with self.session() as session:
            np.testing.assert_allclose(session.run(y, {v: 0.3, is_large: True}), np.sin(0.6), rtol=1e-6)
            np.testing.assert_allclose(session.run(y, {v: 0.3, is_large: False}), 0.9, rtol=1e-6)

    def test_a_partial_run_needs_all_that_a_call_takes(self):
        if self.makes["worker"][0] == THEIRS:
            self.skipTest("TensorFlow's master fails at the second one")
        import tensorflow as tf2

        @tf2.function
        def both(a, b):
            with tf.device("/job:ps/task:0"):
                z = a * 2.0
            with tf.device("/job:worker/task:1"):
                return z, z + b

        a, b = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
        z, w = both(a, b)
        with self.session() as session:
            handle = session.partial_run_setup([z, w], [a, b])
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "can't be computed from the feeds that have been fed so far"):
                session.partial_run(handle, z, {a: 3.0})
            handle = session.partial_run_setup([z, w], [a, b])
            self.assertEqual(session.partial_run(handle, [z, w], {a: 3.0, b: 1.0}), [6.0, 7.0])

    def test_a_table_and_an_accumulator_are_on_another_task(self):
        with tf.device("/job:ps/task:0"):
            table = tf.lookup.StaticHashTable(
                tf.lookup.KeyValueTensorInitializer(tf.constant(["a", "b"]), tf.constant([1, 2], tf.int64)), -1)
            sums = tf.ConditionalAccumulator(tf.float32, [2])
        with tf.device("/job:worker/task:1"):
            given = sums.apply_grad(tf.constant([1.0, 3.0]) * 2.0)
        found = table.lookup(tf.constant(["b", "c", "a"]))
        mean = sums.take_grad(2)
        with self.session() as session:
            session.run(tf.tables_initializer())
            self.assertEqual(list(session.run(found)), [2, -1, 1])
            session.run(given)
            session.run(given)
            self.assertEqual(session.run(sums.num_accumulated()), 2)
            self.assertEqual(list(session.run(mean)), [2.0, 6.0])

    def test_an_iterator_is_on_another_task(self):
        with tf.device("/job:ps/task:0"):
            squares = tf.data.Dataset.range(4).map(lambda x: x * x)
            iterator = tf.data.make_initializable_iterator(squares)
            taken = iterator.get_next()
        with tf.device("/job:worker/task:1"):
            result = taken + 1
        with self.session() as session:
            session.run(iterator.initializer)
            self.assertEqual([session.run(result) for _ in range(4)], [1, 2, 5, 10])
            with self.assertRaises(tf.errors.OutOfRangeError):
                session.run(result)

    def test_an_iterator_is_shared_by_its_name(self):
        with tf.device("/job:ps/task:0"):
            tens = tf.data.Dataset.range(100).map(lambda x: x * 10)
            iterator = tf.data.make_initializable_iterator(tens, shared_name="tens")
            taken = iterator.get_next()
        with tf.Session(self.cluster.target("worker", 1)) as other:
            with self.session() as session:
                session.run(iterator.initializer)
                self.assertEqual([one.run(taken) for one in (session, other, session)], [0, 10, 20])
            self.assertEqual(other.run(taken), 30)  # though the session has gone that began it

    def test_tensors_over_grpcs_first_limit_cross(self):
        size = 6 << 20  # of float32: six times the 4 MB that gRPC takes where nobody says more
        with tf.device("/job:ps/task:0"):
            value = tf.Variable(tf.zeros([size]), name="large")
            put = tf.assign(value, tf.range(size, dtype=tf.float32))
        with tf.device("/job:worker/task:1"):
            there = value + 1.0
        with tf.device("/job:ps/task:0"):
            back = tf.reduce_max(there), tf.reduce_min(there)
        with self.session() as session:
            session.run(put.op)
            self.assertEqual(session.run(back), (size, 1.0))

    def test_steps_that_send_one_value_to_different_tasks(self):
        with tf.device("/job:ps/task:0"):
            value = tf.Variable(2.0, name="sent")
        with tf.device("/job:worker/task:1"):
            there = value + 1.0
        with tf.device("/job:ps/task:0"):
            back = there * 10.0
        with self.session(operation_timeout_in_ms=20_000) as session:
            session.run(value.initializer)
            for _ in range(2):
                self.assertEqual(session.run(back), 30.0)  # the value of worker 1 goes to the ps
                self.assertEqual(session.run(there), 3.0)  # and now to the master
                self.assertEqual(session.run([there, back]), [3.0, 30.0])

    def test_a_partial_run_goes_over_tasks(self):
        a, b = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
        with tf.device("/job:ps/task:0"):
            twice = a * 2.0
        with tf.device("/job:worker/task:1"):
            total = twice + b
        with tf.device("/job:ps/task:0"):
            back = total * 10.0
        with self.session(operation_timeout_in_ms=20_000) as session:
            for first in (3.0, 4.0):
                handle = session.partial_run_setup([twice, back], [a, b])
                self.assertEqual(session.partial_run(handle, twice, {a: first}), 2 * first)
                self.assertEqual(session.partial_run(handle, back, {b: 1.0}), 20 * first + 10)

    def test_a_step_ends_at_its_deadline(self):
        with tf.device("/job:ps/task:0"):
            taken = tf.FIFOQueue(3, [tf.float32], [[]]).dequeue()
        with self.session() as session, self.assertRaises(tf.errors.DeadlineExceededError):
            session.run(taken, options=tf.RunOptions(timeout_in_ms=200))

    def test_a_ps_that_is_killed_ends_its_steps(self):
        with tf.device("/job:ps/task:0"):
            taken = tf.FIFOQueue(3, [tf.float32], [[]], shared_name="never").dequeue()
            begun = tf.Variable(0.0, name="begun")
        with tf.device("/job:worker/task:0"):
            result = tf.identity(taken)
        failures = []

        def wait_for_it(session):
            try:
                session.run(result)
            except tf.errors.OpError as error:
                failures.append(error)

        session = self.session()
        session.run(begun.initializer)
        waiting = threading.Thread(target=wait_for_it, args=(session,))
        waiting.start()
        self.cluster.kill("ps", 0)
        killed = time.monotonic()
        waiting.join(30)
        self.assertLess(time.monotonic() - killed, 5)
        self.assertIsInstance(failures[0], (tf.errors.UnavailableError, tf.errors.AbortedError))
        self.cluster.start("ps", 0)
        with self.assertRaises((tf.errors.UnavailableError, tf.errors.AbortedError)):
            session.run(begun.initializer)
        with self.session() as again:
            again.run(begun.initializer)
            self.assertEqual(again.run(begun), 0.0)


class TheirPs(ClusterTest):
    makes = {"ps": [THEIRS], "worker": [OURS, OURS]}


class TheirWorker(ClusterTest):
    makes = {"ps": [OURS], "worker": [OURS, THEIRS]}


class TheirMaster(ClusterTest):
    makes = {"ps": [OURS], "worker": [THEIRS, OURS]}
    names_first = "(?:ps|worker)"  # whichever part TensorFlow's master hears first: that one's own waits for the value


class LargeMessagesTest(unittest.TestCase):
    """As if gRPC took no more than a megabyte from our servers, and they were on several machines."""

    def cluster(self, ps, worker):
        made = Cluster({"ps": [ps], "worker": [worker]}, ["FLOWRAY_MESSAGE_BYTES=1000000", "FLOWRAY_NETWORK_ONLY=1"])
        self.addCleanup(made.end)
        return made

    def largest_of_a_variable(self, cluster):
        tf.reset_default_graph()
        with tf.device("/job:ps/task:0"):
            value = tf.Variable(tf.range(1.0, 1e6 + 1), name="value")
        with tf.device("/job:worker/task:0"):
            largest = tf.reduce_max(value)
        with tf.Session(cluster.target(), config=tf.ConfigProto(operation_timeout_in_ms=60_000)) as session:
            session.run(value.initializer)
            return session.run(largest)

    def largest_of_a_constant(self, cluster):
        tf.reset_default_graph()
        with tf.device("/job:ps/task:0"):
            largest = tf.reduce_max(tf.constant(np.arange(1e6, dtype=np.float32)) + tf.placeholder_with_default(1.0, []))
        with tf.Session(cluster.target(), config=tf.ConfigProto(operation_timeout_in_ms=60_000)) as session:
            return session.run(largest)

    def test_between_ours_they_go_in_parts(self):
        cluster = self.cluster(OURS, OURS)
        self.assertEqual(self.largest_of_a_variable(cluster), 1e6)
        self.assertEqual(self.largest_of_a_constant(cluster), 1e6)

    def test_a_worker_of_tensorflows_is_told(self):
        with self.assertRaisesRegex(tf.errors.ResourceExhaustedError, "Sent message larger than max"):
            self.largest_of_a_variable(self.cluster(OURS, THEIRS))

    def test_a_ps_of_tensorflows_gets_no_such_graph(self):
        with self.assertRaisesRegex(tf.errors.ResourceExhaustedError, r"Sent message larger than max \(4.* vs. 1000000\)\n.*split the"):
            self.largest_of_a_constant(self.cluster(THEIRS, OURS))
