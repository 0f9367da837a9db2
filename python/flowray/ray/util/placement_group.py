"""ray.util.placement_group: resources that are set aside together, for tasks and actors that name the group.

    group = placement_group([{"CPU": 1}, {"CPU": 1, "GPU": 1}])
    ray.get(group.ready())
    f.options(scheduling_strategy=PlacementGroupSchedulingStrategy(group, 1), num_gpus=1).remote()
    remove_placement_group(group)
"""

from flowray import _native
from flowray.ray import _runtime, _worker
from flowray.ray._ids import PlacementGroupID

_ray = _native._ray

VALID_PLACEMENT_GROUP_STRATEGIES = ("PACK", "SPREAD", "STRICT_PACK", "STRICT_SPREAD")
_STATES = {0: "PENDING", 1: "PREPARED", 2: "CREATED", 3: "REMOVED", 4: "RESCHEDULING"}


class PlacementGroup:
    """A handle of a group; may be sent to tasks and actors."""

    def __init__(self, id, bundle_cache=None):
        self.id, self.bundle_cache = id, bundle_cache

    @classmethod
    def empty(cls):
        return cls(PlacementGroupID.nil(), [])

    @property
    def is_empty(self):
        return self.id.is_nil()

    @property
    def bundle_specs(self):
        """[{resource: amount}] of its bundles."""
        if self.bundle_cache is None:
            self.bundle_cache = _row(self.id._number)[4]
        return self.bundle_cache

    @property
    def bundle_count(self):
        return len(self.bundle_specs)

    def ready(self):
        """A reference to the group, which is there when its resources are set aside."""
        from flowray.ray import _options
        return _ready_function().options(num_cpus=0, **{_options.GROUP: self}).remote(self)

    def wait(self, timeout_seconds=30):
        """Whether the resources are set aside, after at most so many seconds."""
        ready, _ = _runtime.wait([_ray.group_ref(self.id._number)], timeout=timeout_seconds)
        return bool(ready) and _row(self.id._number)[2] == 2

    def __eq__(self, other):
        return isinstance(other, PlacementGroup) and other.id == self.id

    def __hash__(self):
        return hash(self.id)


def _itself(group):
    return group


def _ready_function():
    global _function
    if _function is None:
        from flowray.ray import _remote
        _function = _remote.remote(_itself)
    return _function


_function = None


def _row(number):
    for row in _ray.groups():
        if row[0] == number:
            return row
    raise ValueError("There is no placement group %016x in this runtime." % number)


def _check_bundles(bundles):
    if not isinstance(bundles, list):
        raise ValueError("Placement group bundles must be a list, got %s." % type(bundles))
    if not bundles:
        raise ValueError('Bundles must be a non-empty list of resource dictionaries. For example: `[{"CPU": 1.0}, {"GPU": 1.0}]`. '
                         "Got empty list instead.")
    for bundle in bundles:
        if not isinstance(bundle, dict) or not all(isinstance(name, str) and isinstance(amount, (int, float)) and not isinstance(amount, bool)
                                                   for name, amount in bundle.items()):
            raise ValueError("Bundles must be a list of dictionaries of names and amounts. Bundles: %s" % (bundles,))
        if not any(bundle.values()):
            raise ValueError("Bundles cannot be an empty dictionary or resources with only 0 values. Bundles: %s" % (bundles,))
        if any(not amount >= 0 for amount in bundle.values()):
            raise ValueError("The amounts of a bundle cannot be negative. Bundles: %s" % (bundles,))


def placement_group(bundles, strategy="PACK", name="", lifetime=None, **others):
    """Sets resources aside as soon as they are free, and returns a handle at once.

    Args:
        bundles: [{resource: amount}]; each task or actor in the group takes its resources of one of them.
        strategy: how bundles are to lie on machines. There is one here: a "STRICT_SPREAD" group of several bundles is never ready.
        name: for get_placement_group.
        lifetime: None or "detached"; a group lives until it is removed or the program ends.
    """
    _check_bundles(bundles)
    if strategy not in VALID_PLACEMENT_GROUP_STRATEGIES:
        raise ValueError("Invalid placement group strategy %s. Supported strategies are: %s."
                         % (strategy, set(VALID_PLACEMENT_GROUP_STRATEGIES)))
    if lifetime not in (None, "detached"):
        raise ValueError("Placement group `lifetime` argument must be either `None` or 'detached'. Got %s." % lifetime)
    for option, value in others.items():
        if option not in ("_max_cpu_fraction_per_node", "_soft_target_node_id", "bundle_label_selector"):
            raise TypeError("placement_group() got an unexpected keyword argument '%s'" % option)
        if value is not None:
            _runtime.warn_once("placement_group(%s=...) has no effect: there is one machine" % option)
    _runtime.ensure_initialized()
    specs = [{resource: float(amount) for resource, amount in bundle.items() if amount} for bundle in bundles]
    return PlacementGroup(PlacementGroupID._of(_ray.create_group(name or "", VALID_PLACEMENT_GROUP_STRATEGIES.index(strategy), specs)), specs)


def remove_placement_group(placement_group):
    """Gives its resources back. What runs in it is ended, what was to run in it fails."""
    if not isinstance(placement_group, PlacementGroup):
        raise ValueError("remove_placement_group takes a PlacementGroup, got %s." % type(placement_group))
    _ray.remove_group(placement_group.id._number)


def get_placement_group(placement_group_name):
    """The group of that name. Raises ValueError where there is none."""
    if not placement_group_name:
        raise ValueError("Please supply a non-empty value to get_placement_group")
    _runtime.ensure_initialized()
    for number, _, state, name, bundles in _ray.groups():
        if name == placement_group_name and state != 3:
            return PlacementGroup(PlacementGroupID._of(number), bundles)
    raise ValueError("Failed to look up placement group with name: %s" % placement_group_name)


def _told(row):
    number, strategy, state, name, bundles = row
    return {"placement_group_id": "%016x" % number, "name": name, "bundles": dict(enumerate(bundles)),
            "bundles_to_node_id": {i: _runtime.NODE if state == 2 else "" for i in range(len(bundles))},
            "strategy": VALID_PLACEMENT_GROUP_STRATEGIES[strategy], "state": _STATES[state]}


def placement_group_table(placement_group=None):
    """What is known of a group, as a dict; without one {id: that} of all."""
    _runtime.ensure_initialized()
    if placement_group is not None:
        return _told(_row(placement_group.id._number))
    return {"%016x" % row[0]: _told(row) for row in _ray.groups()}


def get_current_placement_group():
    """The group that the task or actor runs in; None if there is none."""
    number = (_worker.terms or {}).get("group") or 0
    return PlacementGroup(PlacementGroupID._of(number)) if number else None
