"""Flags that are lists, members, aliases; validators, and flags that exclude each other or have to be given."""

import enum

import tensorflow.compat.v1 as tf

flags = tf.flags


class Color(enum.Enum):
    RED = 1
    BLUE = 2


def made():
    values = flags.FlagValues()
    flags.DEFINE_multi_integer("sizes", [1, 2], "of layers", lower_bound=0, flag_values=values)
    flags.DEFINE_multi_string("names", "one", "of them", flag_values=values)
    flags.DEFINE_multi_float("rates", None, "of them", flag_values=values)
    flags.DEFINE_multi_enum("modes", ["train"], ["train", "eval"], "what to do", flag_values=values)
    flags.DEFINE_enum_class("color", "red", Color, "of what", flag_values=values)
    flags.DEFINE_spaceseplist("words", "x y", "some", flag_values=values)
    flags.DEFINE_boolean("loud", False, "or not", flag_values=values)
    flags.DEFINE_boolean("silent", False, "or not", flag_values=values)
    flags.DEFINE_string("folder", None, "where", flag_values=values)
    flags.DEFINE_alias("dir", "folder", flag_values=values)
    flags.DEFINE_float("rate", 0.5, "how fast", flag_values=values)
    return values


def say(what, *arguments, prepare=lambda values: None):
    """The values that arguments give, or what is wrong with them."""
    values = made()
    try:
        prepare(values)
        values(["program", *arguments])
        print(what, values.sizes, values.names, values.rates, values.modes, values.color, values.words, values.loud, values.folder, values.dir)
    except (flags.Error, KeyError) as error:
        print(what, type(error).__name__, str(error).splitlines()[0])


say("defaults")
say("given", "--sizes=3", "--sizes", "4", "--names=x", "--rates=1.5", "--rates=2", "--modes=eval", "--color=BLUE", "--words=u v w", "--loud",
    "--dir=here")
say("below the bound", "--sizes=-1")
say("no mode", "--modes=sleep")
say("no color", "--color=green")
say("no number", "--rate=fast")
say("no flag of that name", prepare=lambda values: flags.DEFINE_alias("short", "long", flag_values=values))

values = flags.FlagValues()
holder = flags.DEFINE_integer("steps", 1, "how many", flag_values=values)
flags.set_default(holder, 7)
values(["program"])
print("a holder", holder.name, holder.value, holder.default, holder.present)


def small_rate(values):
    flags.register_validator("rate", lambda rate: rate < 1, message="must be small", flag_values=values)
    flags.register_multi_flags_validator(["rate", "folder"], lambda both: not (both["folder"] and both["rate"] > 0.7), "not both", values)


say("a rate that is small", "--rate=0.1", prepare=small_rate)
say("a rate that is not", "--rate=2", prepare=small_rate)
say("two that do not fit", "--rate=0.8", "--folder=x", prepare=small_rate)
values = made()
small_rate(values)
values(["program"])
try:
    values.rate = 3.0
except flags.IllegalFlagValueError as error:
    print("set by the program:", error)


def of_its_own(values):
    @flags.validator("sizes", flag_values=values)
    def check(sizes):
        raise flags.ValidationError("there are %d" % len(sizes))


say("a message of its own", prepare=of_its_own)
say("a validator of nothing", prepare=lambda values: flags.register_validator("nothing", bool, flag_values=values))
say("a folder is missing", prepare=lambda values: flags.mark_flag_as_required("folder", flag_values=values))
say("a folder is there", "--folder=x", prepare=lambda values: flags.mark_flags_as_required(["folder"], flag_values=values))
for required in (False, True):
    def one_of_two(values, required=required):
        flags.mark_flags_as_mutual_exclusive(["folder", "rates"], required, flag_values=values)

    def one_is_true(values, required=required):
        flags.mark_bool_flags_as_mutual_exclusive(["loud", "silent"], required, flag_values=values)

    for given in ((), ("--folder=x",), ("--folder=x", "--rates=2")):
        say("of two", *given, prepare=one_of_two)
    for given in ((), ("--loud",), ("--loud", "--silent")):
        say("of two truths", *given, prepare=one_is_true)
say("no truth", prepare=lambda values: flags.mark_bool_flags_as_mutual_exclusive(["folder"], flag_values=values))

values = made()
values(["program", "--loud", "--sizes=3", "--sizes=4", "--color=blue", "--words=u v"])
print(sorted(values.flags_into_string().split("\n")))
