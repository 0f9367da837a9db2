"""flowray.ray takes the arguments and options that Ray's functions take, by their names, or says by its name what it does not take.

The names are those of Ray 2.60: inspect.signature of its functions and classes, and ray._common.ray_option_utils. Names that begin with "_"
are nobody's but Ray's. Of the options that the first versions had, older names follow.
"""

import inspect
import pydoc
import re
import unittest
import warnings

from flowray import ray

SIGNATURES = """
ray.get: object_refs timeout
ray.put: value
ray.wait: ray_waitables num_returns timeout fetch_local
ray.kill: actor no_restart
ray.cancel: ray_waitable force recursive
ray.get_actor: name namespace
ray.get_gpu_ids:
ray.get_runtime_context:
ray.available_resources:
ray.cluster_resources:
ray.nodes:
ray.is_initialized:
ray.shutdown: wait_for_processes
ray.timeline: filename
ray.init: address num_cpus num_gpus resources object_store_memory local_mode ignore_reinit_error job_config log_to_driver namespace runtime_env
ray.util.ActorPool: actors
ray.util.ActorPool.get_next: timeout ignore_if_timedout
ray.util.ActorPool.get_next_unordered: timeout ignore_if_timedout
ray.util.ActorPool.has_free:
ray.util.ActorPool.has_next:
ray.util.ActorPool.map: fn values
ray.util.ActorPool.map_unordered: fn values
ray.util.ActorPool.pop_idle:
ray.util.ActorPool.push: actor
ray.util.ActorPool.submit: fn value
ray.util.as_completed: refs chunk_size yield_obj_refs
ray.util.map_unordered: fn items backpressure_size chunk_size yield_obj_refs
ray.util.placement_group: bundles strategy name lifetime
ray.util.placement_group_table: placement_group
ray.util.get_placement_group: placement_group_name
ray.util.get_current_placement_group:
ray.util.remove_placement_group: placement_group
ray.util.inspect_serializability: base_obj name depth print_file
ray.util.list_named_actors: all_namespaces
ray.util.queue.Queue: maxsize actor_options
ray.util.queue.Queue.empty:
ray.util.queue.Queue.full:
ray.util.queue.Queue.get: block timeout
ray.util.queue.Queue.get_async: block timeout
ray.util.queue.Queue.get_nowait:
ray.util.queue.Queue.get_nowait_batch: num_items
ray.util.queue.Queue.put: item block timeout
ray.util.queue.Queue.put_async: item block timeout
ray.util.queue.Queue.put_nowait: item
ray.util.queue.Queue.put_nowait_batch: items
ray.util.queue.Queue.qsize:
ray.util.queue.Queue.shutdown: force grace_period_s
ray.util.queue.Queue.size:
ray.util.scheduling_strategies.PlacementGroupSchedulingStrategy: placement_group placement_group_bundle_index placement_group_capture_child_tasks
ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy: node_id soft
ray.experimental.tf_utils.TensorFlowVariables: output sess input_variables
ray.experimental.tf_utils.TensorFlowVariables.set_session: sess
ray.experimental.tf_utils.TensorFlowVariables.set_flat: new_weights
ray.experimental.tf_utils.TensorFlowVariables.set_weights: new_weights
"""
# Options with a value that asks for something.
_OF_ALL = {"label_selector": {"a": "b"}, "fallback_strategy": [{}], "accelerator_type": "V100", "memory": 1, "name": "n", "num_cpus": 1, "num_gpus": 1,
           "object_store_memory": 1, "placement_group": None, "placement_group_bundle_index": 0, "placement_group_capture_child_tasks": True,
           "resources": {"a": 1}, "runtime_env": {"pip": ["x"]}, "scheduling_strategy": "SPREAD", "enable_task_events": False, "_labels": {"a": "b"}}
_OF_TASKS = {**_OF_ALL, "max_calls": 1, "max_retries": 1, "num_returns": 2, "num_return_vals": 2, "retry_exceptions": True,
             "_generator_backpressure_num_objects": 1, "_num_objects_per_yield": 2}
_OF_ACTORS = {**_OF_ALL, "concurrency_groups": {"io": 1}, "enable_tensor_transport": True, "lifetime": "detached", "max_concurrency": 2,
              "max_restarts": 1, "max_reconstructions": 1, "max_task_retries": 1, "max_pending_calls": 1, "namespace": "n", "get_if_exists": False,
              "allow_out_of_order_execution": True, "_actor_generator_backpressure_num_objects": 1}
_OF_METHODS = {"num_returns": 2, "num_return_vals": 2, "concurrency_group": "io", "max_task_retries": 1, "retry_exceptions": True,
               "_generator_backpressure_num_objects": 1, "_num_objects_per_yield": 2, "enable_task_events": False, "tensor_transport": "nccl"}
REFUSED = {"runtime_env", "_num_objects_per_yield", "enable_tensor_transport", "tensor_transport", "_actor_generator_backpressure_num_objects"}
WARNED = {"label_selector", "fallback_strategy", "accelerator_type", "object_store_memory", "max_calls", "allow_out_of_order_execution",
          "enable_task_events", "_labels"}


class SignaturesTest(unittest.TestCase):
    def test_functions_take_rays_arguments(self):
        for line in SIGNATURES.strip().splitlines():
            path, _, names = line.partition(":")
            found = ray
            for part in path.split(".")[1:]:
                found = getattr(found, part)
            parameters = list(inspect.signature(found).parameters)
            self.assertEqual([name for name in parameters if name in names.split()], names.split(), path)

    def taken(self, make, options):
        for name, value in options.items():
            with self.subTest(option=name), warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                ray._runtime._warned.clear()
                if name in REFUSED:
                    with self.assertRaisesRegex(NotImplementedError, name if name != "runtime_env" else "pip"):
                        make(**{name: value})
                else:
                    make(**{name: value})
                self.assertEqual(len(told), name in WARNED, told)
                if told:
                    self.assertIn("The option %s of" % name, str(told[0].message))

    def test_options_are_taken_or_told_of(self):
        def function():
            pass

        class Kind:
            def method(self):
                pass
        self.taken(lambda **options: ray.remote(**options)(function), _OF_TASKS)
        self.taken(ray.remote(function).options, _OF_TASKS)
        self.taken(lambda **options: ray.remote(**options)(Kind), _OF_ACTORS)
        self.taken(ray.remote(Kind).options, {name: value for name, value in _OF_ACTORS.items() if name != "concurrency_groups"})
        self.taken(lambda **options: ray.method(**options)(Kind.method), _OF_METHODS)
        with self.assertRaisesRegex(ValueError, "Invalid option keyword colour"):
            ray.remote(colour="red")(function)

    def test_help_tells_every_option(self):
        for function, names in ((ray.remote, {*_OF_TASKS, *_OF_ACTORS}), (ray.method, set(_OF_METHODS) - REFUSED - WARNED - {"num_return_vals"})):
            told = pydoc.render_doc(function, renderer=pydoc.plaintext)
            self.assertEqual([name for name in sorted(names) if not re.search(r"\b%s\b" % name, told)], [], function)

    def test_the_older_form_of_calls(self):
        @ray.remote
        def add(x, y=0):
            return x + y

        @ray.remote
        class Adder:
            def __init__(self, start=0):
                self.start = start

            def add(self, x):
                return self.start + x, x

        with ray.init(num_cpus=1, driver_mode=ray.SCRIPT_MODE):
            self.assertEqual(ray.get([add._remote(args=[1], kwargs={"y": 2}, num_cpus=1), add._remote([5])]), [3, 5])
            adder = Adder._remote(args=[10], num_cpus=0)
            self.assertEqual(ray.get(adder.add._remote([1], num_return_vals=2)), [11, 1])
        with ray.init(driver_mode=ray.PYTHON_MODE):
            self.assertEqual(ray.get(add.remote(1)), 1)


if __name__ == "__main__":
    unittest.main()
