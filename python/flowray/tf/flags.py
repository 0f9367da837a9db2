"""tf.app.flags: a program's arguments, as --name=value and --name value."""

import enum
import itertools
import sys


class Error(Exception):
    """What all errors of flags derive from."""


class DuplicateFlagError(Error):
    """Two modules define one flag; here the later definition counts, and nothing raises it."""


class IllegalFlagValueError(Error):
    """An argument gives a flag a value that it does not take, or a validator refuses."""


class UnrecognizedFlagError(Error):
    """There is no flag of that name."""


class UnparsedFlagAccessError(Error):
    """A flag is asked for before the arguments are read; here they are read then, and nothing raises it."""


class ValidationError(Error):
    """What a validator may raise instead of giving False, with a message of its own."""


class _Flag:
    required = False  # whether the arguments have to give it a value

    def __init__(self, name, default, text, parse, is_bool=False):
        self.name, self.default, self.text, self.parse, self.is_bool = name, default, text, parse, is_bool
        self.value, self.present, self.boolean = default, 0, is_bool
        self.is_multi = False  # whether each argument of its name adds a value to a list
        self.separator = None  # what stands between the words of a list, if it is not a comma
        self.validators = []

    help = property(lambda self: self.text)

    def __str__(self):
        """The value, which is what programs print that are older than these objects."""
        return str(self.value)

    __repr__ = __str__

    def unparse(self):
        self.value, self.present = self.default, 0

    def give(self, value):
        """One more argument says `value`."""
        if self.is_multi:
            value = [*self.value, value] if self.present else [value]
        self.value, self.present = value, self.present + 1

    def serialize(self):
        """The arguments that give it its value, one a line."""
        if self.value is None:
            return ""
        if self.is_bool:
            return "--%s%s" % ("" if self.value else "no", self.name)
        if self.separator is not None:
            return "--%s=%s" % (self.name, self.separator.join(self.value))
        if self.is_multi:
            return "\n".join("--%s=%s" % (self.name, _serialized(value)) for value in self.value)
        return "--%s=%s" % (self.name, _serialized(self.value))


def _serialized(value):
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value))
    return value.name.lower() if isinstance(value, enum.Enum) else str(value)


class FlagHolder:
    """What DEFINE_string and its kin give: the flag, for programs that do not ask FLAGS for it."""

    def __init__(self, flag_values, flag):
        self._flag_values, self._flag = flag_values, flag

    name = property(lambda self: self._flag.name)
    default = property(lambda self: self._flag.default)

    @property
    def value(self):
        """The flag's value; the arguments are read if they have not been."""
        return getattr(self._flag_values, self._flag.name)

    @property
    def present(self):
        """Whether an argument gave it a value."""
        return bool(self._flag.present)


class FlagValues:
    """The flags' values as attributes; the program's arguments are read when one is first asked for."""

    def __init__(self):
        self.__dict__["_flags"] = {}
        self.__dict__["_parsed"] = False

    def __call__(self, argv):
        """Reads the arguments; returns those that are not flags, the program's name first."""
        self.__dict__["_parsed"] = True
        rest, arguments = [argv[0]], list(argv[1:])
        while arguments:
            argument = arguments.pop(0)
            if argument == "--":
                return rest + arguments
            name, equals, value = argument.lstrip("-").partition("=")
            flag = self._flags.get(name)
            negated = self._flags.get(name[2:]) if name.startswith("no") else None
            if argument in ("-h", "--help", "--helpfull"):
                self._print_help(argv[0])
                sys.exit(0)
            if not argument.startswith("-") or (flag is None and not (negated and negated.is_bool)):
                rest.append(argument)
            elif flag is None:
                negated.give(False)
            elif equals:
                flag.give(self._parsed_value(flag, value))
            elif flag.is_bool:
                flag.give(True)
            elif arguments:
                flag.give(self._parsed_value(flag, arguments.pop(0)))
            else:
                raise Error("Missing value for flag --%s" % name)
        self.validate_all_flags()
        return rest

    def validate_all_flags(self):
        """Asks all validators; raises IllegalFlagValueError for the first that refuses, in the order of their registration."""
        for flag in self._flags.values():
            if flag.required and flag.value is None:
                raise IllegalFlagValueError("flag --%s=None: Flag --%s must have a value other than None." % (flag.name, flag.name))
        self._ask({id(one): one for flag in self._flags.values() for one in flag.validators}.values())

    def _ask(self, validators):
        for validator in sorted(validators, key=lambda one: one.number):
            validator.check(self)

    def _parsed_value(self, flag, value):
        try:
            return flag.parse(value)
        except ValueError as error:
            raise IllegalFlagValueError("flag --%s=%s: %s" % (flag.name, value, error)) from None

    def _print_help(self, program):
        print("flags of %s:" % program)
        for flag in self._flags.values():
            print("  --%s: %s (default: %r)" % (flag.name, flag.text, flag.default))

    def __getattr__(self, name):
        if name == "__flags":  # as FLAGS.__flags outside of a class
            return self._flags
        if name.startswith("__") or name not in self._flags:
            raise AttributeError("Unknown command line flag '%s'" % name)
        self._parse_flags()
        return self._flags[name].value

    def _parse_flags(self, args=None):
        """Reads the program's arguments, if they have not been read."""
        if args is not None or not self._parsed:
            self([sys.argv[0], *args] if args is not None else sys.argv)

    def mark_as_parsed(self):
        self.__dict__["_parsed"] = True

    def is_parsed(self):
        return self._parsed

    def unparse_flags(self):
        """All have their defaults, and the arguments are read again when a flag is asked for."""
        for flag in self._flags.values():
            flag.unparse()
        self.__dict__["_parsed"] = False

    def __getitem__(self, name):
        return self._flags[name]

    def __iter__(self):
        return iter(list(self._flags))

    def __len__(self):
        return len(self._flags)

    def __dir__(self):
        return sorted([*super().__dir__(), *self._flags])

    def __delattr__(self, name):
        if name not in self._flags:
            raise AttributeError(name)
        del self._flags[name]

    def get_flag_value(self, name, default):
        """The flag's value; `default` where there is none of that name, or it is None."""
        value = getattr(self, name) if name in self._flags else None
        return default if value is None else value

    def set_default(self, name, value):
        """The value of a flag that the arguments do not set."""
        flag = self._flags[name]
        flag.default = value
        if not flag.present:
            flag.value = value

    def __setattr__(self, name, value):
        if name not in self._flags:
            raise AttributeError("Unknown command line flag '%s'" % name)
        self._flags[name].value = value
        self._ask(self._flags[name].validators)

    def __contains__(self, name):
        return name in self._flags

    def flag_values_dict(self):
        return {name: getattr(self, name) for name in self._flags}

    def flags_into_string(self):
        """The arguments that give all flags their values, a line each; those that are None are left out."""
        lines = (flag.serialize() for flag in dict.fromkeys(self._flags.values()))
        return "".join(line + "\n" for line in lines if line)

    def append_flags_into_file(self, filename):
        """Adds flags_into_string() to the end of a file."""
        with open(filename, "a", encoding="utf-8") as file:
            file.write(self.flags_into_string())


FLAGS = FlagValues()


def _boolean(text):
    if text.lower() in ("true", "t", "1", "yes"):
        return True
    if text.lower() in ("false", "f", "0", "no"):
        return False
    raise ValueError("a boolean is true or false")


def _values(flag_values):
    return FLAGS if flag_values is None else flag_values


def _define(name, default, text, parse, is_bool=False, required=False, flag_values=None, short_name=None, module_name=None,
            allow_override=False, allow_override_cpp=True, allow_hide_cpp=False, **other):
    # absl's words of modules and of C++'s flags: there are no modules here, and a flag may always be defined again.
    for word, value in other.items():
        raise NotImplementedError("A flag with %s=%r is not there: leave it out, and check the value in the program" % (word, value))
    flags = _values(flag_values)
    if required and default is not None:
        raise ValueError("If marking a single flag as required, use default=None in the definition of --%s" % name)
    flags._flags[name] = _Flag(name, default, text, parse, is_bool)
    flags._flags[name].required = required
    if short_name is not None:
        flags._flags[short_name] = flags._flags[name]  # as absl has it: one flag under two names
    return FlagHolder(flags, flags._flags[name])


def _within(number, kind, lower_bound, upper_bound):
    """What reads a number and refuses one beyond the bounds, in absl's words."""
    if lower_bound is not None and upper_bound is not None:
        wanted = "%s in the range [%s, %s]" % (kind, lower_bound, upper_bound)
    elif lower_bound == 0 or upper_bound == 0:
        wanted = "a non-%s %s" % ("negative" if lower_bound == 0 else "positive", kind.split()[1])
    elif kind == "an integer" and (lower_bound == 1 or upper_bound == -1):
        wanted = "a %s integer" % ("positive" if lower_bound == 1 else "negative")
    else:
        wanted = "%s %s" % (kind, "<= %s" % upper_bound if lower_bound is None else ">= %s" % lower_bound)

    def parse(text):
        value = number(text)
        if lower_bound is not None and value < lower_bound or upper_bound is not None and value > upper_bound:
            raise ValueError("%s is not %s" % (value, wanted))
        return value
    return parse


def DEFINE_string(name, default, help="", **other):
    return _define(name, default, help, str, **other)


def DEFINE_integer(name, default, help="", lower_bound=None, upper_bound=None, **other):
    return _define(name, default, help, _within(lambda text: int(text, 0), "an integer", lower_bound, upper_bound), **other)


def DEFINE_float(name, default, help="", lower_bound=None, upper_bound=None, **other):
    return _define(name, default, help, _within(float, "a number", lower_bound, upper_bound), **other)


def DEFINE_boolean(name, default, help="", **other):
    return _define(name, default, help, _boolean, True, **other)


DEFINE_bool = DEFINE_boolean


def DEFINE_list(name, default, help="", **other):
    return _define(name, default.split(",") if isinstance(default, str) else default, help, lambda text: text.split(","), **other)


def DEFINE_enum(name, default, enum_values, help="", case_sensitive=True, **other):
    return _define(name, default, help, _one_of(enum_values, case_sensitive), **other)


def _one_of(enum_values, case_sensitive):
    def parse(text):
        for value in enum_values:
            if text == value or not case_sensitive and text.lower() == value.lower():
                return value
        raise ValueError("value should be one of <%s>" % "|".join(enum_values))
    return parse


def _member_of(enum_class, case_sensitive):
    def parse(text):
        for member in enum_class:
            if text == member.name or not case_sensitive and text.lower() == member.name.lower():
                return member
        names = (member.name if case_sensitive else member.name.lower() for member in enum_class)
        raise ValueError("value should be one of <%s>" % "|".join(names))
    return parse


def DEFINE_enum_class(name, default, enum_class, help="", case_sensitive=False, **other):
    """A flag whose value is a member of an enum.Enum; arguments give its name."""
    parse = _member_of(enum_class, case_sensitive)
    return _define(name, parse(default) if isinstance(default, str) else default, help, parse, **other)


def DEFINE_spaceseplist(name, default, help="", comma_compat=False, **other):
    """A list of words that spaces, and with comma_compat commas, stand between."""
    def parse(text):
        return (text.replace(",", " ") if comma_compat else text).split()
    holder = _define(name, parse(default) if isinstance(default, str) else default, help, parse, **other)
    holder._flag.separator = "," if comma_compat else " "
    return holder


def _define_multi(name, default, text, parse, **other):
    if isinstance(default, str) or default is not None and not hasattr(default, "__iter__"):
        default = [default]
    values = None if default is None else [parse(value) if isinstance(value, str) else value for value in default]
    holder = _define(name, values, text, parse, **other)
    holder._flag.is_multi = True
    return holder


def DEFINE_multi_string(name, default, help="", **other):
    """A list: each argument of its name adds a value, the first in place of the default ones."""
    return _define_multi(name, default, help, str, **other)


def DEFINE_multi_integer(name, default, help="", lower_bound=None, upper_bound=None, **other):
    """As DEFINE_multi_string, of integers."""
    return _define_multi(name, default, help, _within(lambda text: int(text, 0), "an integer", lower_bound, upper_bound), **other)


def DEFINE_multi_float(name, default, help="", lower_bound=None, upper_bound=None, **other):
    """As DEFINE_multi_string, of numbers."""
    return _define_multi(name, default, help, _within(float, "a number", lower_bound, upper_bound), **other)


def DEFINE_multi_enum(name, default, enum_values, help="", case_sensitive=True, **other):
    """As DEFINE_multi_string, of some texts."""
    return _define_multi(name, default, help, _one_of(enum_values, case_sensitive), **other)


def DEFINE_multi_enum_class(name, default, enum_class, help="", case_sensitive=False, **other):
    """As DEFINE_multi_string, of members of an enum.Enum."""
    return _define_multi(name, default, help, _member_of(enum_class, case_sensitive), **other)


def DEFINE_alias(name, original_name, flag_values=None):
    """A second name of a flag."""
    flags = _values(flag_values)
    if original_name not in flags:
        raise UnrecognizedFlagError("Unknown command line flag '%s'" % original_name)
    flags._flags[name] = flags._flags[original_name]
    return FlagHolder(flags, flags._flags[name])


def set_default(flag_holder, value):
    """The value of a flag, by what its definition gave, that the arguments do not set."""
    flag_holder._flag_values.set_default(flag_holder.name, value)


class _Validator:
    numbers = itertools.count()

    def __init__(self, names, checker, message, takes_all):
        self.names, self.checker, self.message, self.takes_all, self.number = names, checker, message, takes_all, next(self.numbers)

    def check(self, flags):
        values = {name: flags._flags[name].value for name in self.names}
        if self.takes_all:
            shown = "flags %s" % ", ".join("%s=%s" % item for item in values.items())
        else:
            shown = "flag --%s=%s" % next(iter(values.items()))
        try:
            if self.checker(values if self.takes_all else next(iter(values.values()))):
                return
            reason = self.message
        except ValidationError as error:
            reason = error
        raise IllegalFlagValueError("%s: %s" % (shown, reason))


def _register(names, checker, message, flag_values, takes_all):
    flags, validator = _values(flag_values), _Validator(names, checker, message, takes_all)
    for name in names:
        if name not in flags:
            raise KeyError(name)
        flags._flags[name].validators.append(validator)


def register_validator(flag_name, checker, message="Flag validation failed", flag_values=None):
    """checker(value) is asked when the arguments have been read and when the program gives the flag a value; it gives False, or raises
    ValidationError, for a value that is refused (IllegalFlagValueError with `message`)."""
    _register([flag_name], checker, message, flag_values, False)


def validator(flag_name, message="Flag validation failed", flag_values=None):
    """A decorator: register_validator with the function below it."""
    def decorate(checker):
        register_validator(flag_name, checker, message, flag_values)
        return checker
    return decorate


def register_multi_flags_validator(flag_names, multi_flags_checker, message="Flags validation failed", flag_values=None):
    """As register_validator, of several flags: the function is given a dict of their values."""
    _register(list(flag_names), multi_flags_checker, message, flag_values, True)


def multi_flags_validator(flag_names, message="Flag validation failed", flag_values=None):
    """A decorator: register_multi_flags_validator with the function below it."""
    def decorate(checker):
        register_multi_flags_validator(flag_names, checker, message, flag_values)
        return checker
    return decorate


def mark_flag_as_required(flag_name, flag_values=None):
    """The arguments, or the program, have to give the flag a value."""
    register_validator(flag_name, lambda value: value is not None, "Flag --%s must have a value other than None." % flag_name, flag_values)


def mark_flags_as_required(flag_names, flag_values=None):
    """mark_flag_as_required of each."""
    for name in flag_names:
        mark_flag_as_required(name, flag_values)


def _mark_as_exclusive(flag_names, required, flag_values, counts, message):
    def check(values):
        given = sum(map(counts, values.values()))
        return given == 1 or not required and given == 0
    wanted = "Exactly one" if required else "At most one"
    register_multi_flags_validator(flag_names, check, message % (wanted, ", ".join(flag_names)), flag_values)


def mark_flags_as_mutual_exclusive(flag_names, required=False, flag_values=None):
    """At most one of the flags (exactly one, if `required`) may have a value other than None."""
    _mark_as_exclusive(flag_names, required, flag_values, lambda value: value is not None,
                       "%s of (%s) must have a value other than None.")


def mark_bool_flags_as_mutual_exclusive(flag_names, required=False, flag_values=None):
    """At most one of the flags (exactly one, if `required`) may be True."""
    for name in flag_names:
        if not _values(flag_values)._flags[name].is_bool:
            raise ValidationError("Flag --%s is not Boolean, which is required for flags used in mark_bool_flags_as_mutual_exclusive." % name)
    _mark_as_exclusive(flag_names, required, flag_values, bool, "%s of (%s) must be True.")
