"""flowray.ray.exceptions: the names and bases of Ray 2.60, and where they are raised."""

import os
import pickle
import unittest

from flowray import ray
from flowray.ray import exceptions

# As Ray 2.60 has them: class: bases.
CLASSES_OF_RAY = {
    "ActorAlreadyExistsError": "ValueError RayError", "ActorDiedError": "RayActorError", "ActorHandleNotFoundError": "ValueError RayError",
    "ActorPlacementGroupRemoved": "RayError", "ActorUnavailableError": "RayActorError", "ActorUnschedulableError": "RayError",
    "AsyncioActorExit": "RayError", "AuthenticationError": "RayError", "CrossLanguageError": "RayError",
    "GetTimeoutError": "RayError TimeoutError", "LocalRayletDiedError": "RayError", "NodeDiedError": "RayError",
    "ObjectFetchTimedOutError": "ObjectLostError", "ObjectFreedError": "ObjectLostError", "ObjectLostError": "RayError",
    "ObjectReconstructionFailedError": "ObjectLostError", "ObjectRefStreamEndOfStreamError": "RayError", "ObjectStoreFullError": "RayError",
    "OufOfBandObjectRefSerializationException": "RayError", "OutOfDiskError": "RayError", "OutOfMemoryError": "RayError",
    "OwnerDiedError": "ObjectLostError", "PendingCallsLimitExceeded": "RayError", "PlasmaObjectNotAvailable": "RayError",
    "RayActorError": "RayError", "RayCgraphCapacityExceeded": "RaySystemError", "RayChannelError": "RaySystemError",
    "RayChannelTimeoutError": "RayChannelError TimeoutError", "RayDirectTransportError": "RaySystemError", "RayError": "Exception",
    "RaySystemError": "RayError", "RayTaskError": "RayError", "ReferenceCountingAssertionError": "ObjectLostError AssertionError",
    "RpcError": "RayError", "RuntimeEnvSetupError": "RayError", "StreamingGeneratorReplayInconsistentError": "RaySystemError",
    "TaskCancelledError": "RayError", "TaskPlacementGroupRemoved": "RayError", "TaskUnschedulableError": "RayError",
    "UnserializableException": "RayError", "UserCodeException": "RayError", "WorkerCrashedError": "RayError"}


class ClassesTest(unittest.TestCase):
    def test_names_and_bases_are_those_of_ray(self):
        found = {name: " ".join(base.__name__ for base in getattr(exceptions, name).__bases__) for name in CLASSES_OF_RAY}
        self.assertEqual(found, CLASSES_OF_RAY)
        older = {"RayCancellationError": "TaskCancelledError", "RayTimeoutError": "GetTimeoutError", "RayWorkerError": "WorkerCrashedError",
                 "UnreconstructableError": "ObjectReconstructionFailedError"}
        self.assertEqual(set(exceptions.__all__) - set(CLASSES_OF_RAY), set(older))
        for name, later in older.items():
            self.assertIs(getattr(exceptions, name), getattr(exceptions, later))

    def test_errors_with_parts_are_pickled_with_them(self):
        for error, parts, text in (
                (exceptions.ActorUnavailableError("busy", b"\x01\x02"), {"actor_id": "0102"}, "The actor 0102 is unavailable: busy."),
                (exceptions.OwnerDiedError("ab", None, ""), {"object_ref_hex": "ab"}, "Failed to retrieve object ab."),
                (exceptions.ObjectReconstructionFailedError("ab"), {"object_ref_hex": "ab"}, "Failed to retrieve object ab."),
                (exceptions.ObjectReconstructionFailedError("ab", reason_message="why"), {"reason_message": "why"}, "why"),
                (exceptions.RaySystemError("text"), {"client_exc": "text", "traceback_str": None}, "System error: text"),
                (exceptions.RaySystemError("text", "where"), {"traceback_str": "where"}, "System error: text\ntraceback: where"),
                (exceptions.RpcError("text", 14), {"rpc_code": 14, "message": "text"}, "text"),
                (exceptions.ActorAlreadyExistsError("text"), {}, "text")):
            back = pickle.loads(pickle.dumps(error))
            self.assertIs(type(back), type(error))
            self.assertEqual((str(back), vars(back)), (str(error), vars(error)))
            self.assertEqual({**vars(back), **parts}, vars(back))
            self.assertIn(text, str(back))


@ray.remote
class Named:
    def make(self, name):
        return Named.options(name=name).remote()

    def ready(self):
        return True


class RaisedTest(unittest.TestCase):
    def check_a_taken_name(self):
        kept = Named.options(name="x").remote()
        self.assertTrue(ray.get(kept.ready.remote()))
        for kind in (exceptions.ActorAlreadyExistsError, ValueError):
            with self.assertRaisesRegex(kind, r"The name x \(namespace=None\) is already taken\. Please use a different name or get the "
                                              r"existing actor using ray\.get_actor\('x'\)$"):
                Named.options(name="x").remote()
        with self.assertRaises(exceptions.ActorAlreadyExistsError):  # in a worker
            ray.get(Named.remote().make.remote("x"))

    def test_sys_exit_is_an_error_in_local_mode(self):
        @ray.remote
        def leave():
            raise SystemExit(3)

        @ray.remote
        class Leaving:
            async def leave(self):
                raise SystemExit(3)

        with ray.init(local_mode=True):
            for call in (leave, Leaving.remote().leave):
                with self.assertRaises(exceptions.RayTaskError) as caught:
                    ray.get(call.remote())
                self.assertIsInstance(caught.exception.cause, SystemExit)

    def test_too_little_memory_is_found_by_its_class(self):
        import numpy as np

        @ray.remote
        def too_much(by_numpy):
            if by_numpy:
                return np.zeros(1 << 50)
            raise MemoryError("too much")

        class Careful(Exception):
            def __new__(cls, message):
                return super().__new__(cls, message)

            def __init__(self, message):
                super().__init__(message)

        @ray.remote
        def careful():
            raise Careful("asks for a message")

        with ray.init(num_cpus=1):
            for by_numpy, text in ((False, "too much"), (True, "Unable to allocate 8.00 PiB")):
                with self.assertRaisesRegex(MemoryError, text) as caught:
                    ray.get(too_much.remote(by_numpy))
                self.assertIsInstance(caught.exception, exceptions.RayTaskError)
                self.assertIsInstance(caught.exception.cause, MemoryError)
            with self.assertRaisesRegex(Careful, "asks for a message"):
                ray.get(careful.remote())

    def test_what_calls_the_programs_functions_is_no_part_of_a_traceback(self):
        @ray.remote
        class Failing:
            async def later(self):
                raise KeyError("later")

        def at_once(actor):
            raise KeyError("at once")

        with ray.init(num_cpus=1):
            actor = Failing.remote()
            for ref, name in ((actor.later.remote(), "later"), (actor.__ray_call__.remote(at_once), "at_once")):
                with self.assertRaises(KeyError) as caught:
                    ray.get(ref)
                lines = caught.exception.traceback_str.splitlines()
                self.assertEqual([line.split(", in ")[1] for line in lines if line.startswith("  File ")], [name], lines)

    def test_deaths_are_told_in_the_words_of_ray(self):
        @ray.remote(max_retries=0)
        def leave():
            os._exit(3)

        @ray.remote
        class Broken:
            def __init__(self):
                raise ValueError("broken")

        with ray.init(num_cpus=1):
            killed = Named.remote()
            ray.kill(killed)
            for ref, kind, told in (
                    (leave.remote(), exceptions.WorkerCrashedError,
                     r"The worker died unexpectedly while executing this task\.\nThe process .* exited with status 3\."),
                    (killed.ready.remote(), exceptions.ActorDiedError,
                     r"The actor died unexpectedly before finishing this task\.\nThe actor Named.* is dead: it was killed by ray\.kill\(\)\."),
                    (Broken.remote().__ray_ready__.remote(), exceptions.ActorDiedError,
                     r"The actor died because of an error raised in its creation task\.\nThe actor Broken (?s:.*)ValueError: broken")):
                with self.assertRaisesRegex(kind, "^" + told) as caught:
                    ray.get(ref)
                self.assertNotIn("a class of Python's", str(caught.exception))

    def test_a_name_that_is_taken(self):
        for local_mode in (False, True):
            with self.subTest(local_mode=local_mode), ray.init(num_cpus=2, local_mode=local_mode):
                self.check_a_taken_name()

    def test_a_task_whose_placement_group_was_removed(self):
        with ray.init(num_cpus=1):
            group = ray.util.placement_group([{"CPU": 1}], name="gone")
            self.assertTrue(group.wait(60))
            strategy = ray.util.scheduling_strategies.PlacementGroupSchedulingStrategy(group)
            function = ray.remote(scheduling_strategy=strategy)(lambda: 1)
            ray.util.remove_placement_group(group)
            with self.assertRaisesRegex(exceptions.TaskPlacementGroupRemoved, "The placement group 'gone' was removed."):
                ray.get(function.remote())


class ReadHere:
    """Is unpickled in the process that has made it, and nowhere else."""

    def __init__(self):
        self.pid = os.getpid()

    def __setstate__(self, state):
        self.__dict__.update(state)
        if os.getpid() != self.pid:
            raise ValueError("not here")


class Missing:
    def __reduce__(self):
        return __import__, ("no_such_module",)


class UnreadableTest(unittest.TestCase):
    """What cannot be unpickled where it is needed, in the classes and words of Ray 2.60."""

    @classmethod
    def setUpClass(cls):
        ray.init(num_cpus=1)
        cls.addClassCleanup(ray.shutdown)

    def test_a_value(self):
        with self.assertRaisesRegex(exceptions.RaySystemError, "^System error: No module named 'no_such_module'\ntraceback: ") as caught:
            ray.get(ray.put([1, Missing()]))
        self.assertNotIsInstance(caught.exception, exceptions.RayTaskError)
        self.assertIsInstance(caught.exception.client_exc, ModuleNotFoundError)
        self.assertIn("ModuleNotFoundError: No module named 'no_such_module'", caught.exception.traceback_str)

    def test_a_result(self):
        @ray.remote
        def make(kind):
            return kind()

        @ray.remote
        class Maker:
            def make(self, kind):
                return kind()

        for ref in (make.remote(ReadHere), Maker.remote().make.remote(ReadHere)):
            with self.assertRaisesRegex(exceptions.RaySystemError, "^System error: not here\ntraceback: ") as caught:
                ray.get(ref)
            self.assertNotIsInstance(caught.exception, exceptions.RayTaskError)
            self.assertIn("in __setstate__", caught.exception.traceback_str)
        self.assertEqual(ray.get(ray.remote(lambda value: type(value).__name__).remote(make.remote(ReadHere))), "ReadHere")

    def test_an_argument(self):
        @ray.remote
        def f(value, named=None):
            return 1

        @ray.remote
        class Taker:
            def take(self, value, named=None):
                return 1

            def other(self):
                return 2

        @ray.remote
        class Waiting:
            async def take(self, value):
                return 1

        taker = Taker.remote()
        for ref, name in ((f.remote(ReadHere()), "f"), (f.remote(1, named=ReadHere()), "f"), (f.remote(ray.put(ReadHere())), "f"),
                          (f.remote(ReadHere(), named=Missing()), "f"), (taker.take.remote(ReadHere()), "take"),
                          (taker.take.remote(1, named=ReadHere()), "take"), (Waiting.remote().take.remote(ReadHere()), "take")):
            with self.assertRaises(exceptions.RaySystemError) as caught:
                ray.get(ref)
            self.assertIsInstance(caught.exception, exceptions.RayTaskError)
            self.assertNotIsInstance(caught.exception, ValueError)
            self.assertIsInstance(caught.exception.cause, exceptions.RaySystemError)
            self.assertEqual((type(caught.exception.cause.client_exc), str(caught.exception.cause.client_exc)), (ValueError, "not here"))
            self.assertRegex(str(caught.exception), r"^ray::.*\b%s\(\) \(pid=\d+\)\n  At least one of the input arguments for this task could not be "
                                                    r"computed:\nray.exceptions.RaySystemError: System error: not here\ntraceback: " % name)
        self.assertEqual(ray.get(taker.other.remote()), 2)

    def test_an_argument_of_a_constructor(self):
        @ray.remote
        class Taker:
            def __init__(self, value):
                pass

            def other(self):
                return 2

        with self.assertRaisesRegex(exceptions.ActorDiedError, "(?s)^The actor died because of an error raised in its creation task.*"
                                                               "RaySystemError: System error: not here"):
            ray.get(Taker.remote(ReadHere()).other.remote())

    def test_a_function_and_a_class(self):
        missing = Missing()

        @ray.remote
        def f():
            return missing

        @ray.remote
        class Kind:
            kept = missing

            def m(self):
                return 1

        with self.assertRaisesRegex(RuntimeError, r"(?s)\nRuntimeError: The remote function failed to import on the worker\. This may be because "
                                                  r"needed library dependencies are not installed.*No module named 'no_such_module'") as caught:
            ray.get(f.remote())
        self.assertIsInstance(caught.exception, exceptions.RayTaskError)
        with self.assertRaisesRegex(exceptions.ActorDiedError, "The actor with name Kind failed to import on the worker."):
            ray.get(Kind.remote().m.remote())


if __name__ == "__main__":
    unittest.main()
