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
from flowray.ray._ids import ActorID, JobID, NodeID, PlacementGroupID, TaskID, WorkerID
from flowray.ray._remote import RemoteFunction, remote
from flowray.ray._runtime import cancel, get, init, is_initialized, put, shutdown, timeline, wait
from flowray.ray import actor, cross_language, experimental, job_config, runtime_env, util  # noqa: I001: they need the names above
from flowray.ray.cross_language import cpp_function, java_actor_class, java_function

ObjectID = ObjectRef  # its older name
LOCAL_MODE, WORKER_MODE, SCRIPT_MODE = "LOCAL_MODE", "WORKER_MODE", "SCRIPT_MODE"
PYTHON_MODE = "PYTHON_MODE"  # the older name of LOCAL_MODE

_MISSING = {
    "client": "a runtime is of one program: there is none to connect to",
    "ClientBuilder": "a runtime is of one program: there is none to connect to",
    "LoggingConfig": "what workers log is shown as Python's logging writes it there",
    "log": "workers' logging is Python's own",
    **dict.fromkeys(("air", "data", "dag", "serve", "train", "tune", "rllib", "workflow"), "of Ray's libraries there is ray.util, no more"),
}


def __getattr__(name):
    if name in _MISSING:
        raise AttributeError("module 'ray' has no attribute '%s': %s" % (name, _MISSING[name]))
    raise AttributeError("module 'ray' has no attribute '%s'" % name)


__all__ = ["ActorClass", "ActorHandle", "ActorID", "ActorMethod", "DynamicObjectRefGenerator", "ObjectID", "ObjectRef", "ObjectRefGenerator", "JobID", "NodeID", "PlacementGroupID", "RemoteFunction", "RuntimeContext", "TaskID", "WorkerID", "__version__", "actor",
           "available_resources", "cancel", "cluster_resources", "cpp_function", "cross_language", "exceptions", "experimental", "get", "get_actor", "get_gpu_ids",
           "get_runtime_context", "init", "is_initialized", "java_actor_class", "java_function", "job_config", "kill", "method", "nodes", "put", "remote", "runtime_env", "shutdown", "timeline", "util", "wait"]
