"""Python and C++ call each other's functions and actors, by their names, in one runtime."""

import subprocess
import sys
import threading
import unittest
from pathlib import Path

import numpy as np

import flowray
from flowray import ray

LIBRARY = Path(flowray.__file__).resolve().parent.parent / "libraries" / "libfunctions.so"


def cpp(name):
    return ray.cross_language.cpp_function(name)


class CrossLanguageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not LIBRARY.exists():
            raise unittest.SkipTest("%s is not built (tests/python/run builds it)" % LIBRARY)
        ray.init(num_cpus=2, job_config=ray.job_config.JobConfig(code_search_path=[str(LIBRARY)]))

    @classmethod
    def tearDownClass(cls):
        ray.shutdown()

    def test_values_of_all_kinds_go_there_and_back(self):
        scaled = ray.get(cpp("Scaled").remote(np.arange(100_000, dtype=np.float32), 0.5))
        np.testing.assert_array_equal(scaled, np.arange(100_000, dtype=np.float32) / 2)
        for name, args, expected in (
                ("Plus", (1, 2), 3), ("Half", (3,), 1.5), ("Half", (np.float32(3),), 1.5), ("Greet", ("\u00fc",), "hello, \u00fc"),
                ("Doubled", ([1, 2.5],), [2.0, 5.0]), ("Doubled", ((1.0,),), [2.0]), ("Lengths", (["a", "bcd"],), {"a": 1, "bcd": 3}),
                ("Reversed", (b"abc",), b"cba"), ("Plus", (ray.put(4), cpp("Plus").remote(1, 1)), 6)):
            with self.subTest(name=name, args=args):
                self.assertEqual(ray.get(cpp(name).remote(*args)), expected)
        self.assertEqual(list(ray.get(cpp("Doubled").remote(np.arange(100.0)))), [2.0 * i for i in range(100)])

    def test_references_stay_references_inside_of_lists(self):
        @ray.remote
        def three():
            return 3

        self.assertEqual(ray.get(cpp("Sum").remote([ray.put(1), three.remote(), cpp("Plus").remote(0, 2)])), 6)

    def test_results_go_on_into_python(self):
        @ray.remote
        def as_text(x):
            return str(x)

        self.assertEqual(ray.get(as_text.remote(cpp("Plus").remote(2, 2))), "4")

    def test_tasks_of_python_call_functions_of_cpp(self):
        @ray.remote
        def total(n):
            plus, counter = ray.cpp_function("Plus"), ray.cross_language.cpp_actor_class("Counter::Create", "Counter").remote(n)
            return ray.get(plus.remote(n, 1)) + ray.get(counter.Add.remote(10))

        self.assertEqual(ray.get(total.remote(5)), 6 + 15)

    def test_an_actor_of_cpp(self):
        kind = ray.cross_language.cpp_actor_class("Counter::Create", "Counter")
        counter = kind.options(num_cpus=0.5).remote(10)
        self.assertEqual(ray.get([counter.Add.remote(1), counter.Add.remote(ray.put(2))]), [11, 13])

        @ray.remote
        def add(counters):
            return ray.get(counters[0].Add.remote(7))

        self.assertEqual(ray.get(add.remote([counter])), 20)
        ray.kill(counter)
        with self.assertRaisesRegex(ray.exceptions.RayActorError, "Counter"):
            ray.get(counter.Add.remote(1))
        with self.assertRaisesRegex(ray.exceptions.RayActorError, "a counter starts at 0 or above"):
            ray.get(kind.remote(-1).Add.remote(1))

    def test_options_of_cpp_do_what_they_say_or_are_refused(self):
        plus = ray.cross_language.cpp_function("Plus")
        group = ray.util.placement_group([{"CPU": 1}])
        ray.get(group.ready())
        strategy = ray.util.scheduling_strategies.PlacementGroupSchedulingStrategy(group)
        self.assertEqual(ray.get(plus.options(scheduling_strategy=strategy, retry_exceptions=True).remote(1, 2)), 3)
        kind = ray.cross_language.cpp_actor_class("Counter::Create", "Counter")
        counter = kind.options(scheduling_strategy=strategy, num_cpus=1, max_concurrency=2).remote(10)
        self.assertEqual(ray.get(counter.Add.remote(1)), 11)
        ray.util.remove_placement_group(group)
        with self.assertRaisesRegex(ray.exceptions.RayActorError, "its placement group was removed"):
            ray.get(counter.Add.remote(1))
        for call, error, text in (
                (lambda: plus.options(retry_exceptions=[ValueError]), NotImplementedError, "for all exceptions"),
                (lambda: plus.options(num_returns="streaming"), NotImplementedError, "return their values together"),
                (lambda: plus.options(_generator_backpressure_num_objects=2), ValueError, "Invalid option keyword"),
                (lambda: kind.options(get_if_exists=True), ValueError, "Invalid option keyword get_if_exists"),
                (lambda: kind.options(max_pending_calls=1), ValueError, "Invalid option keyword max_pending_calls"),
                (lambda: kind.options(concurrency_groups={"io": 1}), ValueError, "Invalid option keyword concurrency_groups"),
                (lambda: kind.remote(1).Add.options(concurrency_group="io"), ValueError, "Invalid option keyword concurrency_group")):
            with self.assertRaisesRegex(error, text):
                call()

    def test_functions_of_cpp_call_python(self):
        self.assertEqual(ray.get(cpp("PlusOfPython").remote(1, 2)), 103)
        self.assertEqual(ray.get(cpp("MeansOfPython").remote({"a": [1, 2], "b": [5]})), {"a": [1.0, 2.0, 1.5], "b": [5.0, 5.0]})

    def test_an_actor_of_python_that_cpp_makes(self):
        self.assertEqual(ray.get(cpp("CountInPython").remote(1)), [2, 4])
        given = ray.get(cpp("GiveCounter").remote())
        self.assertEqual(ray.get(given.add.remote(2)), 7)
        ray.kill(given)

    def test_errors_have_the_class_that_the_other_language_has_for_them(self):
        with self.assertRaises(IndexError) as caught:
            ray.get(cpp("Fail").remote(7))
        self.assertIsInstance(caught.exception, ray.exceptions.RayTaskError)
        self.assertRegex(str(caught.exception), r"(?s)^ray::Fail\(\) \(pid=\d+\)\nstd::out_of_range: code 7")
        self.assertEqual(ray.get(cpp("ErrorOfPython").remote()), "ValueError: no")
        with self.assertRaises(ValueError) as caught:
            ray.get(cpp("FailWithNul").remote())
        self.assertIn("zero \0 one", str(caught.exception))
        self.assertEqual(ray.get(cpp("ErrorOfMissing").remote()), "AttributeError")

    def test_what_cpp_does_not_take_is_an_error_of_the_call(self):
        for args in (("text", 1), (1.5, 1), (1,), (2**40, 1), ({1, 2}, 3)):
            with self.subTest(args=args), self.assertRaises((TypeError, ValueError)):
                ray.get(cpp("Plus").remote(*args))
        with self.assertRaisesRegex(TypeError, "Cross language remote functions does not support kwargs, kwargs:{'b': 2}"):
            cpp("Plus").remote(1, b=2)
        with self.assertRaisesRegex(ray.exceptions.RaySystemError, r"Function not found: 'Minus' was not registered\."):
            cpp("Minus").remote(1, 2)
        with self.assertRaisesRegex(TypeError, r"Instead of running 'Plus\(\)', try 'Plus.remote\(\)'"):
            cpp("Plus")(1, 2)


class LibrariesTest(unittest.TestCase):
    def setUp(self):
        if not LIBRARY.exists():
            self.skipTest("%s is not built (tests/python/run builds it)" % LIBRARY)
        self.addCleanup(ray.shutdown)

    def test_a_runtime_of_a_program_with_threads_and_a_folder_of_libraries(self):
        ended = threading.Event()
        waiting = threading.Thread(target=ended.wait)
        waiting.start()
        for _ in range(2):
            with ray.init(num_cpus=1, job_config=ray.job_config.JobConfig(code_search_path=str(LIBRARY.parent))):
                self.assertEqual(ray.get(cpp("PlusOfPython").remote(1, 2)), 103)
        ended.set()
        waiting.join()

    def test_local_mode(self):
        ray.init(local_mode=True, job_config=ray.job_config.JobConfig(code_search_path=[str(LIBRARY)]))
        self.assertEqual(ray.get(cpp("PlusOfPython").remote(1, 2)), 103)

    def test_what_is_no_library_of_functions(self):
        code = "from flowray import ray; import sys\n" \
               "try: ray.init(job_config=ray.job_config.JobConfig(code_search_path=sys.argv[1:]))\n" \
               "except RuntimeError as error: print(error)\n" \
               "print(ray.is_initialized())"
        for path, text in (("/nowhere/lib.so", "The library '/nowhere/lib.so' cannot be opened"),
                           (flowray.__file__, "cannot be opened"), ("libc.so.6", "cannot be opened")):
            done = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, timeout=100, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn(text, done.stdout)
            self.assertTrue(done.stdout.endswith("False\n"))
        with self.assertRaisesRegex(NotImplementedError, "JobConfig.jvm_options"):
            ray.job_config.JobConfig(jvm_options=["-x"])


if __name__ == "__main__":
    unittest.main()
