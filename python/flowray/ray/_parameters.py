"""What calls of functions and methods may be given: looked at where `remote` is called, so that a mistake is told there."""

import functools
import inspect
import types

_MOST_SHAPES = 64  # of calls that are known to be right


def text_of(function, skipped=0):
    """The parameters of a function, short enough to travel with a handle: "1a 1b= 2rest 3c= 4more", each with the number of its kind, and
    "=" where it has a default; None where they are not known. The first `skipped` are left out."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None
    for _ in range(skipped):
        if parameters and parameters[0].kind in (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD):
            del parameters[0]
    return " ".join("%d%s%s" % (one.kind, one.name, "" if one.default is one.empty else "=") for one in parameters)


def text_of_method(kind, name, function):
    """That of a method without `self`."""
    if isinstance(function, types.MethodType):  # of the class
        return text_of(function)
    if not isinstance(function, types.FunctionType):
        return None
    return text_of(function, 0 if isinstance(inspect.getattr_static(kind, name), staticmethod) else 1)


def text_of_constructor(kind):
    if isinstance(kind.__init__, types.FunctionType):
        return text_of(kind.__init__, 1)
    return "" if kind.__init__ is object.__init__ and kind.__new__ is object.__new__ else None


class Parameters:
    """Checks calls. Those by place alone are right where their number is from `least` to `most`."""

    __slots__ = ("least", "most", "_signature", "_right")

    def __init__(self, text):
        words = text.split()
        kinds = [inspect._ParameterKind(int(word[0])) for word in words]
        self._signature = inspect.Signature([
            inspect.Parameter(word[1:].rstrip("="), kind, default=None if word.endswith("=") else inspect.Parameter.empty)
            for word, kind in zip(words, kinds)])
        by_place = [word for word, kind in zip(words, kinds) if kind <= inspect.Parameter.POSITIONAL_OR_KEYWORD]
        self.least = sum(not word.endswith("=") for word in by_place)
        self.most = 1 << 60 if inspect.Parameter.VAR_POSITIONAL in kinds else len(by_place)
        if any(kind == inspect.Parameter.KEYWORD_ONLY and not word.endswith("=") for word, kind in zip(words, kinds)):
            self.most = -1  # none is right by place alone
        self._right = set()

    def check(self, args, kwargs):
        """Raises TypeError for a call that the function cannot be given."""
        shape = (len(args), *kwargs)
        if shape in self._right:
            return
        self._signature.bind(*args, **kwargs)
        if len(self._right) < _MOST_SHAPES:
            self._right.add(shape)


class _Unknown:
    least, most = 0, 1 << 60

    def check(self, args, kwargs):
        pass


_UNKNOWN = _Unknown()


@functools.lru_cache(maxsize=4096)
def of(text):
    return _UNKNOWN if text is None else Parameters(text)
