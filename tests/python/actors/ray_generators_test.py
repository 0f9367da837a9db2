"""flowray.ray: tasks and methods that give their values one by one, as Ray 2.60 does."""

import asyncio
import os
import tempfile
import threading
import unittest

from flowray import ray


@ray.remote
def count(n, fails_at=None, folder=None):
    for i in range(n):
        if i == fails_at:
            raise ValueError("no %d" % i)
        if folder is not None:
            open(os.path.join(folder, str(i)), "w").close()
        yield 10 * i


class Counter:
    def __init__(self):
        self.most = 3

    def count(self, n):
        for i in range(n):
            yield i

    def plain(self):
        return self.most


class AsyncCounter:
    async def count(self, n):
        for i in range(n):
            await asyncio.sleep(0)
            yield i

    def plain_count(self, n):
        for i in range(n):
            yield -i

    async def fails(self):
        yield 1
        raise KeyError("k")


class Gate:
    """Where processes wait for each other."""

    def __init__(self):
        self.opened = threading.Event()

    def open(self):
        self.opened.set()

    def wait(self):
        self.opened.wait()


class GeneratorsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        ray.init(num_cpus=2)

    @classmethod
    def tearDownClass(cls):
        ray.shutdown()

    def test_wait_takes_generators(self):
        gate = ray.remote(Gate).options(max_concurrency=3).remote()

        @ray.remote
        def opened(gate):
            yield 1
            ray.get(gate.wait.remote())
            yield 2

        one, ref, shut = opened.remote(gate), ray.put(1), gate.wait.remote()
        self.assertEqual(ray.wait([one, ref, shut], num_returns=2), ([one, ref], [shut]))
        self.assertIs(ray.get(one), one)
        self.assertEqual(ray.get(next(one)), 1)
        other = count.remote(1)
        self.assertEqual(ray.wait([one, shut, other]), ([other], [one, shut]))  # with nothing to tell of `one` yet
        self.assertEqual(ray.wait([one, shut], timeout=0.01), ([], [one, shut]))
        self.assertEqual(ray.wait([one, other], num_returns=2, timeout=0.01), ([other], [one]))
        ray.get(gate.open.remote())
        self.assertEqual(ray.wait(object_refs=[one]), ([one], []))
        with self.assertRaisesRegex(TypeError, "names of one argument"):
            ray.wait([one], object_refs=[one])
        self.assertEqual(ray.wait([one, shut, other], num_returns=3), ([one, shut, other], []))
        self.assertEqual(ray.get([next(one), next(other)]), [2, 0])
        for _ in range(2):  # at its end, and behind it
            self.assertEqual(ray.wait([one, other], num_returns=2), ([one, other], []))
            with self.assertRaises(StopIteration):
                next(one)
        with self.assertRaisesRegex(TypeError, "got a single ray.ObjectRef or ray.ObjectRefGenerator"):
            ray.wait(one)
        with self.assertRaisesRegex(ValueError, "unique ray_waitables"):
            ray.wait([one, one])
        with self.assertRaisesRegex(TypeError, "Attempting to call `get` on the value ObjectRefGenerator"):
            ray.get([one])

    def test_wait_takes_generators_in_workers(self):
        @ray.remote(num_cpus=0)
        def waits():
            one, ref = count.options(num_cpus=0).remote(2), ray.put(1)
            ready, others = ray.wait([one, ref], num_returns=2)
            return ready == [one, ref], others, ray.get(list(one)), ray.wait([one, ref]) == ([one], [ref])

        self.assertEqual(ray.get(waits.remote()), (True, [], [0, 10], True))

    def test_values_come_one_by_one(self):
        generator = count.remote(3)
        self.assertIsInstance(generator, ray.ObjectRefGenerator)
        refs = list(generator)
        self.assertEqual([ray.get(ref) for ref in refs], [0, 10, 20])
        with self.assertRaises(StopIteration):
            next(generator)
        self.assertTrue(generator.is_finished())
        self.assertIsNone(ray.get(generator.completed()))
        self.assertEqual(list(count.remote(0)), [])

    def test_a_value_is_there_while_the_call_runs(self):
        gate = ray.remote(max_concurrency=2)(Gate).remote()

        @ray.remote
        def waits(gate):
            yield 1
            ray.get(gate.wait.remote())
            yield [2] * 100000  # in the store
        generator = waits.remote(gate)
        self.assertEqual(ray.get(next(generator)), 1)
        self.assertFalse(generator.next_ready())
        self.assertIsNone(generator._next_sync(timeout_s=0))
        ray.get(gate.open.remote())
        self.assertEqual(len(ray.get(next(generator))), 100000)

    def test_an_error_is_the_last_value(self):
        generator = count.remote(3, 1)
        self.assertEqual(ray.get(next(generator)), 0)
        last = next(generator)
        with self.assertRaisesRegex(ValueError, "no 1"):
            ray.get(last)
        self.assertEqual(list(generator), [])
        self.assertIsNone(ray.get(generator.completed()))

    def test_it_is_not_further_ahead_than_it_may(self):
        with tempfile.TemporaryDirectory() as folder:
            generator = count.options(_generator_backpressure_num_objects=2).remote(5, None, folder)
            first = next(generator)
            for expected in (3, 4):  # it makes one more for each that is taken, and begins none beyond
                while len(os.listdir(folder)) < expected:
                    pass
                self.assertFalse(ray.wait([generator.completed()], timeout=0.05)[0])
                self.assertEqual(len(os.listdir(folder)), expected)
                last = next(generator)
            self.assertEqual([ray.get(first), ray.get(last)], [0, 20])
            self.assertEqual([ray.get(ref) for ref in generator], [30, 40])

    def test_one_that_is_dropped_runs_to_its_end(self):
        with tempfile.TemporaryDirectory() as folder:
            generator = count.options(_generator_backpressure_num_objects=1).remote(5, None, folder)
            next(generator)
            completed = generator.completed()
            del generator, completed
            while len(os.listdir(folder)) < 5:
                pass

    def test_methods(self):
        counter = ray.remote(Counter).remote()
        self.assertEqual([ray.get(ref) for ref in counter.count.remote(3)], [0, 1, 2])
        self.assertEqual([ray.get(ref) for ref in counter.count.options(num_returns="streaming").remote(2)], [0, 1])
        self.assertEqual(ray.get(counter.plain.remote()), 3)
        self.assertEqual(ray.get(counter.count.options(num_returns=2).remote(2)), [0, 1])
        threaded = ray.remote(max_concurrency=3)(Counter).remote()
        generators = [threaded.count.remote(3) for _ in range(3)]
        self.assertEqual([[ray.get(ref) for ref in generator] for generator in generators], [[0, 1, 2]] * 3)

    def test_methods_of_coroutines(self):
        counter = ray.remote(AsyncCounter).remote()
        generators = [counter.count.remote(3), counter.plain_count.remote(3),
                      counter.count.options(_generator_backpressure_num_objects=1).remote(3)]
        self.assertEqual([[ray.get(ref) for ref in generator] for generator in generators], [[0, 1, 2], [0, -1, -2], [0, 1, 2]])
        fails = counter.fails.remote()
        self.assertEqual(ray.get(next(fails)), 1)
        with self.assertRaises(KeyError):
            ray.get(next(fails))

    def test_asynchronous_iteration(self):
        async def take():
            return [await ref async for ref in count.remote(4)]
        self.assertEqual(asyncio.run(take()), [0, 10, 20, 30])

    def test_in_a_task(self):
        @ray.remote
        def take(n):
            return [ray.get(ref) for ref in count.remote(n)]
        self.assertEqual(ray.get(take.remote(3)), [0, 10, 20])

    def test_a_task_that_is_run_again_gives_each_value_once(self):
        @ray.remote(max_retries=1)
        def dies(folder):
            yield 1
            yield 2
            if not os.listdir(folder):
                open(os.path.join(folder, "died"), "w").close()
                os._exit(1)
            yield 3
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual([ray.get(ref) for ref in dies.remote(folder)], [1, 2, 3])

    def test_a_task_whose_process_dies(self):
        @ray.remote(max_retries=0)
        def dies():
            yield 1
            os._exit(1)
        generator = dies.remote()
        self.assertEqual(ray.get(next(generator)), 1)
        with self.assertRaises(ray.exceptions.WorkerCrashedError):
            ray.get(next(generator))

    def test_cancelling(self):
        gate = ray.remote(Gate).remote()

        @ray.remote
        def waits(gate):
            yield 1
            ray.get(gate.wait.remote())
        generator = waits.remote(gate)
        self.assertEqual(ray.get(next(generator)), 1)
        ray.cancel(generator)
        with self.assertRaises(ray.exceptions.TaskCancelledError):
            ray.get(next(generator))
        ahead = count.options(_generator_backpressure_num_objects=1).remote(3)
        self.assertEqual(ray.get(next(ahead)), 0)
        ray.cancel(ahead)
        with self.assertRaises(ray.exceptions.TaskCancelledError):
            for ref in ahead:
                ray.get(ref)
        ray.kill(gate)

    def test_cancelling_while_an_error_is_handed_on(self):
        arrived, gate = ray.remote(Gate).options(max_concurrency=2).remote(), ray.remote(Gate).remote()

        class Slow(Exception):
            def __reduce__(self):  # called as the error is made ready for the caller
                ray.get(arrived.open.remote())
                ray.get(gate.wait.remote())
                return Slow, ()

        @ray.remote
        def fails():
            raise Slow()
        failing = fails.remote()
        ray.get(arrived.wait.remote())
        ray.cancel(failing)
        with self.assertRaises(ray.exceptions.TaskCancelledError):
            ray.get(failing)
        ray.kill(gate)
        ray.kill(arrived)

    def test_what_is_refused(self):
        generator = count.remote(1)
        for refused in (lambda: count.remote(generator), lambda: ray.put([generator])):
            with self.assertRaisesRegex(TypeError, "cannot be sent"):
                refused()
        with self.assertRaisesRegex(ValueError, r"num_returns='streaming' can only be used with generator functions"):
            ray.remote(num_returns="streaming")(len)
        with self.assertRaisesRegex(ValueError, r"_generator_backpressure_num_objects=0 is not allowed\. Use a value > 0"):
            count.options(_generator_backpressure_num_objects=0)
        with self.assertRaisesRegex(ValueError, r"num_returns='dynamic' can only be used with generator functions"):
            ray.remote(num_returns="dynamic")(len)
        returns_a_list = ray.remote(lambda: [1])
        with self.assertRaisesRegex(ValueError, "must return a generator.*has returned a list"):
            ray.get(returns_a_list.options(num_returns="dynamic").remote())

    def test_a_number_of_values(self):
        self.assertEqual(ray.get(count.options(num_returns=2).remote(2)), [0, 10])


@ray.remote
def sum_of(refs):
    return sum(ray.get(ref) for ref in refs)


class DynamicTest(unittest.TestCase):
    """num_returns="dynamic": what `get` gives, as Ray 2.60 does."""

    @classmethod
    def setUpClass(cls):
        ray.init(num_cpus=2)

    @classmethod
    def tearDownClass(cls):
        ray.shutdown()

    def test_one_reference_to_all_that_is_yielded(self):
        ref = count.options(num_returns="dynamic").remote(3)
        self.assertIsInstance(ref, ray.ObjectRef)
        refs = ray.get(ref)
        self.assertIsInstance(refs, ray.DynamicObjectRefGenerator)
        self.assertEqual(len(refs), 3)
        self.assertEqual([ray.get(each) for each in refs], [0, 10, 20])
        self.assertEqual((len(refs), list(refs)), (0, []))  # each is given once
        self.assertEqual(list(ray.get(count.options(num_returns="dynamic").remote(0))), [])

    def test_it_goes_as_an_argument_and_keeps_what_it_refers_to(self):
        ref = count.options(num_returns="dynamic").remote(3)
        self.assertEqual(ray.get(sum_of.remote(ref)), 30)
        refs = ray.get(ref)
        del ref
        self.assertEqual(ray.get(sum_of.remote(refs)), 30)

    def test_what_is_raised_is_the_last_ones(self):
        refs = list(ray.get(count.options(num_returns="dynamic").remote(3, 1)))
        self.assertEqual((len(refs), ray.get(refs[0])), (2, 0))
        with self.assertRaisesRegex(ValueError, "no 1") as raised:
            ray.get(refs[1])
        self.assertIsInstance(raised.exception, ray.exceptions.RayTaskError)
        self.assertIn("count", str(raised.exception))

    def test_methods_in_processes_threads_and_loops(self):
        for counter in (ray.remote(Counting).remote(), ray.remote(Counting).options(max_concurrency=2).remote(),
                        ray.remote(AsyncCounting).remote()):
            self.assertEqual([ray.get(ref) for ref in ray.get(counter.count.remote(3))], [0, 1, 2])
            self.assertEqual([ray.get(ref) for ref in ray.get(counter.other.options(num_returns="dynamic").remote(2))], [0, 1])
            refs = list(ray.get(counter.fail.remote()))
            self.assertEqual((len(refs), ray.get(refs[0])), (2, 1))
            with self.assertRaises(KeyError):
                ray.get(refs[1])


class Counting:
    @ray.method(num_returns="dynamic")
    def count(self, n):
        yield from range(n)

    def other(self, n):
        yield from range(n)

    @ray.method(num_returns="dynamic")
    def fail(self):
        yield 1
        raise KeyError("no")


class AsyncCounting(Counting):
    async def is_async(self):
        return True

    @ray.method(num_returns="dynamic")
    async def count(self, n):
        for i in range(n):
            yield i

    @ray.method(num_returns="dynamic")
    async def fail(self):
        yield 1
        raise KeyError("no")


class LocalModeTest(unittest.TestCase):
    def test_in_local_mode(self):
        with ray.init(local_mode=True):
            self.assertEqual([ray.get(ref) for ref in ray.get(count.options(num_returns="dynamic").remote(3))], [0, 10, 20])
            self.assertEqual([ray.get(ref) for ref in count.remote(3)], [0, 10, 20])
            generator = count.remote(3, 1)
            self.assertEqual(ray.get(next(generator)), 0)
            with self.assertRaisesRegex(ValueError, "no 1"):
                ray.get(next(generator))
            counter = ray.remote(AsyncCounter).remote()
            self.assertEqual([ray.get(ref) for ref in counter.count.remote(2)], [0, 1])


if __name__ == "__main__":
    unittest.main()
