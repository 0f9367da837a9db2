"""Eager execution: switches, tf.GradientTape and the functions of tf.contrib.eager that are made of them. What runs,
and how it is recorded, is flowray._native's matter; here are structures of tensors."""

import contextlib as _contextlib
import functools as _functools
import inspect as _inspect
import weakref as _weakref

from flowray import _native
from flowray.tf import _nest
from flowray.tf._specs import TensorSpec as _TensorSpec

executing_eagerly = _native.executing_eagerly


def enable_eager_execution(config=None, device_policy=None, execution_mode=None):
    """From now on operations run when they are called, and tensors have values: tensor.numpy()."""
    for name, value in (("config", config), ("device_policy", device_policy), ("execution_mode", execution_mode)):
        if value is not None and not (name == "config" and type(value).__name__ == "ConfigProto"):
            raise NotImplementedError("tf.enable_eager_execution(%s=) is not there: operations run in the calling thread" % name)
    if not executing_eagerly():
        _native._enable_eager_execution()


def disable_eager_execution():
    """Back to graphs."""
    _native._disable_eager_execution()


def enable_v2_behavior():
    """Raises NotImplementedError: version 2 has other defaults in many places, and not only eager execution."""
    raise NotImplementedError("Flowray has TensorFlow 1's behaviour: tf.enable_eager_execution() makes operations run at once")


def _is_differentiable_thing(value):
    return isinstance(value, (_native.Tensor, _native.Variable))


class GradientTape:
    """Records operations while its `with` block runs, and gives gradients of what they computed."""

    def __init__(self, persistent=False, watch_accessed_variables=True):
        self._persistent, self._watch_accessed_variables = bool(persistent), bool(watch_accessed_variables)
        self._tape = None
        self._was_used = False
        self._watched = ()  # what a tape that has been used had watched

    def __enter__(self):
        if self._tape is not None and self._tape.is_recording:
            raise ValueError("Tape is still recording, This can happen if you try to re-enter an already-active tape.")
        if self._tape is None:
            self._tape = _native._Tape(True, self._watch_accessed_variables)  # a jacobian asks it several times
        else:
            self._tape.start()
        return self

    def __exit__(self, kind, value, traceback):
        if self._tape is not None and self._tape.is_recording:
            self._tape.stop()

    def _recorded(self):
        if self._was_used or self._tape is None:
            raise RuntimeError("A non-persistent GradientTape can only be used to compute one set of gradients (or jacobians)")
        return self._tape

    def _used_up(self):
        """Stops the tape of one use, which computing gradients is."""
        self._was_used, self._watched = True, self._tape.watched_variables()
        if self._tape.is_recording:
            self._tape.stop()

    def watch(self, tensor):
        """Records what depends on it. Of a structure all values."""
        if self._tape is None:
            return
        for value in _nest.flatten(tensor):
            if not _is_differentiable_thing(value):
                raise ValueError("Passed in object %r of type %r, not tf.Tensor or tf.Variable or ExtensionType."
                                 % (value, type(value).__name__))
            self._tape.watch(value)

    def watched_variables(self):
        """The variables that were read, in the order of their first use."""
        return self._tape.watched_variables() if self._tape is not None else self._watched

    @_contextlib.contextmanager
    def stop_recording(self):
        """Records nothing in this block."""
        if self._tape is None or not self._tape.is_recording:
            raise RuntimeError("Tape is not recording.")
        self._tape.stop()
        try:
            yield
        finally:
            self._tape.start()

    def reset(self):
        """As if the tape began here."""
        if self._tape is not None:
            self._tape.reset()
        self._was_used = False

    def gradient(self, target, sources, output_gradients=None, unconnected_gradients="none"):
        """d target / d source, in the structure of `sources`; None where nothing flows."""
        tape = self._recorded()
        if target is None:
            raise TypeError("Argument `target` should be a list or nested structure of Tensors, Variables or CompositeTensors to be "
                            "differentiated, but received None.")
        targets, flat_sources = _nest.flatten(target), _nest.flatten(sources)
        if output_gradients is not None:
            output_gradients = _nest.flatten(output_gradients)
        unconnected = getattr(unconnected_gradients, "value", unconnected_gradients)
        if not self._persistent:
            self._used_up()
        gradients = tape.gradient(targets, flat_sources, output_gradients, unconnected)
        if not self._persistent:
            self._tape = None
        return _nest.pack_sequence_as(sources, gradients) if _nest.is_nested(sources) else gradients[0]

    def jacobian(self, target, sources, unconnected_gradients="none", parallel_iterations=None, experimental_use_pfor=True):
        """The derivative of each element of `target` by each of each source."""
        tape = self._recorded()
        flat = _nest.flatten(sources)
        if not self._persistent:
            self._used_up()
        found = [tape.jacobian(target, source) for source in flat]
        if getattr(unconnected_gradients, "value", unconnected_gradients) == "zero":
            from flowray import tf
            found = [tf.zeros(list(target.shape) + list(source.shape), source.dtype) if one is None else one
                     for one, source in zip(found, flat)]
        if not self._persistent:
            self._tape = None
        return _nest.pack_sequence_as(sources, found) if _nest.is_nested(sources) else found[0]

    def batch_jacobian(self, target, source, unconnected_gradients="none", parallel_iterations=None, experimental_use_pfor=True):
        """The derivative of each element of a row of `target` by each of the same row of `source`; other rows must not matter."""
        from flowray import tf
        if target.shape.ndims is None or source.shape.ndims is None:
            raise ValueError("Cannot take the batch Jacobian of shapes of unknown rank: target shape (%s), source shape (%s)."
                             % (target.shape, source.shape))
        if target.shape.ndims < 2:
            raise ValueError("Shape %s must have rank at least 2" % target.shape)
        rows = target.shape.as_list()[:1]
        if rows != source.shape.as_list()[:1] or not rows:
            raise ValueError("Need first dimension of target shape (%s) and source shape (%s) to match." % (target.shape, source.shape))
        of_row, by_row = target.shape.as_list()[1:], source.shape.as_list()[1:]
        if None in [*rows, *of_row, *by_row]:
            raise ValueError("Cannot take the batch Jacobian of shapes that are not fully known: target shape (%s), source shape (%s)."
                             % (target.shape, source.shape))
        if 0 in [*rows, *of_row, *by_row]:
            return tf.zeros(rows + of_row + by_row, target.dtype)
        found = self.jacobian(target, source, unconnected_gradients)
        if found is None:
            return None
        parts = tf.transpose(tf.reshape(found, [rows[0], -1, rows[0], _size(by_row)]), [1, 3, 0, 2])
        return tf.reshape(tf.transpose(tf.matrix_diag_part(parts), [2, 0, 1]), rows + of_row + by_row)


def _size(dims):
    size = 1
    for dim in dims:
        size *= dim
    return size


# ---- tf.function

class Function:
    """A Python function that is called once for each kind of arguments, in a graph, which then runs as one step."""

    def __init__(self, python_function, input_signature=None, name=None, autograph=True):
        self.python_function, self.input_signature, self._autograph = python_function, input_signature, autograph
        self._name = name or getattr(python_function, "__name__", "function")
        self._traces = _Traces()
        self._of_instances = {}  # {id of an instance: (a weak reference to it, the traces of the method of this instance)}
        _functools.update_wrapper(self, python_function, updated=())

    def __get__(self, instance, owner=None):
        if instance is None:
            return self
        bound = Function.__new__(Function)
        bound.__dict__.update(self.__dict__)
        bound.python_function, bound._traces = self.python_function.__get__(instance, owner), self._traces_of(instance)
        return bound

    def _traces_of(self, instance):
        """Those of the method of this instance, which live as long as it does."""
        key = id(instance)
        known = self._of_instances.get(key)
        if known is None:
            def forget(_, key=key, of_instances=self._of_instances):
                of_instances.pop(key, None)
            known = self._of_instances[key] = (_weakref.ref(instance, forget), _Traces())
        return known[1]

    def __call__(self, *args, **options):
        if not executing_eagerly():
            from flowray.tf.autograph import _operators
            if self.input_signature is not None:
                args, options = self._by_signature(args, options), {}
            result, effects = self._in_graph(*args, **options)
            for effect in effects:  # of whoever calls it in a function
                _operators.note_effect(effect)
            return result
        args, values, tensors, key = self._looked_at(args, options)
        if key not in self._traces:
            self._traces[key] = self._trace(args, values, tensors)
        traced, structure = self._traces[key]
        results = iter(traced.call(tensors))
        return _with_results(structure, results)

    def _looked_at(self, args, options):
        """(arguments, all values in a row, the tensors among them, what the trace depends on)."""
        from flowray import tf
        if self.input_signature is not None:
            args, options = self._by_signature(args, options), {}
        structure = (args, options)
        values = [tf.convert_to_tensor(value) if type(value).__module__ == "numpy" else value for value in _nest.flatten(structure)]
        tensors = [value for value in values if isinstance(value, _native.Tensor)]
        if self.input_signature is not None:
            return structure, values, tensors, "signature"
        forget = self._traces.forget
        key = [_shape_of_structure(structure)]
        for value in values:
            if isinstance(value, (_native.Tensor, _TensorSpec)):
                shape = value.shape
                key.append((value.dtype.name, None if shape.ndims is None else tuple(shape.as_list())))
            else:
                key.append(_key_of(value, forget))
        return structure, values, tensors, tuple(key)

    def _by_signature(self, args, options):
        """Arguments in the order of the input_signature, as tensors of its kinds. What it leaves out stays the function's default."""
        try:
            if options or len(args) != len(self.input_signature):
                bound = self._bound_to_signature(args, options)
            else:
                bound = args
            return tuple(_fitting(value, spec) for value, spec in zip(bound, self.input_signature))
        except (TypeError, ValueError) as error:
            raise TypeError("Binding inputs to tf.function failed due to `%s`. Received args: %s and kwargs: %s for signature: (%s)."
                            % (error, args, options, self._text_of_signature())) from None

    def _bound_to_signature(self, args, options):
        count = len(self.input_signature)
        bound = _inspect.signature(self.python_function).bind(*args, **options)
        bound.apply_defaults()
        if len(bound.args) < count:
            raise TypeError("%d arguments of an input_signature with %d" % (len(bound.args), count))
        for name, parameter in bound.signature.parameters.items():
            value = bound.arguments[name]
            if name in list(bound.arguments)[count:] and parameter.default is not _inspect.Parameter.empty and \
                    value is not parameter.default and _key_of(value) != _key_of(parameter.default):
                raise TypeError("Can not cast %r to Literal[%r]" % (value, parameter.default))
        return bound.args[:count]

    def _text_of_signature(self):
        specs = [_text_of_spec(spec) for spec in self.input_signature]
        try:
            parameters = list(_inspect.signature(self.python_function).parameters.values())
        except (TypeError, ValueError):
            return ", ".join(specs)
        rest = ["%s: Literal[%r] = <captured_default_value>" % (parameter.name, parameter.default) for parameter in parameters[len(specs):]]
        return ", ".join(["%s: %s" % (parameter.name, spec) for parameter, spec in zip(parameters, specs)] + rest)

    def _trace(self, structure, values, tensors):
        from flowray import tf
        graph = _native._graph_to_trace(not self._traces.has_been_filled)
        self._traces.has_been_filled = True
        specs = iter(_nest.flatten(self.input_signature) if self.input_signature is not None else ())
        inputs = []
        with graph.as_default():
            inside = []
            for value in values:
                if _is_tensor_like(value):
                    spec = next(specs, None)
                    shape = value.shape if spec is None else spec.shape
                    inputs.append(tf.placeholder(value.dtype, shape))
                    inside.append(inputs[-1])
                else:
                    inside.append(value)
            args, options = _nest.pack_sequence_as(structure, inside)
            result, effects = self._in_graph(*args, **options)
            outputs = [tf.convert_to_tensor(value) for value in _nest.flatten(result) if _is_output(value)]
            outputs += [effect.outputs[0] for effect in effects]  # whose values nobody asks for
            return _native._traced_function(graph, inputs, outputs), _nest.map_structure(
                lambda value: _OUTPUT if _is_output(value) else None, result)

    def _in_graph(self, *args, **options):
        """(what the function gives, operations that have to run with it)"""
        from flowray.tf.autograph import _operators, converted
        return _operators.traced(converted(self.python_function) if self._autograph else self.python_function, *args, **options)

    def get_concrete_function(self, *args, **options):
        """The graph that the function is for arguments of this kind: tensors, tf.TensorSpecs in their places, and values of Python's."""
        if self.input_signature is not None and not args and not options:
            args = tuple(self.input_signature)
        args, options = _in_order(self.python_function, args, options)
        structure, values, _, key = self._looked_at(args, options)
        if key not in self._traces:
            self._traces[key] = self._trace(structure, values, None)
        return ConcreteFunction(self, _nest.pack_sequence_as(structure, values), *self._traces[key])


class ConcreteFunction:
    """A tf.function for arguments of one kind; of those that are not tensors it has kept the values."""

    def __init__(self, function, structure, traced, results):
        self._function, self._traced, self._results = function, traced, results
        self._args, self._options = structure
        self.name = "__inference_%s" % function._name
        self.structured_input_signature = _nest.map_structure(_as_spec, structure)
        self._kept = _nest.flatten(structure)
        self._specs = [_as_spec(value) for value in self._kept if _is_tensor_like(value)]

    inputs = property(lambda self: list(self._specs), doc="The specs of the tensors that it takes.")

    def __call__(self, *args, **options):
        args, options = _in_order(self._function.python_function, args, options)
        given = _nest.flatten((args, options))
        if len(given) == len(self._kept):
            for value, kept in zip(given, self._kept):
                if not _is_tensor_like(kept) and value is not kept and _key_of(value) != _key_of(kept):
                    raise ValueError("%s was made for the argument %r and cannot be called with %r: call get_concrete_function with it"
                                     % (self.name, kept, value))
            given = [value for value, kept in zip(given, self._kept) if _is_tensor_like(kept)]
        if len(given) != len(self._specs):
            raise TypeError("%s takes %d tensors, but got %d" % (self.name, len(self._specs), len(given)))
        return _with_results(self._results, iter(self._traced.call([_of_spec(value, spec) for value, spec in zip(given, self._specs)])))


def _is_tensor_like(value):
    return isinstance(value, (_native.Tensor, _TensorSpec))


def _as_spec(value):
    return _TensorSpec(value.shape, value.dtype) if isinstance(value, _native.Tensor) else value


def _of_spec(value, spec):
    """The value as a tensor of this kind."""
    from flowray import tf
    tensor = tf.convert_to_tensor(value, dtype=None if isinstance(value, _native.Tensor) else spec.dtype)
    if not spec.is_compatible_with(tensor):
        raise TypeError("Binding inputs to tf.function failed: a tensor of shape %s and dtype %s is expected, but got one of shape %s and dtype "
                        "%s." % (spec.shape, spec.dtype.name, tensor.shape, tensor.dtype.name))
    return tensor


def _in_order(python_function, args, options):
    """Arguments by position where the function has a place for them, so that it is the same call by name."""
    try:
        bound = _inspect.signature(python_function).bind_partial(*args, **options)
    except (TypeError, ValueError):
        return args, options
    return bound.args, bound.kwargs


_OUTPUT = object()


def _is_output(value):
    return value is not None and not isinstance(value, _native.Operation)


def _with_results(structure, results):
    if not _nest.is_nested(structure):
        return next(results) if structure is _OUTPUT else None
    return _nest.map_structure(lambda place: next(results) if place is _OUTPUT else None, structure)


def _fitting(value, spec):
    """The value as a tensor, or several, of the kind that the spec says."""
    from flowray import tf
    if _nest.is_nested(spec):
        is_of_keys = isinstance(spec, dict)
        if not _nest.is_nested(value) or len(value) != len(spec) or is_of_keys and (not isinstance(value, dict) or set(value) != set(spec)):
            raise TypeError("Can not cast %s to %s type." % (value, type(spec).__name__))
        if is_of_keys:
            return type(spec)((key, _fitting(value[key], spec[key])) for key in spec)
        return _nest.pack_sequence_as(spec, _nest.flatten([_fitting(item, of_item) for item, of_item in zip(value, spec)]))
    if not _is_tensor_like(value):
        value = tf.convert_to_tensor(value, dtype=spec.dtype)
    if value.dtype != spec.dtype or not spec.shape.is_compatible_with(value.shape):
        raise TypeError("Can not cast %s to %s" % (_TensorSpec(value.shape, value.dtype, spec.name), spec))
    return spec if isinstance(value, _TensorSpec) else value


def _text_of_spec(spec):
    if isinstance(spec, (list, tuple)):
        return "%s[%s]" % (type(spec).__name__.capitalize(), ", ".join(map(_text_of_spec, spec)))
    return repr(spec)


def _shape_of_structure(structure):
    if isinstance(structure, dict):
        return ("dict",) + tuple((key, _shape_of_structure(structure[key])) for key in sorted(structure))
    if _nest.is_nested(structure):
        return (type(structure).__name__,) + tuple(_shape_of_structure(item) for item in structure)
    return None


class _Traces(dict):
    """{what a trace depends on: (the trace, the structure of its results)}. A trace for an object goes with the object."""

    has_been_filled = False  # then no more variables are made

    def __init__(self):
        super().__init__()
        me = _weakref.ref(self)

        def forget(objects):
            traces = me()
            for key in list(traces or ()):  # a copy: other threads add to it meanwhile
                if isinstance(key, tuple) and any(part is objects for part in key):
                    traces.pop(key, None)
        self.forget = forget


class _ObjectKey:
    """An object that a trace depends on: the same one, or an equal one, while it lives. Another object that comes to have its address is
    not it."""

    def __init__(self, value, forget):
        self._hash = hash(value)
        self._is_by_identity = isinstance(value, (_native.Variable, _native.Tensor))  # whose == may be an operation
        try:
            self._referred = _weakref.ref(value, None if forget is None else lambda _, me=_weakref.ref(self): forget(me()))
        except TypeError:
            self._referred = lambda: value  # Python keeps no weak references to it, and so it is kept

    def __hash__(self):
        return self._hash

    def __eq__(self, other):
        if self is other:
            return True
        mine, theirs = self._referred(), other._referred() if isinstance(other, _ObjectKey) else None
        if mine is None or theirs is None:
            return False
        return mine is theirs or not self._is_by_identity and type(mine) is type(theirs) and bool(mine == theirs)


def _key_of(value, forget=None):
    """What of a value that is not a tensor a trace depends on: of a number the value, of an object which it is. `forget` is called with the
    key when the object is gone."""
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)):
        return (type(value).__name__, "nan" if value != value else value)  # noqa: PLR0124: not a number
    try:
        return _ObjectKey(value, forget)
    except TypeError:
        raise TypeError("Could not generate a generic TraceType for %r.Please verify that it is immutable/hashable. Otherwise, consider "
                        "implementing the Tracing Protocol for it." % (value,)) from None


def function(func=None, input_signature=None, autograph=True, experimental_implements=None, experimental_autograph_options=None,
             experimental_relax_shapes=False, experimental_compile=None):
    """`func` as a graph that is made once for each kind of arguments. Python's `if`, `while` and `for` on tensors are the graph's."""
    for name, value in (("experimental_implements", experimental_implements), ("experimental_compile", experimental_compile),
                        ("experimental_autograph_options", experimental_autograph_options)):
        if value:
            raise NotImplementedError("tf.function(%s=) is not there" % name)
    if experimental_relax_shapes:
        raise NotImplementedError("tf.function(experimental_relax_shapes=True) is not there: give an input_signature")

    def decorated(python_function):
        return Function(python_function, input_signature, autograph=autograph)
    return decorated if func is None else decorated(func)


def defun(func=None, input_signature=None, autograph=True, experimental_autograph_options=None):
    """tf.function by its older name."""
    return function(func, input_signature, autograph, experimental_autograph_options=experimental_autograph_options)


# ---- tf.contrib.eager

def _values_and_gradients(function, of_values):
    """of_values(args) -> what is differentiated by, or None for the variables that `function` reads."""
    def call(*args, **options):
        arguments = of_values(args)
        with GradientTape() as tape:
            if arguments is not None:
                tape.watch(arguments)
            value = function(*args, **options)
        if value is None:
            raise ValueError("Cannot differentiate a function that returns None; did you forget to return a value from %s?"
                             % getattr(function, "__name__", function))
        sources = list(tape.watched_variables()) if arguments is None else arguments
        if not sources:
            raise ValueError("No trainable variables were accessed while the function was being computed.")
        gradients = tape.gradient(value, sources)
        return value, gradients, sources
    return call


def implicit_value_and_gradients(f):
    """A function that gives f's value and a list of (gradient, variable) for all variables that f reads."""
    call = _values_and_gradients(f, lambda args: None)

    def of_variables(*args, **options):
        value, gradients, variables = call(*args, **options)
        return value, list(zip(gradients, variables))
    return of_variables


def implicit_gradients(f):
    """A function that gives a list of (gradient, variable) for all variables that f reads."""
    both = implicit_value_and_gradients(f)
    return lambda *args, **options: both(*args, **options)[1]


def value_and_gradients_function(f, params=None):
    """A function that gives f's value and its gradients by the arguments with these numbers; None: all."""
    def call(*args):
        from flowray import tf
        numbers = range(len(args)) if params is None else [params] if isinstance(params, int) else params
        values = [tf.convert_to_tensor(value) if not _is_differentiable_thing(value) else value for value in args]
        chosen = [values[i] for i in numbers]
        with GradientTape() as tape:
            tape.watch(chosen)
            value = f(*values)
        if value is None:
            raise ValueError("Cannot differentiate a function that returns None; did you forget to return a value from %s?"
                             % getattr(f, "__name__", f))
        return value, tape.gradient(value, chosen)
    return call


def gradients_function(f, params=None):
    """A function that gives f's gradients by the arguments with these numbers; None: all."""
    both = value_and_gradients_function(f, params)
    return lambda *args: both(*args)[1]


def in_eager_mode():
    return executing_eagerly()


def num_gpus():
    return 0


def list_devices():
    return ["/job:localhost/replica:0/task:0/device:CPU:0"]


def run(main=None, argv=None):
    """Enables eager execution, and runs the program's main."""
    from flowray.tf import app
    enable_eager_execution()
    app.run(main, argv)


# ---- numpy

def _array_of_variable(self):
    """numpy asks for it; in a graph a variable has no value, and is an object like others."""
    if not executing_eagerly():
        raise AttributeError("__array__")

    def array(dtype=None, copy=None):
        import numpy as _np  # not by all who import flowray.tf
        value = self.numpy()
        return _np.asarray(value, dtype) if copy is None else _np.array(value, dtype, copy=copy)
    return array


_native.Variable.__array__ = property(_array_of_variable)


# ---- texts

_format_of_native = _native.Tensor.__format__


def _formatted(self, spec):
    """A value is written as numpy writes it; a tensor of a graph as it stands."""
    try:
        value = self.numpy()
    except AttributeError:  # of a graph
        return _format_of_native(self, spec)
    return format(value, spec)


_native.Tensor.__format__ = _formatted
