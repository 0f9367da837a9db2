"""Gradients of the program's own: tf.RegisterGradient, tf.NotDifferentiable, tf.custom_gradient. What is decided of them is C++
(src/tf/gradients); here are decorators, and structures of tensors."""

import functools as _functools
import inspect as _inspect
import sys as _sys

from flowray import _native
from flowray.tf import _nest


def _place():
    """Where the program called, as the error of a second registration shows it."""
    frame = _sys._getframe(2)
    return "%s %s:%d" % (frame.f_code.co_name, frame.f_code.co_filename, frame.f_lineno)


def _checked_type(op_type):
    if not isinstance(op_type, str):
        raise TypeError("op_type must be a string")
    return op_type


class RegisterGradient:
    """A decorator: the function is the gradient of that type of operations, or of those that Graph.gradient_override_map gives it to. It
    takes the operation and the gradients of its outputs, and gives those of its inputs, None where nothing flows."""

    def __init__(self, op_type):
        self._op_type = _checked_type(op_type)

    def __call__(self, f):
        if not callable(f):
            raise TypeError("The gradient of %r must be a function, but is %r" % (self._op_type, f))
        _native._register_gradient(self._op_type, f, _place())
        return f


def no_gradient(op_type):
    """Nothing flows through operations of that type: tf.gradients stops there without an error."""
    _native._register_gradient(_checked_type(op_type), None, _place())


NotDifferentiable = NoGradient = no_gradient


def custom_gradient(f=None):
    """Of a function that gives (values, function of their gradients) one that gives the values with that gradient."""
    return custom_gradient if f is None else _CustomGradient(f)


def grad_pass_through(f):
    """Of a function one whose gradient is that of the identity: what comes in for its values goes on to its arguments as it is."""
    @custom_gradient
    def passed(*args, **named):
        def back(*grads, variables=None):
            ours = grads if len(grads) > 1 else grads[0]
            return ours if variables is None else (ours, [None] * len(variables))
        return f(*args, **named), back
    return _functools.wraps(f)(passed) if hasattr(f, "__name__") else passed


class _CustomGradient:
    """A function with a gradient of its own, which may be a method."""

    def __init__(self, function):
        self._function = function
        _functools.update_wrapper(self, function)

    def __get__(self, instance, owner=None):
        return self if instance is None else _CustomGradient(self._function.__get__(instance, owner))

    def __call__(self, *args, **options):
        from flowray import tf
        is_eager = _native.executing_eagerly()
        if options and not is_eager:
            raise ValueError("The custom_gradient decorator currently supports keywords arguments only when eager execution is enabled.\n"
                             "A graph's operations take tensors by position: hand %s over so." % ", ".join(sorted(options)))
        arguments = [tf.convert_to_tensor(value) for value in _nest.flatten(args)]
        call = _Call(self._function, args, options, is_eager)
        values = _native._custom_gradient(call, arguments)
        return _nest.pack_sequence_as(call.result, values) if _nest.is_nested(call.result) else values[0]


class _Call:
    """One call of such a function."""

    def __init__(self, function, args, options, is_eager):
        self.function, self.args, self.options, self.is_eager = function, args, options, is_eager
        self.result = None

    def __call__(self, tensors):
        from flowray import tf
        arguments = _nest.pack_sequence_as(self.args, tensors)
        if self.is_eager:
            with tf.GradientTape() as tape:
                self.result, self.gradient = self.function(*arguments, **self.options)
            if tape.watched_variables():
                raise NotImplementedError("The function of tf.custom_gradient uses variables: hand their values to it as arguments")
        else:
            self.result, self.gradient = self.function(*arguments)
        self.num_arguments = len(tensors)
        self.values = [tf.convert_to_tensor(value) for value in _nest.flatten(self.result)]
        return self.values, self.of_arguments, self.of_variables if self._takes_variables() else None

    def _takes_variables(self):
        try:
            spec = _inspect.getfullargspec(self.gradient)
        except TypeError:
            return False
        return "variables" in spec.args or "variables" in spec.kwonlyargs or spec.varkw is not None

    def of_arguments(self, gradients):
        if not self.is_eager:
            return _nest.flatten(self.gradient(*gradients))
        from flowray import tf
        gradients = [tf.zeros_like(value) if one is None else one for one, value in zip(gradients, self.values)]
        made = _nest.flatten(self.gradient(*gradients))
        if len(made) != self.num_arguments:
            raise ValueError("custom_gradient function expected to return %d gradients, but returned %d instead."
                             % (self.num_arguments, len(made)))
        return [None if one is None else tf.convert_to_tensor(one) for one in made]

    def of_variables(self, gradients, variables):
        of_arguments, of_variables = self.gradient(*gradients, variables=variables)
        if len(of_variables) != len(variables):
            raise ValueError("Must return gradient for each variable from @custom_gradient grad_fn.")
        return _nest.flatten(of_arguments) + list(of_variables)
