"""ray.util: what is made of tasks and actors."""

from flowray.ray._actor import list_named_actors
from flowray.ray.util._iteration import as_completed, map_unordered
from flowray.ray.util.actor_pool import ActorPool
from flowray.ray.util.check_serialize import inspect_serializability
from flowray.ray.util.placement_group import (get_current_placement_group, get_placement_group, placement_group, placement_group_table,
                                              remove_placement_group)
from flowray.ray.util import queue, scheduling_strategies  # noqa: I001: they need what stands above

_MISSING = {
    "get_node_ip_address": "there is one machine, and its processes have no addresses",
    "register_serializer": "a class says by __reduce__ how it is pickled, or copyreg.pickle does",
    "deregister_serializer": "nothing is registered: a class says by __reduce__ how it is pickled",
    "multiprocessing": "ActorPool.map and map_unordered spread work over processes",
}


def __getattr__(name):
    reason = ": " + _MISSING[name] if name in _MISSING else ""
    raise AttributeError("module 'ray.util' has no attribute '%s'%s" % (name, reason))


__all__ = ["ActorPool", "as_completed", "get_current_placement_group", "get_placement_group", "inspect_serializability", "list_named_actors", "map_unordered",
           "placement_group", "placement_group_table", "queue", "remove_placement_group", "scheduling_strategies"]
