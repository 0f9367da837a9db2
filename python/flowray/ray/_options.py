"""The options of functions, classes and methods, as they are given to remote() and options()."""

import reprlib

from flowray.ray._runtime import state, warn_once
from flowray.ray.runtime_env import env_vars_of

# What means nothing on one machine, and what would change how a program runs and is not there.
_WITHOUT_EFFECT = frozenset({"object_store_memory", "accelerator_type", "max_calls", "_metadata", "enable_task_events", "_labels",
                             "label_selector", "fallback_strategy", "allow_out_of_order_execution"})
_BY_STORE = "arrays go by the object store, where they are read without a copy"
_REFUSED = {
    "tensor_transport": _BY_STORE, "enable_tensor_transport": _BY_STORE,
    "_num_objects_per_yield": "a generator gives its values one by one: yield a list of them",
    "_actor_generator_backpressure_num_objects": "_generator_backpressure_num_objects of a method limits its generators",
}
_AS_NOTHING = {"_num_objects_per_yield": 1}
_OLDER_NAMES = {"num_return_vals": "num_returns", "max_reconstructions": "max_restarts"}

# Of what resources are taken: PlacementGroup, or "default" for none.
GROUP = "placement_group"
_PLACES = frozenset({GROUP, "placement_group_bundle_index", "placement_group_capture_child_tasks", "scheduling_strategy"})
OF_TASK = _PLACES | frozenset({"num_cpus", "num_gpus", "memory", "resources", "num_returns", "max_retries", "retry_exceptions", "name", "runtime_env",
                               "_generator_backpressure_num_objects"})
OF_ACTOR = _PLACES | frozenset({"num_cpus", "num_gpus", "memory", "resources", "max_restarts", "max_task_retries", "max_pending_calls", "max_concurrency",
                                "name", "namespace", "lifetime", "get_if_exists", "concurrency_groups", "runtime_env"})
OF_METHOD = frozenset({"num_returns", "name", "max_task_retries", "retry_exceptions", "_generator_backpressure_num_objects",
                       "concurrency_group"})
OF_DECORATOR = OF_METHOD - {"name"}


def checked(options, known, what):
    """The options under their present names. Raises for what is not known or not there."""
    result = {}
    for given, value in options.items():
        name = _OLDER_NAMES.get(given, given)
        if name in known:
            result[name] = value
        elif name in _REFUSED:
            if value not in (None, False, 0, "DEFAULT", -1, _AS_NOTHING.get(name)):
                raise NotImplementedError("The option %s=%r of %s is not supported: %s" % (given, value, what, _REFUSED[name]))
        elif name in _WITHOUT_EFFECT:
            if value is not None:
                warn_once("The option %s of %s has no effect: nothing is limited or placed by it" % (given, what))
        else:
            raise _invalid(given, known, what)
    _check_values(result, what)
    _check_place(result, what)
    return result


def _invalid(given, known, what):
    if known is OF_DECORATOR:
        return AssertionError("Unexpected keyword argument to @ray.method: '%s'. The supported keyword arguments are %s." % (given, sorted(known)))
    kinds = {OF_TASK: "remote functions", OF_ACTOR: "actors"}.get(known)
    return ValueError("Invalid option keyword %s for %s. Valid ones are %s.%s"
                      % (given, kinds or what, sorted(known), "\nIt was given to %s." % what if kinds else ""))


def _check_place(options, what):
    strategy, group = options.get("scheduling_strategy"), options.get(GROUP)
    if strategy in (None, "DEFAULT", "SPREAD") and group is None:
        return
    from flowray.ray.util.placement_group import PlacementGroup
    from flowray.ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy, PlacementGroupSchedulingStrategy
    if strategy not in (None, "DEFAULT", "SPREAD"):
        if isinstance(strategy, NodeAffinitySchedulingStrategy):
            strategy._require_node(what)
            options["scheduling_strategy"] = "DEFAULT"  # wherever there is room on the one machine
            return _check_place(options, what)
        if not isinstance(strategy, PlacementGroupSchedulingStrategy):
            raise NotImplementedError("The option scheduling_strategy=%r of %s is not supported: there is one machine" % (strategy, what))
        if group is not None:
            raise ValueError("Placement groups should be specified via the scheduling_strategy option. The placement_group option is "
                             "deprecated.")
        group = strategy.placement_group
    if group not in (None, "default") and not isinstance(group, PlacementGroup):
        raise ValueError("The placement group of %s is %r: it must be a PlacementGroup, None or 'default'." % (what, group))


def place_of(options):
    """(number of the placement group, index of its bundle, whether children are in it, too); 0: in none.

    Raises ValueError for a bundle that it does not have, and for more resources than any of its bundles has.
    """
    strategy = options.get("scheduling_strategy")
    if strategy not in (None, "DEFAULT", "SPREAD"):
        group, bundle = strategy.placement_group, strategy.placement_group_bundle_index
        captures = strategy.placement_group_capture_child_tasks
    else:
        group, bundle = options.get(GROUP), options.get("placement_group_bundle_index", -1)
        captures = options.get("placement_group_capture_child_tasks")
    if group is None and strategy is None and state.captured:
        return state.captured, -1, True
    if group in (None, "default") or group.is_empty:
        return 0, -1, False
    if not -1 <= bundle < group.bundle_count:
        raise ValueError("placement group bundle index %s is invalid. Valid placement group indexes: 0-%d\n"
                         "Its bundles are 0 to %d; -1 is any of them." % (bundle, group.bundle_count, group.bundle_count - 1))
    return group.id._number, bundle, bool(captures)


def check_fits(options, resources, name):
    """Raises ValueError where no bundle of the placement group has so much."""
    strategy = options.get("scheduling_strategy")
    group = strategy.placement_group if strategy not in (None, "DEFAULT", "SPREAD") else options.get(GROUP)
    if group in (None, "default") or group.is_empty:
        return
    if not any(all(bundle.get(resource, 0) >= amount for resource, amount in resources.items()) for bundle in group.bundle_specs):
        raise ValueError("Cannot schedule %s with the placement group because the resource request %s cannot fit into any bundles for the "
                         "placement group, %s." % (name, resources, group.bundle_specs))


_ALWAYS = "0, -1 or a positive integer, where -1 represents infinity"
_COUNTS = {"num_returns": "0 or a positive integer, and \"streaming\" or \"dynamic\" for generators", "max_retries": _ALWAYS,
           "max_restarts": _ALWAYS, "max_task_retries": _ALWAYS, "max_pending_calls": _ALWAYS, "max_concurrency": "a positive integer"}


def _require_kind(options, name, *kinds):
    """One of these, or None. True and False do not count as numbers."""
    value = options.get(name)
    if isinstance(value, bool) or not isinstance(value, (*kinds, type(None))):
        raise TypeError("The type of keyword '%s' must be (%s), but received type %s"
                        % (name, ", ".join(str(kind) for kind in (*kinds, type(None))), type(value)))


def _check_values(options, what):
    ahead = options.get("_generator_backpressure_num_objects")
    if ahead is not None and (isinstance(ahead, bool) or not isinstance(ahead, int) or ahead < 1 and ahead != -1):
        raise ValueError("_generator_backpressure_num_objects=%r is not allowed. Use a value > 0: by so many values the generator may be "
                         "ahead of their reader. Use -1 to disable this feature." % (ahead,))
    for name, accepted in _COUNTS.items():
        value = options.get(name)
        if name == "num_returns" and isinstance(value, str) and value in ("streaming", "dynamic"):
            continue
        _require_kind(options, name, int)
        if value is not None and value < (0 if name == "num_returns" else 1 if name == "max_concurrency" else -1):
            raise ValueError("The keyword '%s' only accepts None, %s.\n%s was given %r." % (name, accepted, what, value))
    for name in _KEYWORDS.values():
        _require_kind(options, name, float, int)
    for name in ("name", "namespace", "concurrency_group"):
        _require_kind(options, name, str)
    if "retry_exceptions" in options:
        _check_retry_exceptions(options["retry_exceptions"])
    env_vars_of(options.get("runtime_env"), what)
    _check_groups(options.get("concurrency_groups"), what)
    _check_resources(options.get("resources"))
    for name, amount in resources_of(options).items():
        _check_amount(name, amount)
    if options.get("lifetime") not in (None, "detached", "non_detached"):
        raise ValueError("actor `lifetime` argument must be one of 'detached', 'non_detached' and 'None'.")


def _check_retry_exceptions(value):
    if not isinstance(value, (bool, list, tuple)):
        raise TypeError("The type of keyword 'retry_exceptions' must be (<class 'bool'>, <class 'list'>, <class 'tuple'>), but received "
                        "type %s" % type(value))
    if not isinstance(value, bool) and not all(isinstance(kind, type) and issubclass(kind, BaseException) for kind in value):
        raise ValueError("retry_exceptions must be either a boolean or a list of exceptions")


def _check_groups(groups, what):
    if not isinstance(groups, (dict, type(None))):
        raise TypeError("The type of keyword 'concurrency_groups' must be (<class 'dict'>, <class 'NoneType'>), but received type %s"
                        % type(groups))
    for name, number in (groups or {}).items():
        if not isinstance(name, str) or not 0 < len(name.encode()) <= _LONGEST_NAME or "\0" in name:
            raise ValueError("A concurrency group is named by a text of 1 to %d bytes, none of them zero. Given: %s"
                             % (_LONGEST_NAME, reprlib.repr(name)))
        if isinstance(number, bool) or not isinstance(number, int) or not 0 < number < 1 << 31:
            raise ValueError("The concurrency group '%s' of %s has as many calls at a time as a whole number of at least 1 says. Given: %r"
                             % (name, what, number))


def _check_resources(resources):
    if resources is not None and not isinstance(resources, dict):
        raise TypeError("The type of keyword 'resources' must be (<class 'dict'>, <class 'NoneType'>), but received type %s"
                        % type(resources))
    for name, amount in (resources or {}).items():
        if name in ("CPU", "GPU"):
            raise ValueError("Use the 'num_cpus' and 'num_gpus' keyword instead of 'CPU' and 'GPU' in 'resources' keyword")
        if not isinstance(name, str) or not 0 < len(name.encode()) <= _LONGEST_NAME or "\0" in name:
            raise ValueError("A resource is named by a text of 1 to %d bytes, none of them zero. Given: %s"
                             % (_LONGEST_NAME, reprlib.repr(name)))
        if isinstance(amount, bool) or not isinstance(amount, (int, float)):
            raise TypeError("The amount of the resource '%s' must be a number, but received type %s" % (name, type(amount)))


_LONGEST_NAME = 256
_KEYWORDS = {"CPU": "num_cpus", "GPU": "num_gpus", "memory": "memory"}


def _check_amount(name, amount):
    if not amount >= 0:
        raise ValueError("The quantity of resource %s cannot be negative" % _KEYWORDS.get(name, name))
    if name == "GPU" and amount > 1 and amount != int(amount):
        raise ValueError("GPU resource quantities >1 must be whole numbers. The specified quantity %s is invalid." % amount)


def resources_of(options):
    """{"CPU": amount} as the runtime counts: what is said, no processor (CPU: 0) included, and nothing else of which there is none."""
    resources = {name: float(amount) for name, amount in (options.get("resources") or {}).items() if amount}
    for name in ("GPU", "memory"):
        if options.get(_KEYWORDS[name]):
            resources[name] = float(options[_KEYWORDS[name]])
    if options.get("num_cpus") is not None:
        resources["CPU"] = float(options["num_cpus"])
    return resources
