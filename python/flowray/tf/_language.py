"""The classes and scopes that Python adds sugar to: sessions, collections, configuration."""

import os as _os

from flowray import _native
from flowray.tf import _graph_defs, _initializers, _shape
from flowray.tf._queues import FIFOQueue, PaddingFIFOQueue, PriorityQueue, RandomShuffleQueue  # noqa: F401
from flowray.tf._variable_identity import the_object_of

__all__ = [
    "ConfigProto", "GPUOptions", "GraphKeys", "GraphOptions", "InteractiveSession", "OptimizerOptions", "RunOptions", "Session",
    "add_to_collection", "add_to_collections", "device", "get_collection",
    "get_collection_ref", "get_local_variable", "global_variables", "import_graph_def", "initialize_all_variables",
    "initialize_variables", "initializers", "is_tensor", "local_variables", "trainable_variables", "model_variables",
    "moving_average_variables", "op_scope", "uninitialized_variables", "get_seed", "disable_v2_behavior",
    "FIFOQueue", "PaddingFIFOQueue", "PriorityQueue", "QueueBase", "RandomShuffleQueue",
    "py_version",
    "__version__", "VERSION",
]

from flowray._native import QueueBase

__version__ = VERSION = "1.15.5"
py_version = None


class _Options:
    """A protobuf message in small: fields with defaults, some of which are messages. Those of `_refused` are TensorFlow's, but mean
    nothing here, so only their default can be set. `_limited` are values that a field may have, and what to do in place of others."""

    _fields, _refused, _limited = {}, {}, {}

    def __init__(self, **values):
        for name, default in {**self._fields, **self._refused}.items():
            self.__dict__[name] = default() if callable(default) else default
        for name, value in values.items():
            if not self._has(name):
                raise ValueError("Protocol message %s has no \"%s\" field." % (type(self).__name__, name))
            setattr(self, name, value)

    @classmethod
    def _has(cls, name):
        return name in cls._fields or name in cls._refused

    def __setattr__(self, name, value):
        if not self._has(name):
            raise AttributeError("Assignment not allowed (no field \"%s\" in protocol message object)." % name)
        if name in self._refused and value != self._refused[name]:
            raise NotImplementedError("%s.%s is not there yet: leave it out" % (type(self).__qualname__, name))
        values, advice = self._limited.get(name, (None, ""))
        if values is not None and value not in values:
            raise NotImplementedError("%s.%s cannot be %r: %s" % (type(self).__qualname__, name, value, advice))
        self.__dict__[name] = value

    def CopyFrom(self, other):
        self.__dict__.update(other.__dict__)

    def __repr__(self):
        return "%s(%s)" % (type(self).__name__, ", ".join("%s=%r" % item for item in self.__dict__.items()))


class GPUOptions(_Options):
    """Accepted as it is: there is no GPU to use otherwise."""

    class Experimental(_Options):
        class VirtualDevices(_Options):
            _fields = {"memory_limit_mb": list, "priority": list, "device_ordinal": list}

        _fields = {
            "virtual_devices": list, "num_virtual_devices_per_gpu": 0, "use_unified_memory": False, "num_dev_to_dev_copy_streams": 0,
            "collective_ring_order": "", "timestamped_allocator": False, "kernel_tracker_max_interval": 0,
            "kernel_tracker_max_bytes": 0, "kernel_tracker_max_pending": 0, "internal_fragmentation_fraction": 0.0,
            "use_cuda_malloc_async": False, "disallow_retry_on_allocation_failure": False, "gpu_host_mem_limit_in_mb": 0.0,
            "gpu_host_mem_disallow_growth": False, "gpu_system_memory_size_in_mb": 0,
            "populate_pjrt_gpu_client_creation_info": False, "node_id": 0, "stream_merge_options": None,
        }

    _fields = {"allow_growth": False, "per_process_gpu_memory_fraction": 0.0, "visible_device_list": "", "allocator_type": "",
               "deferred_deletion_bytes": 0, "force_gpu_compatible": False, "polling_active_delay_usecs": 0,
               "polling_inactive_delay_msecs": 0, "experimental": Experimental}


class OptimizerOptions(_Options):
    """At level L0 constants are folded, and equal expressions shared, only where the next two say so; results are the same. Functions
    are compiled in place and programs planned at every level."""

    L0, L1 = -1, 0
    DEFAULT, OFF, ON_1, ON_2 = 0, -1, 1, 2
    _fields = {"do_common_subexpression_elimination": False, "do_constant_folding": False, "do_function_inlining": False,
               "opt_level": 0, "global_jit_level": 0, "cpu_global_jit": False}
    _refused = {"max_folded_constant_in_bytes": 0}
    _limited = {"opt_level": ((0, -1), "say OptimizerOptions.L1 or L0")}


class RewriterConfig(_Options):
    """No result changes by it: those of `_own` turn a pass of the session's off, the others have none here, so all may be turned on and
    off; a rewrite that does change results may not be turned on."""

    DEFAULT, ON, OFF, AGGRESSIVE = 0, 1, 2, 3
    DEFAULT_MEM_OPT, NO_MEM_OPT, MANUAL, SWAPPING_HEURISTICS, RECOMPUTATION_HEURISTICS, SCHEDULING_HEURISTICS, HEURISTICS = \
        0, 1, 2, 4, 5, 6, 3
    _own = ("constant_folding", "dependency_optimization", "remapping", "common_subgraph_elimination", "disable_meta_optimizer")
    _fields = {**dict.fromkeys(_own[:4], 0), "disable_meta_optimizer": False, "disable_tfg_optimizer": False, **dict.fromkeys((
        "layout_optimizer", "shape_optimization", "arithmetic_optimization", "loop_optimization", "function_optimization",
        "scoped_allocator_optimization", "pin_to_host_optimization", "implementation_selector", "memory_optimization",
        "cpu_layout_conversion", "use_plugin_optimizers", "debug_stripper", "auto_mixed_precision", "auto_mixed_precision_mkl",
        "auto_mixed_precision_onednn_bfloat16", "auto_mixed_precision_cpu"), 0)}
    _refused = {"disable_model_pruning": False, "fail_on_optimizer_errors": False, "meta_optimizer_iterations": 0, "min_graph_nodes": 0,
                "meta_optimizer_timeout_ms": 0, "memory_optimizer_target_node_name_scope": "", "auto_parallel": None,
                "scoped_allocator_opts": None, "optimizers": (), "custom_optimizers": ()}
    _limited = {
        **dict.fromkeys(_own[:4], ((0, 1, 2, 3), "say RewriterConfig.ON or OFF")),
        "debug_stripper": ((0, 2), "leave Assert, CheckNumerics and Print out of the graph instead"),
        **dict.fromkeys(("auto_mixed_precision", "auto_mixed_precision_mkl", "auto_mixed_precision_onednn_bfloat16",
                         "auto_mixed_precision_cpu"), ((0, 2), "give the variables another dtype instead")),
    }


class GraphOptions(_Options):
    """Shapes are inferred, and what was pruned is placed, whatever infer_shapes and place_pruned_graph say."""

    _fields = {"optimizer_options": OptimizerOptions, "rewrite_options": RewriterConfig, "infer_shapes": False, "place_pruned_graph": False}
    _refused = {"build_cost_model": 0, "build_cost_model_after": 0, "timeline_step": 0, "enable_recv_scheduling": False,
                "enable_bfloat16_sendrecv": False}


class ConfigProto(_Options):
    class Experimental(_Options):
        """What is accepted changes no result: threads do not spin or bind to memory by it, and there is no MLIR here."""

        _fields = {"use_numa_affinity": False, "disable_thread_spinning": False, "enable_mlir_bridge": False, "mlir_bridge_rollout": 0}
        _refused = {
            "collective_group_leader": "", "executor_type": "", "recv_buf_max_chunk": 0, "collective_nccl": False,
            "collective_deterministic_sequential_execution": False, "share_session_state_in_clusterspec_propagation": False,
            "share_cluster_devices_in_session": False,
            "session_metadata": None, "optimize_for_static_graph": False, "enable_mlir_graph_optimization": False,
            "disable_output_partition_graphs": False, "xla_fusion_autotuner_thresh": 0, "use_tfrt": False, "coordination_config": None,
            "disable_functional_ops_lowering": False, "xla_prefer_single_graph_cluster": False,
        }

    _fields = {
        "device_count": dict, "intra_op_parallelism_threads": 0, "inter_op_parallelism_threads": 0, "allow_soft_placement": False,
        "log_device_placement": False, "gpu_options": GPUOptions, "graph_options": GraphOptions, "operation_timeout_in_ms": 0,
        "device_filters": list, "isolate_session_state": False, "experimental": Experimental,
    }
    _refused = {"use_per_session_threads": False, "session_inter_op_thread_pool": (), "placement_period": 0, "rpc_options": None,
                "cluster_def": None, "share_cluster_devices_in_session": False}


class RunOptions(_Options):
    class Experimental(_Options):
        _fields = {"use_run_handler_pool": False}  # which threads a step runs in is not a program's to say: results are the same
        _refused = {"collective_graph_key": 0, "run_handler_pool_options": None}

    NO_TRACE, SOFTWARE_TRACE, HARDWARE_TRACE, FULL_TRACE = range(4)
    _fields = {"trace_level": 0, "timeout_in_ms": 0, "output_partition_graphs": False, "report_tensor_allocations_upon_oom": False,
               "experimental": Experimental, "_cancellation": None}
    _refused = {"inter_op_thread_pool": 0, "debug_options": None}


class Session(_native.BaseSession):
    """tf.Session: runs steps of a graph. `with` makes it the default session and closes it."""

    @staticmethod
    def reset(target, containers=None, config=None):
        """Ends what sessions have left on a server; a session in this process leaves nothing."""
        if target:
            _native.BaseSession._reset(target, containers, config)

    _entered = False

    def __enter__(self):
        if self._entered:
            raise RuntimeError("Session context managers are not re-entrant. Use `Session.as_default()` if you want to enter a "
                               "session multiple times.")
        self._enter()
        self._entered = True
        return self

    def __exit__(self, *exception):
        self._entered = False
        self._exit()
        self.close()


class InteractiveSession(_native.BaseSession):
    """A session that is the default one until it is closed."""

    def __init__(self, target="", graph=None, config=None):
        super().__init__(target, graph, config)
        # A graph is the default one only where it was asked for: the thread's own may be reset meanwhile.
        self._scopes = [self.as_default()] if graph is None else [self.as_default(), graph.as_default()]
        for scope in self._scopes:
            scope.enforce_nesting = False  # it ends when it is closed
            scope.__enter__()

    def close(self):
        while self._scopes:
            self._scopes.pop().__exit__(None, None, None)
        super().close()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()


# ---- collections: the language's own (variables, train_op, ...), and what Python adds to them


class GraphKeys:
    """Names of collections that functions of the language use."""

    GLOBAL_VARIABLES = VARIABLES = "variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    LOCAL_VARIABLES = "local_variables"
    MODEL_VARIABLES = "model_variables"
    METRIC_VARIABLES = "metric_variables"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    SUMMARIES = "summaries"
    QUEUE_RUNNERS = "queue_runners"
    TABLE_INITIALIZERS = "table_initializer"
    ASSET_FILEPATHS = "asset_filepaths"
    CONCATENATED_VARIABLES = "concatenated_variables"
    SAVEABLE_OBJECTS = "saveable_objects"
    RESOURCES = "resources"
    LOCAL_RESOURCES = "local_resources"
    TRAINABLE_RESOURCE_VARIABLES = "trainable_resource_variables"
    EVAL_STEP = "eval_step"
    REGULARIZATION_LOSSES = "regularization_losses"
    LOSSES = "losses"
    WEIGHTS = "weights"
    BIASES = "biases"
    ACTIVATIONS = "activations"
    UPDATE_OPS = "update_ops"
    SAVERS = "savers"
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    READY_OP = "ready_op"
    READY_FOR_LOCAL_INIT_OP = "ready_for_local_init_op"
    SUMMARY_OP = "summary_op"
    GLOBAL_STEP = "global_step"
    TRAIN_OP = "train_op"
    COND_CONTEXT = "cond_context"
    WHILE_CONTEXT = "while_context"


def _graph_get_collection_ref(graph, name):
    """A collection that the program may change. One of the language's is not a list of Python's."""
    if _native._is_of_language(graph, str(name)):
        raise NotImplementedError("The collection %r is the language's, of which there is no list to change: use add_to_collection, "
                                  "clear_collection and get_collection" % name)
    return graph._collections.setdefault(str(name), [])


def _graph_add_to_collection(graph, name, value):
    if not _native._collect(graph, str(name), value):
        graph._collections.setdefault(str(name), []).append(value)


def _graph_clear_collection(graph, name):
    _native._clear_collected(graph, str(name))
    graph._collections.pop(str(name), None)


def _names_of_collections(graph):
    """What Python keeps of the graph's collections, as far as it has names: for the file beside a checkpoint."""
    def is_named(item):
        return isinstance(item, (_native.Tensor, _native.Operation)) and getattr(item, "graph", None) is graph
    named = {key: [item.name for item in items if is_named(item)] for key, items in graph._collections.items()}
    return {key: names for key, names in named.items() if names}


def _matches(item, scope):
    import re
    return scope is None or (hasattr(item, "name") and re.match(scope, item.name) is not None)


def _keys_of_collections(graph):
    """The names of the collections that something was added to: the language's own first."""
    of_language = dict.fromkeys(value for key, value in vars(GraphKeys).items() if key.isupper())
    return [name for name in of_language if _native._collected(graph, name)] + [
        name for name, items in graph._collections.items() if name not in of_language or not _native._is_of_language(graph, name)]


def _graph_get_collection(graph, name, scope=None):
    found = _native._collected(graph, str(name)) + graph._collections.get(str(name), [])
    return [the_object_of(item) for item in found if _matches(item, scope)]


def add_to_collection(name, value):
    """Adds to a collection of the default graph."""
    _graph_add_to_collection(_native.get_default_graph(), name, value)


def add_to_collections(names, value):
    """Adds to several collections of the default graph."""
    for name in [names] if isinstance(names, str) else names:
        add_to_collection(name, value)


def add_loss(loss, loss_collection="losses"):
    """Adds a loss that was made otherwise to the graph's losses; in eager mode there are none."""
    if loss_collection and not _native.executing_eagerly():
        add_to_collection(loss_collection, loss)


def get_collection(key, scope=None):
    """What is in a collection of the default graph."""
    return _graph_get_collection(_native.get_default_graph(), key, scope)


def get_collection_ref(key):
    """A collection of the default graph as the list that it is, to be changed."""
    return _graph_get_collection_ref(_native.get_default_graph(), key)


_native.BaseSession.graph_def = property(lambda self: self.graph.as_graph_def())


def tables_initializer(name="init_all_tables"):
    """Runs what fills the graph's tables: the operations of its collection of that name."""
    return _native.group(*get_collection(GraphKeys.TABLE_INITIALIZERS), name=name)


def _add_graph_methods():
    graph = _native.Graph
    graph.get_collection = _graph_get_collection
    graph.get_collection_ref = _graph_get_collection_ref
    graph.add_to_collection = _graph_add_to_collection
    graph.clear_collection = _graph_clear_collection
    graph.get_all_collection_keys = _keys_of_collections
    graph.device = lambda self, name: device(name)
    graph.name_scope = lambda self, name: _native.name_scope(name)
    graph.container = lambda self, name: _native._container(self, name)
    graph.control_dependencies = lambda self, inputs: _native.control_dependencies(inputs)


_add_graph_methods()


def global_variables(scope=None):
    """The variables that sessions share and checkpoints keep."""
    return get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


def trainable_variables(scope=None):
    """The variables that optimizers change."""
    return get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


def local_variables(scope=None):
    """The variables that no checkpoint keeps."""
    return get_collection(GraphKeys.LOCAL_VARIABLES, scope)


def model_variables(scope=None):
    """The variables that the model computes with."""
    return get_collection(GraphKeys.MODEL_VARIABLES, scope)


def moving_average_variables(scope=None):
    """The variables that have moving averages."""
    return get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


# ---- scopes and variables


def device(device_name_or_function):
    """Operations made meanwhile are placed there."""
    return _native._device(device_name_or_function)


def container(container_name):
    """Resources of operations made meanwhile - variables, queues, tables - live in this container. "" is the default one."""
    return _native._container(_native.get_default_graph(), container_name)


def op_scope(values, name, default_name=None):
    """tf.name_scope with its arguments in an older order."""
    return _native.name_scope(name, default_name, values)


def get_local_variable(name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=False, collections=None, **other):
    """tf.get_variable of a local variable, which optimizers do not change."""
    from flowray.tf._variable_scopes import get_variable
    return get_variable(name, shape, dtype, initializer, regularizer, False, [*(collections or []), GraphKeys.LOCAL_VARIABLES], **other)


def initialize_all_variables():
    """tf.global_variables_initializer by its older name."""
    return _native.global_variables_initializer()


def initialize_variables(var_list, name="init"):
    """tf.variables_initializer by its older name."""
    return _native.variables_initializer(var_list, name)


def uninitialized_variables(session, variables=None):
    """Those of the variables that have no value in the session."""
    variables = global_variables() if variables is None else variables
    from flowray.tf import _generated
    with session.graph.as_default():
        checks = [_generated.IsVariableInitialized(variable) for variable in variables]
    return [variable for variable, there in zip(variables, session.run(checks)) if not there]


def import_graph_def(graph_def, input_map=None, return_elements=None, name=None, op_dict=None, producer_op_list=None):
    """Adds the nodes of a GraphDef to the default graph. TensorFlow looks at `op_dict` no more, either."""
    if producer_op_list is not None:
        raise NotImplementedError("tf.import_graph_def(producer_op_list=) is not there: leave it out, attributes that an op does not have are refused")
    return _native.import_graph_def(_graph_defs.written(graph_def), input_map, return_elements, name)


def write_graph(graph_or_graph_def, logdir, name, as_text=True):
    """Writes a graph, or a GraphDef, into the folder; gives the path."""
    return _native.write_graph(_graph_defs.written(graph_or_graph_def), _os.fspath(logdir), name, as_text)


def is_tensor(x):
    """Whether it is a Tensor or a Variable."""
    return isinstance(x, (_native.Tensor, _native.Variable))


class _Initializers:
    """tf.initializers."""

    zeros = zeros_initializer = _initializers.zeros_initializer
    ones = _initializers.ones_initializer
    constant = _initializers.constant_initializer
    random_uniform = _initializers.random_uniform_initializer
    random_normal = _initializers.random_normal_initializer
    truncated_normal = _initializers.truncated_normal_initializer
    variance_scaling = _initializers.variance_scaling_initializer
    glorot_uniform = _initializers.glorot_uniform_initializer
    glorot_normal = _initializers.glorot_normal_initializer
    he_normal = _initializers.he_normal
    he_uniform = _initializers.he_uniform
    lecun_normal = _initializers.lecun_normal
    lecun_uniform = _initializers.lecun_uniform
    orthogonal = _initializers.orthogonal_initializer
    uniform_unit_scaling = _initializers.uniform_unit_scaling_initializer
    identity = _initializers.identity_initializer
    tables_initializer = staticmethod(tables_initializer)
    variables = staticmethod(_native.variables_initializer)
    global_variables = staticmethod(_native.global_variables_initializer)
    local_variables = staticmethod(_native.local_variables_initializer)


initializers = _Initializers()


def get_seed(op_seed):
    """The two seeds of a random op that is made with this one: (graph's, op's); (None, None) without any."""
    return _native._get_seed(op_seed)


# ---- what compat.v1 programs say first


def disable_v2_behavior():
    """Does nothing: there is no other behaviour here."""
