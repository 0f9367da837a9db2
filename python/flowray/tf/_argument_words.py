"""Python's words for arguments that a function of the native module does not have or lacks. Read only when that happens."""

import re as _re


def _parameters(signature, defaults):
    """[(name, whether it has a default)] of "def f(x: object | None, y: int = \\0) -> object"."""
    inside = signature[signature.index("(") + 1:signature.rindex(")")]
    return [(match.group(1), match.group(2) is not None)
            for match in _re.finditer(r"(?:^|, )(\w+): [^=,]*?(?: (=) [^,]*)?(?=, \w+: |$)", inside)]


def signature(function):
    """The inspect.Signature of a function of the native module."""
    import inspect

    text, _, defaults = function.__nb_signature__[0]
    if "*" in text:
        raise ValueError("no signature found for %s" % function.__name__)
    left = iter(defaults or ())
    return inspect.Signature([
        inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD,
                          default=next(left) if has_default else inspect.Parameter.empty)
        for name, has_default in _parameters(text, defaults)])


def _listed(names):
    quoted = ["'%s'" % name for name in names]
    if len(quoted) < 3:
        return " and ".join(quoted)
    return ", ".join(quoted[:-1]) + ", and " + quoted[-1]


def words(function, num_positional, keywords):
    """None where the arguments fit, so that nanobind's words say what is wrong with one of them."""
    signatures = function.__nb_signature__
    if len(signatures) != 1 or "*" in signatures[0][0]:
        return None
    name, parameters = function.__name__, _parameters(signatures[0][0], signatures[0][2])
    names = [parameter for parameter, _ in parameters]
    for keyword in keywords:
        if keyword not in names:
            return "%s() got an unexpected keyword argument '%s'" % (name, keyword)
    for keyword in keywords:
        if keyword in names[:num_positional]:
            return "%s() got multiple values for argument '%s'" % (name, keyword)
    if num_positional > len(names):
        least = sum(not has_default for _, has_default in parameters)
        takes = "%d" % len(names) if least == len(names) else "from %d to %d" % (least, len(names))
        return "%s() takes %s positional argument%s but %d %s given" % (
            name, takes, "" if takes == "1" else "s", num_positional, "was" if num_positional == 1 else "were")
    missing = [parameter for parameter, has_default in parameters[num_positional:] if not has_default and parameter not in keywords]
    if missing:
        return "%s() missing %d required positional argument%s: %s" % (name, len(missing), "s" * (len(missing) > 1), _listed(missing))
    return None
