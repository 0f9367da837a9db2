from flowray.ray import NodeID
from flowray.ray.util.placement_group import PlacementGroup as PlacementGroup

class PlacementGroupSchedulingStrategy:
    placement_group: PlacementGroup
    placement_group_bundle_index: int
    placement_group_capture_child_tasks: bool | None
    def __init__(self, placement_group: PlacementGroup, placement_group_bundle_index: int = -1,
                 placement_group_capture_child_tasks: bool | None = None) -> None: ...

class NodeAffinitySchedulingStrategy:
    node_id: str
    soft: bool
    def __init__(self, node_id: str | NodeID, soft: bool, _spill_on_unavailable: bool = False,
                 _fail_on_unavailable: bool = False) -> None: ...
