"""The public names of Ray 2.60, and those of older versions that programs use: each is there, or says what to use instead."""

import pickle
import unittest

import flowray
from flowray import ray

# ray.__all__, ray.util.__all__ and the rest of dir() that programs use.
NAMES = {
    "ray": """ActorClassID ActorID ClusterID DynamicObjectRefGenerator FunctionID JobID NodeID ObjectID ObjectRef ObjectRefGenerator PlacementGroupID
        SCRIPT_MODE TaskID UniqueID WORKER_MODE WorkerID __version__ actor available_resources cancel cloudpickle cluster_resources cpp_function
        cross_language exceptions experimental get get_actor get_gpu_ids get_runtime_context init is_initialized java_actor_class java_function
        job_config kill method nodes put remote runtime_env shutdown timeline util wait""",
    "ray.util": """ActorPool actor_pool as_completed check_serialize debug deregister_serializer disable_log_once_globally enable_periodic_logging
        get_current_placement_group get_node_ip_address get_placement_group inspect_serializability list_named_actors log_once map_unordered
        placement_group placement_group_table register_serializer remove_placement_group scheduling_strategies serialization""",
    "ray.actor": "ActorClass ActorClassInheritanceException ActorHandle ActorMethod exit_actor method",
    "ray.ObjectRef": "as_future binary call_site from_binary from_hex future hex is_nil job_id nil size",
    "ray.TaskID": "binary from_binary from_hex from_random hex is_nil job_id nil size",
    "ray.ActorID": "binary from_binary from_hex from_random hex is_nil job_id nil size",
    "ray.JobID": "binary from_binary from_hex from_int hex int is_nil nil size",
}
# What is not there, and says why.
REFUSED = {
    "ray": """ClientBuilder Language LoggingConfig RESTORE_WORKER_MODE SPILL_WORKER_MODE air autoscaler client client_builder core dag data
        errors free get_resource_ids global_state internal log logger profile ray_constants register_custom_serializer remote_function rllib
        runtime_context serialization serve state train tune widgets worker workflow""",
    "ray.util": """accelerators client client_connect collective connect dask debugpy disconnect get_node_instance_id iter iter_metrics joblib
        metrics multiprocessing pdb ray_debugpy rpdb spark state tpu tracing""",
    "ray.ObjectRef.nil()": "from_random owner_address redis_shard_hash task_id tensor_transport",
}


def found(path):
    value = ray
    for part in path.split(".")[1:]:
        value = getattr(value, part.removesuffix("()"))
        value = value() if part.endswith("()") else value
    return value


class Celsius:
    def __init__(self, degrees):
        self.degrees = degrees

    def __reduce__(self):
        raise TypeError("no pickle of its own")


def fahrenheit(celsius):
    return celsius.degrees * 1.8 + 32


def from_fahrenheit(degrees):
    return Celsius((degrees - 32) / 1.8)


class NamesTest(unittest.TestCase):
    def test_names_are_there_or_say_what_to_use_instead(self):
        for path, names in NAMES.items():
            self.assertEqual([name for name in names.split() if not hasattr(found(path), name)], [], path)
        for path, names in REFUSED.items():
            for name in names.split():
                with self.assertRaisesRegex(AttributeError, "has no attribute '%s': .{15}" % name, msg=path):
                    getattr(found(path), name)
        for name in ("ray", "ray.util"):
            with self.assertRaisesRegex(AttributeError, "^module '%s' has no attribute 'nothing'$" % name):
                getattr(found(name), "nothing")

    def test_a_module_that_is_not_there_says_so_when_it_is_imported(self):
        flowray.install()
        for module, words in {"ray.tune": "of Ray's libraries", "ray.util.multiprocessing": "ActorPool", "ray.util.nothing": "no such part of ray.$"}.items():
            with self.assertRaisesRegex(ModuleNotFoundError, r"No module named '%s'\n(?s:.)*%s" % (module, words)):
                __import__(module)

    def test_ids(self):
        self.assertEqual((ray.JobID.from_int(1).hex(), ray.JobID.from_hex("0a000000").int()), ("01000000", 10))
        task = ray.TaskID.from_random()
        self.assertEqual(ray.ActorID.from_random().job_id.int(), 1)
        self.assertEqual((bytes(task), task.job_id()), (task.binary(), ray.JobID.from_int(1)))
        for kind in (ray.UniqueID, ray.FunctionID, ray.ActorClassID, ray.ClusterID, ray.NodeID):
            made = kind.from_random()
            self.assertEqual((kind.size(), len(made.binary()), kind.from_hex(made.hex()), made.is_nil()), (28, 28, made, False))

    def test_cloudpickle_by_its_name_in_ray(self):
        self.assertEqual(pickle.loads(ray.cloudpickle.dumps(lambda x: x + 1))(2), 3)

    def test_log_once_says_yes_once(self):
        debug = ray.util.debug
        debug.reset_log_once()
        self.assertEqual([debug.log_once(key) for key in ("a", "a", "b")], [True, False, True])
        debug.reset_log_once("a")
        self.assertEqual([debug.log_once(key) for key in ("a", "b")], [True, False])
        self.assertIs(ray.util.log_once, debug.log_once)


class ReferencesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        ray.init(num_cpus=1)
        cls.addClassCleanup(ray.shutdown)

    def test_a_reference_to_nothing(self):
        nil = ray.ObjectRef.nil()
        self.assertTrue(nil.is_nil())
        self.assertEqual((nil, len({nil, ray.ObjectRef.nil()})), (ray.ObjectRef.nil(), 1))
        self.assertEqual((nil.hex(), repr(nil)), ("f" * 16, "ObjectRef(%s)" % ("f" * 16)))
        self.assertEqual(ray.ObjectRef.from_binary(nil.binary()), nil)
        self.assertEqual(ray.ObjectRef.from_hex("F" * 16), nil)
        for call in (ray.get, lambda ref: ray.get([ref]), lambda ref: ray.wait([ref])):
            with self.assertRaisesRegex(ValueError, "^An application is trying to access a Ray object whose owner is unknown"):
                call(nil)
        for call in (ray.cancel, ray.remote(abs).remote):
            with self.assertRaisesRegex(ray.exceptions.RaySystemError, "refers to nothing"):
                call(nil)

    def test_it_travels(self):
        nil = ray.ObjectRef.nil()
        self.assertEqual(ray.get(ray.put([nil, {"a": nil}])), [nil, {"a": nil}])
        self.assertEqual(ray.get(ray.remote(lambda refs: refs[0].is_nil()).remote([nil])), True)

    def test_a_reference_is_found_by_its_number(self):
        ref = ray.put("value")
        for again in (ray.ObjectRef.from_hex(ref.hex()), ray.ObjectRef.from_binary(ref.binary()), ray.ObjectRef(ref.binary())):
            self.assertEqual((again, again.is_nil(), ray.get(again)), (ref, False, "value"))
        self.assertEqual((ray.ObjectRef.size(), len(ref.binary()), ref.job_id()), (8, 8, ray.get_runtime_context().job_id))

    def test_timeouts_that_are_negative(self):
        @ray.remote
        def late(ref):
            return ref
        ref = late.remote(ray.remote(lambda: 7).remote())
        self.assertEqual((ray.get(ref, timeout=-1), ray.get([ref, ref], timeout=-1.0)), (7, [7, 7]))
        for timeout in (-2, -0.5, float("nan")):
            with self.assertRaises(ValueError):
                ray.get(ref, timeout=timeout)
        with self.assertRaisesRegex(ValueError, "^The 'timeout' argument must be nonnegative. Received -1"):
            ray.wait([ref], timeout=-1)

    def test_it_keeps_its_value(self):
        ref = ray.put(list(range(1000)))
        again = ray.ObjectRef.from_hex(ref.hex())
        del ref
        self.assertEqual(len(ray.get(again)), 1000)

    def test_a_number_of_nothing(self):
        with self.assertRaisesRegex(ray.exceptions.RaySystemError, "There is no object 00000000ffffffff"):
            ray.ObjectRef.from_hex("00000000ffffffff")
        for text in ("", "ab", "g" * 16, "0x00000000000001", "ab" * 28, "-000000000000001"):
            with self.assertRaisesRegex(ValueError, "16 hexadecimal digits"):
                ray.ObjectRef.from_hex(text)
        with self.assertRaisesRegex(ValueError, "^ID string needs to have length 8, got 1$"):
            ray.ObjectRef.from_binary(b"x")
        with self.assertRaisesRegex(TypeError, "^Unsupported type: <class 'str'>, expected bytes$"):
            ray.ObjectRef("x" * 8)
        with self.assertRaises(TypeError):
            ray.ObjectRef()

    def test_methods_of_all_actors_and_graphs_of_calls(self):
        @ray.remote
        class Kind:
            def m(self):
                return 1

        @ray.remote
        def f():
            return 1

        actor = Kind.remote()
        self.assertEqual([name for name in dir(actor) if name.startswith("__ray_") or name == "m"],
                         ["__ray_call__", "__ray_ready__", "__ray_terminate__", "m"])
        for value in (f, Kind, actor.m):
            with self.assertRaisesRegex(NotImplementedError, "bind: there are no graphs of calls"):
                value.bind()

    def test_a_serializer_of_a_class(self):
        with self.assertRaises(TypeError):
            ray.put(Celsius(20))
        ray.util.register_serializer(Celsius, serializer=fahrenheit, deserializer=from_fahrenheit)
        self.addCleanup(ray.util.deregister_serializer, Celsius)
        self.assertAlmostEqual(ray.get(ray.put([Celsius(20)]))[0].degrees, 20)
        self.assertAlmostEqual(ray.get(ray.remote(lambda celsius: celsius.degrees).remote(Celsius(30))), 30)
        ray.util.deregister_serializer(Celsius)
        ray.util.deregister_serializer(Celsius)
        with self.assertRaises(TypeError):
            ray.put(Celsius(20))
        for wrong in (dict(cls=Celsius(1), serializer=fahrenheit, deserializer=from_fahrenheit),
                      dict(cls=Celsius, serializer=None, deserializer=from_fahrenheit), dict(cls=Celsius, serializer=fahrenheit, deserializer=3)):
            with self.assertRaises(TypeError):
                ray.util.register_serializer(**wrong)


if __name__ == "__main__":
    unittest.main()
