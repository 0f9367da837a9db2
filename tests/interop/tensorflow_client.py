"""The real TensorFlow as programs of version 1 use it, and a test case that has a `flowray server` beside it."""

import contextlib
import gc
import os
import re
import signal
import subprocess
import sys
import unittest
import warnings

os.environ["TF_USE_LEGACY_KERAS"] = "1"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"  # the plain kernels: their values are those of the op

import grpc  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow.compat.v1 as tf  # noqa: E402
import master_messages  # noqa: E402
from tensorflow.python.client import session  # noqa: E402
from tensorflow.python.util import deprecation  # noqa: E402

tf.logging.set_verbosity(tf.logging.ERROR)
tf.disable_v2_behavior()
tf.disable_resource_variables()
warnings.filterwarnings("ignore", message=".*is deprecated and will be removed")
deprecation._PRINT_DEPRECATION_WARNINGS = False

HERE = os.path.dirname(os.path.abspath(__file__))
FLOWRAY = os.environ.get("FLOWRAY_BINARY", "build/release/bin/flowray")
TENSORFLOW_SERVER = (sys.executable, os.path.join(HERE, "tensorflow_server.py"))
# To see whether a test is right: it should pass against TensorFlow's own server as well.
SERVER_COMMAND = TENSORFLOW_SERVER if os.environ.get("FLOWRAY_INTEROP_WITH_TENSORFLOW") else (FLOWRAY, "server", "--port", "0")
with open(os.path.join(HERE, "missing_ops.txt"), encoding="ascii") as file:
    KNOWN_GAPS = {line.strip() for line in file if not line.startswith("#")}
NIGHTLY = os.environ.get("FLOWRAY_NIGHTLY") == "1"


def close_sessions(targets):
    """Closes the sessions with these servers that a test has left open, while the servers are there.

    TensorFlow's client waits for ever when it closes a session whose server is gone, which the garbage collector does at any time.
    """
    names = {target.encode() for target in targets}
    for thing in gc.get_objects():
        if isinstance(thing, session.BaseSession) and thing.sess_str in names:
            with contextlib.suppress(tf.errors.OpError):  # it may have lost what it ran on
                thing.close()


class Server:
    """A server as a process of its own at a free port: `flowray server`, or what another command starts that says the same."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command or SERVER_COMMAND, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        self.target = line.removeprefix("Started server with target: ").strip()
        if not self.target.startswith("grpc://"):  # an empty target would be a session of TensorFlow's own
            self.process.kill()
            raise RuntimeError(f"no server: {self.process.args} ended with status {self.process.wait()} and wrote {line!r}")

    @property
    def address(self):
        return self.target.removeprefix("grpc://")

    def status(self):
        """The lines of /proc/PID/status by name, such as VmRSS (in kB) and Threads, as numbers where they are."""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            lines = dict(line.split(":", 1) for line in file)
        return {name: int(words.split()[0]) for name, words in lines.items() if words.split()[:1] and words.split()[0].isdigit()}

    def end(self):
        close_sessions([self.target])
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return "killed, because it did not end within 30 s of SIGTERM"
        finally:
            self.process.stdout.close()


class ServerTest(unittest.TestCase):
    """Tests with one server for all, an empty graph for each and nothing left on the server from the test before."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.addClassCleanup(cls.end_server)

    @classmethod
    def end_server(cls):
        # The client's Session closes itself when it is collected, and waits for ever if the server is gone by then.
        gc.collect()
        died = cls.server.process.poll()
        assert died is None, f"the server ended with status {died}"
        status = cls.server.end()
        assert status == 0, f"the server's status at its end: {status}"

    def setUp(self):
        tf.reset_default_graph()
        tf.Session.reset(self.server.target)

    def session(self, graph=None, **options):
        return tf.Session(self.server.target, graph=graph, config=tf.ConfigProto(**options))

    def _callTestMethod(self, method):  # noqa: N802
        with self.known_gaps():
            super()._callTestMethod(method)

    @contextlib.contextmanager
    def subTest(self, *message, **parameters):  # noqa: N802
        with super().subTest(*message, **parameters), self.known_gaps():
            yield

    @contextlib.contextmanager
    def known_gaps(self):
        """Makes a failure for want of ops that are not there yet (missing_ops.txt), and of no others, a skipped test."""
        try:
            yield
        except tf.errors.NotFoundError as error:
            if "Op type not registered" not in error.message:
                raise
            found = re.search("Op type not registered '(.*?)'", error.message).group(1)
            missing = sorted({node.type for node in tf.get_default_graph().get_operations() if self.is_missing(node.type)} | {found})
            if not set(missing) <= KNOWN_GAPS:
                self.fail(f"the server has not {', '.join(missing)}; not all of them are in missing_ops.txt")
            self.skipTest(f"not there yet: {', '.join(missing)}")

    def need(self, *ops):
        """Skips a test that makes its graphs by itself, where some of what it needs is not there yet."""
        missing = [op for op in ops if self.is_missing(op)]
        if missing:
            self.assertLessEqual(set(missing), KNOWN_GAPS, "some of them are not in missing_ops.txt")
            self.skipTest(f"not there yet: {', '.join(missing)}")

    def is_missing(self, op):
        request = master_messages.request("CreateSession")()
        request.graph_def.node.add(name="n", op=op)
        return "Op type not registered" in call(self.server.address, "CreateSession", request)[1]

    def both(self, program):
        """What `program(session)` returns in TensorFlow's local session, and here."""
        with tf.Session() as local:
            expected = program(local)
        with self.session() as remote:
            return expected, program(remote)

    def assert_same(self, program, tolerance=1e-6):
        """`program(session)` returns the same, within `tolerance` relative or absolute, in both; and what that is."""
        expected, ours = self.both(program)
        self.assert_close(expected, ours, tolerance)
        return ours

    def assert_close(self, expected, ours, tolerance=1e-6):
        for a, b in zip(tf.nest.flatten(expected), tf.nest.flatten(ours), strict=True):
            a, b = np.asarray(a), np.asarray(b)
            self.assertEqual(a.dtype, b.dtype)
            self.assertEqual(a.shape, b.shape)
            if a.dtype.kind in "OSU":
                self.assertEqual(a.tolist(), b.tolist())
            else:
                np.testing.assert_allclose(b, a, rtol=tolerance, atol=tolerance)

    def raised(self, run):
        with self.assertRaises(tf.errors.OpError) as caught:
            run()
        return caught.exception


def call(address, method, request):
    """The answer of a server's MasterService in bytes (empty after an error), and the error's text."""
    with grpc.insecure_channel(address) as channel:
        try:
            bytes_of = request if isinstance(request, bytes) else request.SerializeToString()
            return channel.unary_unary(f"/tensorflow.MasterService/{method}", bytes, bytes)(bytes_of), ""
        except grpc.RpcError as error:
            return b"", error.details()


@contextlib.contextmanager
def resource_variables():
    """Within it Python makes resource variables, not reference variables."""
    tf.enable_resource_variables()
    try:
        yield
    finally:
        tf.disable_resource_variables()
