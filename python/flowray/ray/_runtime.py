"""init and shutdown, get, put and wait."""

import atexit
import contextlib
import json
import os
import sys
import threading
import time
import warnings

from flowray import _native, _whole_files
from flowray.ray._generator import ObjectRefGenerator
from flowray.ray.exceptions import RaySystemError, _no_runtime
from flowray.ray.job_config import JobConfig
from flowray.ray.runtime_env import env_vars_of

_ray = _native._ray
_lock = threading.Lock()


class _State:
    """The runtime of this process."""

    generation = 0     # of runtimes: what was exported to an earlier one is not there
    process = 0        # that has started it, and has not ended it
    namespace = ""
    session = ""
    num_cpus = 0
    num_gpus = None    # None: those of the machine
    resources = {}
    libraries = []
    object_store_memory = 0
    is_template = False  # of workers, while it imports what the program has imported
    captured = 0       # the placement group that what is called here is in, too, unless it says otherwise
    env_vars = {}      # the variables of the environment that what is called here has, too

    def told(self):
        """What an interpreter that is started for workers has to know of it."""
        return {"namespace": self.namespace, "session": self.session, "num_cpus": self.num_cpus, "num_gpus": self.num_gpus, "resources": self.resources,
                "libraries": self.libraries, "object_store_memory": self.object_store_memory}


state = _State()
_warned = set()


def warn_once(text, stacklevel=3):
    if text not in _warned:
        _warned.add(text)
        warnings.warn(text, RuntimeWarning, stacklevel=stacklevel + 1)


# Of init: what older and newer versions of Ray take that changes nothing of what a program computes here.
_WITHOUT_EFFECT = frozenset("""redis_address redis_password redis_max_memory num_redis_shards redis_max_clients include_webui webui_host
    include_dashboard dashboard_host dashboard_port plasma_directory plasma_store_socket_name raylet_socket_name temp_dir huge_pages
    num_workers driver_object_store_memory memory load_code_from_local use_raylet include_java java_worker_options
    logging_level logging_format configure_logging log_color node_ip_address object_id_seed internal_config lru_evict
    use_pickle autoscaling_config node_manager_port object_manager_port labels logging_config enable_resource_isolation cgroup_path
    system_reserved_cpu system_reserved_memory proxy_server_url redirect_output redirect_worker_output num_local_schedulers
    start_workers_from_local_scheduler driver_id job_id include_log_monitor enable_object_reconstruction""".split())


class Context(dict):
    """What init returns: where the runtime is, as a dict; `with ray.init():` shuts it down at its end."""

    @property
    def address_info(self):
        return self

    dashboard_url = None

    def disconnect(self):
        shutdown()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        shutdown()


def _check_others(others):
    unknown = [name for name in others if name not in _WITHOUT_EFFECT and not name.startswith("_")]
    if unknown:
        raise RuntimeError("Unknown keyword argument(s): %s\nThose of ray.init are told by help(ray.init)." % ", ".join(unknown))
    for name, value in others.items():
        if value is not None:
            warn_once("ray.init(%s=...) has no effect: the runtime is of this program and this machine only" % name, 4)


def _check_kinds(namespace, local_mode, ignore_reinit_error, log_to_driver, job_config):
    if not isinstance(namespace, (str, type(None))):
        raise TypeError("namespace must be None or a string.\nray.init was given %r." % (namespace,))
    if namespace == "":
        raise ValueError('"" is not a valid namespace. Pass None to not specify a namespace.')
    for name, flag in (("local_mode", local_mode), ("ignore_reinit_error", ignore_reinit_error), ("log_to_driver", log_to_driver)):
        if not isinstance(flag, (bool, int, type(None))):
            raise TypeError("ray.init(%s=%r): it must be True or False" % (name, flag))
    if job_config is not None and not isinstance(job_config, JobConfig):
        raise TypeError("ray.init(job_config=%r): it must be a ray.job_config.JobConfig" % (job_config,))


def _whole(resources):
    """The amounts, each of which is a whole number."""
    for name, amount in resources.items():
        if isinstance(amount, bool) or not isinstance(amount, (int, float)):
            raise TypeError("The amount of the resource '%s' must be a number, but received type %s" % (name, type(amount)))
        if not amount >= 0:
            raise ValueError("Resource quantities must be nonnegative. Violated by resource '%s' in %s." % (name, resources))
        if amount != int(amount):
            raise ValueError("Resource quantities must all be whole numbers. Violated by resource '%s' in %s." % (name, resources))
    return {name: int(amount) for name, amount in resources.items()}


def _check_names(resources):
    if not isinstance(resources, dict):
        raise TypeError("ray.init(resources=%r): it must be a dict of names and amounts" % (resources,))
    for name in resources:
        if name in ("CPU", "GPU", "memory", "object_store_memory"):
            raise AssertionError("%s -> `%s` cannot be a custom resource because it is one of the default resources.\nGive num_cpus, "
                                 "num_gpus and object_store_memory to init instead." % (resources, name))
        if not isinstance(name, str) or not name or "\0" in name or len(name.encode()) > 256:
            raise ValueError("ray.init(resources=%r): a resource is named by a text of 1 to 256 bytes, none of them zero" % (resources,))
    return resources


def init(address=None, *, num_cpus=None, num_gpus=None, resources=None, object_store_memory=None, local_mode=False,
         ignore_reinit_error=False, job_config=None, log_to_driver=True, namespace=None, runtime_env=None, driver_mode=None, **others):
    """Starts the runtime of this process: worker processes and an object store.

    Args:
        num_cpus: how many tasks run at a time; one for each core unless given.
        num_gpus: how many GPUs actors and tasks may ask for; those that the machine has, or that CUDA_VISIBLE_DEVICES names, unless given.
            TensorFlow's part of Flowray computes on CPUs.
        resources: further resources, {name: whole amount}; tasks and actors that ask for them wait until enough is free.
        object_store_memory: bytes that values may take; 30 % of the machine's memory unless given.
        local_mode: runs tasks and methods at once in this process, for debugging.
        log_to_driver: shows what workers print.
        ignore_reinit_error: does nothing where the runtime runs already, which is an error else.
        namespace: of the names of actors.
        job_config: a ray.job_config.JobConfig, which names libraries with C++ functions.
        runtime_env: {"env_vars": {name: value}}, variables of the environment of all tasks and actors.
        others: arguments of other versions of Ray; those that would change nothing here are warned of, the others refused.
    """
    if state.is_template:
        raise RuntimeError("ray.init was called where a module is imported, and this process only gets ready for workers.")
    if address not in (None, "local"):
        raise ConnectionError("ray.init(address=%r): there are no clusters to connect to. Leave the address out: the runtime is of this "
                              "program" % (address,))
    _check_others(others)
    _check_kinds(namespace, local_mode, ignore_reinit_error, log_to_driver, job_config)
    env_vars = dict(env_vars_of(runtime_env, "ray.init"))
    if driver_mode is not None:
        local_mode = driver_mode in ("LOCAL_MODE", "PYTHON_MODE", 2)
    with _lock:
        if _ray.is_initialized():
            if ignore_reinit_error or _ray.is_worker():
                return _context()
            raise RuntimeError("Maybe you called ray.init twice by accident? This error can be suppressed by passing in "
                               "'ignore_reinit_error=True' or by calling 'ray.shutdown()' prior to 'ray.init()'.")
        state.libraries = job_config._libraries() if job_config is not None else []
        state.env_vars = env_vars
        _start(num_cpus, num_gpus, resources, object_store_memory, local_mode, log_to_driver is None or log_to_driver, namespace)
    return _context()


def _start(num_cpus, num_gpus, resources, object_store_memory, local_mode, log_to_driver, namespace):
    memory = None if object_store_memory is None else int(object_store_memory)
    given = {"CPU": num_cpus, "GPU": num_gpus, "object_store_memory": memory, **_check_names(resources or {})}
    given = _whole({name: amount for name, amount in given.items() if amount is not None})
    cpus, gpus, memory = given.pop("CPU", len(os.sched_getaffinity(0))), given.pop("GPU", None), given.pop("object_store_memory", 0)
    for stream in (sys.stdout, sys.stderr):  # or workers would write it once more
        if stream is not None:
            stream.flush()
    from flowray.ray import _worker  # before the fork, so that no worker imports it
    _worker.forget_functions()  # in local mode
    for library in state.libraries:
        _ray.open_library(library)
    state.generation += 1  # what follows, too, is known to the processes that are forked now
    state.num_cpus, state.num_gpus, state.resources = cpus, gpus, given
    state.namespace, state.object_store_memory = namespace or "", memory
    now = time.time()
    state.session = "session_%s_%06d_%d" % (time.strftime("%Y-%m-%d_%H-%M-%S", time.localtime(now)), int(now % 1 * 1e6), os.getpid())
    _ray.init(cpus, -1 if gpus is None else gpus, given, memory, bool(local_mode), log_to_driver)
    state.process = os.getpid()
    if local_mode:
        atexit.register(shutdown)  # its actors are objects of this interpreter


def _context():
    return Context(node_ip_address="127.0.0.1", redis_address=None, gcs_address=None, address=None, object_store_address=None,
                   raylet_socket_name=None, webui_url=None, session_dir=None, node_id=NODE)


NODE = "1" * 56  # there is one


def cancel(ray_waitable, *, force=False, recursive=True):
    """Ends the call that is to make the value, unless it is done; `get` of it raises TaskCancelledError then.

    A call that has not begun does not run. A task that runs hears of it as of ^C (KeyboardInterrupt), and so does a method of an actor with
    one thread; a coroutine as asyncio.CancelledError, another method in the `get` or `wait` in which it is, or by
    get_runtime_context().is_canceled().

    Args:
        ray_waitable: the reference to the value, or a generator of references.
        force: ends the process of a task that runs. Calls of actors have no force: kill() ends an actor.
        recursive: cancels the calls, too, that it has made.
    """
    ref = ray_waitable._generator_ref if isinstance(ray_waitable, ObjectRefGenerator) else ray_waitable
    if not isinstance(ref, _ray.ObjectRef):
        raise TypeError("ray.cancel() only supported for object refs. For actors, try ray.kill(). Got: %s." % type(ref))
    try:
        _ray.cancel(ref, force, recursive)
    except RaySystemError as error:
        if force:
            raise ValueError(str(error.client_exc)) from None
        raise


def ask(request):
    """What the driver answers people, too (`flowray list`, `flowray timeline`)."""
    driver = state.session.rpartition("_")[2]
    return _ray.ask(request, int(driver) if driver else 0)


def timeline(filename=None):
    """When which worker ran what: a list of events, as chrome://tracing and https://ui.perfetto.dev draw them; of the last 65,536 calls.

    Args:
        filename: a file that they are written to, as JSON, instead.
    """
    if not _ray.is_initialized():
        raise RuntimeError("Ray has not been started yet. Timeline requires Ray to be initialized first.")
    events = ask("timeline")
    if filename is None:
        return json.loads(events)
    is_special = os.path.exists(filename) and not os.path.isfile(filename)  # such as /dev/stdout
    with contextlib.nullcontext(filename) if is_special else _whole_files.replacing(filename) as path:
        with open(path, "w", encoding="utf-8") as file:
            file.write(events)
    return None


def require_initialized():
    if not _ray.is_initialized():
        raise _no_runtime(state.process not in (0, os.getpid()))


def ensure_initialized():
    """Calls start the runtime where the program has not. Raises in a process that was forked from one that has."""
    if _ray.is_initialized():
        return
    if state.process not in (0, os.getpid()):
        raise _no_runtime(True)
    init()


def shutdown(*, wait_for_processes=False, _exiting_interpreter=False):
    """Ends workers and actors and frees the object store. Does nothing if there is no runtime. Also done at the end of the program.

    Args:
        wait_for_processes: they have ended when it returns, whether or not this is said.
    """
    if _ray.is_initialized() and not _ray.is_worker():
        _ray.shutdown()
        state.process = 0


def is_initialized():
    """Whether the runtime of this process runs."""
    return _ray.is_initialized()


_NOT_GIVEN = object()


def _one_of(function, **names):
    """The value of the one argument that has several names."""
    given = {name: value for name, value in names.items() if value is not None and value is not _NOT_GIVEN}
    if len(given) > 1:
        raise TypeError("%s() got %s, which are names of one argument: give one" % (function, " and ".join(given)))
    return next(iter(given.values()), None)


def get(object_refs=_NOT_GIVEN, timeout=None, *, object_ids=None):
    """The value of a reference, or the values of a list of them.

    Waits until they are there. Arrays in them are those of the object store, and read-only: nothing is copied.

    Args:
        object_refs: an ObjectRef, or a list of them; `object_ids` is its older name. A generator of references is what it was.
        timeout: seconds, after which GetTimeoutError is raised; 0 does not wait.

    Raises:
        RayTaskError: what a task or method raised, as an exception that is of its class, too.
        RayActorError, WorkerCrashedError: the process that should have made the value is dead.
        GetTimeoutError: the value is not there yet.
    """
    if object_ids is not None:
        object_refs = _one_of("get", object_refs=object_refs, object_ids=object_ids)
    if isinstance(object_refs, _ray.ObjectRef):
        return _ray.get_value(object_refs, timeout)
    if not isinstance(object_refs, list):
        if isinstance(object_refs, ObjectRefGenerator):
            return object_refs
        if object_refs is _NOT_GIVEN:
            raise TypeError("get() missing 1 required positional argument: 'object_refs'")
        if not isinstance(object_refs, tuple):
            raise ValueError("Invalid type of object refs, %s, is given. 'object_refs' must either be an ObjectRef or a list of ObjectRefs."
                             % type(object_refs))
    object_refs = list(object_refs)  # other threads may change the program's
    for ref in object_refs:
        if not isinstance(ref, _ray.ObjectRef):
            raise TypeError("Attempting to call `get` on the value %s, which is not an ray.ObjectRef." % (ref,))
    return _ray.get_values(object_refs, timeout)


def put(value, *, _owner=None):
    """Copies a value into the object store, once, and returns a reference to it."""
    if isinstance(value, _ray.ObjectRef):
        raise TypeError("Calling 'put' on an ray.ObjectRef is not allowed. If you really want to do this, you can wrap the ray.ObjectRef "
                        "in a list and call 'put' on it (or return it).")
    if _owner is not None:
        raise NotImplementedError("ray.put(_owner=...) is not supported: values belong to the runtime, leave it out")
    ensure_initialized()
    return _ray.put(value)


def wait(ray_waitables=None, num_returns=1, timeout=None, fetch_local=True, *, object_refs=None, object_ids=None):
    """(those of a list of references whose values are there, the others), each in the order given.

    Waits until `num_returns` are there, or `timeout` seconds are over; the first list has at most `num_returns`. A value is also there
    where the call that should make it failed. A generator of references is ready when its `next` would not wait, be it for its end.

    Args:
        ray_waitables: a list of references and generators of references; `object_refs` and `object_ids` are its older names.
        num_returns: how many to wait for.
        timeout: seconds; 0 does not wait.
        fetch_local: without meaning on one machine.
    """
    waitables = ray_waitables
    if object_refs is not None or object_ids is not None:
        waitables = _one_of("wait", ray_waitables=ray_waitables, object_refs=object_refs, object_ids=object_ids)
    if isinstance(waitables, (_ray.ObjectRef, ObjectRefGenerator)):
        raise TypeError("wait() expected a list of ray.ObjectRef or ray.ObjectRefGenerator, got a single ray.ObjectRef or "
                        "ray.ObjectRefGenerator %s" % (waitables,))
    if not isinstance(waitables, list):
        raise TypeError("wait() expected a list of ray.ObjectRef or ray.ObjectRefGenerator, got %s" % type(waitables))
    waitables = list(waitables)  # other threads may change the program's
    if timeout is not None and timeout < 0:
        raise ValueError("The 'timeout' argument must be nonnegative. Received %s" % timeout)
    has_generators = False
    for waitable in waitables:
        if isinstance(waitable, ObjectRefGenerator):
            has_generators = True
        elif not isinstance(waitable, _ray.ObjectRef):
            raise TypeError("wait() expected a list of ray.ObjectRef or ray.ObjectRefGenerator, got list containing %s" % type(waitable))
    if not waitables:
        return [], []
    if len(set(waitables)) != len(waitables):
        raise ValueError("Wait requires a list of unique ray_waitables.")
    if num_returns <= 0:
        raise ValueError("Invalid number of objects to return %d." % num_returns)
    if num_returns > len(waitables):
        raise ValueError("num_returns cannot be greater than the number of ray_waitables provided to ray.wait.")
    if has_generators:
        return _wait_for_generators_too(waitables, num_returns, timeout)
    return _ray.wait(waitables, num_returns, timeout)


def _wait_for_generators_too(waitables, num_returns, timeout):
    """As wait. The runtime waits for several references at once, or for one generator: for the others is looked again and again, after
    0.1 ms and, the longer it takes, up to 5 ms."""
    end = None if timeout is None else time.monotonic() + timeout
    refs = [waitable for waitable in waitables if isinstance(waitable, _ray.ObjectRef)]
    ready, pause = set(), 0.0001
    while True:
        ready.update(_ray.wait(refs, len(refs), 0)[0] if refs else ())
        ready.update(one for one in waitables if one not in ready and isinstance(one, ObjectRefGenerator) and one._wait_for_next(0))
        left = None if end is None else end - time.monotonic()
        if len(ready) >= num_returns or left is not None and left <= 0:
            break
        generators = [one for one in waitables if one not in ready and isinstance(one, ObjectRefGenerator)]
        is_alone = len(generators) == 1 and all(ref in ready for ref in refs)
        part = left if is_alone else pause if left is None else min(pause, left)
        unready = [ref for ref in refs if ref not in ready]
        if unready:
            _ray.wait(unready, 1, part)
        else:
            generators[0]._wait_for_next(part)
        pause = min(2 * pause, 0.005)
    taken = [one for one in waitables if one in ready][:num_returns]
    return taken, [one for one in waitables if one not in taken]
