"""flowray.ray: tasks that are run again when they raise. What is expected is what Ray 2.60 does."""

import os
import tempfile
import unittest

from flowray import ray


@ray.remote
def fail_at_first(folder, times, kind):
    """Raises in its first runs; how many there were."""
    number = len(os.listdir(folder)) + 1
    with open(os.path.join(folder, str(number)), "w"):
        pass
    if number <= times:
        raise kind("run %d" % number)
    return number


class RetryExceptionsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        ray.init(num_cpus=2)

    @classmethod
    def tearDownClass(cls):
        ray.shutdown()

    def runs(self, times, kind, **options):
        """(how often it was run, what it returned or raised)"""
        with tempfile.TemporaryDirectory() as folder:
            try:
                outcome = ray.get(fail_at_first.options(**options).remote(folder, times, kind))
            except kind as error:
                outcome = error.cause.args[0]
            return len(os.listdir(folder)), outcome

    def test_not_unless_it_is_said(self):
        self.assertEqual(self.runs(2, ValueError), (1, "run 1"))
        self.assertEqual(self.runs(2, ValueError, retry_exceptions=False), (1, "run 1"))

    def test_as_often_as_max_retries_says(self):
        self.assertEqual(self.runs(2, ValueError, retry_exceptions=True), (3, 3))
        self.assertEqual(self.runs(2, ValueError, retry_exceptions=True, max_retries=1), (2, "run 2"))
        self.assertEqual(self.runs(1, ValueError, retry_exceptions=True, max_retries=0), (1, "run 1"))
        self.assertEqual(self.runs(6, ValueError, retry_exceptions=True, max_retries=-1), (7, 7))

    def test_for_some_exceptions(self):
        self.assertEqual(self.runs(2, ValueError, retry_exceptions=[KeyError, ValueError]), (3, 3))
        self.assertEqual(self.runs(2, KeyError, retry_exceptions=(LookupError,)), (3, 3))
        self.assertEqual(self.runs(2, ValueError, retry_exceptions=[KeyError]), (1, "run 1"))
        self.assertEqual(self.runs(2, ValueError, retry_exceptions=[]), (1, "run 1"))

    def test_the_functions_own_option(self):
        with tempfile.TemporaryDirectory() as folder:
            function = ray.remote(retry_exceptions=True)(fail_at_first._function)
            self.assertEqual(ray.get(function.remote(folder, 1, ValueError)), 2)

    def test_in_local_mode(self):
        ray.shutdown()
        with ray.init(local_mode=True):
            self.assertEqual(self.runs(2, ValueError, retry_exceptions=True), (3, 3))
            self.assertEqual(self.runs(2, ValueError, retry_exceptions=[KeyError]), (1, "run 1"))
        self.setUpClass()

    def test_what_is_refused(self):
        for value in (3, "yes", None, {ValueError: 1}):
            with self.assertRaisesRegex(TypeError, "The type of keyword 'retry_exceptions' must be .* but received type"):
                fail_at_first.options(retry_exceptions=value)
        for value in ([3], [ValueError()], ["ValueError"]):
            with self.assertRaisesRegex(ValueError, "retry_exceptions must be either a boolean or a list of exceptions"):
                fail_at_first.options(retry_exceptions=value)
        with self.assertRaisesRegex(ValueError, "Invalid option keyword retry_exceptions"):
            ray.remote(retry_exceptions=True)(RetryExceptionsTest)
        with self.assertRaisesRegex(NotImplementedError, "catch the exception in the method"):
            ray.method(retry_exceptions=True)


if __name__ == "__main__":
    unittest.main()
