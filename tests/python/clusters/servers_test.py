"""Sessions on servers, in this process and in another one; TensorFlow's server where TensorFlow is at hand."""

import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np

from two_systems import QUIET, ROOT, TENSORFLOW, has_tensorflow
from flowray import tf


def train(target):
    """Some steps of a training with a loop in it; the losses."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        w = tf.get_variable("w", initializer=tf.constant([[0.5, -0.25], [0.1, 0.3]]))
        y = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.tanh(tf.matmul(a, w))), [0, x])[1]
        loss = tf.reduce_mean(tf.square(y - 0.5))
        step = tf.train.MomentumOptimizer(0.5, 0.9).minimize(loss)
        with tf.Session(target) as session:
            session.run(tf.global_variables_initializer())
            return [session.run([loss, step], {x: [[1.0, 2.0], [0.5, -1.0]]})[0] for _ in range(5)]


class ServersTest(unittest.TestCase):
    def setUp(self):
        try:
            self.server = tf.train.Server.create_local_server()
        except tf.errors.UnavailableError as reason:
            self.skipTest(str(reason))
        self.addCleanup(self.server.stop)

    def test_a_step_runs_there_as_it_does_here(self):
        np.testing.assert_allclose(train(self.server.target), train(""), rtol=1e-6)

    def test_errors_are_the_servers(self):
        with tf.Graph().as_default():
            v = tf.Variable(1.0, name="v")
            read = v + 1.0
            with tf.Session(self.server.target) as session:
                with self.assertRaisesRegex(tf.errors.FailedPreconditionError, "Attempting to use uninitialized value v"):
                    session.run(read)
                session.run(v.initializer)
                self.assertEqual(session.run(read), 2.0)
            with self.assertRaisesRegex(RuntimeError, "Attempted to use a closed Session."):
                session.run(read)

    def test_a_server_keeps_clients_to_its_folder_and_limits(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder) / "root"
            root.mkdir()
            (root / "inside").write_text("text")
            (root.parent / "token").write_text("secret")
            (root.parent / "token").chmod(0o600)
            server = tf.train.Server({"local": ["localhost:0"]}, file_root=root, token_file=root.parent / "token", max_sessions=1)
            self.addCleanup(server.stop)
            with_token = "%s?token_file=%s" % (server.target, root.parent / "token")
            with tf.Graph().as_default():
                inside, outside = tf.read_file("inside"), tf.read_file("../token")
                with tf.Session(server.target) as session, self.assertRaises(tf.errors.UnauthenticatedError):
                    session.run(inside)
                with tf.Session(with_token) as session, tf.Session(with_token) as other:
                    self.assertEqual(session.run(inside), b"text")
                    with self.assertRaises(tf.errors.PermissionDeniedError):
                        session.run(outside)
                    with self.assertRaises(tf.errors.ResourceExhaustedError):
                        other.run(inside)
        with self.assertRaises(TypeError):
            tf.train.Server({"local": ["localhost:0"]}, token_file=7)
        with self.assertRaisesRegex(ValueError, "max_sessions"):
            tf.train.Server({"local": ["localhost:0"]}, max_sessions=0)
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "TLS needs tls_cert and tls_key beside tls_ca"):
            tf.train.Server({"local": ["localhost:0"]}, tls_ca="ca.pem")

    def test_a_callable_runs_there(self):
        with tf.Graph().as_default():
            x = tf.placeholder(tf.float32, [], name="x")
            with tf.Session(self.server.target) as session:
                square = session.make_callable([x * x, x + 1.0], [x])
                self.assertEqual(square(3.0), [9.0, 4.0])

    def test_what_is_fed_and_nothing_may_be_fetched(self):
        with tf.Graph().as_default():
            x = tf.placeholder(tf.float32, [], name="x")
            with tf.Session(self.server.target) as session:
                self.assertEqual(session.run([x, x + 1.0, x], {x: 3}), [3.0, 4.0, 3.0])
                self.assertEqual(session.run(x, {x: 3}), 3.0)
                self.assertEqual(session.run([], {x: 3}), [])
                self.assertEqual(session.run({}), {})

    def test_its_configuration_is_that_of_its_sessions(self):
        config = tf.ConfigProto(isolate_session_state=True, operation_timeout_in_ms=50)
        server = tf.train.Server({"worker": ["localhost:0"]}, protocol="grpc", config=config)
        self.addCleanup(server.stop)
        with tf.Graph().as_default():
            v = tf.Variable(1.0)
            taken = tf.FIFOQueue(1, tf.float32, [[]]).dequeue()
            with tf.Session(server.target) as first, tf.Session(server.target) as second:
                first.run(v.initializer)
                with self.assertRaises(tf.errors.FailedPreconditionError):
                    second.run(v)
                with self.assertRaises(tf.errors.DeadlineExceededError):
                    first.run(taken)
        with self.assertRaisesRegex(tf.errors.NotFoundError, "No server factory registered for the given ServerDef"):
            tf.train.Server({"worker": ["localhost:0"]}, protocol="grpc+verbs")

    def test_a_message_may_say_what_it_serves(self):
        cluster = tf.train.ClusterDef(job=[tf.train.JobDef(name="worker", tasks={0: "localhost:0"})])
        definition = tf.train.ServerDef(cluster=cluster, job_name="worker", task_index=0, protocol="grpc")
        server = tf.train.Server(definition)
        self.addCleanup(server.stop)
        with tf.Graph().as_default(), tf.Session(server.target) as session:
            self.assertEqual(session.run(tf.constant(2) * 3), 6)
        definition.port = 5
        with self.assertRaisesRegex(tf.errors.UnimplementedError, "port"):
            tf.train.Server(definition)

    def test_an_address_needs_a_port(self):
        for address in ("localhost", "", "localhost:"):
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, f'Could not interpret "{address}" as a host-port pair.'):
                tf.Session("grpc://" + address)

    def test_two_sessions_of_two_graphs(self):
        one, two = tf.Graph(), tf.Graph()
        with one.as_default():
            a = tf.constant(2.0) * 3.0
        with two.as_default():
            b = tf.constant([1, 2]) + 1
        with tf.Session(self.server.target, graph=one) as first, tf.Session(self.server.target, graph=two) as second:
            self.assertEqual(first.run(a), 6.0)
            self.assertEqual(second.run(b).tolist(), [2, 3])


@unittest.skipUnless(has_tensorflow(), "no TensorFlow in build/interop-venv (tests/interop/run makes it)")
class TensorFlowsServerTest(unittest.TestCase):
    def test_a_step_runs_there_as_it_does_here(self):
        process = subprocess.Popen([TENSORFLOW, str(ROOT / "tests" / "interop" / "tensorflow_server.py")], stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, text=True, env={**os.environ, **QUIET})
        try:
            target = process.stdout.readline().removeprefix("Started server with target: ").strip()
            np.testing.assert_allclose(train(target), train(""), rtol=1e-5)
        finally:
            process.kill()
            process.wait()
            process.stdout.close()


if __name__ == "__main__":
    unittest.main()
