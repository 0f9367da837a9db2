"""ray.util: what is made of tasks and actors."""

from flowray.ray._actor import list_named_actors
from flowray.ray.util._iteration import as_completed, map_unordered
from flowray.ray.util.actor_pool import ActorPool
from flowray.ray.util.check_serialize import inspect_serializability
from flowray.ray.util.debug import disable_log_once_globally, enable_periodic_logging, log_once
from flowray.ray.util.placement_group import (get_current_placement_group, get_placement_group, placement_group, placement_group_table,
                                              remove_placement_group)
from flowray.ray.util.serialization import deregister_serializer, register_serializer
from flowray.ray.util import queue, scheduling_strategies  # noqa: I001: they need what stands above

_CONNECTS = "a runtime is of one program: there is none to connect to"
_NO_POOL = "ActorPool.map and map_unordered spread work over processes"
_DEBUGGERS = "breakpoint() and pdb work in the program itself, with ray.init(local_mode=True) in tasks, too"
_MISSING = {
    "get_node_instance_id": "there is one machine, ray.get_runtime_context().get_node_id() names it",
    **dict.fromkeys(("connect", "disconnect", "client", "client_connect"), _CONNECTS),
    **dict.fromkeys(("multiprocessing", "joblib", "dask", "iter", "actor_group", "spark"), _NO_POOL),
    **dict.fromkeys(("pdb", "rpdb", "debugpy", "ray_debugpy"), _DEBUGGERS),
    **dict.fromkeys(("accelerators", "tpu"), "num_gpus and resources of ray.init say what there is"),
    **dict.fromkeys(("metrics", "iter_metrics"), "from Python nothing is measured; ray.timeline() tells what ran when"),
    **dict.fromkeys(("state", "tracing"), "ray.nodes(), ray.timeline() and `flowray list` tell what there is and what ran"),
    "collective": "references carry arrays between actors: pass those of one to the methods of others",
    **dict.fromkeys(("horovod", "lightgbm", "sgd", "xgboost"), "of Ray's libraries there is nothing here"),
}


def __getattr__(name):
    reason = ": " + _MISSING[name] if name in _MISSING else ""
    raise AttributeError("module 'ray.util' has no attribute '%s'%s" % (name, reason))


def get_node_ip_address():
    """That of the machine, as nodes() has it."""
    return "127.0.0.1"


__all__ = ["ActorPool", "as_completed", "deregister_serializer", "disable_log_once_globally", "enable_periodic_logging", "get_current_placement_group",
           "get_node_ip_address", "get_placement_group", "inspect_serializability", "list_named_actors", "log_once", "map_unordered",
           "placement_group", "placement_group_table", "queue", "register_serializer", "remove_placement_group", "scheduling_strategies"]
