#!/usr/bin/env python3
"""Runs a share of the tests of this folder in one process, which imports TensorFlow once.

    share_of_tests.py PATH/TO/flowray SHARE/OF TIME_LIMIT_S [PATTERN ...]

Prints what failed and was skipped, and last "N passed, N failed, N skipped". A test that is expected to fail counts as skipped.
After the time limit it shows where it is, and ends.
"""

import faulthandler
import os
import sys
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


class Counter(unittest.TextTestResult):
    """Shows nothing for a test that has passed."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.num_passed = 0

    def startTest(self, test):  # noqa: N802
        super().startTest(test)
        self.started = time.monotonic()

    def stopTest(self, test):  # noqa: N802
        super().stopTest(test)
        took = time.monotonic() - self.started
        if os.environ.get("FLOWRAY_SHOW_TIMES"):
            print(f"{took:6.1f} s  {test.id()}", flush=True)

    def addSuccess(self, test):  # noqa: N802
        super().addSuccess(test)
        self.num_passed += 1


def main():
    flowray, share, time_limit_s, *patterns = sys.argv[1:]
    faulthandler.dump_traceback_later(float(time_limit_s), exit=True)
    number, of = (int(part) for part in share.split("/"))
    os.environ["FLOWRAY_BINARY"] = flowray
    import tensorflow_client  # noqa: F401, PLC0415  sets how TensorFlow works, before any file imports a part of it

    loader = unittest.TestLoader()
    if patterns:
        loader.testNamePatterns = [f"*{pattern}*" for pattern in patterns]
    # Files, not tests, are dealt out: what a file starts once for all its tests is started once.
    files = sorted(name for name in os.listdir(HERE) if name.endswith("_test.py"))[number::of]
    suite = unittest.TestSuite(loader.discover(HERE, file) for file in files)
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=0, resultclass=Counter).run(suite)
    for test, reason in result.skipped:
        print(f"skipped {test.id()}: {reason}")
    for test, _ in result.expectedFailures:
        print(f"fails as expected: {test.id()}")
    failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
    print(f"{result.num_passed} passed, {failed} failed, {len(result.skipped) + len(result.expectedFailures)} skipped", flush=True)
    sys.stderr.flush()
    # Threads of TensorFlow's client that still wait for a server of a test keep nobody here.
    os._exit(0)


if __name__ == "__main__":
    main()
