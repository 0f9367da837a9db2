"""tf.autograph: a converted function does what it did in Python, and what cannot be converted exactly is refused and runs as it is."""

import contextlib
import importlib.util
import random
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

EXAMPLES = '''
import contextlib

LOG = []


class Twice:
    def __enter__(self):
        LOG.append("in")
        return self

    def __exit__(self, *_):
        LOG.append("out")


def only_raises(x):
    if x < 0:
        raise ValueError("negative")
    LOG.append(x)
    return x + 1


def raises_in_one_of_three(x):
    if x < 0:
        raise ValueError("negative")
    elif x == 0:
        y = 5
    else:
        y = x
    y += 1
    return y


def fact(n):
    if n <= 1:
        return 1
    return n * fact(n - 1)


def relu(x):
    return x if x > 0 else 0


class Layer:
    def relu(self, x):
        return relu(x)

    def text(self, x):
        """Two
        lines."""
        told = """
        a
          b"""
        if x:
            told += "!"
        return told


layer_relu, layer_text = Layer().relu, Layer().text


def guards(x):
    if x == 0:
        return "zero"
    if x < 0:
        if x < -1:
            return "small"
        LOG.append("minus one")
    if x > 1:
        LOG.append("large")
        return "large"
    return "one"


def deep(x):
    if x > 0:
        if x > 1:
            return 2
    LOG.append("first")
    if x > -1:
        if x == 0:
            return 0
    LOG.append("second")
    return None


def falls_off(x):
    if x:
        return 1


def dead(x):
    if x:
        return 1
    else:
        return 2
    return 3


def unbound_after_if(x):
    if x > 0:
        y = 1
    return y


def bound_by_nobody(x):
    if x > 0:
        y = x
    LOG.append("before")
    z = [y]
    return z


def unbound_in_loop(n):
    for i in range(n):
        last = i
    return last, i


def shadows_global(x):
    if x > 0:
        relu = 5
        return relu
    return relu


def breaks(values):
    total = 0
    for value in values:
        if value < 0:
            continue
        if value > 10:
            break
        total += value
    else_ = total
    return total, else_, value


def returns_in_loop(values):
    for value in values:
        for other in range(value):
            if other == 3:
                return "three", value
        LOG.append(value)
    return "none"


def while_loop(n):
    steps = 0
    while n != 1 and steps < 50:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps, n


def takes_no_more(values):
    values = iter(values)
    for value in values:
        if value == 2:
            break
    return list(values)


def with_return(x):
    with Twice():
        LOG.append(x)
        return x + 1
    return None


def chained(a):
    return 0 < a < 10, 0 < a <= abs(a) < 5, not a, a and a - 1, a or "nothing"


def asserts(x):
    assert x > 0, "small %d" % x
    assert x > 1
    return x


def ints(text):
    return int(text, base=16), int(), float(), int(x) if (x := None) else max([3, 4], key=lambda v: -v)


def keywords(text):
    return int(text, base=16), int(), float(), max([3, 4], key=lambda v: -v), max([], default=7), len([1])


def del_outside(x):
    y = x
    if x:
        y += 1
    z = y
    del y
    return z, y


def mutates(values):
    values = list(values)
    for i in range(len(values)):
        if values[i] % 2:
            values[i] = -values[i]
    return values


def tuples(pairs):
    out = {}
    for a, (b, *c) in pairs:
        if a not in out:
            out[a] = [b, *c]
        else:
            out[a] += [b]
    return out


def comprehensions(values):
    limit = 0
    for value in values:
        limit = max(limit, value)
    return [v for v in values if v < limit and v], {v: k for k, v in enumerate(values) if not v == limit}


def imports(x):
    if x:
        import math as m
        import os.path
        return m.floor(2.5), os.path.join("a", "b")
    return None
'''

# What is refused: function, arguments of its calls.
REFUSED = '''
import contextlib

LOG = []


def swallows(x):
    with contextlib.suppress(ValueError):
        if x:
            return "in"
        LOG.append("x")
    return "behind"


def return_in_with(x):
    with contextlib.nullcontext():
        if x:
            return 1
    return 2


def return_in_try(x):
    try:
        if x:
            return 1
        LOG.append("no")
    finally:
        LOG.append("finally")
    return 2


def return_in_finally(x):
    try:
        LOG.append(x)
    finally:
        return 3


def return_in_loop_in_with(values):
    for value in values:
        with contextlib.nullcontext():
            return value
    return None


def loop_in_try(values):
    n = 0
    try:
        for value in values:
            n += 1
            if value == 2:
                raise ValueError
    except ValueError:
        pass
    return n


def loop_in_suppress(values):
    n = 0
    with contextlib.suppress(ValueError):
        for value in values:
            n += 1
            if value == 2:
                raise ValueError
    return n


def lambda_in_loop(n):
    made = []
    for i in range(n):
        made.append(lambda: i)
    return [one() for one in made]


def lambda_reads_later(x):
    y = 1
    get = lambda: y
    if x:
        y = 2
        LOG.append(get())
    return get()


def nonlocal_counter(n):
    count = 0

    def add():
        nonlocal count
        count += 1
    for _ in range(n):
        add()
        if count > 2:
            count = 0
    return count


def generator_reads_later(x):
    y = 1
    made = (y for _ in range(2))
    if x:
        y = 2
    return list(made)


def class_reads(x):
    y = 1
    if x:
        y = 2

    class Inner:
        def get(self):
            return y
    return Inner().get()


def error_name(x):
    e = 0
    if x:
        try:
            raise ValueError
        except ValueError as e:
            pass
    return e


def deletes(x):
    y = 1
    if x:
        del y
    return y


class Base:
    def name(self):
        return "base"


class Derived(Base):
    __hidden = 5

    def name(self, x=True):
        if x:
            return super().name() + "!"
        return None

    def hidden(self, x):
        if x:
            return self.__hidden
        return None


derived_name, derived_hidden = Derived().name, Derived().hidden


def walrus(x):
    if (y := x) and y > 1:
        return y
    return None


def matches(x):
    match x:
        case [a, b]:
            if a:
                return a
            return b
        case _:
            return None


def continue_in_try(values):
    total = 0
    for value in values:
        try:
            if value:
                pass
        except ValueError:
            pass
        else:
            if value == 2:
                continue
        total += value
    return total


def loop_else(values):
    for value in values:
        if value == 2:
            break
    else:
        return "no two"
    return "two"


TOTAL = 0


def globals_(x):
    global TOTAL
    if x:
        TOTAL = x
    return TOTAL


def sees_frames(x):
    if x:
        y = 1
    return sorted(locals())


def evaluates(x):
    if x:
        return eval("x + 1")
    return None


def many_returns(a):
    if a > 0:
        if a > 1:
            return 1
    if a > 2:
        if a > 3:
            return 2
    if a < 0:
        if a < -1:
            return 3
    if a < -2:
        if a < -3:
            return 4
    if a < -2:
        if a < -3:
            return 5
    return 6
'''

CALLS = {
    "only_raises": (-1, 2), "raises_in_one_of_three": (-1, 0, 3), "fact": (1, 6), "layer_relu": (-1, 4), "layer_text": (0, 1),
    "guards": (0, -1, -5, 1, 2), "deep": (-1, 0, 1, 2), "falls_off": (0, 1), "dead": (0, 1), "unbound_after_if": (0, 1), "bound_by_nobody": (0, 1),
    "unbound_in_loop": (0, 3), "shadows_global": (0, 1), "breaks": ([1, -1, 2], [1, 11, 2], [-1]), "returns_in_loop": ([1, 2, 5, 1], [1, 2], []),
    "while_loop": (1, 6, 27), "takes_no_more": ([1, 2, 3, 4], [3]), "with_return": (1,), "chained": (0, 3, 7, -2), "asserts": (0, 1, 2),
    "keywords": ("ff",), "del_outside": (0, 1), "mutates": ([1, 2, 3],), "tuples": ([(1, (2, 3, 4)), (2, "ab"), (1, "c")],),
    "comprehensions": ([3, 0, 5, 1],), "imports": (0, 1)}
CALLS_OF_REFUSED = {
    "swallows": (0, 1), "return_in_with": (0, 1), "return_in_try": (0, 1), "return_in_finally": (0,), "return_in_loop_in_with": ([], [4, 5]),
    "loop_in_try": ([1, 2, 3], []), "loop_in_suppress": ([1, 2, 3],), "lambda_in_loop": (3,), "lambda_reads_later": (0, 1), "nonlocal_counter": (2, 5),
    "generator_reads_later": (0, 1), "class_reads": (0, 1), "error_name": (0, 1), "deletes": (0, 1), "derived_name": (0, 1), "derived_hidden": (0, 1),
    "walrus": (0, 1, 2), "matches": ([1, 2], [0, 3], 4), "continue_in_try": ([1, 2, 3],), "loop_else": ([1, 2], [1]), "globals_": (0, 3),
    "sees_frames": (0, 1), "evaluates": (0, 1), "many_returns": (0, 1, 2, 5, -1, -2, -7)}


def outcome(function, *arguments):
    """What a call gives or raises."""
    try:
        return "gives", repr(function(*arguments))
    except Exception as error:  # noqa: B902: of whatever kind, it has to be the same
        # A name's missing is told of in other words where it is a closure's.
        kind = NameError if isinstance(error, NameError) else type(error)
        return "raises", kind.__name__, "" if kind is NameError else str(error)


class AutographTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.count = 0

    def module(self, text):
        self.count += 1
        name = "autograph_examples_%d" % self.count
        path = Path(self.folder.name) / (name + ".py")
        path.write_text(text, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(name, path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    def assert_the_same(self, module, name, function, arguments):
        module.LOG.clear()
        plain = outcome(getattr(module, name), *arguments), list(module.LOG)
        module.LOG.clear()
        self.assertEqual((outcome(function, *arguments), list(module.LOG)), plain)

    def test_converted_functions_do_what_they_did(self):
        from flowray.tf.autograph import _conversion
        module = self.module(EXAMPLES)
        for name, values in CALLS.items():
            for value in values:
                with self.subTest(name, value=value):
                    converted = _conversion.convert(getattr(module, name))
                    self.assertEqual(converted.__name__, getattr(module, name).__name__)
                    self.assert_the_same(module, name, converted, (value,))

    def test_what_cannot_be_converted_exactly_runs_as_it_is(self):
        from flowray import tf
        from flowray.tf.autograph import _conversion
        module = self.module(REFUSED)
        for name, values in CALLS_OF_REFUSED.items():
            function = getattr(module, name)
            with self.subTest(name):
                with self.assertRaises(_conversion.ConversionError):
                    _conversion.convert(function)
                with self.assertRaises(_conversion.ConversionError):  # remembered
                    _conversion.convert(function)
                self.assertIs(getattr(tf.autograph.converted(function), "__func__", tf.autograph.converted(function)),
                              getattr(function, "__func__", function))
                for value in values:
                    self.assert_the_same(module, name, tf.autograph.converted(function), (value,))

    def test_a_file_that_has_changed_is_not_converted(self):
        from flowray.tf.autograph import _conversion
        module = self.module("LOG = []\ndef f(x):\n    if x:\n        return 1\n    return 2\n")
        Path(module.__file__).write_text("LOG = []\ndef f(x):\n    if x:\n        return 3\n    return 4\n", encoding="utf-8")
        with self.assertRaisesRegex(_conversion.ConversionError, "not what its source says"):
            _conversion.convert(module.f)

    def test_installed_packages_are_left_alone(self):
        from flowray.tf.autograph import _conversion

        @contextlib.contextmanager
        def own():
            yield
        self.assertFalse(_conversion.is_convertible(own))  # contextlib's function that says that it is of this module
        folder = Path(self.folder.name) / "site-packages"
        folder.mkdir()
        (folder / "other.py").write_text("def f(x):\n    return x\n", encoding="utf-8")
        spec = importlib.util.spec_from_file_location("other", folder / "other.py")
        other = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(other)
        self.assertFalse(_conversion.is_convertible(other.f))

    def test_random_programs_do_what_they_did(self):
        from flowray.tf.autograph import _conversion
        num_converted = 0
        text = "LOG = []\n" + "".join(Program(seed).text for seed in range(60))
        module = self.module(text)
        for seed in range(60):
            function = getattr(module, "f%d" % seed)
            try:
                converted = _conversion.convert(function)
            except _conversion.ConversionError:
                continue
            num_converted += 1
            for a in (0, 1, 4):
                with self.subTest(seed, a=a):
                    self.assert_the_same(module, "f%d" % seed, converted, (a, 2))
        self.assertGreater(num_converted, 40)

    def test_effects_reach_the_function_around(self):
        output = self.output_of("""
            counter = tf.Variable(0)

            @tf.function
            def inner(x):
                if x > 0:
                    counter.assign_add(1)
                return x

            @tf.function
            def outer(x):
                return inner(x) + 1

            @tf.function
            def twice(x):
                if x > 5:
                    inner(x)
                    inner(x)
                return x

            @tf.function
            def checked(bad, x):
                if bad:
                    raise ValueError("bad")
                counter.assign_add(100)
                return x + 1
            print(outer(tf.constant(1)).numpy(), outer(tf.constant(-1)).numpy(), counter.numpy())
            print(twice(tf.constant(6)).numpy(), twice(tf.constant(1)).numpy(), counter.numpy())
            print(checked(False, tf.constant(1)).numpy(), counter.numpy())
            """)
        self.assertEqual(output, "2 0 1\n6 1 3\n2 103\n")

    def test_effects_in_a_loop_over_a_dataset(self):
        output = self.output_of("""
            @tf.function
            def total(n):
                sum = tf.constant(0, tf.int64)
                for x in tf.data.Dataset.range(n):
                    if x > 1:
                        sum += x
                return sum
            print(total(5).numpy())

            @tf.function
            def changes_kind(n):
                kind = "no"
                for x in tf.data.Dataset.range(n):
                    kind = object()
                return kind
            try:
                changes_kind(3)
            except (TypeError, ValueError) as error:
                print(type(error).__name__)

            counter = tf.Variable(0)

            @tf.function
            def counts(n):
                for x in tf.data.Dataset.range(n):
                    if x > 1:
                        counter.assign_add(1)
                    counter.assign_add(10)
            counts(5)
            print(counter.numpy())
            """)
        self.assertEqual(output, "9\nValueError\n53\n")

    def test_a_table_filled_in_a_branch_is_filled(self):
        from flowray import tf
        from flowray.tf.autograph import _conversion, _operators
        fills = _conversion.convert(self.module("def fills(flag, insert):\n    if flag:\n        insert()\n    return flag\n").fills)
        with tf.Graph().as_default(), tf.Session() as session:
            table = tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1)
            flag = tf.placeholder(tf.bool, [])
            _, effects = _operators.traced(fills, flag, lambda: table.insert(tf.constant(["a"]), tf.constant([7], tf.int64)))
            self.assertEqual(len(effects), 1)
            found = table.lookup(tf.constant(["a"]))
            for value, expected in ((False, -1), (True, 7)):
                session.run(effects, {flag: value})
                self.assertEqual(session.run(found).tolist(), [expected])

    def test_effects_in_a_graph_of_another_function_are_refused(self):
        output = self.output_of("""
            counter = tf.Variable(0)

            def counts(x):
                if x > 1:
                    counter.assign_add(1)
                return x

            def looks(x):
                if x > 1:
                    x = x * 2
                return x

            @tf.function
            def mapped(n):
                total = tf.constant(0, tf.int64)
                for x in tf.data.Dataset.range(n).map(lambda x: counts(x)):
                    total += x
                return total

            @tf.function
            def looked(n):
                total = tf.constant(0, tf.int64)
                for x in tf.data.Dataset.range(n).map(lambda x: looks(x)):
                    total += x
                return total
            print(looked(4).numpy())
            try:
                mapped(4)
            except NotImplementedError as error:
                print(str(error)[:44])
            """)
        self.assertEqual(output, "11\na statement on tensors that has effects (it \n")

    def output_of(self, text):
        self.count += 1
        path = Path(self.folder.name) / ("program_%d.py" % self.count)
        path.write_text("import tensorflow as tf\ntf.enable_eager_execution()\n" + textwrap.dedent(text), encoding="utf-8")
        done = subprocess.run([sys.executable, "-m", "flowray", str(path)], capture_output=True, text=True, timeout=200, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout


class Program:
    """A function of two numbers, made up by chance: branches, loops, returns, breaks, errors, and names that may not be there."""

    def __init__(self, seed):
        self.random, self.lines = random.Random(seed), []
        self.lines.append("def f%d(a, b):" % seed)
        self.block(1, 0, False)
        self.lines.append("    return a, b")
        self.text = "\n".join(self.lines) + "\n\n\n"

    def say(self, depth, text):
        self.lines.append("    " * depth + text)

    def name(self):
        return self.random.choice("abcd")

    def value(self):
        return self.random.choice([self.name(), str(self.random.randrange(4)), "%s + 1" % self.name(), "(%s or %s)" % (self.name(), self.name()),
                                   "(%s if %s else 3)" % (self.name(), self.test()), "abs(%s)" % self.name(), "[v for v in (1, %s) if v][-1]" % self.name()])

    def test(self):
        return self.random.choice(["%s > %d" % (self.name(), self.random.randrange(3)), "not %s" % self.name(), "%s == %s" % (self.name(), self.name()),
                                   "0 < %s < 3" % self.name(), "%s and %s" % (self.name(), self.name())])

    def block(self, depth, nested, in_loop):
        for _ in range(self.random.randrange(1, 5)):
            self.statement(depth, nested, in_loop)

    def statement(self, depth, nested, in_loop):
        kind = self.random.randrange(14)
        if kind < 3 or nested > 3:
            self.say(depth, "%s = %s" % (self.name(), self.value()))
        elif kind < 5:
            self.say(depth, "LOG.append(%s)" % self.value())
        elif kind < 9:
            self.say(depth, "if %s:" % self.test())
            self.block(depth + 1, nested + 1, in_loop)
            if self.random.random() < 0.5:
                self.say(depth, "else:")
                self.block(depth + 1, nested + 1, in_loop)
        elif kind == 9:
            self.say(depth, "for %s in range(%d):" % (self.name(), self.random.randrange(4)))
            self.block(depth + 1, nested + 1, True)
        elif kind == 10:
            counter = "n%d" % len(self.lines)
            self.say(depth, "%s = 0" % counter)
            self.say(depth, "while %s < 3 and %s:" % (counter, self.test()))
            self.say(depth + 1, "%s += 1" % counter)
            self.block(depth + 1, nested + 1, True)
        elif kind == 11:
            self.say(depth, self.random.choice(["return %s" % self.value(), "if %s: return %s" % (self.test(), self.value())]))
        elif kind == 12 and in_loop:
            self.say(depth, "if %s: %s" % (self.test(), self.random.choice(["break", "continue"])))
        else:
            self.say(depth, self.random.choice(["if %s: raise ValueError('%d')" % (self.test(), len(self.lines)), "%s += 1" % self.name(),
                                                "assert %s, 'told'" % self.test()]))


if __name__ == "__main__":
    unittest.main()
