"""flowray.ray: tasks and methods that are run again when they raise, or their process dies. What is expected is what Ray 2.60 does."""

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
        for value in (3, [3]):
            with self.assertRaisesRegex((TypeError, ValueError), "retry_exceptions"):
                ray.method(retry_exceptions=value)
        for options in ({"max_task_retries": -2}, {"max_task_retries": 1.5}, {"max_task_retries": True}):
            for decorate in (lambda: ray.method(**options), lambda: ray.remote(**options)(Failing)):  # noqa: B023
                with self.assertRaisesRegex((TypeError, ValueError), "he (type of )?keyword 'max_task_retries' (must be|only accepts)"):
                    decorate()


class Failing:
    """Its calls raise, or end the process, in their first runs; how many there were is what lies in a folder."""

    def begin(self, folder):
        number = len(os.listdir(folder)) + 1
        with open(os.path.join(folder, str(number)), "w"):
            pass
        return number

    def fail(self, folder, times, kind=ValueError):
        number = self.begin(folder)
        if number <= times:
            raise kind("run %d" % number)
        return number

    @ray.method(max_task_retries=2, retry_exceptions=[ValueError])
    def fail_and_retry(self, folder, times, kind=ValueError):
        return self.fail(folder, times, kind)

    def die(self, folder, times):
        number = self.begin(folder)
        if number <= times:
            os._exit(1)
        return number

    @ray.method(max_task_retries=0)
    def die_once(self, folder, times):
        return self.die(folder, times)


class FailingLoop(Failing):
    async def coroutine(self):
        return 1


class RetriedMethodsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        ray.init(num_cpus=2)

    @classmethod
    def tearDownClass(cls):
        ray.shutdown()

    def runs(self, method, *args):
        """(how often it was run, what it returned or the class of what it raised)"""
        with tempfile.TemporaryDirectory() as folder:
            try:
                outcome = ray.get(method.remote(folder, *args))
            except ray.exceptions.RayTaskError as error:
                outcome = type(error.cause)
            except ray.exceptions.RayActorError as error:
                outcome = ray.exceptions.RayActorError
            return len(os.listdir(folder)), outcome

    def check_exceptions(self, actor):
        self.assertEqual(self.runs(actor.fail, 1), (1, ValueError))
        self.assertEqual(self.runs(actor.fail.options(retry_exceptions=True), 1), (1, ValueError))  # max_task_retries is 0
        self.assertEqual(self.runs(actor.fail.options(retry_exceptions=True, max_task_retries=3), 3), (4, 4))
        self.assertEqual(self.runs(actor.fail.options(retry_exceptions=True, max_task_retries=-1), 5), (6, 6))
        self.assertEqual(self.runs(actor.fail.options(max_task_retries=3), 1), (1, ValueError))
        self.assertEqual(self.runs(actor.fail_and_retry, 2), (3, 3))
        self.assertEqual(self.runs(actor.fail_and_retry, 3), (3, ValueError))
        self.assertEqual(self.runs(actor.fail_and_retry, 1, KeyError), (1, KeyError))
        self.assertEqual(self.runs(actor.fail_and_retry.options(retry_exceptions=[LookupError]), 1, KeyError), (2, 2))
        self.assertEqual(self.runs(actor.fail_and_retry.options(max_task_retries=0), 1), (1, ValueError))

    def test_exceptions(self):
        self.check_exceptions(ray.remote(Failing).remote())

    def test_exceptions_in_threads_and_in_a_loop(self):
        self.check_exceptions(ray.remote(Failing).options(max_concurrency=2).remote())
        self.check_exceptions(ray.remote(FailingLoop).remote())

    def test_exceptions_in_local_mode(self):
        ray.shutdown()
        with ray.init(local_mode=True):
            self.check_exceptions(ray.remote(Failing).remote())
            actor = ray.remote(max_task_retries=1)(Failing).remote()
            self.assertEqual(self.runs(actor.fail.options(retry_exceptions=True), 1), (2, 2))
        self.setUpClass()

    def test_processes_that_die(self):
        kind = ray.remote(max_restarts=-1)(Failing)
        actor = kind.remote()
        self.assertEqual(self.runs(actor.die, 1), (1, ray.exceptions.RayActorError))
        self.assertEqual(self.runs(actor.die.options(max_task_retries=2), 2), (3, 3))
        actor = kind.options(max_task_retries=2).remote()
        self.assertEqual(self.runs(actor.die, 2), (3, 3))
        self.assertEqual(self.runs(actor.die, 3), (3, ray.exceptions.RayActorError))
        self.assertEqual(self.runs(actor.die_once, 1), (1, ray.exceptions.RayActorError))
        self.assertEqual(self.runs(actor.fail.options(retry_exceptions=True), 2), (3, 3))

    def test_a_handle_that_was_sent_knows_of_them(self):
        @ray.remote
        def call(actors, folder):
            return ray.get(actors[0].fail_and_retry.remote(folder, 2))
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(ray.get(call.remote([ray.remote(Failing).remote()], folder)), 3)


if __name__ == "__main__":
    unittest.main()
