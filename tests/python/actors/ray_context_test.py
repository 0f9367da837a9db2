"""What a program, a task and an actor are told of where they run, and what is refused by its name."""

import asyncio
import io
import json
import os
import pickle
import tempfile
import threading
import unittest

from flowray import ray
from flowray.ray.util.queue import Empty, Full, Queue
from flowray.ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy, PlacementGroupSchedulingStrategy


def told():
    """Of whoever calls it: {name: value}."""
    context = ray.get_runtime_context()
    return {name: getattr(context, name)() if callable(getattr(context, name)) else getattr(context, name)
            for name in ("job_id", "node_id", "task_id", "actor_id", "current_placement_group_id", "get_resource_ids", "get_node_labels",
                         "should_capture_child_tasks_in_placement_group", "get_session_name", "get_temp_dir", "runtime_env",
                         "get_runtime_env_string", "gcs_address", "get_job_id", "get_node_id", "get_task_id", "get_actor_id",
                         "get_placement_group_id", "get", "worker_id", "get_worker_id")}


@ray.remote(num_cpus=0)
class Teller:
    def tell(self):
        return told()


@ray.remote(num_cpus=0)
def tell():
    return told()


class ContextTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        ray.init(num_cpus=1, namespace="own")

    @classmethod
    def tearDownClass(cls):
        ray.shutdown()

    def check_ids(self, found):
        for name, kind in (("job_id", ray.JobID), ("node_id", ray.NodeID), ("task_id", ray.TaskID), ("worker_id", ray.WorkerID)):
            self.assertIs(type(found[name]), kind)
            self.assertEqual(found[name], kind.from_hex(found["get_" + name]))
        self.assertEqual(found["get"]["task_id"], found["task_id"])
        self.assertEqual((found["get_resource_ids"], found["runtime_env"], found["get_runtime_env_string"], found["gcs_address"]),
                         ({"GPU": []}, {}, "{}", None))
        self.assertTrue(os.path.isdir(found["get_temp_dir"]))

    def test_a_thread_that_a_task_has_started(self):
        @ray.remote(num_cpus=0)
        def in_a_thread():
            found = []
            thread = threading.Thread(target=lambda: found.append(ray.get_runtime_context().task_id))
            thread.start()
            thread.join()
            return found
        self.assertEqual(ray.get(in_a_thread.remote()), [ray.TaskID.nil()])

    def test_a_task_and_an_actor(self):
        teller = Teller.remote()
        actor, task = ray.get([teller.tell.remote(), tell.remote()])
        for found in (actor, task):
            self.check_ids(found)
            self.assertEqual((found["current_placement_group_id"].is_nil(), found["should_capture_child_tasks_in_placement_group"]),
                             (True, False))
        self.assertEqual((actor["actor_id"], actor["get"]["actor_id"]), (teller._actor_id, teller._actor_id))
        self.assertEqual((task["actor_id"].is_nil(), "actor_id" in task["get"]), (True, False))
        self.assertIs(type(task["actor_id"]), ray.ActorID)

    def test_the_driver(self):
        context = ray.get_runtime_context()
        self.assertEqual(context.get(), {"job_id": context.job_id, "node_id": context.node_id, "namespace": "own"})
        self.assertRegex(repr(context.job_id), r"^JobID\(01000000\)$")
        self.assertEqual(context.get_node_labels(), {"ray.io/node-id": ray.nodes()[0]["NodeID"]})
        self.assertRegex(context.get_session_name(), r"^session_\d{4}-\d\d-\d\d_\d\d-\d\d-\d\d_\d{6}_%d$" % os.getpid())
        self.assertEqual(ray.get(tell.remote())["get_session_name"], context.get_session_name())
        for name in ("task_id", "actor_id"):
            with self.assertRaisesRegex(AssertionError, r"This method is only available when the process is a worker\. Current mode: 0"):
                getattr(context, name)
        with self.assertRaisesRegex(RuntimeError, r"only available when the process is a worker\. Current mode: 0"):
            context.is_canceled()

    def test_a_placement_group(self):
        group = ray.util.placement_group([{"CPU": 1}])
        for captures in (True, False):
            strategy = PlacementGroupSchedulingStrategy(group, placement_group_capture_child_tasks=captures)
            found = ray.get(tell.options(scheduling_strategy=strategy).remote())
            self.assertEqual((found["current_placement_group_id"], found["should_capture_child_tasks_in_placement_group"]),
                             (group.id, captures))
        self.assertEqual(pickle.loads(pickle.dumps(group.id)), group.id)
        ray.util.remove_placement_group(group)

    def test_ids(self):
        one = ray.ActorID.from_random()
        self.assertEqual((ray.ActorID.from_hex(one.hex()), ray.ActorID.from_binary(one.binary())), (one, one))
        self.assertEqual((one.is_nil(), ray.ActorID.nil().is_nil(), len(one.binary()), {one: 1}[one]), (False, True, ray.ActorID.size(), 1))
        self.assertNotEqual(ray.TaskID.nil(), ray.ActorID.nil())
        with self.assertRaisesRegex(ValueError, "JobID has 4 bytes"):
            ray.JobID(b"1")
        ref = ray.put(1)
        self.assertEqual(ref.binary().hex(), ref.hex())

    def test_a_machine_by_its_id(self):
        here, other = ray.get_runtime_context().get_node_id(), "2" * 56
        for node, soft in ((here, False), (ray.NodeID.from_hex(here), False), (other, True)):
            self.assertTrue(ray.get(tell.options(scheduling_strategy=NodeAffinitySchedulingStrategy(node, soft)).remote()))
        with self.assertRaisesRegex(ray.exceptions.TaskUnschedulableError, "The task is not schedulable"):
            tell.options(scheduling_strategy=NodeAffinitySchedulingStrategy(other, soft=False))
        with self.assertRaisesRegex(TypeError, "node_id is the text or the NodeID of a node.*; got None"):
            NodeAffinitySchedulingStrategy(None, False)
        with self.assertRaisesRegex(ValueError, "leave them out"):
            NodeAffinitySchedulingStrategy(here, True, _spill_on_unavailable=True)

    def test_what_every_actor_has(self):
        teller = Teller.remote()
        self.assertTrue(ray.get(teller.__ray_ready__.remote()))
        self.assertEqual(ray.get(teller.__ray_call__.remote(lambda self, x, y: (type(self).__name__, x + y), 1, y=2)), ("Teller", 3))

    def test_the_name_of_a_call(self):
        class Named:
            def name(self):
                return ray.get_runtime_context().get_task_name()

        class NamedLoop(Named):
            async def coroutine(self):
                return self.name()
        for actor in (ray.remote(Named).remote(), ray.remote(Named).options(max_concurrency=2).remote(), ray.remote(NamedLoop).remote()):
            kind = "NamedLoop" if hasattr(actor, "coroutine") else "Named"
            self.assertEqual(ray.get([actor.name.options(name="one").remote(), actor.name.remote()]), ["one", kind + ".name"])

    def test_named_actors_are_listed(self):
        @ray.remote(num_cpus=0)
        def listed():
            return ray.util.list_named_actors(), ray.util.list_named_actors(all_namespaces=True)
        kept = [Teller.options(name="a/b").remote(), Teller.options(name="c", namespace="other").remote(), Teller.remote()]
        every = [{"name": "a/b", "namespace": "own"}, {"name": "c", "namespace": "other"}]
        for own, of_all in ((ray.util.list_named_actors(), ray.util.list_named_actors(all_namespaces=True)), ray.get(listed.remote())):
            self.assertEqual((own, sorted(of_all, key=lambda one: one["name"])), (["a/b"], every))
        ray.kill(kept[0])
        self.assertEqual(ray.util.list_named_actors(), [])

    def test_a_timeline(self):
        ray.get(tell.options(name="shown").remote())
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write("an older one")
            with open(path, encoding="utf-8") as older:
                self.assertIsNone(ray.timeline(path))
                self.assertEqual(older.read(), "an older one")  # it was replaced, as a whole
            self.assertEqual(os.listdir(folder), ["trace.json"])
            with open(path, encoding="utf-8") as file:
                written = json.load(file)
        for events in (ray.timeline(), written, ray.get(ray.remote(num_cpus=0)(lambda: ray.timeline()).remote())):
            self.assertTrue([event for event in events if event["name"] == "tell" and event["ph"] == "X" and event["dur"] > 0], events)
        ray.shutdown()
        with self.assertRaisesRegex(RuntimeError, "Timeline requires Ray to be initialized first"):
            ray.timeline()
        self.setUpClass()

    def test_variables_of_the_environment(self):
        @ray.remote(num_cpus=0)
        def found(inner=None):
            own = [os.environ.get(name) for name in ("FLOWRAY_A", "FLOWRAY_B")], ray.get_runtime_context().runtime_env
            return own if inner is None else (own, ray.get(inner.remote()))

        class Holder:
            def found(self):
                return os.environ.get("FLOWRAY_A"), os.environ.get("FLOWRAY_B")
        ray.shutdown()
        with ray.init(num_cpus=1, runtime_env={"env_vars": {"FLOWRAY_A": "1"}}):
            self.assertNotIn("FLOWRAY_A", os.environ)
            of_all = (["1", None], {"env_vars": {"FLOWRAY_A": "1"}})
            self.assertEqual(ray.get(found.remote()), of_all)
            other = found.options(runtime_env=ray.runtime_env.RuntimeEnv(env_vars={"FLOWRAY_B": "x = y"}))
            of_other = (["1", "x = y"], {"env_vars": {"FLOWRAY_A": "1", "FLOWRAY_B": "x = y"}})
            self.assertEqual(ray.get(other.remote(found)), (of_other, of_other))  # what it calls has them, too
            self.assertEqual(ray.get(found.remote()), of_all)
            actor = ray.remote(Holder).options(runtime_env={"env_vars": {"FLOWRAY_A": "2"}}).remote()
            self.assertEqual(ray.get(actor.found.remote()), ("2", None))
        self.setUpClass()
        self.assertEqual(ray.get(found.remote()), ([None, None], {}))

    def test_what_a_runtime_env_refuses(self):
        for given, kind, text in (({"pip": ["x"]}, NotImplementedError, r"pip=\['x'\], which is not supported"),
                                  ({"working_dir": "."}, NotImplementedError, "working_dir="), ("text", TypeError, "runtime_env"),
                                  ({"env_vars": {"A": 1}}, TypeError, r"must be of type Dict\[str, str\]"),
                                  ({"env_vars": ["A"]}, TypeError, r"must be of type Dict\[str, str\]"),
                                  ({"env_vars": {"A=B": "1"}}, ValueError, "cannot be a variable's name")):
            for refused in (lambda given: tell.options(runtime_env=given), lambda given: Teller.options(runtime_env=given),
                            lambda given: ray.init(runtime_env=given, ignore_reinit_error=True)):
                with self.assertRaisesRegex(kind, text):
                    refused(given)

    def test_what_is_missing_says_why(self):
        for module, name, why in ((ray, "client", "none to connect to"), (ray, "tune", "ray.util"),
                                  (ray.util, "get_node_instance_id", "one machine"),
                                  (ray.util.scheduling_strategies, "NodeLabelSchedulingStrategy", "without labels")):
            with self.assertRaisesRegex(AttributeError, "has no attribute '%s': .*%s" % (name, why)):
                getattr(module, name)
        with self.assertRaisesRegex(AttributeError, "module 'ray.util' has no attribute 'nonsense'$"):
            ray.util.nonsense

    def test_values_as_they_come(self):
        @ray.remote
        def double(x):
            return 2 * x

        refs = [double.remote(x) for x in range(5)]
        self.assertEqual(sorted(ray.util.as_completed(refs, chunk_size=2)), [0, 2, 4, 6, 8])
        self.assertEqual(set(ray.util.as_completed(refs, yield_obj_refs=True)), set(refs))
        for most in (None, 1, 2, 100):
            self.assertEqual(sorted(ray.util.map_unordered(double, iter(range(5)), backpressure_size=most, chunk_size=2)), [0, 2, 4, 6, 8])
        for arguments, text in (({"chunk_size": 0}, "must be >= 1"), ({"num_returns": 1}, "instead of `num_returns`")):
            with self.assertRaisesRegex(ValueError, text):
                list(ray.util.as_completed(refs, **arguments))
        with self.assertRaisesRegex(ValueError, "backpressure_size must be positive"):
            list(ray.util.map_unordered(double, [], backpressure_size=0))

    def test_what_can_be_sent_is_inspected(self):
        lock = threading.Lock()
        output = io.StringIO()
        value = {"deep": [1, lock]}
        is_sendable, failures = ray.util.inspect_serializability(value, name="value", print_file=output)
        self.assertEqual((is_sendable, [(one.obj, one.parent, one.path) for one in failures]),
                         (False, [(lock, value["deep"], "value['deep'][1]")]))
        self.assertIn("What cannot be sent is value['deep'][1]", output.getvalue())
        self.assertEqual(next(iter(ray.util.inspect_serializability(value, depth=1, print_file=output)[1])).obj, value["deep"])
        self.assertEqual(ray.util.inspect_serializability([1], print_file=output), (True, set()))

    def test_a_queue_is_awaited(self):
        queue = Queue(1)

        async def work():
            await queue.put_async(1)
            for arguments in ({"timeout": 0.01}, {"block": False}):
                with self.assertRaises(Full):
                    await queue.put_async(2, **arguments)
            with self.assertRaisesRegex(ValueError, "'timeout' must be a non-negative number"):
                await queue.put_async(2, timeout=-1)
            later = asyncio.ensure_future(queue.put_async(3))
            self.assertEqual(await queue.get_async(), 1)
            await later
            self.assertEqual(await queue.get_async(timeout=60), 3)
            for arguments in ({"timeout": 0.01}, {"block": False}):
                with self.assertRaises(Empty):
                    await queue.get_async(**arguments)

        asyncio.run(work())
        self.assertTrue(queue.empty())


class LocalModeTest(unittest.TestCase):
    def test_calls_leave_the_program_what_it_was_given(self):
        def env(name):
            return {"runtime_env": {"env_vars": {name: "1"}}}

        with ray.init(local_mode=True, **env("INIT")):
            context = ray.get_runtime_context()

            @ray.remote
            def asked():
                return context.runtime_env["env_vars"]

            @ray.remote
            def raises():
                raise ValueError("of the task")

            @ray.remote
            class Asked:
                def ask(self):
                    return context.runtime_env["env_vars"], ray.get(asked.options(**env("INNER")).remote())

            of_task, of_actor, of_other, of_program = ({"INIT": "1", name: "1"} for name in ("TASK", "ACTOR", "OTHER", "INIT"))
            actor, other = (Asked.options(**env(name)).remote() for name in ("ACTOR", "OTHER"))
            self.assertEqual(context.runtime_env["env_vars"], of_program)
            self.assertEqual(ray.get(asked.options(**env("TASK")).remote()), of_task)
            self.assertEqual(context.runtime_env["env_vars"], of_program)
            for one, own in ((actor, of_actor), (other, of_other)):
                self.assertEqual(ray.get(one.ask.remote()), (own, {**own, "INNER": "1"}))
            with self.assertRaisesRegex(ValueError, "of the task"):
                ray.get(raises.options(**env("TASK")).remote())
            self.assertEqual(context.runtime_env["env_vars"], of_program)
            self.assertEqual(ray.get(asked.remote()), of_program)


if __name__ == "__main__":
    unittest.main()
