"""One object for each variable, as long as a program holds it: what is set on it is there again where the variable is found once more."""

import weakref

from flowray import _native

_objects = weakref.WeakKeyDictionary()  # {variable: a weak reference to the object of it}. Neither holds a graph


def the_object_of(variable):
    """The object that stands for this variable already, or this one from now on; other things are given as they are."""
    if not isinstance(variable, _native.Variable):
        return variable
    known = _objects.get(variable)
    known = None if known is None else known()
    if known is None:
        _objects.pop(variable, None)  # with a key that is about to go
        _objects[variable] = weakref.ref(variable)
        known = variable
    return known
