"""remote(): functions that run in worker processes."""

import functools
import inspect
import os
import threading

from flowray import _native
from flowray.ray import _options, _parameters, _runtime
from flowray.ray._generator import ObjectRefGenerator
from flowray.ray.runtime_env import env_vars_of

_ray = _native._ray
_state = _runtime.state


def new_key():
    """A number that no other function or class of any process has."""
    return int.from_bytes(os.urandom(8), "little") >> 1 | 1


class Together(dict):
    """{key: function or class} of several that refer to each other, and so are sent as one value."""


class _Exporting:
    """Those that are being pickled now, outermost first, with what was found of them (Tarjan's strongly connected components).

    A function is pickled with references to those that it calls, which are pickled before. Where these call it in turn, there can be no
    such order: all that reach each other are then pickled once more, as one value.
    """

    def __init__(self):
        self.lock = threading.RLock()
        self.innermost = None  # that is being pickled
        self.open = []         # being pickled, or pickled and part of a group whose outermost one still is
        self.lowest = {}       # of those: the outermost one that it reaches, as its place in `open`

    def reaches(self, exported):
        """The one that is being pickled refers to another one that is open."""
        if self.innermost is not None:
            self.lowest[self.innermost] = min(self.lowest[self.innermost], self.open.index(exported))

    def begin(self, exported):
        outer, self.innermost = self.innermost, exported
        self.lowest[exported] = len(self.open)
        self.open.append(exported)
        return outer

    def end(self, exported, outer):
        """The group of which it is the outermost; none if it is part of another one's."""
        at, lowest = self.open.index(exported), self.lowest[exported]
        self.innermost = outer
        if lowest < at:
            self.lowest[outer] = min(self.lowest[outer], lowest)
            return []
        return self.open[at:]

    def forget(self, exported, outer):
        self.innermost = outer
        at = self.open.index(exported)
        for one in self.open[at:]:
            del self.lowest[one]
        del self.open[at:]


_exporting = _Exporting()


class _Reading(threading.local):
    """What this thread reads now."""

    incomplete = None  # those of functions that were being pickled then, and so had no reference yet


_reading = _Reading()


def read(key, ref):
    """{key: function or class} of what `ref` refers to: that of `key`, or a group with it. Those that refer to themselves, or to each other,
    know from now on where they were read from."""
    outer, _reading.incomplete = _reading.incomplete, []
    try:
        value = _ray.get_value(ref, None)
        found = value if isinstance(value, Together) else {key: value}
        for exported in _reading.incomplete:
            if exported.key in found:
                exported._ref = ref
    finally:
        _reading.incomplete = outer
    return found


class Exported:
    """A function or class that workers can read: pickled once for each runtime, when the first call needs it."""

    def __init__(self, value, key=None, ref=None):
        self.key = new_key() if key is None else key
        self._value, self._ref, self._generation = value, ref, _state.generation

    @property
    def value(self):
        if self._value is None:
            self._value = read(self.key, self.ref())[self.key]
        return self._value

    def ref(self):
        """A reference to the pickled one; None while it is being pickled, as of a function that calls itself."""
        if self._ref is not None and self._generation == _state.generation:
            return self._ref
        _runtime.ensure_initialized()
        with _exporting.lock:
            if self in _exporting.lowest:
                _exporting.reaches(self)
                return None
            return self._export()

    def _export(self):
        if self._ref is not None and self._generation == _state.generation:  # another thread has just done it
            return self._ref
        outer = _exporting.begin(self)
        group = [self]  # to be forgotten, if this fails
        try:
            ref = _ray.put(self._value)
            group = _exporting.end(self, outer)
            if len(group) > 1:
                ref = _ray.put(Together({one.key: one._value for one in group}))
        finally:
            if group:
                _exporting.forget(self, outer)
        for one in group:
            one._ref, one._generation = ref, _state.generation
        return self._ref if group else None

    def __reduce__(self):
        return _exported, (self.key, self.ref())


def _exported(key, ref):
    exported = Exported(None, key, ref)
    if ref is None and _reading.incomplete is not None:
        _reading.incomplete.append(exported)
    return exported


NO_BIND = "%s.bind: there are no graphs of calls (ray.dag).\nremote(...) makes a call at once, and its reference may be an argument of the next."


class RemoteFunction:
    """A function whose `remote` runs it in a worker process and returns a reference to what it will return."""

    def __init__(self, exported, name, parameters, options):
        self._exported, self._name, self._options = exported, name, options
        self._told_parameters, self._parameters = parameters, _parameters.of(parameters)
        self._call, self._call_generation, self._surroundings, self._wrap = None, -1, None, None

    @property
    def _function(self):
        return self._exported.value

    def __call__(self, *args, **kwargs):
        raise TypeError("Remote functions cannot be called directly. Instead of running '%s()', try '%s.remote()'."
                        % (self._name, self._name))

    def remote(self, *args, **kwargs):
        """Starts a task and returns at once: a reference, a list of `num_returns` of them, or, of a generator, an iterator of them.
        Arguments that the function does not take are a TypeError here."""
        if kwargs or not self._parameters.least <= len(args) <= self._parameters.most:
            self._parameters.check(args, kwargs)
        if self._call_generation != _state.generation or self._call is None or self._surroundings != (_state.captured, _state.env_vars):
            self._make_call()
        returned = self._call.submit(args, kwargs)
        return returned if self._wrap is None else self._wrap(returned)

    def options(self, **options):
        """The function with other options: f.options(num_returns=2).remote(x)."""
        checked = _options.checked(options, _options.OF_TASK, "the task '%s'" % self._name)
        return RemoteFunction(self._exported, self._name, self._told_parameters, {**self._options, **checked})

    def bind(self, *args, **kwargs):
        """Not there: it says what is."""
        raise NotImplementedError(NO_BIND % "RemoteFunction")

    def _remote(self, args=None, kwargs=None, **options):
        """The older form of `.options(...).remote(...)`."""
        return (self.options(**options) if options else self).remote(*(args or ()), **(kwargs or {}))

    def _make_call(self):
        _runtime.ensure_initialized()
        options = self._options
        call = _ray.task_call(self._exported.key, self._exported.ref())
        resources, name = _options.resources_of(options), options.get("name")
        num_returns, max_retries = options.get("num_returns"), options.get("max_retries")
        terms = {"resources": resources, "task": name} if resources or name else {}
        _options.check_fits(options, resources if "CPU" in resources else {"CPU": 1, **resources}, self._name)
        terms.update(placed(call, options))
        terms.update(set_environment(call, options))
        terms.update(set_retry_exceptions(call, options.get("retry_exceptions")))
        self._wrap = set_returns(call, name or self._name, "", 1 if num_returns is None else num_returns,
                                 3 if max_retries is None else max_retries, resources, "", terms or None,
                                 options.get("_generator_backpressure_num_objects"))
        self._call, self._call_generation, self._surroundings = call, _state.generation, (_state.captured, _state.env_vars)

    def __reduce__(self):
        return RemoteFunction, (self._exported, self._name, self._told_parameters, self._options)

    def __repr__(self):
        return "<flowray.ray.RemoteFunction '%s'>" % self._name


def _make(value, options):
    from flowray.ray._actor import ActorClass
    if inspect.isclass(value):
        return ActorClass.of(value, options)
    if not (inspect.isfunction(value) or _is_callable_function(value)):
        raise TypeError("The @ray.remote decorator must be applied to either a function or a class.")
    if inspect.iscoroutinefunction(value):
        raise ValueError("'async def' should not be used for remote tasks. You can wrap the async function with `asyncio.run(f())`.")
    checked = _options.checked(options, _options.OF_TASK, "the task '%s'" % value.__name__)
    require_generator(value, checked)
    if inspect.isgeneratorfunction(value):
        checked.setdefault("num_returns", "streaming")
    function = RemoteFunction(Exported(value), value.__qualname__, _parameters.text_of(value), checked)
    functools.update_wrapper(function, value)
    return function


def require_generator(function, options):
    num_returns = options.get("num_returns")
    if num_returns in ("streaming", "dynamic") and not (inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)):
        raise ValueError("num_returns='%s' can only be used with generator functions (functions that use 'yield'). The decorated "
                         "function is not a generator function." % num_returns)


def placed(call, options):
    """Sets the placement group of the call; what it has to know of that where it runs."""
    group, bundle, captures = _options.place_of(options)
    if not group:
        return {}
    call.set_group(group, bundle)
    return {"group": group, "captures": captures}


def set_environment(call, options):
    """Sets the variables of its environment: those of the caller's, and its own. What the call has to know of them."""
    env_vars = {**_state.env_vars, **env_vars_of(options.get("runtime_env"), "a call")}
    if not env_vars:
        return {}
    call.set_environment(env_vars)
    return {"env_vars": env_vars}


def set_retry_exceptions(call, retried):
    """Sets whether exceptions are a reason to run it again; which, if not all: what the call has to know."""
    call.set_retry_exceptions(bool(retried))
    return {"retry_exceptions": tuple(retried)} if retried and retried is not True else {}


def set_returns(call, name, class_name, num_returns, max_retries, resources, actor_name, terms, most_ahead=None):
    """As Call.set_options; `num_returns` may be "streaming" or "dynamic". Returns what makes of a reference what the caller gets."""
    is_stream, is_dynamic = num_returns == "streaming", num_returns == "dynamic"
    if is_dynamic:
        terms = {**(terms or {}), "dynamic": True}
    call.set_options(name, class_name, 1 if is_stream or is_dynamic else num_returns, max_retries, resources, actor_name, terms)
    if not is_stream:
        return None
    call.set_stream(max(most_ahead or 0, 0))
    return ObjectRefGenerator


def _is_callable_function(value):
    return inspect.isbuiltin(value) or type(value).__name__ == "cython_function_or_method"


def remote(*args, **options):
    """Makes a function or a class one that runs in other processes.

        @ray.remote
        def f(x): ...
        @ray.remote(num_returns=2)
        def g(): ...
        RemoteNetwork = ray.remote(Network)

    `f.remote(1)` starts a task in a worker process and returns a reference to what it will return; ray.get(ref) waits for that.
    `RemoteNetwork.remote()` starts an actor, an object in a process of its own, and returns a handle; `handle.method.remote(x)` calls a
    method, one after the other. All return at once.

    An argument that is an ObjectRef is waited for, and its value passed; one inside of another value stays a reference. Functions and classes
    of the program are sent as they are, with what they close over; a tf.Graph, Session, Tensor or Variable is refused: build the graph in
    the actor's constructor.

    Options, for all calls here or for some by `f.options(...)` and `RemoteNetwork.options(...)`:

        num_cpus       how many processors it takes of init's; a task 1, an actor 0 unless given. Parts are counted (0.5)
        num_gpus       the same of GPUs, which ray.get_gpu_ids() tells and CUDA_VISIBLE_DEVICES shows it
        memory         the same of bytes: those that the object store leaves of the machine's. Nothing holds it to what it takes
        resources      the same of others, {"name": amount}, as init's `resources` names them
        num_returns    functions and methods: so many references; the function returns a list of so many. "streaming", as generators have it
                       unless they say otherwise: an ObjectRefGenerator. "dynamic", for generators: one reference, to a
                       DynamicObjectRefGenerator of all that they have yielded
        _generator_backpressure_num_objects     by so many values a generator may be ahead of their reader (-1: any number)
        max_retries    functions: how often it is run again when its process dies (3; -1: always)
        retry_exceptions   functions: whether it is run again when it raises, too (False), or for which exceptions, a list of classes. The
                       last one is raised by ray.get
        max_restarts   classes: how often it is made again when its process dies (0; -1: always)
        max_concurrency    classes: how many methods run at a time, in threads (1), or of a class with coroutines in its event loop (1,000)
        concurrency_groups     classes: {name: so many at a time} of methods that say @ray.method(concurrency_group=name), or are called by
                       method.options(concurrency_group=name).remote(): each group has threads, or its share of the event loop, to itself
        max_task_retries   classes: how often a call is made again that the process had when it died, if the actor is made again (0; -1: always)
        max_pending_calls  classes: how many calls of one process may be waited for; another one is a PendingCallsLimitExceeded (-1: any number)
        runtime_env    {"env_vars": {name: value}}: variables of the environment that it runs in, and what it calls
        name           a task's in messages; an actor's for get_actor, in `namespace`. One that is taken is an ActorAlreadyExistsError
        lifetime       classes: "detached", an actor lives until ray.kill or the program's end; else until the last handle is gone
        scheduling_strategy     PlacementGroupSchedulingStrategy(group, index): its resources are those of a placement group; by older names
                       placement_group, placement_group_bundle_index and placement_group_capture_child_tasks
        get_if_exists  classes: the actor that has the name, if there is one

    Methods have options of their own: @ray.method(...) in the class, `handle.method.options(...)` for some calls. num_return_vals and
    max_reconstructions are older names of num_returns and max_restarts.

    Refused, with the reason: other fields of runtime_env, tensor_transport, enable_tensor_transport, _num_objects_per_yield above 1,
    _actor_generator_backpressure_num_objects. Without effect, which is warned of once: object_store_memory,
    accelerator_type, max_calls, label_selector, fallback_strategy, allow_out_of_order_execution, enable_task_events,
    _labels, _metadata; a scheduling_strategy "SPREAD", or one that names the machine, is that of one machine.

    Arguments that it does not take are a TypeError where `remote` is called. Other errors are raised by ray.get, with their own class: `except
    ValueError` finds what the task raised.
    """
    if len(args) == 1 and not options and callable(args[0]):
        return _make(args[0], {})
    if args or not options:
        raise AssertionError("The @ray.remote decorator must be applied either with no arguments and no parentheses, for example "
                             "'@ray.remote', or it must be applied using some of the arguments, for example '@ray.remote(num_returns=2)'.")
    return lambda value: _make(value, options)
