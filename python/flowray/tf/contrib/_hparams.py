"""tf.contrib.training.HParams: numbers and texts of a training by name, each of one type for ever."""

import json as _json
import numbers as _numbers
import re as _re

_PARAMETER = _re.compile(r"(?P<name>[a-zA-Z][\w.]*)(?:\[\s*(?P<index>\d+)\s*\])?\s*=\s*(?:(?P<value>[^,\[]*)|\[(?P<values>[^\]]*)\])(?:$|,\s*)")


def _cast(name, kind, value):
    if kind is type(None):
        return value
    wrong = (issubclass(kind, str) and not isinstance(value, (str, bytes))
             or issubclass(kind, bool) != isinstance(value, bool)
             or issubclass(kind, _numbers.Integral) and not isinstance(value, _numbers.Integral)
             or issubclass(kind, _numbers.Number) and not isinstance(value, _numbers.Number))
    if wrong:
        raise ValueError("Could not cast hparam '%s' of type '%s' from value %r" % (name, kind, value))
    return kind(value)


def _parsed(kind, text, whole, name):
    if kind is bool:
        known = {"true": True, "True": True, "1": True, "false": False, "False": False, "0": False}
        if text in known:
            return known[text]
    else:
        try:
            return kind(text)
        except ValueError:
            pass
    raise ValueError("Could not parse hparam '%s' of type '%s' with value '%s' in %s" % (name, kind.__name__, text, whole))


def parse_values(values, type_map, ignore_unknown=False):
    """{name: value, list of values, or {index: value}} of a text as "rate=0.1,sizes=[3,4],names[1]=b"."""
    found, position = {}, 0
    while position < len(values):
        match = _PARAMETER.match(values, position)
        if not match:
            raise ValueError("Malformed hyperparameter value: %s" % values[position:])
        position = match.end()
        name = match["name"]
        if name not in type_map:
            if ignore_unknown:
                continue
            raise ValueError("Unknown hyperparameter type for %s" % name)
        kind = type_map[name]
        if match["values"] is not None:
            if match["index"] is not None:
                raise ValueError("Assignment of a list to a list index.")
            value = [_parsed(kind, text, values, name) for text in _re.split(r"[ ,]", match["values"]) if text]
        else:
            value = _parsed(kind, match["value"].strip(), values, name)
        if match["index"] is not None:
            there = found.setdefault(name, {})
            if not isinstance(there, dict) or int(match["index"]) in there:
                raise ValueError("Multiple assignments to variable '%s' in %s" % (name, values))
            there[int(match["index"])] = value
        elif name in found:
            raise ValueError("Multiple assignments to variable '%s' in %s" % (name, values))
        else:
            found[name] = value
    return found


class HParams:
    """Values that are attributes: HParams(rate=0.1).rate. What is set or parsed later has the type of the first value."""

    def __init__(self, hparam_def=None, model_structure=None, **kwargs):
        if hparam_def is not None:
            raise NotImplementedError("HParams(hparam_def=) is not there: give the values by name")
        self._hparam_types, self._model_structure = {}, model_structure
        for name, value in kwargs.items():
            self.add_hparam(name, value)

    def add_hparam(self, name, value):
        """A new one; a list is of elements of one type."""
        if getattr(self, name, None) is not None:
            raise ValueError("Hyperparameter name is reserved: %s" % name)
        if isinstance(value, (list, tuple)):
            if not value:
                raise ValueError("Multi-valued hyperparameters cannot be empty: %s" % name)
            self._hparam_types[name] = (type(value[0]), True)
        else:
            self._hparam_types[name] = (type(value), False)
        setattr(self, name, value)

    def set_hparam(self, name, value):
        """Another value of the same type for one that is there."""
        kind, is_list = self._hparam_types[name]
        if isinstance(value, list):
            if not is_list:
                raise ValueError("Must not pass a list for single-valued parameter: %s" % name)
            setattr(self, name, [_cast(name, kind, each) for each in value])
        else:
            if is_list:
                raise ValueError("Must pass a list for multi-valued parameter: %s." % name)
            setattr(self, name, _cast(name, kind, value))

    def del_hparam(self, name):
        if hasattr(self, name):
            delattr(self, name)
            del self._hparam_types[name]

    def parse(self, values):
        """Values from a text as programs take it from the command line: "rate=0.1,sizes=[3,4]"."""
        found = parse_values(values, {name: kind for name, (kind, _) in self._hparam_types.items()})
        for name, value in found.items():
            if isinstance(value, dict):
                elements = list(getattr(self, name))
                for index, element in value.items():
                    elements[index] = element
                found[name] = elements
            elif self._hparam_types[name][1] and not isinstance(value, list):
                found[name] = [value]
        return self.override_from_dict(found)

    def parse_json(self, values_json):
        return self.override_from_dict(_json.loads(values_json))

    def override_from_dict(self, values_dict):
        for name, value in values_dict.items():
            self.set_hparam(name, value)
        return self

    set_from_map = override_from_dict

    def to_json(self, indent=None, separators=None, sort_keys=False):
        """All values but functions."""
        return _json.dumps({name: value for name, value in self.values().items() if not callable(value)}, indent=indent, separators=separators,
                           sort_keys=sort_keys)

    def values(self):
        return {name: getattr(self, name) for name in self._hparam_types}

    def get(self, key, default=None):
        """The value, or `default`, which must be of its type, where there is none."""
        if key not in self._hparam_types:
            return default
        kind, is_list = self._hparam_types[key]
        if default is not None and (isinstance(default, list) != is_list or not all(
                isinstance(each, kind) for each in (default if is_list else [default]))):
            raise ValueError("Hparam '%s' of type '%s' is incompatible with default=%s" % (key, kind, default))
        return getattr(self, key)

    def set_model_structure(self, model_structure):
        self._model_structure = model_structure

    def get_model_structure(self):
        return self._model_structure

    def __contains__(self, key):
        return key in self._hparam_types

    def __str__(self):
        return str(sorted(self.values().items()))

    def __repr__(self):
        return "%s(%s)" % (type(self).__name__, self)
