"""What converted functions call in place of Python's statements: each looks at what it is about, and does what Python does, or makes it in the
graph where it is about a tensor."""

import threading as _threading

import numpy as _np

from flowray import _native

_state = _threading.local()


class Undefined:
    """What a name stands for that has been given nothing."""

    def __init__(self, name):
        object.__setattr__(self, "_name", name)

    def __getattribute__(self, attribute):
        if attribute in ("__class__", "_name"):
            return object.__getattribute__(self, attribute)
        raise UnboundLocalError("'%s' is used before assignment" % object.__getattribute__(self, "_name"))


def value_of(get, name):
    """What a name stands for now."""
    try:
        return get()
    except NameError:
        return Undefined(name)


def is_undefined(value):
    return type(value) is Undefined


def _is_tensor(value):
    return isinstance(value, (_native.Tensor, _native.Variable))


def _is_of_graph(value):
    """Whether a statement on it is the graph's: eager values are looked at as they are."""
    from flowray import tf
    return _is_tensor(value) and not tf.executing_eagerly()


# ---- what only has effects: made part of what is computed

# Of those with a reference for an input (Assign) the schemas do not say that they are stateful.
_EFFECTS = ("Assign", "Scatter", "ResourceScatter", "ResourceApply", "ResourceSparseApply", "Apply", "SparseApply", "Print", "Assert", "PyFunc",
            "EagerPyFunc", "Queue", "WriteFile", "WriteSummary", "Stage", "MapStage", "OrderedMapStage", "LookupTable", "InitializeTable", "Accumulator",
            "Save", "MergeV2Checkpoints", "CountUpTo", "Barrier", "Stack")
_READS = ("Variable", "VariableV2", "VarHandleOp", "ReadVariableOp", "ResourceGather", "VarIsInitializedOp", "IsVariableInitialized", "Placeholder",
          "TemporaryVariable")
_is_effect_of_type = {}


def _is_effect(operation):
    """Whether an operation does more than to compute its outputs."""
    kind = operation.type
    if kind not in _is_effect_of_type:
        _is_effect_of_type[kind] = kind not in _READS and (kind.startswith(_EFFECTS) or _is_stateful(operation))
    return _is_effect_of_type[kind]


def _is_stateful(operation):
    try:
        return bool(operation.op_def.is_stateful)
    except (KeyError, ValueError, AttributeError, TypeError):
        return False


class Effects:
    """Operations that a piece of a function makes, and those of its inner statements."""

    def __init__(self):
        from flowray import tf
        self.graph, self.inner, self.hidden = tf.get_default_graph(), [], set()

    def __enter__(self):
        self.before, self.outer = len(self.graph.get_operations()), getattr(_state, "effects", None)
        _state.effects = self
        return self

    def __exit__(self, *_):
        _state.effects = self.outer
        if self.outer is not None and self.outer.graph == self.graph:
            self.outer.hidden |= self.hidden

    def found(self):
        made = self.graph.get_operations()[self.before:]
        return [op for op in made if _is_effect(op) and op.name not in self.hidden] + self.inner

    def hide(self, since):
        """Those of an inner statement run when it says so."""
        self.hidden |= {op.name for op in self.graph.get_operations()[since:]}


def _with_effects(effects, values):
    """The values, when all that the piece does has been done."""
    from flowray import tf
    found = effects.found()
    if not found:
        return values
    with tf.control_dependencies(found):
        return [tf.identity(value) for value in values]


def note_effect(operation):
    """What is around has to run the operation."""
    outer = getattr(_state, "effects", None)
    if outer is None:
        return
    if outer.graph != operation.graph:
        raise NotImplementedError("a statement on tensors that has effects (it assigns variables, or prints) in a function of a dataset, or another "
                                  "that has a graph of its own, is not there")
    outer.inner.append(operation)


def _hide(since):
    from flowray import tf
    outer = getattr(_state, "effects", None)
    if outer is not None and outer.graph == tf.get_default_graph():
        outer.hide(since)


def traced(function, *args, **options):
    """(what it gives, operations that have to run with it) of the function of a trace."""
    with Effects() as effects:
        result = function(*args, **options)
    return result, effects.inner


# ---- structures of values that a graph hands on

class _Same:
    """A value that is not a tensor, and the same whatever happens."""

    def __init__(self, value):
        self.value = value


def _as_outputs(values):
    """(tensors, structure) of what a piece gives: numbers become tensors, other objects stay what they are."""
    from flowray import tf
    from flowray.tf import _nest
    tensors, structure = [], []
    for value in values:
        if value is None or is_undefined(value) or not _is_number(value) and not _is_structure(value):
            structure.append(_Same(value))
            continue
        flat = [tf.convert_to_tensor(one) for one in _nest.flatten(value)]
        tensors += flat
        structure.append((value if _nest.is_nested(value) else None, len(flat)))
    return tensors, structure


def _is_number(value):
    return _is_tensor(value) or isinstance(value, (bool, int, float, complex, str, bytes, _np.ndarray, _np.generic))


def _is_structure(value):
    from flowray.tf import _nest
    return _nest.is_nested(value) and all(_is_number(one) for one in _nest.flatten(value))


def _packed(structure, tensors):
    from flowray.tf import _nest
    tensors, values = list(tensors), []
    for part in structure:
        if isinstance(part, _Same):
            values.append(part.value)
            continue
        nested, count = part
        values.append(_nest.pack_sequence_as(nested, tensors[:count]) if nested is not None else tensors[0])
        del tensors[:count]
    return values


def _check_alike(first, second, names, what):
    for one, other, name in zip(first, second, names):
        if isinstance(one, _Same) != isinstance(other, _Same) or isinstance(one, _Same) and one.value is not other.value \
                and not (is_undefined(one.value) and is_undefined(other.value)):
            for part, branch in ((one, what[0]), (other, what[1])):
                if isinstance(part, _Same) and is_undefined(part.value):
                    raise ValueError("'%s' must also be initialized in the %s branch." % (name, branch))
                if isinstance(part, _Same) and part.value is None:
                    raise ValueError("'%s' is None at the end of the %s branch." % (name, branch))
            raise TypeError("'%s' must be a tensor, or the same object, in both branches of a conditional on a tensor." % name)
        if not isinstance(one, _Same) and one[1] != other[1]:
            raise TypeError("'%s' does not have the same nested structure after one branch." % name)


# ---- statements

def if_(test, then, otherwise, values, names):
    """An if statement. `names` of those that the branches assign; None where they return."""
    if not _is_of_graph(test):
        return then(*values) if test else otherwise(*values)
    from flowray import tf
    since = len(tf.get_default_graph().get_operations())
    structures, told, do_more = [], names if names is not None else ("return value",), []

    def branch(function):
        def made():
            with Effects() as effects:
                given = function(*values)
                given = list(given) if names is not None else [given]
                tensors, structure = _as_outputs(given)
                structures.append(structure)
                if len(structures) > 1:
                    _check_alike(structures[0], structure, told, ("main", "else"))
                do_more.extend(effects.found())
                return _with_effects(effects, [tf.identity(one) for one in tensors] + [tf.constant(1, name="done")])
        return made
    outputs = tf.cond(_condition(test), branch(then), branch(otherwise), strict=True)
    _hide(since)
    if do_more:
        note_effect(outputs[-1].op)
    found = _packed(structures[0], outputs[:-1])
    return tuple(found) if names is not None else found[0]


def _condition(test):
    from flowray import tf
    test = tf.convert_to_tensor(test)
    if test.dtype != tf.bool:
        raise ValueError("condition of if statement expected to be `tf.bool` scalar, got %s" % test)
    return test


def while_(test, body, values, names):
    """A while statement."""
    first = test(*values)
    if not _is_of_graph(first):
        while first:
            values = body(*values)
            first = test(*values)
        return values
    return _graph_loop(lambda number, current: test(*current), lambda number, current: body(*current), values, names)


def _graph_loop(test, body, values, names, count=None):
    """A loop of the graph; `test` and `body` take the number of the iteration and the values."""
    from flowray import tf
    since = len(tf.get_default_graph().get_operations())
    tensors, structure = _as_outputs(values)

    def tested(number, done, *current):
        goes_on = tf.convert_to_tensor(test(number, _packed(structure, current)))
        return goes_on if count is None else tf.logical_and(number < count, goes_on)

    do_more = []

    def bodied(number, done, *current):
        with Effects() as effects:
            made = _after_iteration(structure, tensors, body(number, _packed(structure, current)), names)
            do_more.extend(effects.found())
            return [number + 1, *_with_effects(effects, [done + 1, *made])]
    outputs = tf.while_loop(tested, bodied, [tf.constant(0), tf.constant(0), *tensors])
    _hide(since)
    if do_more:
        note_effect(outputs[1].op)
    found = _packed(structure, outputs[2:])
    return tuple(found)


def _after_iteration(structure, tensors, given, names):
    """The tensors that an iteration gives, when they are what the loop began with."""
    made, after = [], []
    for value, part, name in zip(given, structure, names):
        if isinstance(part, _Same):
            if not is_undefined(part.value) and value is not part.value:
                if part.value is None:
                    raise ValueError("'%s' is None before the loop: it must be a tensor, or a number, before it." % name)
                raise TypeError("'%s' is not a tensor, and a loop over tensors gives it another value." % name)
            after.append(part)
            continue
        more, told = _as_outputs([value])
        if isinstance(told[0], _Same):
            raise ValueError("'%s' must be a tensor at the end of each iteration, as it is before the loop." % name)
        made += more
        after.append(told[0])
    _check_loop(structure, after, tensors, made, names)
    return made


def _check_loop(before, after, old, new, names):
    place = 0
    for one, other, name in zip(before, after, names):
        if isinstance(one, _Same):
            continue
        if one[1] != other[1]:
            raise TypeError("'%s' does not have the same nested structure after one iteration." % name)
        for number in range(place, place + one[1]):
            if old[number].dtype.base_dtype != new[number].dtype.base_dtype:
                raise TypeError("'%s' has dtype %s before the loop, but dtype %s after one iteration."
                                % (name, old[number].dtype.base_dtype.name, new[number].dtype.base_dtype.name))
            if not new[number].shape.is_compatible_with(old[number].shape):
                raise ValueError("'%s' has shape %s before the loop, but shape %s after one iteration. Use tf.while_loop with shape_invariants."
                                 % (name, old[number].shape, new[number].shape))
        place += one[1]


def for_(over, goes_on, body, values, names):
    """A for statement; `goes_on` says whether a break has come."""
    from flowray import tf
    if isinstance(over, _Range):
        return over.loop(goes_on, body, values, names)
    if _is_of_graph(over):
        rows = tf.convert_to_tensor(over)
        if rows.shape.ndims == 0:
            raise ValueError("a scalar tensor cannot be gone through by `for`")
        count = tf.shape(rows)[0] if rows.shape.as_list()[0] is None else tf.constant(rows.shape.as_list()[0])
        return _graph_loop(lambda number, current: goes_on(*current) if goes_on is not None else tf.constant(True),
                           lambda number, current: body(rows[number], *current), values, names, count)
    if hasattr(over, "make_one_shot_iterator") and not tf.executing_eagerly():
        return _over_dataset(over, goes_on, body, values, names)
    for item in over:
        values = body(item, *values)
        if goes_on is not None:
            now = goes_on(*values)
            if _is_of_graph(now):
                raise NotImplementedError("a `break` on a tensor in a loop over something other than a tensor is not there: go through a tensor or tf.range")
            if not now:
                break
    return values


def _over_dataset(dataset, goes_on, body, values, names):
    if goes_on is not None:
        raise NotImplementedError("`break` in a loop over a dataset in a graph is not there: use dataset.take or take_while")
    tensors, structure = _as_outputs(values)
    from flowray import tf

    def step(state, element):
        with Effects() as effects:
            made = _after_iteration(structure, tensors, body(element, *_packed(structure, state[1:])), names)
            return tuple(_with_effects(effects, [state[0] + 1, *made]))
    outputs = dataset.reduce((tf.constant(0), *tensors), step)
    note_effect(outputs[0].op)
    return tuple(_packed(structure, outputs[1:]))


class _Range:
    """range() of tensors."""

    def __init__(self, *limits):
        from flowray import tf
        limits = [tf.convert_to_tensor(limit) for limit in limits]
        self.begin, self.step = tf.zeros_like(limits[0]), tf.ones_like(limits[0])
        if len(limits) == 1:
            self.end, = limits
        else:
            self.begin, self.end = limits[:2]
            self.step = limits[2] if len(limits) > 2 else self.step

    def tensor(self):
        from flowray import tf
        return tf.range(self.begin, self.end, self.step)

    def loop(self, goes_on, body, values, names):
        from flowray import tf
        numbers = self.tensor()
        return _graph_loop(lambda number, current: goes_on(*current) if goes_on is not None else tf.constant(True),
                           lambda number, current: body(self.begin + tf.cast(number, self.begin.dtype) * self.step, *current), values, names,
                           tf.shape(numbers)[0])


def assert_(test, message):
    """An assert statement."""
    if not _is_of_graph(test):
        if not test:
            raise AssertionError(*([] if message is None else [message()]))
        return
    from flowray import tf
    told = message() if message is not None else None
    tf.Assert(test, [told if told is not None else "assertion failed"])


# ---- expressions

def and_(a, b):
    left = a()
    if not _is_of_graph(left):
        return left and b()
    from flowray import tf
    return tf.cond(left, lambda: tf.identity(tf.convert_to_tensor(b())), lambda: tf.identity(left))


def or_(a, b):
    left = a()
    if not _is_of_graph(left):
        return left or b()
    from flowray import tf
    return tf.cond(left, lambda: tf.identity(left), lambda: tf.identity(tf.convert_to_tensor(b())))


def not_(value):
    if not _is_of_graph(value):
        return not value
    from flowray import tf
    return tf.logical_not(value)


def if_expression(test, a, b):
    if not _is_of_graph(test):
        return a() if test else b()
    return if_(test, a, b, (), None)


# ---- calls

def called(function):
    """What is called in place of a function: one of Python's that knows tensors, or the program's converted."""
    replaced = _BUILTINS.get(function) if type(function).__name__ in ("builtin_function_or_method", "type") else None
    if replaced is not None:
        return replaced
    from flowray.tf.autograph import _conversion
    if not _conversion.is_convertible(function):
        return function
    try:
        return _conversion.convert(function)
    except _conversion.ConversionError:
        return function  # as it is


def _range(*limits):
    return _Range(*limits) if any(_is_of_graph(limit) for limit in limits) else range(*limits)


def _len(value):
    if not _is_of_graph(value):
        return len(value)
    from flowray import tf
    if value.shape.ndims == 0:
        raise ValueError("len requires a non-scalar tensor, got one of shape []")
    size = value.shape.as_list()[0]
    return tf.shape(value)[0] if size is None else size


def _print(*values, **options):
    if not any(_is_of_graph(value) for value in values):
        return print(*values, **options)
    from flowray import tf
    import sys
    for name in options:
        if name not in ("sep", "end", "file"):
            raise ValueError("invalid keyword arguments in print: %s" % name)
    told = {"sep": options.get("sep", " "), "end": options.get("end", "\n"), "output_stream": options.get("file", sys.stdout)}
    return tf.print(*values, **told)


def _number(kind, dtype):
    def made(*values, **options):
        if len(values) != 1 or options or not _is_of_graph(values[0]):
            return kind(*values, **options)
        from flowray import tf
        return tf.cast(values[0], getattr(tf, dtype))
    return made


def _of_tensors(function, name):
    def made(*values, **options):
        if not any(_is_of_graph(value) for value in values):
            return function(*values, **options)
        from flowray import tf
        if name == "abs":
            return tf.abs(values[0])
        if len(values) == 1:
            return getattr(tf, "reduce_" + name)(values[0], **options)
        result = values[0]
        for value in values[1:]:
            result = getattr(tf, {"max": "maximum", "min": "minimum"}[name])(result, value)
        return result
    return made


_BUILTINS = {range: _range, len: _len, print: _print, int: _number(int, "int32"), float: _number(float, "float32"),
             abs: _of_tensors(abs, "abs"), max: _of_tensors(max, "max"), min: _of_tensors(min, "min")}
