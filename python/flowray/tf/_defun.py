"""function.Defun of tensorflow.python.framework: functions of a graph. What is decided of them is C++ (src/tf/gradients)."""

import inspect as _inspect

from flowray import _native


class Defun:
    """A decorator: the function is made once, as one of the graph's, for arguments of these dtypes, and called by name."""

    def __init__(self, *input_types, **kwargs):
        self._input_types = [_native.as_dtype(dtype) for dtype in input_types]
        self._options = {name: kwargs.pop(name, None) for name in ("func_name", "grad_func", "python_grad_func", "out_names",
                                                                     "shape_func", "noinline")}
        for name in ("capture_by_value", "compiled", "separate_compiled_gradients", "allowlisted_stateful_ops"):
            if kwargs.pop(name, None):
                raise NotImplementedError("function.Defun has no %s here: functions take what they use of the program around them as "
                                          "further arguments, and are compiled with the step" % name)
        if kwargs.pop("capture_resource_var_by_value", True) is False:
            raise NotImplementedError("function.Defun has no capture_resource_var_by_value=False here: hand the variable's handle over")
        if kwargs:
            raise ValueError(f"Unknown keyword arguments: {kwargs.keys()}.")

    def __call__(self, func):
        if not callable(func):
            raise ValueError(f"Function {func} must be a callable.")
        spec = _inspect.getfullargspec(func)
        if spec.varkw or spec.defaults:
            raise ValueError("Functions with argument defaults or keywords arguments are not supported. "
                             f"{func} has defaults {spec.defaults} and keywords {spec.varkw}.")
        names = spec.args[1:] if _inspect.ismethod(func) else spec.args
        least, most = len(names), 1000000 if spec.varargs else len(names)
        if self._input_types:
            count = len(self._input_types)
            if not least <= count <= most:
                raise ValueError(f"The number of tf.function input types is not compatible with the allowed arguments of {func}. The "
                                 f"tf.function have {count} input types, while the python function allows minimum {least} and maximum "
                                 f"{most} arguments.")
            return _DefinedFunction(func, names, self._input_types, **self._options)
        if most == 0:
            return _DefinedFunction(func, [], [], **self._options)
        return _OverloadedFunction(func, names, self._options)


def _base_name(func, grad_func):
    name = getattr(func, "__name__", type(func).__name__)
    return name.replace("<lambda>", "lambda") + ("_%s" % grad_func.name if grad_func else "")


class _DefinedFunction:
    """A function for arguments of certain dtypes."""

    def __init__(self, func, arg_names, input_types, func_name=None, grad_func=None, python_grad_func=None, out_names=None,
                 shape_func=None, noinline=None):
        if not (grad_func is None or isinstance(grad_func, _DefinedFunction)):
            raise TypeError(f"grad_func must be a function that Defun has made, for arguments of certain dtypes, but is {grad_func!r}")
        self._func, self._input_types, self._noinline = func, input_types, noinline
        self._arg_names = [arg_names[i] if i < len(arg_names) else "arg%d" % i for i in range(len(input_types))]
        self._options = dict(func_name=func_name, python_grad_func=python_grad_func, out_names=out_names, shape_func=shape_func)
        self._grad_func = grad_func
        self._made = None
        self.__name__ = getattr(func, "__name__", type(func).__name__)
        self.__doc__ = getattr(func, "__doc__", None)

    @property
    def _defined(self):
        if self._made is None:
            grad_func = None if self._grad_func is None else self._grad_func._defined
            self._made = _native._defun(self._input_types, self._values, dict(
                self._options, grad_func=grad_func, arg_names=self._arg_names, base_name=_base_name(self._func, self._grad_func)))
        return self._made

    def _values(self, arguments):
        results = self._func(*arguments)
        if results is None:
            return []
        results = list(results) if isinstance(results, (list, tuple)) else [results]
        if any(result is None for result in results):
            raise ValueError(f"Function {self._options['func_name'] or self.__name__} can not return None.")
        return results

    name = property(lambda self: self._defined.name, doc="What it is called in the graph's library.")
    captured_inputs = property(lambda self: list(self._defined.captured_inputs),
                               doc="What it uses of the program around: its calls take it behind their arguments.")
    declared_input_types = property(lambda self: self._input_types, doc="The dtypes of its arguments.")
    python_grad_func = property(lambda self: self._options["python_grad_func"], doc="The function that makes its gradient's nodes.")
    grad_func_name = property(lambda self: self._grad_func.name if self._grad_func else None, doc="What its gradient is called.")

    def set_grad_func(self, grad_func):
        """Says which function is its gradient, before the first call."""
        if self._grad_func is not None or self._made is not None:
            raise ValueError("The gradient of %s cannot be set any more" % self.__name__)
        if not isinstance(grad_func, _DefinedFunction):
            raise TypeError(f"grad_func must be a function that Defun has made, but is {grad_func!r}")
        self._grad_func = grad_func

    def __call__(self, *args, name=None, noinline=None, **kwargs):
        if kwargs:
            raise ValueError(f"Unknown keyword arguments: {kwargs.keys()}.")
        op = self._defined.call(list(args), name, self._noinline if noinline is None else noinline)
        outputs = op.outputs
        return op if not outputs else outputs[0] if len(outputs) == 1 else tuple(outputs)


class _OverloadedFunction:
    """A function that is made anew for each list of dtypes."""

    def __init__(self, func, arg_names, options):
        grad_func = options["grad_func"]
        if not (grad_func is None or isinstance(grad_func, _OverloadedFunction)):
            raise TypeError(f"grad_func must be a function that Defun has made, without dtypes, but is {grad_func!r}")
        self._func, self._arg_names, self._options = func, arg_names, options
        self._overloads = {}

    def instantiate(self, input_types):
        """The function for arguments of these dtypes."""
        key = tuple(input_types)
        if key not in self._overloads:
            options = dict(self._options, grad_func=None)
            if options["func_name"] is not None:
                options["func_name"] = "_".join([options["func_name"], "".join(_SHORT.get(dtype.name, dtype.name) for dtype in key)])
            made = _DefinedFunction(self._func, self._arg_names, list(key), **options)
            if self._options["grad_func"] is not None:
                outputs = _DefinedFunction(self._func, self._arg_names, list(key))._defined.output_types
                made.set_grad_func(self._options["grad_func"].instantiate([*key, *outputs]))
            self._overloads[key] = made
        return self._overloads[key]

    def __call__(self, *args, **kwargs):
        from flowray import tf
        tensors = [tf.convert_to_tensor(value) for value in args]
        return self.instantiate([tensor.dtype.base_dtype for tensor in tensors])(*tensors, **kwargs)


_SHORT = {"float16": "f16", "float32": "f32", "float64": "f64", "int32": "i32", "uint8": "i8", "uint16": "u16", "uint32": "u32", "uint64": "u64",
          "int16": "i16", "int8": "i8", "string": "s", "complex64": "c64", "complex128": "c128", "int64": "i64", "bool": "b",
          "bfloat16": "b16"}
