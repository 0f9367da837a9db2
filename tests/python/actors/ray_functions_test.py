"""flowray.ray: functions and classes that refer to others, and what becomes of long errors."""

import gc
import threading
import types
import unittest

import numpy as np

from flowray import ray


class Long(Exception):
    """Its making asks for more than its args."""

    def __init__(self, name, size):
        super().__init__(name)
        self.text = name * size


@ray.remote
def is_even(n):
    return True if n == 0 else ray.get(is_odd.remote(n - 1))


@ray.remote
def is_odd(n):
    return False if n == 0 else ray.get(is_even.remote(n - 1))


class FunctionsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        ray.init(num_cpus=2)

    @classmethod
    def tearDownClass(cls):
        ray.shutdown()

    def test_two_functions_call_each_other(self):
        @ray.remote
        def even(n):
            return True if n == 0 else ray.get(odd.remote(n - 1))

        @ray.remote
        def odd(n):
            return False if n == 0 else ray.get(even.remote(n - 1))

        self.assertEqual(ray.get([even.remote(5), odd.remote(5), even.remote(4), odd.remote(0)]), [False, True, True, False])

    def test_functions_of_a_module_call_each_other(self):
        self.assertEqual(ray.get([is_even.remote(3), is_odd.remote(3)]), [False, True])

    def test_three_in_a_ring_with_others_beside_it(self):
        base = np.arange(3)

        @ray.remote
        def leaf(n):
            return int(base[n % 3])

        @ray.remote
        def a(n):
            return ray.get(leaf.remote(n)) + (ray.get(b.remote(n - 1)) if n else 0)

        @ray.remote
        def b(n):
            return ray.get(leaf.remote(n)) + (ray.get(c.remote(n - 1)) if n else 0)

        @ray.remote
        def c(n):
            return ray.get(a.remote(n - 1)) + ray.get(c.options(num_cpus=0).remote(0)) if n else 0

        @ray.remote
        def outside(n):
            return ray.get(b.remote(n)), ray.get(c.remote(n))

        # a(4): leaf 1 + b(3): leaf 0 + c(2): a(1): leaf 1 + b(0): leaf 0, + c(0): 0
        self.assertEqual(ray.get(a.remote(4)), 2)
        # b(1): leaf 1 + c(0): 0.  c(1): a(0): leaf 0, + c(0): 0
        self.assertEqual(ray.get(outside.remote(1)), (1, 0))

    def test_an_actor_and_a_function_that_make_each_other(self):
        @ray.remote
        class Node:
            def __init__(self, depth):
                self.below = grow.remote(depth - 1) if depth else None

            def size(self):
                return 1 + (ray.get(self.below) if self.below is not None else 0)

        @ray.remote
        def grow(depth):
            return ray.get(Node.remote(depth).size.remote())

        self.assertEqual(ray.get(grow.remote(2)), 3)

    def test_one_of_a_ring_is_passed_on_as_an_argument(self):
        @ray.remote
        def even(n):
            return True if n == 0 else ray.get(odd.remote(n - 1))

        @ray.remote
        def odd(n):
            return False if n == 0 else ray.get(even.remote(n - 1))

        @ray.remote
        def call(functions, n):
            return ray.get([function.remote(n) for function in functions])

        @ray.remote
        def give():
            return [odd, even]

        self.assertEqual(ray.get(call.remote([even, odd], 3)), [False, True])
        self.assertEqual(ray.get(call.remote(ray.get(give.remote()), 2)), [False, True])

    def test_a_ring_that_does_not_pickle_may_be_mended(self):
        held = [threading.Lock()]

        @ray.remote
        def even(n):
            return bool(held) and (n == 0 or ray.get(odd.remote(n - 1)))

        @ray.remote
        def odd(n):
            return n != 0 and ray.get(even.remote(n - 1))

        with self.assertRaisesRegex(TypeError, "cannot pickle '_thread.lock'"):
            odd.remote(1)
        held[0] = 1
        self.assertEqual(ray.get([odd.remote(3), even.remote(3)]), [True, False])

    def test_threads_that_call_a_function_for_the_first_time(self):
        @ray.remote
        def double(x):
            return 2 * x

        start, results = threading.Barrier(4), []

        def work(x):
            start.wait()
            results.append(ray.get(double.remote(x)))

        threads = [threading.Thread(target=work, args=(x,)) for x in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(results), [0, 2, 4, 6])


class LongErrorsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        ray.init(num_cpus=2)

    @classmethod
    def tearDownClass(cls):
        ray.shutdown()

    def test_a_very_long_error_keeps_its_class_in_what_depends_on_it(self):
        class Own(ValueError):
            pass

        @ray.remote
        def fail(kind, size):
            raise kind("x" * size)

        @ray.remote
        def same(x):
            return x

        for kind in (KeyError, Own):
            with self.assertRaises(kind) as caught:
                ray.get(fail.remote(kind, 200_000))
            self.assertEqual(caught.exception.cause.args, ("x" * 200_000,))
            for depth in (1, 3):
                ref = fail.remote(kind, 200_000)
                for _ in range(depth):
                    ref = same.remote(ref)
                with self.assertRaises(kind) as caught:
                    ray.get(ref)
                self.assertIn("in fail", str(caught.exception))
                self.assertIn("more letters", str(caught.exception))
                self.assertIsNone(caught.exception.cause)

    def test_a_very_long_error_that_a_task_lets_through(self):
        @ray.remote
        def fail():
            raise KeyError("x" * 200_000)

        @ray.remote
        def same(x):
            return x

        @ray.remote
        def get_from(refs):
            return ray.get(refs[0])

        with self.assertRaises(KeyError) as caught:
            ray.get(get_from.remote([same.remote(fail.remote())]))
        self.assertIn("in get_from", str(caught.exception))

    def test_a_class_that_is_not_made_of_its_args_is_kept(self):
        @ray.remote
        def fail():
            raise Long("a", 3)

        with self.assertRaises(Long) as caught:
            ray.get(fail.remote())
        self.assertIsNone(caught.exception.cause)
        self.assertIn("Long: a", str(caught.exception))


@ray.remote
def keep_at_most(num_functions, num_bytes):
    from flowray.ray import _worker
    _worker._MOST_FUNCTIONS, _worker._MOST_BYTES = num_functions, num_bytes


@ray.remote
def functions_here(name):
    """How many functions of that name live in this process, and how many are kept for further calls."""
    from flowray.ray import _worker
    gc.collect()
    return sum(isinstance(one, types.FunctionType) and one.__name__ == name for one in gc.get_objects()), len(_worker.functions)


class FunctionsOfAWorkerTest(unittest.TestCase):
    """What a worker keeps of the functions that it has run."""

    @classmethod
    def setUpClass(cls):
        ray.init(num_cpus=1)

    @classmethod
    def tearDownClass(cls):
        ray.shutdown()

    def functions(self, count, num_bytes):
        def make(value):
            array = np.full(num_bytes, value, np.uint8)

            @ray.remote
            def first_of_array():
                return int(array[0]) if len(array) else value

            return first_of_array
        return [make(i) for i in range(count)]

    def test_the_last_ones_are_kept(self):
        functions = self.functions(10, 0)
        ray.get(keep_at_most.remote(3, 1 << 20))
        for _ in range(2):
            self.assertEqual(ray.get([function.remote() for function in functions]), list(range(10)))
        self.assertEqual(ray.get(functions_here.remote("first_of_array")), (2, 3))

    def test_what_they_close_over_counts(self):
        functions = self.functions(5, 1_000_000)
        ray.get(keep_at_most.remote(100, 2_500_000))
        for _ in range(2):
            self.assertEqual(ray.get([function.remote() for function in functions]), list(range(5)))
        self.assertEqual(ray.get(functions_here.remote("first_of_array"))[0], 2)
        ray.get(keep_at_most.remote(100, 10))  # less than one has
        self.assertEqual(ray.get([functions[0].remote(), functions[1].remote(), functions[1].remote()]), [0, 1, 1])
        self.assertEqual(ray.get(functions_here.remote("first_of_array"))[0], 0)

    def test_those_that_call_each_other_are_read_again(self):
        ray.get(keep_at_most.remote(1, 1 << 20))
        self.assertEqual(ray.get([is_even.remote(3), is_odd.remote(3)]), [False, True])
        ray.get(functions_here.remote("is_even"))
        self.assertEqual(ray.get([is_even.remote(4), is_odd.remote(4)]), [True, False])

    def test_a_function_whose_pickle_lies_in_the_store(self):
        text = "x" * 1_000_000

        @ray.remote
        def size():
            return len(text)

        @ray.remote(num_cpus=0)
        class Texts:
            def size(self):
                return len(text)

        self.assertEqual(ray.get([size.remote(), Texts.remote().size.remote()]), [1_000_000, 1_000_000])

    def test_a_function_of_a_function_goes_with_it(self):
        @ray.remote
        def outer(n):
            @ray.remote(num_cpus=0)
            def inner(k):
                return k if k == 0 else 1 + ray.get(inner.remote(k - 1))
            return ray.get(inner.remote(n))

        self.assertEqual(ray.get([outer.remote(n) for n in range(4)]), [0, 1, 2, 3])


if __name__ == "__main__":
    unittest.main()
