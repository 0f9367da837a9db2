"""Classes and functions of the program's by their names, for configs that name them; and configs of initializers, functions and the like."""

import threading as _threading

_global = {}
_scopes = _threading.local()


def get_custom_objects():
    """The dictionary of names that all of the program's configs may use."""
    return _global


class CustomObjectScope:
    """In its block these names are known, too."""

    def __init__(self, *args):
        self.custom_objects = {}
        for names in args:
            self.custom_objects.update(names or {})

    def __enter__(self):
        _stack().append(self.custom_objects)
        return self

    def __exit__(self, kind, value, traceback):
        _stack().pop()


def custom_object_scope(*args):
    """CustomObjectScope(*args)"""
    return CustomObjectScope(*args)


def _stack():
    if not hasattr(_scopes, "stack"):
        _scopes.stack = []
    return _scopes.stack


def found(name, custom_objects=None):
    """What the program calls `name`, or None."""
    for names in (custom_objects or {}, *reversed(_stack()), _global):
        if name in names:
            return names[name]
    return None


_registered = {}  # names that register_keras_serializable gave, by class or function


def register_keras_serializable(package="Custom", name=None):
    """Makes a class or function known to configs as "package>name"."""
    def decorated(thing):
        registered = "%s>%s" % (package, name or thing.__name__)
        if isinstance(thing, type) and not hasattr(thing, "get_config"):
            raise ValueError("Cannot register a class that does not have a get_config() method.")
        if registered in _global:
            raise ValueError("%s has already been registered to %s" % (registered, _global[registered]))
        _global[registered] = thing
        _registered[thing] = registered
        return thing
    return decorated


def get_registered_name(thing):
    """What configs call a class or function."""
    try:
        return _registered.get(thing) or thing.__name__
    except TypeError:
        return thing.__name__


def get_registered_object(name, custom_objects=None, module_objects=None):
    """What a config calls `name`, or None."""
    return found(name, custom_objects) or (module_objects or {}).get(name)


def serialize(thing):
    """The config of an initializer, regularizer, constraint or loss: {"class_name": ..., "config": ...}; of a function its name."""
    if thing is None or isinstance(thing, (str, dict)):
        return thing
    if hasattr(thing, "get_config") and not isinstance(thing, type):
        return {"class_name": get_registered_name(type(thing)), "config": thing.get_config()}
    if hasattr(thing, "__name__"):
        return get_registered_name(thing)
    raise ValueError("Cannot serialize %s because it doesn't implement `get_config()`." % (thing,))


def deserialize(identifier, known, what, custom_objects=None):
    """What a name or a config stands for: of the program's names, or of `known`."""
    if isinstance(identifier, dict):
        if identifier.get("class_name") == "function" or set(identifier) == {"class_name", "config"} and identifier["class_name"] == "function":
            return deserialize(identifier["config"], known, what, custom_objects)
        name, config = identifier.get("class_name"), identifier.get("config", {})
        cls = found(identifier.get("registered_name"), custom_objects) or found(name, custom_objects) or known.get(name)
        if cls is None:
            raise ValueError("Unknown %s: '%s'. Please ensure you are using a `keras.utils.custom_object_scope` and that this object is "
                             "included in the scope." % (what, name))
        if isinstance(config, str):
            return deserialize(config, known, what, custom_objects)
        if not isinstance(cls, type):
            return cls
        return cls.from_config(config) if hasattr(cls, "from_config") else cls(**config)
    thing = found(identifier, custom_objects)
    if thing is None:
        thing = known.get(identifier)
    if thing is None:
        raise ValueError("Unknown %s: '%s'. Please ensure you are using a `keras.utils.custom_object_scope` and that this object is included "
                         "in the scope." % (what, identifier))
    return thing


def made(identifier, known, what, custom_objects=None):
    """An object by its name or config; a class stands for an object of it."""
    thing = deserialize(identifier, known, what, custom_objects)
    return thing() if isinstance(thing, type) else thing


def function_on_weights(identifier, known, what):
    """A constraint or a regularizer by its name or config, or what is one already: None, or whatever may be called on a weight."""
    if isinstance(identifier, (str, dict)):
        name = identifier if isinstance(identifier, str) else identifier.get("class_name")
        if name in known or found(name) is not None:
            return made(identifier, known, what)
    elif identifier is None or callable(identifier):
        return identifier() if isinstance(identifier, type) else identifier
    raise ValueError("Unknown %s: %r. Please ensure you are using a `keras.utils.custom_object_scope` and that this object is included in "
                     "the scope.\nKnown are %s, and whatever may be called on a weight." % (what, identifier, ", ".join(sorted(known))))
