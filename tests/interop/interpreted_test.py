"""What TensorFlow's client asks of the server for whole programs, run again by the engine with each pass on and off and by the naive
interpreter of the tests (tests/cluster/interpreted_requests_test.cpp), which must agree.
"""

import os
import subprocess
import sys
import tempfile
import unittest

import functions_test
import networks_test
import regression_test
from recording_proxy import recorded_calls, request_lines
from tensorflow_client import FLOWRAY, HERE, Server, tf

REPLAY = os.path.join(os.path.dirname(os.path.abspath(FLOWRAY)), "test-cluster")
STEPS = 4  # of a training


@unittest.skipUnless(os.path.exists(REPLAY), "needs test-cluster beside the program")
class Interpreted:
    """Goes before a class of tests, whose programs then say all through a proxy that writes it down."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.calls = tempfile.NamedTemporaryFile()
        cls.addClassCleanup(cls.calls.close)
        proxy = Server(sys.executable, f"{HERE}/recording_proxy.py", cls.server.address, cls.calls.name)
        cls.addClassCleanup(proxy.end)
        cls.server.target = proxy.target

    def tearDown(self):
        super().tearDown()
        calls = recorded_calls(self.calls.name)
        os.truncate(self.calls.name, 0)
        with tempfile.NamedTemporaryFile("w", encoding="ascii") as file:
            file.write(f"step {self.id()}\n")
            file.writelines(request_lines(calls))
            file.flush()
            replayed = subprocess.run(
                [REPLAY, "--gtest_filter=InterpretedRequests.OfPrograms*"],
                env={**os.environ, "FLOWRAY_RECORDED_REQUESTS": file.name},
                stdout=subprocess.PIPE,
                text=True,
                timeout=300,
            )
        self.assertEqual(replayed.returncode, 0, replayed.stdout)
        self.assertRegex(replayed.stdout, "steps compared: [1-9]")


def few_steps(make):
    """A method that trains, with fewer steps."""
    return lambda self, *arguments, **options: make(self, *arguments, **{**options, "steps": STEPS})


class InterpretedNetworksTest(Interpreted, networks_test.NetworksTest):
    train = few_steps(networks_test.NetworksTest.train)


class InterpretedRegressionTest(Interpreted, regression_test.RegressionTest):
    trained = few_steps(regression_test.RegressionTest.trained)
    test_gradient_descent_finds_the_line = None  # not in so few


class InterpretedFunctionsTest(Interpreted, functions_test.FunctionsTest):
    pass
