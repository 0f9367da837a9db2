"""Where a program, a task or an actor runs, and what there is for them."""

import json
import os
import tempfile

from flowray import _native
from flowray.ray import _coroutines, _runtime, _worker
from flowray.ray._ids import ActorID, NodeID, PlacementGroupID, TaskID, WorkerID, job_id

_ray = _native._ray
_state = _runtime.state


def cluster_resources():
    """What there is in all, {name: amount}; of the object store in bytes."""
    _runtime.require_initialized()
    return {**_ray.resources(False), **_NODE_RESOURCES}


def available_resources():
    """What there is and no task or actor has now, {name: amount}. What is taken as a whole is not listed."""
    _runtime.require_initialized()
    return {**_ray.resources(True), **_NODE_RESOURCES}


_NODE_RESOURCES = {"node:127.0.0.1": 1.0, "node:__internal_head__": 1.0}


def nodes():
    """The machines of the runtime: this one."""
    _runtime.require_initialized()
    return [{"NodeID": _runtime.NODE, "Alive": True, "NodeManagerAddress": "127.0.0.1", "NodeManagerHostname": os.uname().nodename,
             "NodeName": "127.0.0.1", "alive": True, "Resources": cluster_resources(), "Labels": {"ray.io/node-id": _runtime.NODE}}]


def get_gpu_ids():
    """The GPUs of the task or actor that asks, as CUDA_VISIBLE_DEVICES has them for it: numbers from 0, or what the driver's
    CUDA_VISIBLE_DEVICES names, as texts. None in the driver, and for what has asked for none."""
    _runtime.require_initialized()
    return _ray.gpu_ids() if _worker.are_gpus_named else [int(gpu) for gpu in _ray.gpu_ids()]


class RuntimeContext:
    """Where a program, a task or an actor runs: ray.get_runtime_context()."""

    @property
    def namespace(self):
        """That of the names of actors, as init was given it."""
        return _state.namespace

    def get_job_id(self):
        return job_id().hex()

    def get_node_id(self):
        return _runtime.NODE

    @property
    def job_id(self):
        """That of get_job_id, as a JobID."""
        return job_id()

    @property
    def node_id(self):
        """That of get_node_id, as a NodeID."""
        return NodeID.from_hex(self.get_node_id())

    @property
    def task_id(self):
        """That of get_task_id, as a TaskID; a nil one in a thread that a task has started. Of tasks and methods only."""
        _require_worker()
        task = self.get_task_id()
        return TaskID.nil() if task is None else TaskID.from_hex(task)

    @property
    def actor_id(self):
        """That of get_actor_id, as an ActorID; a nil one in a task. Of tasks and methods only."""
        _require_worker()
        actor = self.get_actor_id()
        return ActorID.nil() if actor is None else ActorID.from_hex(actor)

    def get_worker_id(self):
        """This process."""
        return "%040x" % os.getpid()

    @property
    def worker_id(self):
        """That of get_worker_id, as a WorkerID."""
        return WorkerID.from_hex(self.get_worker_id())

    def get_task_id(self):
        """The task, or the call of a method, that asks; None in the driver."""
        call = _ray.current_call()[0] or _coroutines.call.get()
        return "%016x" % call if call else None

    @property
    def was_current_actor_reconstructed(self):
        """Whether the actor that asks was made again since its process died."""
        assert _ray.own_actor(), "This method should't be called inside Ray tasks."
        return _ray.own_restarts() > 0

    def get_actor_id(self):
        """The actor that asks; None elsewhere."""
        actor = _ray.own_actor()
        return "%016x" % actor if actor else None

    def get_actor_name(self):
        """The name of the actor that asks, "" if it has none; None elsewhere."""
        return (_worker.terms or {}).get("name", "") if _ray.own_actor() else None

    @property
    def current_actor(self):
        """A handle of the actor that asks."""
        from flowray.ray._actor import ActorHandle, handle_of, own_told
        actor, terms = _ray.own_actor(), _worker.terms
        if not actor:
            raise RuntimeError("This method is only available in an actor.")
        if terms is None:
            return handle_of(actor, None)
        return ActorHandle(actor, _ray.own_share() if terms["counted"] else None, *own_told(terms))

    def get_task_name(self):
        """The name that options(name=) gave the task or call, or its function's; "Class.method" in an actor, None in the driver."""
        terms, running = _worker.terms or {}, self.get_task_function_name()
        named = _ray.running_task_name() or _coroutines.task_name.get()
        if named is not None:
            return named
        if "class" in terms and running is not None:
            return "%s.%s" % (terms["class"], running.rpartition(".")[2])
        return terms.get("task") or running

    def get_task_function_name(self):
        """The function or method that runs; None in the driver."""
        return _ray.running() or _coroutines.running.get()

    def get_assigned_resources(self):
        """What the task or actor that asks has asked for, {name: amount}; a task that does not say asks for one processor."""
        _require_worker()
        resources = dict((_worker.terms or {}).get("resources") or {})
        if not _ray.own_actor():
            resources.setdefault("CPU", 1.0)
        return {name: amount for name, amount in resources.items() if amount}

    def get_placement_group_id(self):
        """That of the task or actor that asks; None if it has none."""
        group = (_worker.terms or {}).get("group")
        return "%016x" % group if group else None

    @property
    def current_placement_group_id(self):
        """That of get_placement_group_id, as a PlacementGroupID; a nil one where there is none."""
        group = self.get_placement_group_id()
        return PlacementGroupID.nil() if group is None else PlacementGroupID.from_hex(group)

    @property
    def should_capture_child_tasks_in_placement_group(self):
        """Whether what the caller calls is in its placement group, too, unless it says otherwise."""
        return bool(_state.captured)

    def get_accelerator_ids(self):
        """{"GPU": those of the task or actor that asks}, as texts."""
        return {"GPU": [str(gpu) for gpu in get_gpu_ids()]}

    def is_canceled(self):
        """Whether ray.cancel was called for the task or method that asks."""
        if not _ray.is_worker():
            raise RuntimeError(_OF_WORKERS)
        return _ray.is_cancelled()

    get_resource_ids = get_accelerator_ids  # its older name

    def get_node_labels(self):
        """Those of the machine: its id."""
        return {"ray.io/node-id": self.get_node_id()}

    def get_session_name(self):
        """A name of the runtime, which no other one of the machine has."""
        return _state.session

    def get_temp_dir(self):
        """The folder of what programs keep for a while: $TMPDIR or /tmp."""
        return tempfile.gettempdir()

    @property
    def runtime_env(self):
        """{"env_vars": {name: value}} of the task or actor that asks; {} where there are none."""
        return {"env_vars": dict(_state.env_vars)} if _state.env_vars else {}

    def get_runtime_env_string(self):
        """runtime_env as JSON."""
        return json.dumps(self.runtime_env)

    @property
    def gcs_address(self):
        """None: there is nothing to connect to."""
        return None

    def get(self):
        """What is told of the caller, as a dict: ids of the job, node, call and actor, and the namespace."""
        told = {"job_id": self.job_id, "node_id": self.node_id, "namespace": self.namespace}
        if self.get_task_id() is not None:
            told["task_id"] = self.task_id
        if self.get_actor_id() is not None:
            told["actor_id"] = self.actor_id
        return told


_OF_WORKERS = "This method is only available when the process is a worker. Current mode: 0"  # the driver's


def _require_worker():
    assert _ray.is_worker(), _OF_WORKERS


def get_runtime_context():
    """Tells where the caller runs: a RuntimeContext."""
    _runtime.require_initialized()
    return RuntimeContext()
