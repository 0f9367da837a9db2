"""Actors: objects in processes of their own."""

import html
import inspect
import os
import sys
import threading

from flowray import _native
from flowray.ray import _event_loop, _options, _parameters, _pickling, _runtime
from flowray.ray._ids import ActorID
from flowray.ray.exceptions import ActorAlreadyExistsError, RaySystemError

_ray = _native._ray
_state = _runtime.state


def method(*args, **options):
    """Sets options of an actor's method: @ray.method(num_returns=2), @ray.method(concurrency_group="io")."""
    if args or not options:
        raise TypeError("The @ray.method decorator must be applied using at least one of the arguments in the list ['num_returns', "
                        "'concurrency_group'], for example '@ray.method(num_returns=2)'.")
    checked = _options.checked(options, _options.OF_METHOD, "a method")

    def decorate(function):
        from flowray.ray._remote import require_generator
        require_generator(function, checked)
        if "num_returns" in checked:
            function.__ray_num_returns__ = checked["num_returns"]
        if "_generator_backpressure_num_objects" in checked:
            function.__ray_most_ahead__ = checked["_generator_backpressure_num_objects"]
        if checked.get("concurrency_group"):
            function.__ray_concurrency_group__ = checked["concurrency_group"]
        return function
    return decorate


def _methods_of(kind):
    """{name: what _told_of says} of all methods."""
    return {name: _told_of(kind, name, function) for name, function in inspect.getmembers(kind, callable)
            if not (name.startswith("__") and name != "__call__") or name == "__call__" and "__call__" in vars(kind)}


def _told_of(kind, name, function):
    """(num_returns, by how many values it may be ahead, concurrency group, parameters)."""
    is_generator = inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)
    num_returns = getattr(function, "__ray_num_returns__", "streaming" if is_generator else 1)
    return (num_returns, getattr(function, "__ray_most_ahead__", None), getattr(function, "__ray_concurrency_group__", None),
            _parameters.text_of_method(kind, name, function))


_NOT_TOLD = (1, None, None, None)


class ActorClass:
    """A class whose `remote` makes an object of it in a process of its own and returns a handle.

    Its methods run one at a time; with `max_concurrency` as many at a time, in threads. Where one is a coroutine (`async def`) all run in
    one event loop, up to 1,000 at a time.
    """

    def __init__(self, exported, name, methods, parameters, is_async, options):
        self._exported, self._name, self._methods, self._options = exported, name, methods, options
        self._parameters, self._is_async = parameters, is_async
        self._call, self._call_generation, self._captured = None, -1, 0

    @classmethod
    def of(cls, kind, options):
        from flowray.ray._remote import Exported
        checked = _options.checked(options, _options.OF_ACTOR, "the actor '%s'" % kind.__name__)
        made = cls(Exported(kind), kind.__name__, _methods_of(kind), _parameters.text_of_constructor(kind), _event_loop.has_coroutines(kind),
                   checked)
        made.__doc__, made.__module__ = kind.__doc__, kind.__module__
        made.__name__, made.__qualname__ = kind.__name__, kind.__qualname__
        return made

    def __call__(self, *args, **kwargs):
        raise TypeError("Actors cannot be instantiated directly. Instead of '%s()', use '%s.remote()'." % (self._name, self._name))

    def __mro_entries__(self, bases):
        raise TypeError("Attempted to define subclass of actor class '%s'. Inheriting from actor classes is not supported. You can "
                        "inherit from a non-actor base class and make the derived class an actor class instead." % self._name)

    @property
    def __ray_actor_class__(self):
        return self._exported.value

    def remote(self, *args, **kwargs):
        """Starts an actor and returns a handle at once. If its constructor raises, calls of its methods raise RayActorError; arguments that
        it does not take are a TypeError here."""
        _parameters.of(self._parameters).check(args, kwargs)
        if self._call_generation != _state.generation or self._call is None or self._captured != _state.captured:
            self._make_call()
        if self._options.get("get_if_exists"):
            found = _find(self._options["name"], self._options.get("namespace"))
            if found:
                return _found_handle(found, self._name, self._methods)
        try:
            made = self._call.make_actor(args, kwargs)
        except RaySystemError:
            self._require_free_name()
            raise
        if self._options.get("name"):
            _tell(made[0], self._name, self._methods)
        return ActorHandle(*made, self._name, self._methods)

    def _require_free_name(self):
        name, namespace = self._options.get("name"), self._options.get("namespace")
        if name and _find(name, namespace):
            raise ActorAlreadyExistsError("The name %s (namespace=%s) is already taken. Please use a different name or get the existing "
                                          "actor using ray.get_actor('%s', namespace='%s')" % (name, namespace, name, namespace)) from None

    def options(self, **options):
        """The class with other options: Network.options(name="first").remote()."""
        if options.get("concurrency_groups") is not None:
            raise ValueError("Setting 'concurrency_groups' is not supported in '.options()'.")
        checked = _options.checked(options, _options.OF_ACTOR, "the actor '%s'" % self._name)
        return ActorClass(self._exported, self._name, self._methods, self._parameters, self._is_async, {**self._options, **checked})

    def _make_call(self):
        _runtime.ensure_initialized()
        options = self._options
        if options.get("get_if_exists") and not options.get("name"):
            raise ValueError("The actor name must be specified to use `get_if_exists`.")
        call = _ray.actor_call(self._exported.key, self._exported.ref())
        resources = _options.resources_of(options)
        concurrency = options.get("max_concurrency") or (_MOST_COROUTINES if self._is_async else 1)
        groups = options.get("concurrency_groups") or {}
        self._check_groups_of_methods(groups)
        is_counted = options.get("lifetime") != "detached"
        terms = {"class": self._name, "methods": self._methods, "resources": resources, "name": options.get("name") or "",
                 "threads": 1 if self._is_async else concurrency + sum(groups.values()), "counted": is_counted}
        from flowray.ray._remote import placed
        _options.check_fits(options, resources, self._name)
        terms.update(placed(call, options))
        call.set_options(self._name + ".__init__", self._name, 1, options.get("max_restarts") or 0, resources,
                         full_name(options.get("name"), options.get("namespace")), terms)
        call.set_concurrency(concurrency, self._is_async)
        call.set_concurrency_groups(groups)
        call.set_counted(is_counted)
        self._call, self._call_generation, self._captured = call, _state.generation, _state.captured

    def _check_groups_of_methods(self, groups):
        for name, (_, _, group, _) in self._methods.items():
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
            _generator_backpressure_num_objects: by so many values a generator may be ahead of who takes them.
            concurrency_group: the one of the actor's in which the call runs.
            name: of the call, in messages of Ray's; has no effect here.
        """
        checked = _options.checked(options, _options.OF_METHOD, "the method '%s'" % self._name)
        names = ("num_returns", "_generator_backpressure_num_objects", "concurrency_group")
        *declared, parameters = self._handle._told_of(self._name)
        told = tuple(of_class if checked.get(name) is None else checked[name] for name, of_class in zip(names, declared))
        return ActorMethod(self._handle, self._name, _method_call(self._handle, self._name, (*told, parameters)))

    def __call__(self, *args, **kwargs):
        raise TypeError("Actor methods cannot be called directly. Instead of running 'object.%s()', try 'object.%s.remote()'."
                        % (self._name, self._name))

    def __repr__(self):
        return "<flowray.ray.ActorMethod '%s.%s'>" % (self._handle._class_name, self._name)


def _method_call(handle, name, told):
    """The call, what makes of its reference what the caller gets, and what it may be given."""
    from flowray.ray._remote import set_returns
    call = _ray.method_call(handle._id, name)
    num_returns, most_ahead, group, parameters = told
    if group:
        call.set_concurrency_group(group)
    wrap = set_returns(call, "%s.%s" % (handle._class_name, name), handle._class_name, num_returns, 0, {}, "", None, most_ahead)
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

    def __init__(self, actor_id, share, class_name, methods):
        self._id, self._share, self._class_name, self._methods = actor_id, share, class_name, methods
        self._calls = {}

    def __getattr__(self, name):
        if name in _OWN:  # of a handle that is being made
            raise AttributeError(name)
        call = self._calls.get(name)
        if call is None:
            if name == _TERMINATE:
                return _Termination(self)
            call = self._calls[name] = _method_call(self, name, self._told_of(name))
        return ActorMethod(self, name, call)

    def _told_of(self, name):
        if name in _OF_ALL:
            return _NOT_TOLD
        if self._methods is not None:
            if name in self._methods:
                return self._methods[name]
        elif not name.startswith("__"):  # found by its name: what it has is known there
            return _NOT_TOLD
        raise AttributeError("'%s' object has no attribute '%s'" % (self._class_name, name))

    def __dir__(self):
        return [*object.__dir__(self), *(self._methods or ())]

    @property
    def _actor_id(self):
        return ActorID.from_hex("%016x" % self._id)

    _ray_actor_id = _actor_id

    def __eq__(self, other):
        return isinstance(other, ActorHandle) and other._id == self._id

    def __hash__(self):
        return hash(self._id)

    def __reduce__(self):
        return _received, (self._id, _pickling.counted(self._share), self._class_name, self._methods)

    def __repr__(self):
        return "Actor(%s, %016x)" % (self._class_name, self._id)

    def _repr_html_(self):
        methods = ", ".join("<code>%s</code>" % html.escape(name) for name in self._methods or ())
        return "an actor of the class <code>%s</code>%s" % (html.escape(self._class_name), methods and ": " + methods)


_told = {}  # (class, methods) by actor: of those with a name that this process has made, or has got a handle to
_MOST_TOLD = 1000
_telling = threading.Lock()


def _tell(actor_id, class_name, methods):
    with _telling:
        _told.pop(actor_id, None)
        _told[actor_id] = class_name, methods
        if len(_told) > _MOST_TOLD:
            del _told[next(iter(_told))]


def _received(actor_id, share, class_name, methods):
    if methods is not None:
        _tell(actor_id, class_name, methods)
    return ActorHandle(actor_id, share, class_name, methods)


def _found_handle(actor_id, class_name, methods):
    """Of an actor that was found by its name: with what this process knows of it, which may be nothing."""
    if actor_id in _told:
        class_name, methods = _told[actor_id]
    elif actor_id == _ray.own_actor():
        from flowray.ray import _worker
        if _worker.terms is not None:  # it was made from Python
            class_name, methods = _worker.terms["class"], _worker.terms["methods"]
    return ActorHandle(actor_id, None, class_name, methods)


def handle_of(actor_id, share):
    """The handle of an actor that C++ has sent: what it has is known there."""
    return ActorHandle(actor_id, share, "an actor", None)


_OWN = frozenset({"_id", "_share", "_class_name", "_methods", "_calls"})


def full_name(name, namespace):
    if not name:
        return ""
    if not isinstance(name, str):
        raise TypeError("name must be None or a string, got: '%s'." % type(name))
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
