"""ray.util.scheduling_strategies: where tasks and actors take their resources from."""

from flowray.ray import _runtime
from flowray.ray._ids import NodeID
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


class NodeAffinitySchedulingStrategy:
    """On the machine with that id, of which there is one; `soft`: on another one where it is not there."""

    def __init__(self, node_id, soft, _spill_on_unavailable=False, _fail_on_unavailable=False):
        if not isinstance(node_id, (str, NodeID)):
            raise TypeError("node_id is the text or the NodeID of a node, as ray.get_runtime_context().get_node_id() gives it; got %r" % (node_id,))
        if _spill_on_unavailable or _fail_on_unavailable:
            raise ValueError("_spill_on_unavailable and _fail_on_unavailable choose among machines, of which there is one: leave them out")
        self.node_id, self.soft = node_id if isinstance(node_id, str) else node_id.hex(), soft

    def _require_node(self, what):
        if not self.soft and self.node_id != _runtime.NODE:
            from flowray.ray.exceptions import TaskUnschedulableError
            raise TaskUnschedulableError("The task is not schedulable: the node %s of the scheduling strategy of %s is not there. The one "
                                         "that is has the id %s, which ray.get_runtime_context().get_node_id() gives." % (self.node_id, what, _runtime.NODE))


def __getattr__(name):
    if name == "NodeLabelSchedulingStrategy":
        raise AttributeError("module 'ray.util.scheduling_strategies' has no attribute '%s': there is one machine, without labels" % name)
    raise AttributeError("module 'ray.util.scheduling_strategies' has no attribute '%s'" % name)


__all__ = ["NodeAffinitySchedulingStrategy", "PlacementGroup", "PlacementGroupSchedulingStrategy"]
