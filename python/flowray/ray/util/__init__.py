"""ray.util: what is made of tasks and actors."""

from flowray.ray.util.actor_pool import ActorPool
from flowray.ray.util.placement_group import (get_current_placement_group, get_placement_group, placement_group, placement_group_table,
                                              remove_placement_group)

__all__ = ["ActorPool", "get_current_placement_group", "get_placement_group", "placement_group", "placement_group_table",
           "remove_placement_group"]
