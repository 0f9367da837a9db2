"""ray.cross_language: C++'s functions and actors, called by the names under which RAY_REMOTE has registered them.

    ray.init(job_config=ray.job_config.JobConfig(code_search_path=["build/libfunctions.so"]))
    plus = ray.cross_language.cpp_function("Plus")
    print(ray.get(plus.remote(1, 2)))                                      # 3
    Counter = ray.cross_language.cpp_actor_class("Counter::Create", "Counter")
    counter = Counter.remote(10)
    print(ray.get(counter.Add.remote(1)))                                  # 11

What both languages have can be sent: nothing, numbers, text, bytes, arrays, references, lists, tuples and dicts. docs/python-actors.md.
"""

import sys

from flowray import _native
from flowray.ray import _options, _pickling, _runtime
from flowray.ray._ids import ActorID

__all__ = ["CppActorClass", "CppActorHandle", "CppFunction", "cpp_actor_class", "cpp_function", "java_actor_class", "java_function"]

_ray = _native._ray
_state = _runtime.state


def cpp_function(function_name):
    """The C++ function of that name, `remote` of which runs it in a worker process."""
    return CppFunction(function_name, {})


def cpp_actor_class(create_function_name, class_name):
    """The C++ class whose objects the function `create_function_name` makes; methods are called by their names in it."""
    return CppActorClass(create_function_name, class_name, {})


def java_function(class_name, function_name):
    """Raises NotImplementedError: there are no workers of Java's."""
    raise NotImplementedError("java_function() is not supported: workers run Python and C++")


def java_actor_class(class_name):
    """Raises NotImplementedError: there are no workers of Java's."""
    raise NotImplementedError("java_actor_class() is not supported: workers run Python and C++")


def _placed(args, kwargs):
    """The arguments; NumPy's scalars as numbers, which C++ takes them for."""
    if kwargs:
        raise TypeError("Cross language remote functions does not support kwargs, kwargs:%s." % kwargs)
    numpy = sys.modules.get("numpy")
    return args if numpy is None else tuple(arg.item() if isinstance(arg, numpy.generic) else arg for arg in args)


def _submit(call, args, kwargs):
    return call.submit(_placed(args, kwargs), {})


def _number(value, default):
    return default if value is None else value


def _require_values(options, what):
    if options.get("num_returns") in ("streaming", "dynamic"):
        raise NotImplementedError("The option num_returns='%s' of %s is not supported: functions of C++'s return their values together"
                                  % (options["num_returns"], what))


class _Called:
    """What is found in the opened libraries when the runtime runs, once for each runtime and each task that calls it."""

    _call, _surroundings = None, None

    def _found(self):
        surroundings = _state.generation, _state.captured, _state.env_vars
        if self._call is None or self._surroundings != surroundings:
            _runtime.ensure_initialized()
            surroundings = _state.generation, _state.captured, _state.env_vars
            self._call, self._surroundings = self._make_call(), surroundings
        return self._call


class CppFunction(_Called):
    """A function of C++'s, that runs in worker processes.

        plus = ray.cross_language.cpp_function("Plus")
        ray.get(plus.remote(1, ref))

    A reference among the arguments is waited for. Arguments are given by place.
    """

    def __init__(self, name, options):
        self._name, self._options = name, options

    def _make_call(self):
        call, options = _ray.cpp_call(self._name, 0), self._options
        from flowray.ray._remote import placed, set_environment
        placed(call, options)
        set_environment(call, options)
        call.set_retry_exceptions(bool(options.get("retry_exceptions")))
        call.set_options(options.get("name") or self._name, "", _number(options.get("num_returns"), 1),
                         _number(options.get("max_retries"), 3), _options.resources_of(options), "", None)
        return call

    def remote(self, *args, **kwargs):
        """Starts a task and returns at once: a reference, or a list of `num_returns` of them."""
        return _submit(self._found(), args, kwargs)

    def options(self, **options):
        """The function with other options: resources, `num_returns`, `max_retries`, `retry_exceptions` (True: all), `runtime_env`, `name` and
        a placement group, as of Python's functions."""
        checked = _options.checked(options, _options.OF_TASK - {"_generator_backpressure_num_objects"}, "the task '%s'" % self._name)
        _require_values(checked, "the task '%s'" % self._name)
        if checked.get("retry_exceptions") not in (None, True, False):
            raise NotImplementedError("The option retry_exceptions=%r of the task '%s' is not supported: a function of C++'s is run again "
                                      "for all exceptions (True) or none" % (checked["retry_exceptions"], self._name))
        return CppFunction(self._name, {**self._options, **checked})

    def __call__(self, *args, **kwargs):
        raise TypeError("Remote functions cannot be called directly. Instead of running '%s()', try '%s.remote()'."
                        % (self._name, self._name))

    def __reduce__(self):
        return CppFunction, (self._name, self._options)

    def __repr__(self):
        return "<flowray.ray.CppFunction '%s'>" % self._name


class CppActorClass(_Called):
    """A class of C++'s, whose `remote` makes an object of it in a process of its own.

        Counter = ray.cross_language.cpp_actor_class("Counter::Create", "Counter")
        counter = Counter.remote(10)
        ray.get(counter.Add.remote(1))
    """

    def __init__(self, maker, class_name, options):
        self._maker, self._class_name, self._options = maker, class_name, options

    def _make_call(self):
        from flowray.ray._actor import full_name
        call, options = _ray.cpp_call(self._maker, 0), self._options
        call.set_options(self._maker, self._class_name, 1, options.get("max_restarts") or 0, _options.resources_of(options),
                         full_name(options.get("name"), options.get("namespace")), None)
        from flowray.ray._remote import placed, set_environment
        placed(call, options)
        set_environment(call, options)
        call.set_max_task_retries(options.get("max_task_retries") or 0)
        call.set_concurrency(options.get("max_concurrency") or 1, False)
        call.set_counted(options.get("lifetime") != "detached")
        return call

    def remote(self, *args, **kwargs):
        """Starts an actor and returns a handle at once. It ends with the last handle that Python has, once its calls are done."""
        return CppActorHandle(*self._found().make_actor(_placed(args, kwargs), {}), self._class_name)

    def options(self, **options):
        """The class with other options: resources, `max_restarts`, `max_task_retries`, `max_concurrency`, `name`, `namespace`, `lifetime`,
        `runtime_env` and a placement group, as of Python's classes."""
        checked = _options.checked(options, _options.OF_ACTOR - {"get_if_exists", "concurrency_groups", "max_pending_calls"},
                                   "the actor '%s'" % self._class_name)
        return CppActorClass(self._maker, self._class_name, {**self._options, **checked})

    def __reduce__(self):
        return CppActorClass, (self._maker, self._class_name, self._options)

    def __repr__(self):
        return "<flowray.ray.CppActorClass '%s'>" % self._class_name


class CppActorMethod(_Called):
    """A method of a C++ actor."""

    def __init__(self, handle, name, num_returns=1, shown=None):
        self._handle, self._name, self._num_returns, self._shown = handle, name, num_returns, shown

    def _found(self):
        key = self._name, self._num_returns, self._shown, _state.generation
        call = self._handle._calls.get(key)  # there, as the handle itself must not refer to its methods, which hold it
        if call is None:
            _runtime.ensure_initialized()
            call = self._handle._calls[key] = self._make_call()
        return call

    def _make_call(self):
        full = "%s::%s" % (self._handle._class_name, self._name)
        call = _ray.cpp_call(full, self._handle._id)
        call.set_options(self._shown or full, self._handle._class_name, self._num_returns, 0, {}, "", None)
        return call

    def remote(self, *args, **kwargs):
        """Calls the method and returns at once: a reference, or a list of `num_returns` of them."""
        return _submit(self._found(), args, kwargs)

    def options(self, **options):
        """The method with another `num_returns`, or `name` in messages."""
        checked = _options.checked(options, frozenset({"num_returns", "name"}), "the method '%s'" % self._name)
        _require_values(checked, "the method '%s'" % self._name)
        return CppActorMethod(self._handle, self._name, _number(checked.get("num_returns"), self._num_returns),
                              checked.get("name") or self._shown)


class CppActorHandle:
    """An actor of a C++ class, in whatever process it is. May be sent inside of values to Python's functions."""

    def __init__(self, actor_id, share, class_name):
        self._id, self._share, self._class_name, self._calls = actor_id, share, class_name, {}

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return CppActorMethod(self, name)

    @property
    def _actor_id(self):
        return ActorID.from_hex("%016x" % self._id)

    def __eq__(self, other):
        return isinstance(other, CppActorHandle) and other._id == self._id

    def __hash__(self):
        return hash(self._id)

    def __reduce__(self):
        return CppActorHandle, (self._id, _pickling.counted(self._share), self._class_name)

    def __repr__(self):
        return "Actor(%s, %016x)" % (self._class_name, self._id)
