"""Actors: objects in processes of their own."""

import html
import inspect
import os
import sys
import threading

from flowray import _native
from flowray.ray import _coroutines, _options, _parameters, _pickling, _runtime
from flowray.ray._ids import ActorID
from flowray.ray.exceptions import ActorAlreadyExistsError, PendingCallsLimitExceeded, RaySystemError

_ray = _native._ray
_state = _runtime.state


def method(*args, **options):
    """Sets options of an actor's method.

        @ray.remote(max_restarts=2)
        class Files:
            @ray.method(max_task_retries=3, retry_exceptions=[OSError])
            def read(self, name): ...

    Args:
        num_returns: so many references, for each of what the method returns a list of; "streaming" and "dynamic" for generators.
        concurrency_group: the one of the actor's in which it runs.
        max_task_retries: how often a call is made again that the process had when it died, if the actor is made again; -1: always. As the
            actor says unless given.
        retry_exceptions: whether a call that raises is made again, too, as often in all; or for which exceptions, a list of classes.
        _generator_backpressure_num_objects: by so many values a generator may be ahead of their reader.
    """
    if len(args) == 1 and not options and callable(args[0]):
        return args[0]
    if args:
        raise AssertionError("The @ray.method decorator must be applied using no arguments or at least one of the arguments in the list %s, for "
                             "example '@ray.method(num_returns=2)'." % sorted(_options.OF_DECORATOR))
    checked = _options.checked(options, _options.OF_DECORATOR, "a method")

    def decorate(function):
        from flowray.ray._remote import require_generator
        require_generator(function, checked)
        if "num_returns" in checked:
            function.__ray_num_returns__ = checked["num_returns"]
        if "_generator_backpressure_num_objects" in checked:
            function.__ray_most_ahead__ = checked["_generator_backpressure_num_objects"]
        if checked.get("concurrency_group"):
            function.__ray_concurrency_group__ = checked["concurrency_group"]
        if "max_task_retries" in checked:
            function.__ray_max_task_retries__ = checked["max_task_retries"]
        if "retry_exceptions" in checked:
            function.__ray_retry_exceptions__ = checked["retry_exceptions"]
        return function
    return decorate


def _methods_of(kind):
    """{name: what _told_of says} of all methods."""
    return {name: _told_of(kind, name, function) for name, function in inspect.getmembers(kind, callable)
            if not name.startswith("__") or inspect.isfunction(function) and not hasattr(object, name)}


def _told_of(kind, name, function):
    """(num_returns, by how many values it may be ahead, concurrency group, how often it is made again, for which exceptions, parameters)."""
    is_generator = inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)
    num_returns = getattr(function, "__ray_num_returns__", "streaming" if is_generator else 1)
    return (num_returns, getattr(function, "__ray_most_ahead__", None), getattr(function, "__ray_concurrency_group__", None),
            getattr(function, "__ray_max_task_retries__", None), getattr(function, "__ray_retry_exceptions__", None),
            _parameters.text_of_method(kind, name, function))


_NOT_TOLD = (1, None, None, None, None, None)
_TOLD_OPTIONS = ("num_returns", "_generator_backpressure_num_objects", "concurrency_group", "max_task_retries", "retry_exceptions")


class ActorClassInheritanceException(TypeError):
    """A class inherits from what @ray.remote has made of another one."""


class ActorClass:
    """A class whose `remote` makes an object of it in a process of its own and returns a handle.

    Its methods run one at a time; with `max_concurrency` as many at a time, in threads. Where one is a coroutine (`async def`) all run in
    one event loop, up to 1,000 at a time.
    """

    def __init__(self, exported, name, methods, parameters, is_async, options):
        if options.get("get_if_exists") and not options.get("name"):
            raise ValueError("The actor name must be specified to use `get_if_exists`.")
        self._exported, self._name, self._methods, self._options = exported, name, methods, options
        self._parameters, self._is_async = parameters, is_async
        self._call, self._call_generation, self._surroundings = None, -1, None

    @classmethod
    def of(cls, kind, options):
        from flowray.ray._remote import Exported
        checked = _options.checked(options, _options.OF_ACTOR, "the actor '%s'" % kind.__name__)
        made = cls(Exported(kind), kind.__name__, _methods_of(kind), _parameters.text_of_constructor(kind), _coroutines.has_coroutines(kind),
                   checked)
        made.__doc__, made.__module__ = kind.__doc__, kind.__module__
        made.__name__, made.__qualname__ = kind.__name__, kind.__qualname__
        return made

    @property
    def _told(self):
        """What handles know: (the class's name, what methods are, how many calls of a process may be pending)."""
        return self._name, self._methods, self._options.get("max_pending_calls") or -1

    def __call__(self, *args, **kwargs):
        raise TypeError("Actors cannot be instantiated directly. Instead of '%s()', use '%s.remote()'." % (self._name, self._name))

    def __mro_entries__(self, bases):
        raise ActorClassInheritanceException(
            "Attempted to define subclass of actor class '%s'. Inheriting from actor classes is not currently supported. You can instead "
            "inherit from a non-actor base class and make the derived class an actor class (with @ray.remote)." % self._name)

    @property
    def __ray_actor_class__(self):
        return self._exported.value

    def __getattr__(self, name):
        """What the class has for all of its objects: constants, static methods."""
        if not name.startswith("_"):
            kind = self.__ray_actor_class__
            if hasattr(kind, name):
                return getattr(kind, name)
        raise AttributeError("'ActorClass(%s)' object has no attribute '%s'" % (self.__dict__.get("_name"), name))

    def remote(self, *args, **kwargs):
        """Starts an actor and returns a handle at once. If its constructor raises, calls of its methods raise RayActorError; arguments that
        it does not take are a TypeError here."""
        _parameters.of(self._parameters).check(args, kwargs)
        if self._call_generation != _state.generation or self._call is None or self._surroundings != (_state.captured, _state.env_vars):
            self._make_call()
        if self._options.get("get_if_exists"):
            found = _find(self._options["name"], self._options.get("namespace"))
            if found:
                return _found_handle(found, *self._told)
        try:
            made = self._call.make_actor(args, kwargs)
        except RaySystemError:
            self._require_free_name()
            raise
        if self._options.get("name"):
            _tell(made[0], self._told)
        return ActorHandle(*made, *self._told)

    def _require_free_name(self):
        name, namespace = self._options.get("name"), self._options.get("namespace")
        if name and _find(name, namespace):
            where = "" if namespace is None else ", namespace='%s'" % namespace
            raise ActorAlreadyExistsError("The name %s (namespace=%s) is already taken. Please use a different name or get the existing "
                                          "actor using ray.get_actor('%s'%s)" % (name, namespace, name, where)) from None

    def options(self, **options):
        """The class with other options: Network.options(name="first").remote()."""
        if options.get("concurrency_groups") is not None:
            raise ValueError("Setting 'concurrency_groups' is not supported in '.options()'.")
        checked = _options.checked(options, _options.OF_ACTOR, "the actor '%s'" % self._name)
        return ActorClass(self._exported, self._name, self._methods, self._parameters, self._is_async, {**self._options, **checked})

    def bind(self, *args, **kwargs):
        """Not there: it says what is."""
        from flowray.ray._remote import NO_BIND
        raise NotImplementedError(NO_BIND % "ActorClass")

    def _remote(self, args=None, kwargs=None, **options):
        """The older form of `.options(...).remote(...)`."""
        return (self.options(**options) if options else self).remote(*(args or ()), **(kwargs or {}))

    def _make_call(self):
        _runtime.ensure_initialized()
        options = self._options
        call = _ray.actor_call(self._exported.key, self._exported.ref())
        resources = _options.resources_of(options)
        concurrency = options.get("max_concurrency") or (_MOST_COROUTINES if self._is_async else 1)
        groups = options.get("concurrency_groups") or {}
        self._check_groups_of_methods(groups)
        is_counted = options.get("lifetime") != "detached"
        terms = {"class": self._name, "methods": self._methods, "most_pending": self._told[2], "resources": resources, "name": options.get("name") or "",
                 "threads": 1 if self._is_async else concurrency + sum(groups.values()), "counted": is_counted}
        from flowray.ray._remote import placed, set_environment
        _options.check_fits(options, resources, self._name)
        terms.update(placed(call, options))
        terms.update(set_environment(call, options))
        call.set_max_task_retries(options.get("max_task_retries") or 0)
        call.set_options(self._name + ".__init__", self._name, 1, options.get("max_restarts") or 0, resources,
                         full_name(options.get("name"), options.get("namespace")), terms)
        call.set_concurrency(concurrency, self._is_async)
        call.set_concurrency_groups(groups)
        call.set_counted(is_counted)
        self._call, self._call_generation, self._surroundings = call, _state.generation, (_state.captured, _state.env_vars)

    def _check_groups_of_methods(self, groups):
        for name, (_, _, group, *_) in self._methods.items():
            if group is not None and group not in groups:
                raise ValueError("The method '%s.%s' is of the concurrency group '%s', which the class does not declare: %s.\n"
                                 "@ray.remote(concurrency_groups={'%s': 1}) does." % (self._name, name, group, sorted(groups), group))

    def __reduce__(self):
        return ActorClass, (self._exported, self._name, self._methods, self._parameters, self._is_async, self._options)

    def __repr__(self):
        return "<flowray.ray.ActorClass '%s'>" % self._name


_MOST_COROUTINES = 1000  # of an actor that run at a time, unless it says otherwise


class ActorMethod:
    """A method of an actor: `remote` calls it."""

    __slots__ = ("_handle", "_name", "_call")

    def __init__(self, handle, name, call):
        self._handle, self._name, self._call = handle, name, call

    def remote(self, *args, **kwargs):
        """Calls the method and returns at once: a reference, or a list of `num_returns` of them. One process's calls run in the order
        in which they were made. Arguments that the method does not take are a TypeError here."""
        call, wrap, parameters = self._call
        if kwargs or not parameters.least <= len(args) <= parameters.most:
            parameters.check(args, kwargs)
        returned = call.submit(args, kwargs)
        return returned if wrap is None else wrap(returned)

    def options(self, **options):
        """The method with other options: handle.method.options(num_returns=2).remote(x).

        Args:
            num_returns: so many references, for each of what the method returns a list of; "streaming" and "dynamic" for generators.
            _generator_backpressure_num_objects: by so many values a generator may be ahead of their reader.
            concurrency_group: the one of the actor's in which the call runs.
            max_task_retries, retry_exceptions: as those of ray.method.
            name: of the call, which get_runtime_context().get_task_name() tells it.
        """
        checked = _options.checked(options, _options.OF_METHOD, "the method '%s'" % self._name)
        *declared, parameters = self._handle._told_of(self._name)
        told = tuple(of_class if checked.get(name) is None else checked[name] for name, of_class in zip(_TOLD_OPTIONS, declared))
        return type(self)(self._handle, self._name, _method_call(self._handle, self._name, (*told, parameters), checked.get("name")))

    def bind(self, *args, **kwargs):
        """Not there: it says what is."""
        from flowray.ray._remote import NO_BIND
        raise NotImplementedError(NO_BIND % "ActorMethod")

    def _remote(self, args=None, kwargs=None, **options):
        """The older form of `.options(...).remote(...)`."""
        return (self.options(**options) if options else self).remote(*(args or ()), **(kwargs or {}))

    def __call__(self, *args, **kwargs):
        raise TypeError("Actor methods cannot be called directly. Instead of running 'object.%s()', try 'object.%s.remote()'."
                        % (self._name, self._name))

    def __repr__(self):
        return "<flowray.ray.ActorMethod '%s.%s'>" % (self._handle._class_name, self._name)


class _LimitedMethod(ActorMethod):
    """Of an actor with max_pending_calls."""

    __slots__ = ()

    def remote(self, *args, **kwargs):
        most = self._handle._most_pending
        if _ray.pending_calls(self._handle._id) >= most:
            raise PendingCallsLimitExceeded("The task %s.%s could not be submitted to %r because more than %d tasks are queued on the actor. This "
                                            "limit can be adjusted with the `max_pending_calls` actor option.\nWait for some of them first: "
                                            "ray.wait." % (self._handle._class_name, self._name, self._handle, most))
        return super().remote(*args, **kwargs)


def _method_call(handle, name, told, task_name=None):
    """The call, what makes of its reference what the caller gets, and what it may be given."""
    from flowray.ray._remote import set_retry_exceptions, set_returns
    call = _ray.method_call(handle._id, name)
    num_returns, most_ahead, group, retries, retried, parameters = told
    if group:
        call.set_concurrency_group(group)
    if retries is not None:
        call.set_max_task_retries(retries)
    terms = set_retry_exceptions(call, retried)
    if task_name:
        terms["task"] = task_name
    wrap = set_returns(call, "%s.%s" % (handle._class_name, name), handle._class_name, num_returns, 0, {}, "", terms or None, most_ahead)
    return call, wrap, _parameters.of(parameters)


class _Termination:
    """handle.__ray_terminate__: ends the actor once the calls that were made before are done."""

    def __init__(self, handle):
        self._handle = handle

    def remote(self):
        return _method_call(self._handle, _TERMINATE, _NOT_TOLD)[0].submit((self._handle._id,), {})


_TERMINATE = "__ray_terminate__"
_OF_ALL = frozenset({"__ray_ready__", "__ray_call__"})  # of every actor: whether it is made; calls function(actor, ...) there


class ActorHandle:
    """An actor, in whatever process it is. May be sent inside of values and as an argument.

    With the last handle, in whatever process or value, the actor ends once its calls are done. The handles of `get_actor` do not count, nor
    any to one with lifetime="detached".
    """

    def __init__(self, actor_id, share, class_name, methods, most_pending=-1):
        self._id, self._share, self._class_name, self._methods, self._most_pending = actor_id, share, class_name, methods, most_pending
        self._calls = {}

    def __getattr__(self, name):
        if name in _OWN:  # of a handle that is being made
            raise AttributeError(name)
        call = self._calls.get(name)
        if call is None:
            if name == _TERMINATE:
                return _Termination(self)
            call = self._calls[name] = _method_call(self, name, self._told_of(name))
        return (ActorMethod if self._most_pending < 0 else _LimitedMethod)(self, name, call)

    def _told_of(self, name):
        if name in _OF_ALL:
            return _NOT_TOLD
        if self._methods is not None:
            if name in self._methods:
                return self._methods[name]
        elif not name.startswith("__"):  # found by its name: what it has is known there
            return _NOT_TOLD
        raise AttributeError("'ActorHandle' object has no attribute '%s'\nActors of the class '%s' have no such method." % (name, self._class_name))

    def __dir__(self):
        return [*object.__dir__(self), *_OF_ALL, _TERMINATE, *(self._methods or ())]

    @property
    def _actor_id(self):
        return ActorID.from_hex("%016x" % self._id)

    _ray_actor_id = _actor_id

    def __eq__(self, other):
        return isinstance(other, ActorHandle) and other._id == self._id

    def __hash__(self):
        return hash(self._id)

    def __reduce__(self):
        return _received, (self._id, _pickling.counted(self._share), self._class_name, self._methods, self._most_pending)

    def __repr__(self):
        return "Actor(%s, %016x)" % (self._class_name, self._id)

    def _repr_html_(self):
        methods = ", ".join("<code>%s</code>" % html.escape(name) for name in self._methods or ())
        return "an actor of the class <code>%s</code>%s" % (html.escape(self._class_name), methods and ": " + methods)


_told = {}  # ActorClass._told by actor: of those with a name that this process has made, or has got a handle to
_MOST_TOLD = 1000
_telling = threading.Lock()


def _tell(actor_id, told):
    with _telling:
        _told.pop(actor_id, None)
        _told[actor_id] = told
        if len(_told) > _MOST_TOLD:
            del _told[next(iter(_told))]


def _received(actor_id, share, *told):
    if told[1] is not None:
        _tell(actor_id, told)
    return ActorHandle(actor_id, share, *told)


def _found_handle(actor_id, *told):
    """Of an actor that was found by its name: with what this process knows of it, which may be nothing."""
    if actor_id in _told:
        told = _told[actor_id]
    elif actor_id == _ray.own_actor():
        from flowray.ray import _worker
        if _worker.terms is not None:  # it was made from Python
            told = own_told(_worker.terms)
    return ActorHandle(actor_id, None, *told)


def own_told(terms):
    """ActorClass._told of the actor that was made so."""
    return terms["class"], terms["methods"], terms["most_pending"]


def handle_of(actor_id, share):
    """The handle of an actor that C++ has sent: what it has is known there."""
    return ActorHandle(actor_id, share, "an actor", None)


_OWN = frozenset({"_id", "_share", "_class_name", "_methods", "_most_pending", "_calls"})


def full_name(name, namespace):
    if namespace is not None and not isinstance(namespace, str):
        raise TypeError("namespace must be None or a string.")
    if namespace == "":
        raise ValueError('"" is not a valid namespace. Pass None to not specify a namespace.')
    if name is None:
        return ""
    if not isinstance(name, str):
        raise TypeError("name must be None or a string, got: '%s'." % type(name))
    if not name:
        raise ValueError("Actor name cannot be an empty string.")
    namespace = _state.namespace if namespace is None else namespace
    return namespace + "/" + name if namespace else name


def _find(name, namespace):
    return _ray.find_actor(full_name(name, namespace))


def get_actor(name, namespace=None):
    """A handle of the actor that was given that name, which does not keep it: unless its lifetime is "detached" it ends with the last
    of the handles that `remote` has returned. Raises ValueError where there is none."""
    if not name:
        raise ValueError("Please supply a non-empty value to get_actor")
    _runtime.ensure_initialized()
    found = _find(name, namespace)
    if not found:
        raise ValueError("Failed to look up actor with name '%s'. This could because 1. You are trying to look up a named actor you didn't "
                         "create. 2. The named actor died. 3. You did not use a namespace matching the namespace of the actor." % name)
    return _found_handle(found, name, None)


def list_named_actors(all_namespaces=False):
    """The names of the actors that have one, of this namespace.

    Args:
        all_namespaces: of all, as {"name": name, "namespace": namespace}.
    """
    _runtime.require_initialized()
    found = []
    for full in _runtime.ask("actor-names").split("\0")[:-1]:
        own = _state.namespace + "/"
        namespace, name = (own[:-1], full[len(own):]) if own != "/" and full.startswith(own) else _without_namespace(full)
        if all_namespaces:
            found.append({"name": name, "namespace": namespace})
        elif namespace == _state.namespace:
            found.append(name)
    return found


def _without_namespace(full):
    namespace, slash, name = full.partition("/")
    return (namespace, name) if slash else ("", full)


def kill(actor, *, no_restart=True):
    """Ends an actor's process at once; calls that it has not finished raise RayActorError. no_restart=False: it is made again if it has
    restarts left."""
    from flowray.ray.cross_language import CppActorHandle
    if not isinstance(actor, (ActorHandle, CppActorHandle)):
        raise ValueError("ray.kill() only supported for actors. For tasks, try ray.cancel(). Got: %s." % type(actor))
    _ray.kill_actor(actor._id, no_restart)


def exit_actor():
    """Ends the process of the actor that calls it, for good; the call that does raises RayActorError for its caller."""
    own = _ray.own_actor() if _ray.is_initialized() else 0
    if not own:
        raise TypeError("exit_actor API is called on a non-actor worker: it is for methods of actors")
    sys.stdout.flush()
    sys.stderr.flush()
    _ray.kill_actor(own, True)
    os._exit(0)
