"""Tasks and actors: Ray's language in Python, on this machine.

    from flowray import ray           # or: python -m flowray program.py, for a program that says `import ray`

    ray.init()

    @ray.remote
    class Counter:
        def __init__(self, start):
            self.value = start

        def add(self, x):
            self.value += x
            return self.value

    counter = Counter.remote(10)                 # an object in a process of its own
    print(ray.get(counter.add.remote(1)))        # 11

docs/python-actors.md tells what there is.
"""

from flowray import __version__
from flowray._native._ray import ObjectRef
from flowray.ray import exceptions
from flowray.ray._actor import ActorClass, ActorHandle, ActorMethod, get_actor, kill, method
from flowray.ray._context import RuntimeContext, available_resources, cluster_resources, get_gpu_ids, get_runtime_context, nodes
from flowray.ray._generator import DynamicObjectRefGenerator, ObjectRefGenerator
from flowray.ray._ids import ActorClassID, ActorID, ClusterID, FunctionID, JobID, NodeID, PlacementGroupID, TaskID, UniqueID, WorkerID
from flowray.ray._remote import RemoteFunction, remote
from flowray.ray._runtime import cancel, get, init, is_initialized, put, shutdown, timeline, wait
from flowray.ray import actor, cloudpickle, cross_language, experimental, job_config, runtime_env, util  # noqa: I001: they need the names above
from flowray.ray.cross_language import cpp_function, java_actor_class, java_function

ObjectID = ObjectRef  # its older name
LOCAL_MODE, WORKER_MODE, SCRIPT_MODE = "LOCAL_MODE", "WORKER_MODE", "SCRIPT_MODE"
PYTHON_MODE = "PYTHON_MODE"  # the older name of LOCAL_MODE

_MISSING = {
    **dict.fromkeys(("client", "ClientBuilder", "client_builder", "autoscaler", "job_submission", "cluster_utils", "scripts"),
                    "a runtime is of one program and one machine: there is none to connect to, and none to add to it"),
    "LoggingConfig": "what workers log is shown as Python's logging writes it there",
    **dict.fromkeys(("log", "logger"), "workers' logging is Python's own; logging.getLogger('ray') is a logger of that name"),
    **dict.fromkeys(("air", "dag", "data", "llm", "rllib", "serve", "train", "tune", "workflow"), "of Ray's libraries there is ray.util, no more"),
    "Language": "ray.cross_language.cpp_function and cpp_actor_class say which language it is by their names",
    **dict.fromkeys(("RESTORE_WORKER_MODE", "SPILL_WORKER_MODE"), "it is a mode of processes that the runtime does not have"),
    **dict.fromkeys(("state", "global_state"), "ray.nodes(), ray.cluster_resources() and `flowray list` tell what there is"),
    **dict.fromkeys(("worker", "runtime_context"), "ray.get_runtime_context() tells where the caller runs"),
    **dict.fromkeys(("internal", "free"), "a value is freed with the last reference to it: del ref"),
    **dict.fromkeys(("register_custom_serializer", "serialization"), "ray.util.register_serializer says how objects of a class are pickled"),
    "get_resource_ids": "ray.get_runtime_context().get_resource_ids() and ray.get_gpu_ids() tell them",
    "profile": "ray.timeline() tells when which worker ran what",
    "errors": "ray.exceptions has what calls raise, ray.get raises it",
    **dict.fromkeys(("remote_function", "ray_constants", "core", "widgets"), "it is a part of Ray's own; what programs use is in ray itself"),
}


def __getattr__(name):
    reason = ": " + _MISSING[name] if name in _MISSING else ""
    raise AttributeError("module 'ray' has no attribute '%s'%s" % (name, reason))


__all__ = ["ActorClass", "ActorClassID", "ActorHandle", "ActorID", "ActorMethod", "ClusterID", "DynamicObjectRefGenerator", "FunctionID", "ObjectID",
           "ObjectRef", "ObjectRefGenerator", "JobID", "NodeID", "PlacementGroupID", "RemoteFunction", "RuntimeContext", "TaskID", "UniqueID",
           "WorkerID", "__version__", "actor", "available_resources", "cancel", "cloudpickle", "cluster_resources", "cpp_function", "cross_language",
           "exceptions", "experimental", "get", "get_actor", "get_gpu_ids", "get_runtime_context", "init", "is_initialized", "java_actor_class",
           "java_function", "job_config", "kill", "method", "nodes", "put", "remote", "runtime_env", "shutdown", "timeline", "util", "wait"]
