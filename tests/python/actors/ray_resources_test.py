"""flowray.ray: processors, GPUs and resources with names, counted by the runtime."""

import os
import unittest
import warnings

from flowray import ray


@ray.remote
def process():
    import os
    return os.getpid()


class Holder:
    def pid(self):
        import os
        return os.getpid()


class ResourcesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        ray.init(num_cpus=2, num_gpus=2, resources={"tape": 3, "disk": 1.0})

    @classmethod
    def tearDownClass(cls):
        ray.shutdown()

    def assert_waits_for(self, holder, ref):
        """The call runs when the actor is gone, and not before: tasks that are called later run meanwhile."""
        ray.get(holder.pid.remote())
        ray.get([process.remote() for _ in range(4)])
        self.assertEqual(ray.wait([ref], timeout=0), ([], [ref]))
        ray.kill(holder)
        self.assertGreater(ray.get(ref, timeout=60), 0)

    def test_what_there_is(self):
        there = ray.cluster_resources()
        self.assertEqual({name: there[name] for name in ("CPU", "GPU", "tape", "disk")}, {"CPU": 2.0, "GPU": 2.0, "tape": 3.0, "disk": 1.0})
        self.assertEqual(ray.nodes()[0]["Resources"]["tape"], 3.0)

    def test_a_call_waits_for_a_resource_with_a_name(self):
        holder = ray.remote(resources={"tape": 2.5})(Holder).remote()
        ray.get(holder.pid.remote())
        self.assertGreater(ray.get(process.options(resources={"tape": 0.5}).remote(), timeout=60), 0)
        self.assert_waits_for(holder, process.options(resources={"tape": 1}).remote())

    def test_a_call_waits_for_a_gpu(self):
        holder = ray.remote(num_gpus=2)(Holder).remote()
        self.assert_waits_for(holder, process.options(num_gpus=0.25).remote())

    def test_parts_of_a_gpu_are_counted(self):
        holder = ray.remote(num_gpus=1)(Holder).remote()
        others = [ray.remote(num_gpus=0.5)(Holder).remote() for _ in range(2)]
        ray.get([one.pid.remote() for one in others])
        waits = process.options(num_gpus=0.5).remote()
        self.assert_waits_for(holder, waits)
        for one in others:
            ray.kill(one)

    def test_a_task_without_processors_runs_where_all_are_taken(self):
        holder = ray.remote(num_cpus=2)(Holder).remote()
        ray.get(holder.pid.remote())
        self.assertGreater(ray.get(process.options(num_cpus=0, resources={"disk": 1}).remote(), timeout=60), 0)
        ray.kill(holder)

    def test_more_than_there_is_can_never_be(self):
        for options, text in (({"num_gpus": 3}, "GPU: 3"), ({"resources": {"tape": 4}}, "tape: 4"), ({"resources": {"ink": 1}}, "ink: 1"),
                              ({"num_cpus": 2.5}, "CPU: 2.5")):
            with self.assertRaisesRegex(ray.exceptions.RayError, r"(?s)process.* asks for \{.*" + text + r".*there are \{CPU: 2.*tape: 3"):
                ray.get(process.options(**options).remote(), timeout=60)

    def test_what_is_refused(self):
        for options, kind, text in (
                ({"num_gpus": 1.5}, ValueError, r"GPU resource quantities >1 must be whole numbers\. The specified quantity 1\.5 is invalid"),
                ({"num_gpus": -1}, ValueError, "The quantity of resource num_gpus cannot be negative"),
                ({"num_cpus": float("nan")}, ValueError, "The quantity of resource num_cpus cannot be negative"),
                ({"resources": {"tape": -1}}, ValueError, "The quantity of resource tape cannot be negative"),
                ({"resources": {"GPU": 1}}, ValueError, "Use the 'num_cpus' and 'num_gpus' keyword instead of 'CPU' and 'GPU' in 'resources'"),
                ({"resources": 3}, TypeError, r"The type of keyword 'resources' must be \(<class 'dict'>, <class 'NoneType'>\), but received"),
                ({"memory": -1}, ValueError, "The quantity of resource memory cannot be negative"),
                ({"memory": "1 GB"}, TypeError, r"The type of keyword 'memory' must be .*, but received type <class 'str'>"),
                ({"num_cpus": "1"}, TypeError, r"The type of keyword 'num_cpus' must be .*, but received type <class 'str'>"),
                ({"resources": {"": 1}}, ValueError, "named by a text of 1 to 256 bytes"),
                ({"resources": {"tape": None}}, TypeError, "amount of the resource 'tape' must be a number")):
            for refuse in (lambda: process.options(**options), lambda: ray.remote(Holder).options(**options),
                           lambda: ray.remote(**options)(Holder)):
                with self.assertRaisesRegex(kind, text):
                    refuse()


@ray.remote
def gpus():
    import os
    return ray.get_gpu_ids(), os.environ.get("CUDA_VISIBLE_DEVICES"), ray.get_runtime_context().get_accelerator_ids()["GPU"]


@ray.remote
def spoil():
    import os
    os.environ["CUDA_VISIBLE_DEVICES"] = "9"
    return ray.get_gpu_ids()


class Network:
    def __init__(self):
        import os
        self.seen = ray.get_gpu_ids(), os.environ.get("CUDA_VISIBLE_DEVICES")

    def gpus(self):
        import os
        return self.seen, (ray.get_gpu_ids(), os.environ.get("CUDA_VISIBLE_DEVICES"))


class WhatIsFreeTest(unittest.TestCase):
    def setUp(self):
        self.addCleanup(ray.shutdown)

    def free(self):
        return {name: amount for name, amount in ray.available_resources().items() if name in ("CPU", "GPU", "tape")}

    def test_what_nobody_has(self):
        ray.init(num_cpus=3, num_gpus=2, resources={"tape": 2}, object_store_memory=100 << 20)
        self.assertEqual(self.free(), {"CPU": 3.0, "GPU": 2.0, "tape": 2.0})
        self.assertEqual(ray.cluster_resources()["object_store_memory"], float(100 << 20))
        holder = ray.remote(num_cpus=1, num_gpus=0.5, resources={"tape": 2})(Holder).remote()
        ray.get(holder.pid.remote())
        self.assertEqual(self.free(), {"CPU": 2.0, "GPU": 1.5})

        @ray.remote(num_gpus=1)
        def ask():
            return ray.available_resources()
        self.assertEqual({name: amount for name, amount in ray.get(ask.remote()).items() if name in ("CPU", "GPU")}, {"CPU": 1.0, "GPU": 0.5})
        self.assertEqual(self.free(), {"CPU": 2.0, "GPU": 1.5})
        value = ray.put(b"x" * (30 << 20))
        self.assertLess(ray.available_resources()["object_store_memory"], float(71 << 20))
        del value

    def test_memory(self):
        ray.init(num_cpus=2)
        all_of_it = ray.cluster_resources()["memory"]
        self.assertEqual(ray.available_resources()["memory"], all_of_it)
        holder = ray.remote(memory=100 << 20)(Holder).remote()
        ray.get(holder.pid.remote())
        self.assertEqual(ray.available_resources()["memory"], all_of_it - (100 << 20))
        with self.assertRaisesRegex(ray.exceptions.RayError, r"(?s)process.* asks for \{.*memory: .*there are \{"):
            ray.get(process.options(memory=2 * all_of_it).remote(), timeout=60)

    def test_in_local_mode(self):
        ray.init(num_cpus=3, local_mode=True)
        self.assertEqual(ray.available_resources()["CPU"], 3.0)
        self.assertEqual(ray.get(process.remote()), os.getpid())


class GpusTest(unittest.TestCase):
    """What Ray 2.60 answers."""

    def setUp(self):
        self.addCleanup(ray.shutdown)
        before = os.environ.pop("CUDA_VISIBLE_DEVICES", None)
        self.addCleanup(lambda: os.environ.pop("CUDA_VISIBLE_DEVICES", None) if before is None
                        else os.environ.__setitem__("CUDA_VISIBLE_DEVICES", before))

    def test_a_call_is_told_its_gpus(self):
        ray.init(num_cpus=1, num_gpus=3)
        self.assertEqual(ray.get_gpu_ids(), [])
        self.assertEqual(ray.get(gpus.remote()), ([], None, []))
        self.assertEqual(ray.get(gpus.options(num_gpus=2).remote()), ([0, 1], "0,1", ["0", "1"]))
        self.assertEqual(ray.get(gpus.remote()), ([], None, []))
        self.assertEqual(ray.get(spoil.options(num_gpus=0.5).remote()), [0])
        self.assertEqual(ray.get(gpus.options(num_gpus=0.5).remote()), ([0], "0", ["0"]))
        networks = [ray.remote(num_gpus=amount)(Network).remote() for amount in (0.5, 1, 0.5)]
        self.assertEqual(ray.get([network.gpus.remote() for network in networks]),
                         [(([0], "0"), ([0], "0")), (([1], "1"), ([1], "1")), (([0], "0"), ([0], "0"))])

    def test_gpus_are_those_that_the_driver_sees(self):
        os.environ["CUDA_VISIBLE_DEVICES"] = "3,5"
        with ray.init(num_cpus=1, num_gpus=2):
            self.assertEqual(ray.get(gpus.options(num_gpus=1).remote()), (["3"], "3", ["3"]))
            self.assertEqual(ray.get(gpus.remote()), ([], "3,5", []))
        with self.assertRaisesRegex(ValueError, "with 3 GPU, but CUDA_VISIBLE_DEVICES contains"):
            ray.init(num_cpus=1, num_gpus=3)


class InitTest(unittest.TestCase):
    def setUp(self):
        self.addCleanup(ray.shutdown)

    def test_what_init_refuses(self):
        for given, kind, text in (
                ({"num_gpus": -1}, ValueError, r"Resource quantities must be nonnegative\. Violated by resource 'GPU' in \{'GPU': -1\}"),
                ({"num_gpus": 0.5}, ValueError, r"Resource quantities must all be whole numbers\. Violated by resource 'GPU'"),
                ({"resources": {"x": 1.5}}, ValueError, r"Resource quantities must all be whole numbers\. Violated by resource 'x'"),
                ({"resources": {"CPU": 1}}, AssertionError, "`CPU` cannot be a custom resource because it is one of the default resources"),
                ({"resources": 3}, TypeError, "must be a dict"), ({"num_cpus": "2"}, TypeError, "must be a number"),
                ({"resources": {"": 1}}, ValueError, "named by a text of 1 to 256 bytes")):
            with self.assertRaisesRegex(kind, text):
                ray.init(**given)
            self.assertFalse(ray.is_initialized())

    def test_workers_know_what_there_is_and_the_namespace(self):
        import threading
        ended = threading.Event()
        waiting = threading.Thread(target=ended.wait)

        @ray.remote
        def told():
            return ray.cluster_resources(), ray.get_runtime_context().namespace, ray.get(ray.get_actor("one").pid.remote()) > 0

        for with_thread in (False, True):  # workers of a fork of this process, and of an interpreter that was started
            if with_thread:
                waiting.start()
            with ray.init(num_cpus=3, resources={"tape": 2}, namespace="here"):
                one = ray.remote(Holder).options(name="one").remote()
                resources, namespace, found = ray.get(told.remote())
                self.assertEqual((resources["CPU"], resources["tape"], namespace, found), (3.0, 2.0, "here", True))
                del one
        ended.set()
        waiting.join()

    def test_a_gpu_that_nobody_has_is_granted(self):
        ray.init(num_cpus=1)
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # the runtime has said it once, on the error output
            holders = [ray.remote(num_gpus=1)(Holder).remote() for _ in range(2)]
            self.assertEqual(len(set(ray.get([holder.pid.remote() for holder in holders]))), 2)


if __name__ == "__main__":
    unittest.main()
