"""ray.util.scheduling_strategies: where tasks and actors take their resources from."""

from flowray.ray.util.placement_group import PlacementGroup


class PlacementGroupSchedulingStrategy:
    """In a placement group: of the bundle with that index, or, by -1, of any. With `placement_group_capture_child_tasks` what runs there
    makes its own tasks and actors in the group, too, unless it says otherwise."""

    def __init__(self, placement_group, placement_group_bundle_index=-1, placement_group_capture_child_tasks=None):
        if placement_group is None:
            raise ValueError("`placement_group` needs to be an instance of PlacementGroup")
        self.placement_group = placement_group
        self.placement_group_bundle_index = placement_group_bundle_index
        self.placement_group_capture_child_tasks = placement_group_capture_child_tasks


__all__ = ["PlacementGroup", "PlacementGroupSchedulingStrategy"]
