"""In place of tests/interop/tensorflow_client.py: its programs run in a local session of whatever `tensorflow` is here, and what
they give is written down (RESULTS) rather than compared."""

import contextlib
import unittest

import numpy as np
import tensorflow.compat.v1 as tf

tf.logging.set_verbosity(tf.logging.ERROR)
tf.disable_v2_behavior()
tf.disable_resource_variables()

RESULTS = []  # (value, tolerance) in the order in which they came


@contextlib.contextmanager
def resource_variables():
    raise unittest.SkipTest("resource variables")
    yield


class _Server:
    target = ""


class ServerTest(unittest.TestCase):
    server = _Server()

    def setUp(self):
        tf.reset_default_graph()

    def session(self, graph=None, **options):
        return tf.Session(graph=graph, config=tf.ConfigProto(**options))

    def need(self, *ops):
        pass

    def both(self, program):
        with tf.Session() as session:
            result = program(session)
        return result, result

    def assert_same(self, program, tolerance=1e-6):
        _, result = self.both(program)
        RESULTS.append((result, tolerance))
        return result

    def assert_close(self, expected, ours, tolerance=1e-6):
        RESULTS.append((ours, tolerance))
