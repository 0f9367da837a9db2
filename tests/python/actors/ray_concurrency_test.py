"""flowray.ray: actors whose methods run several at a time, in threads and in an event loop."""

import asyncio
import os
import signal
import threading
import unittest

from flowray import ray

GUARD = 60  # seconds, after which a call that should have come has not


class ConcurrencyTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        ray.init(num_cpus=2)

    @classmethod
    def tearDownClass(cls):
        ray.shutdown()


@ray.remote
class Meeting:
    """Each caller waits for the others, so that all have to be there at a time."""

    def __init__(self, number):
        self.barrier = threading.Barrier(number)
        self.local = threading.local()
        self.maker = threading.get_ident()

    def come(self):
        self.local.calls = getattr(self.local, "calls", 0) + 1
        self.barrier.wait(GUARD)
        return threading.get_ident()

    def calls_of_threads(self):
        calls = self.local.calls
        self.barrier.wait(GUARD)
        return calls

    def fail(self):
        raise KeyError("no")


class ThreadsTest(ConcurrencyTest):
    def test_as_many_methods_run_at_a_time_as_max_concurrency_says(self):
        meeting = Meeting.options(max_concurrency=3).remote(3)
        self.assertEqual(len(set(ray.get([meeting.come.remote() for _ in range(3)], timeout=GUARD))), 3)

    def test_what_a_thread_keeps_lasts_from_call_to_call(self):
        meeting = Meeting.options(max_concurrency=2).remote(2)
        for _ in range(3):
            ray.get([meeting.come.remote() for _ in range(2)], timeout=GUARD)
        self.assertEqual(ray.get([meeting.calls_of_threads.remote() for _ in range(2)], timeout=GUARD), [3, 3])

    def test_at_most_max_pending_calls_of_a_process_are_waited_for(self):
        class Gate:
            def __init__(self):
                self.opened = threading.Event()

            def wait(self):
                return self.opened.wait(GUARD)

            def open(self):
                self.opened.set()

        @ray.remote(num_cpus=0)
        def open_it(gates):
            held = [gates[0].wait.remote() for _ in range(2)]
            try:
                gates[0].open.remote()
            except ray.exceptions.PendingCallsLimitExceeded as error:
                told = str(error)
            ray.get(ray.remote(num_cpus=0)(lambda gates: ray.get(gates[0].open.remote())).remote(gates))
            return ray.get(held), told

        gate = ray.remote(max_pending_calls=2, max_concurrency=5)(Gate).remote()
        refs = [gate.wait.remote() for _ in range(2)]
        refused = r"could not be submitted to .* because more than 2 tasks are queued on the actor\. This limit can be adjusted with the " \
                  r"`max_pending_calls` actor option\."
        for method in (gate.wait, gate.wait.options(num_returns=1)):
            with self.assertRaisesRegex(ray.exceptions.PendingCallsLimitExceeded, refused):
                method.remote()
        held, told = ray.get(open_it.remote([gate]), timeout=GUARD)
        self.assertEqual(held, [True, True])
        self.assertRegex(told, refused)
        self.assertEqual(ray.get(refs, timeout=GUARD), [True, True])
        self.assertEqual(ray.get([gate.wait.remote() for _ in range(2)], timeout=GUARD), [True, True])

    def test_errors_and_more_calls_than_threads(self):
        meeting = Meeting.options(max_concurrency=2).remote(2)
        with self.assertRaises(KeyError):
            ray.get(meeting.fail.remote(), timeout=GUARD)
        self.assertEqual(len(ray.get([meeting.come.remote() for _ in range(10)], timeout=GUARD)), 10)

    def test_an_actor_that_ends_lets_its_calls_end(self):
        meeting = Meeting.options(max_concurrency=3).remote(2)
        refs = [meeting.come.remote() for _ in range(2)]
        del meeting
        self.assertEqual(len(set(ray.get(refs, timeout=GUARD))), 2)

    def test_max_concurrency_is_at_least_one(self):
        for number in (0, -1):
            with self.assertRaisesRegex(ValueError, "The keyword 'max_concurrency' only accepts None, a positive integer"):
                Meeting.options(max_concurrency=number)
        for number in (1.5, "2"):
            with self.assertRaisesRegex(TypeError, "The type of keyword 'max_concurrency' must be"):
                Meeting.options(max_concurrency=number)


@ray.remote(concurrency_groups={"io": 2, "compute": 1})
class Groups:
    """Each caller waits for others of the same group."""

    def __init__(self):
        self.pair = threading.Barrier(2)
        self.opened = threading.Event()

    @ray.method(concurrency_group="io")
    def come_in_pairs(self):
        self.pair.wait(GUARD)
        return threading.get_ident()

    @ray.method(concurrency_group="compute")
    def wait(self):
        return self.opened.wait(GUARD)

    def open(self):
        self.opened.set()

    @ray.method(concurrency_group="compute", num_returns=2)
    def two(self):
        return 1, 2


class ConcurrencyGroupsTest(ConcurrencyTest):
    def test_each_group_has_calls_to_itself(self):
        groups = Groups.remote()
        waiting = [groups.wait.remote() for _ in range(3)]  # all of `compute`
        self.assertEqual(len(set(ray.get([groups.come_in_pairs.remote() for _ in range(2)], timeout=GUARD))), 2)
        ray.get(groups.open.remote(), timeout=GUARD)  # in none of the groups
        self.assertEqual(ray.get(waiting, timeout=GUARD), [True] * 3)
        self.assertEqual(ray.get(groups.two.remote(), timeout=GUARD), [1, 2])

    def test_a_call_may_name_another_one(self):
        groups = Groups.remote()
        waiting = groups.wait.remote()
        # In its own group it would wait for the one before.
        groups.wait.options(concurrency_group="io").remote()
        self.assertEqual(ray.get(groups.two.options(concurrency_group="io", num_returns=1).remote(), timeout=GUARD), (1, 2))
        ray.get(groups.open.remote(), timeout=GUARD)
        self.assertTrue(ray.get(waiting, timeout=GUARD))

    def test_handles_that_were_sent_know_of_them(self):
        @ray.remote
        def meet(groups):
            return len(set(ray.get([groups.come_in_pairs.remote() for _ in range(2)], timeout=GUARD)))
        self.assertEqual(ray.get(meet.remote(Groups.remote()), timeout=GUARD), 2)

    def test_calls_in_no_group_have_max_concurrency(self):
        meeting = ray.remote(max_concurrency=3, concurrency_groups={"io": 1})(Meeting.__ray_actor_class__).remote(3)
        self.assertEqual(len(set(ray.get([meeting.come.remote() for _ in range(3)], timeout=GUARD))), 3)

    def test_of_coroutines(self):
        @ray.remote(concurrency_groups={"io": 2})
        class Coroutines:
            def __init__(self):
                self.running = self.most = 0

            @ray.method(concurrency_group="io")
            async def run(self):
                self.running += 1
                self.most = max(self.most, self.running)
                for _ in range(20):
                    await asyncio.sleep(0)
                self.running -= 1
                return self.most

        self.assertEqual(max(ray.get([Coroutines.remote().run.remote() for _ in range(2)], timeout=GUARD)), 1)
        coroutines = Coroutines.remote()
        self.assertLessEqual(max(ray.get([coroutines.run.remote() for _ in range(20)], timeout=GUARD)), 2)

    def test_what_is_refused(self):
        kind = Meeting.__ray_actor_class__
        for groups, error in (({"io": 0}, ValueError), ({"io": 1.5}, ValueError), ({"": 1}, ValueError), ({3: 1}, ValueError),
                              ("io", TypeError), ([1], TypeError)):
            with self.assertRaisesRegex(error, "concurrency"):
                ray.remote(concurrency_groups=groups)(kind)
        with self.assertRaisesRegex(ValueError, "Invalid option keyword concurrency_groups"):
            ray.remote(concurrency_groups={"io": 1})(len)
        with self.assertRaisesRegex(ValueError, r"Setting 'concurrency_groups' is not supported in '\.options\(\)'"):
            Groups.options(concurrency_groups={"io": 1})
        with self.assertRaises(TypeError):
            ray.method(concurrency_group=3)

        @ray.remote
        class Undeclared:
            @ray.method(concurrency_group="io")
            def f(self):
                return 1

        with self.assertRaisesRegex(ValueError, r"'Undeclared\.f' is of the concurrency group 'io', which the class does not declare"):
            Undeclared.remote()
        with self.assertRaisesRegex(ray.exceptions.RayError, "is to run in the concurrency group 'no', which its actor does not have"):
            ray.get(Groups.remote().open.options(concurrency_group="no").remote(), timeout=GUARD)


@ray.remote
class Gate:
    def __init__(self):
        self.opened = asyncio.Event()
        self.waiting = 0

    async def wait(self, value):
        self.waiting += 1
        await self.opened.wait()
        self.waiting -= 1
        return value

    async def open(self):
        self.opened.set()
        return self.waiting

    def count(self):
        return self.waiting

    async def fail(self):
        await asyncio.sleep(0)
        raise KeyError("no")

    async def add(self, refs, more):
        return sum(await asyncio.gather(*refs)) + await more[0]

    @ray.method(num_returns=2)
    async def two(self):
        return 1, [2]

    async def unpicklable(self):
        return threading.Lock()

    async def name(self):
        await asyncio.sleep(0)
        context = ray.get_runtime_context()
        return context.get_task_name(), threading.current_thread() is not threading.main_thread()


@ray.remote
def slowly(x):
    return x


class EventLoopTest(ConcurrencyTest):
    def test_methods_wait_for_each_other(self):
        gate = Gate.remote()
        waiting = [gate.wait.remote(i) for i in range(200)]
        self.assertEqual(ray.get(gate.count.remote(), timeout=GUARD), 200)
        self.assertEqual(ray.wait(waiting, timeout=0), ([], waiting))
        self.assertEqual(ray.get(gate.open.remote(), timeout=GUARD), 200)
        self.assertEqual(ray.get(waiting, timeout=GUARD), list(range(200)))

    def test_at_most_max_concurrency_run(self):
        gate = Gate.options(max_concurrency=2).remote()
        waiting = [gate.wait.remote(i) for i in range(2)]
        opening = gate.open.remote()
        self.assertEqual(ray.wait([opening], timeout=0.05), ([], [opening]))
        del waiting
        ray.kill(gate)

    def test_references_are_awaited(self):
        gate = Gate.remote()
        self.assertEqual(ray.get(gate.add.remote([slowly.remote(i) for i in range(5)], [slowly.remote(100)]), timeout=GUARD), 110)

    def test_errors_results_and_names(self):
        gate = Gate.remote()
        with self.assertRaises(KeyError) as caught:
            ray.get(gate.fail.remote(), timeout=GUARD)
        self.assertIn("in fail", str(caught.exception))
        self.assertEqual(ray.get(gate.two.remote(), timeout=GUARD), [1, [2]])
        with self.assertRaisesRegex(TypeError, "cannot pickle '_thread.lock'"):
            ray.get(gate.unpicklable.remote(), timeout=GUARD)
        with self.assertRaisesRegex(TypeError, "missing a required argument: 'value'"):
            gate.wait.remote()
        with self.assertRaisesRegex(AttributeError, "has no attribute 'nothing'"):
            ray.get(_call_by_name(gate, "nothing"), timeout=GUARD)
        self.assertEqual(ray.get(gate.name.remote(), timeout=GUARD), ("Gate.name", True))

    def test_a_driver_awaits_methods(self):
        async def work():
            gate = Gate.remote()
            waiting = [asyncio.ensure_future(_value(gate.wait.remote(i))) for i in range(3)]
            while await gate.count.remote() < 3:
                pass
            await gate.open.remote()
            return await asyncio.gather(*waiting)

        self.assertEqual(asyncio.run(asyncio.wait_for(work(), GUARD)), [0, 1, 2])

    def test_calls_that_were_made_before_the_end_are_answered(self):
        gate = Gate.remote()
        waiting = [gate.wait.remote(i) for i in range(3)]
        waiting.append(gate.open.remote())
        del gate
        self.assertEqual(ray.get(waiting, timeout=GUARD), [0, 1, 2, 3])


@ray.remote
class Flag:
    """Tells the driver that a task has begun."""

    def __init__(self):
        self.is_set = threading.Event()

    def set(self):
        self.is_set.set()

    def wait(self):
        return self.is_set.wait(GUARD)


@ray.remote
def sleep(flag, says=None):
    import time
    try:
        ray.get(flag.set.remote())
        time.sleep(1000)
    except KeyboardInterrupt:
        if says is not None:
            for _ in range(3):  # it is told once, however often the runtime sends the signal
                os.kill(os.getpid(), signal.SIGURG)
            return says
        raise


@ray.remote
def wait_for(refs, flag):
    ray.get(flag.set.remote())
    return ray.get(refs[0])


class CancelTest(ConcurrencyTest):
    def begun(self, make):
        """The reference of a call that runs."""
        flag = Flag.options(max_concurrency=2).remote()
        ref = make(flag)
        self.assertTrue(ray.get(flag.wait.remote(), timeout=GUARD))
        return ref

    def assert_cancelled(self, ref):
        with self.assertRaisesRegex(ray.exceptions.TaskCancelledError, "was cancelled"):
            ray.get(ref, timeout=GUARD)

    def test_a_task_that_runs_hears_of_it_as_of_ctrl_c(self):
        ref = self.begun(sleep.remote)
        ray.cancel(ref)
        self.assert_cancelled(ref)
        ref = self.begun(lambda flag: sleep.remote(flag, "as it says"))
        ray.cancel(ref)
        self.assertEqual(ray.get(ref, timeout=GUARD), "as it says")
        self.assertEqual(ray.get(slowly.remote(1), timeout=GUARD), 1)

    def test_a_task_that_waits_for_another_one(self):
        closed = Gate.remote().wait.remote(1)
        ref = self.begun(lambda flag: wait_for.remote([closed], flag))
        ray.cancel(ref)
        self.assert_cancelled(ref)

    def test_a_task_that_has_not_begun(self):
        gate = Gate.remote()
        ref = slowly.remote(gate.wait.remote(1))
        ray.cancel(ref)
        self.assert_cancelled(ref)

    def test_force_ends_the_process(self):
        ref = self.begun(lambda flag: sleep.remote(flag, "not said"))
        ray.cancel(ref, force=True)
        self.assert_cancelled(ref)

    def test_what_is_done_stays(self):
        ref = slowly.remote(7)
        ray.get(ref, timeout=GUARD)
        ray.cancel(ref)
        self.assertEqual(ray.get(ref), 7)

    def test_a_coroutine_hears_of_it(self):
        gate = Gate.remote()
        waiting = [gate.wait.remote(i) for i in range(2)]
        self.assertEqual(ray.get(gate.count.remote(), timeout=GUARD), 2)
        ray.cancel(waiting[0])
        self.assert_cancelled(waiting[0])
        ray.get(gate.open.remote(), timeout=GUARD)
        self.assertEqual(ray.get(waiting[1], timeout=GUARD), 1)

    def test_what_cancel_refuses(self):
        gate = Gate.remote()
        with self.assertRaisesRegex(TypeError, r"ray.cancel\(\) only supported for object refs\. For actors, try ray.kill\(\)"):
            ray.cancel(gate)
        ref = gate.wait.remote(1)
        ray.get(gate.count.remote(), timeout=GUARD)
        with self.assertRaisesRegex(ValueError, "^(?!System error)"):
            ray.cancel(ref, force=True)


class LocalModeTest(unittest.TestCase):
    def test_coroutines_of_a_local_actor(self):
        ray.init(num_cpus=1)
        ray.get(slowly.remote(1))  # what was exported to an earlier runtime, and let go of in the next
        ray.shutdown()
        with ray.init(local_mode=True):  # each call is waited for
            gate = Gate.remote()
            self.assertEqual(ray.get(gate.add.remote([ray.put(1), slowly.remote(2)], [ray.put(3)])), 6)
            self.assertEqual((ray.get(gate.open.remote()), ray.get(gate.wait.remote(5))), (0, 5))


async def _value(ref):
    return await ref


def _call_by_name(handle, name):
    """As through a handle that get_actor has found, which does not know what there is."""
    return ray.actor.ActorHandle(handle._id, None, "Gate", None).__getattr__(name).remote()


if __name__ == "__main__":
    unittest.main()
