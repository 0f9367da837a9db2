"""tf.app.flags: a program's arguments, as --name=value and --name value."""

import sys


class Error(Exception):
    pass


class _Flag:
    required = False  # whether the arguments have to give it a value

    def __init__(self, name, default, text, parse, is_bool=False):
        self.name, self.default, self.text, self.parse, self.is_bool = name, default, text, parse, is_bool
        self.value, self.present, self.boolean = default, 0, is_bool

    help = property(lambda self: self.text)

    def __str__(self):
        """The value, which is what programs print that are older than these objects."""
        return str(self.value)

    __repr__ = __str__

    def unparse(self):
        self.value, self.present = self.default, 0


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
                self._give(negated, False)
            elif equals:
                self._give(flag, self._parsed_value(flag, value))
            elif flag.is_bool:
                self._give(flag, True)
            elif arguments:
                self._give(flag, self._parsed_value(flag, arguments.pop(0)))
            else:
                raise Error("Missing value for flag --%s" % name)
        for flag in self._flags.values():
            if flag.required and flag.value is None:
                raise Error("flag --%s=None: Flag --%s must have a value other than None." % (flag.name, flag.name))
        return rest

    @staticmethod
    def _give(flag, value):
        flag.value, flag.present = value, flag.present + 1

    def _parsed_value(self, flag, value):
        try:
            return flag.parse(value)
        except ValueError as error:
            raise Error("flag --%s=%s: %s" % (flag.name, value, error)) from None

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

    def __contains__(self, name):
        return name in self._flags

    def flag_values_dict(self):
        return {name: getattr(self, name) for name in self._flags}


FLAGS = FlagValues()


def _boolean(text):
    if text.lower() in ("true", "t", "1", "yes"):
        return True
    if text.lower() in ("false", "f", "0", "no"):
        return False
    raise ValueError("a boolean is true or false")


def _define(name, default, text, parse, is_bool=False, required=False, flag_values=None, short_name=None, module_name=None,
            allow_override=False, allow_override_cpp=True, allow_hide_cpp=False, **other):
    # absl's words of modules and of C++'s flags: there are no modules here, and a flag may always be defined again.
    for word, value in other.items():
        raise NotImplementedError("A flag with %s=%r is not there: leave it out, and check the value in the program" % (word, value))
    flags = FLAGS if flag_values is None else flag_values
    if required and default is not None:
        raise ValueError("If marking a single flag as required, use default=None in the definition of --%s" % name)
    flags._flags[name] = _Flag(name, default, text, parse, is_bool)
    flags._flags[name].required = required
    if short_name is not None:
        flags._flags[short_name] = flags._flags[name]  # as absl has it: one flag under two names


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
    _define(name, default, help, str, **other)


def DEFINE_integer(name, default, help="", lower_bound=None, upper_bound=None, **other):
    _define(name, default, help, _within(lambda text: int(text, 0), "an integer", lower_bound, upper_bound), **other)


def DEFINE_float(name, default, help="", lower_bound=None, upper_bound=None, **other):
    _define(name, default, help, _within(float, "a number", lower_bound, upper_bound), **other)


def DEFINE_boolean(name, default, help="", **other):
    _define(name, default, help, _boolean, True, **other)


DEFINE_bool = DEFINE_boolean


def DEFINE_list(name, default, help="", **other):
    _define(name, default.split(",") if isinstance(default, str) else default, help, lambda text: text.split(","), **other)


def DEFINE_enum(name, default, enum_values, help="", case_sensitive=True, **other):
    def parse(text):
        for value in enum_values:
            if text == value or not case_sensitive and text.lower() == value.lower():
                return value
        raise ValueError("value should be one of <%s>" % "|".join(enum_values))
    _define(name, default, help, parse, **other)
