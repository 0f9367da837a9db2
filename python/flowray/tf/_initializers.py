"""Initializers as classes, which can be pickled and copied and tell what they were made with. What they make is the language's."""

from flowray import _native
from flowray.tf import _argument_words


_OF_FLOATS = ("random_normal_initializer", "truncated_normal_initializer", "uniform_unit_scaling_initializer",
              "variance_scaling_initializer", "orthogonal_initializer", "identity_initializer")


def _again(name, arguments, named):
    return globals()[name](*arguments, **named)


class Initializer(_native.Initializer):
    """Makes the first value of a variable from its shape and dtype."""

    _make = None  # the language's function

    def __init__(self, *arguments, **named):
        super().__init__(type(self)._make(*arguments, **named))
        self._arguments, self._named = arguments, named
        if (arguments or named) and type(self)._make.name in _OF_FLOATS:
            dtype = self._bound()["dtype"]
            if dtype is not None and not _native.as_dtype(dtype).is_floating:
                raise ValueError("Argument `dtype` is expected to be floating point. Received: %s." % _native.as_dtype(dtype))

    def __reduce__(self):
        if type(self).__module__ == __name__:
            return _again, (type(self).__name__, self._arguments, self._named)
        return type(self), self._arguments

    def __call__(self, shape, dtype=None, partition_info=None, **options):
        """A tensor of this shape, of the dtype that it was made with where none is given."""
        if options:
            return self._verified(**options)(shape, dtype, partition_info)
        return super().__call__(shape, self.get_config().get("dtype", "float32") if dtype is None else dtype, partition_info)

    def _verified(self, **options):
        """One that checks the shape, or does not: of a constant."""
        if "verify_shape" not in self._bound() or list(options) != ["verify_shape"]:
            raise TypeError("__call__() got an unexpected keyword argument %r" % next(iter(options)))
        if options["verify_shape"] is None:
            return self
        return type(self)(**dict(self._bound(), **options))

    def _bound(self):
        bound = _argument_words.signature(type(self)._make.function).bind(*self._arguments, **self._named)
        bound.apply_defaults()
        return dict(bound.arguments)

    def get_config(self):
        """The arguments that it was made with, by their names."""
        config = self._bound()
        config.pop("verify_shape", None)  # a constant's is not in TensorFlow's config
        if config.get("dtype") is None:
            config["dtype"] = "float32"
        config["dtype"] = _native.as_dtype(config["dtype"]).name
        return config

    @classmethod
    def from_config(cls, config):
        return cls(**config)


class _Call:
    """A function that is not a method where it is an attribute of a class, with Python's words for wrong arguments."""

    def __init__(self, function, name):
        self.name = name
        self.function, self._call = function, _native._with_python_words(function)

    def __call__(self, *arguments, **named):
        return self._call(*arguments, **named)


def _class(name):
    function = getattr(_native, name)
    return type(name, (Initializer,), {"_make": _Call(function, name), "__doc__": function.__doc__, "__module__": __name__})


NAMES = ("zeros_initializer", "ones_initializer", "constant_initializer", "random_uniform_initializer", "random_normal_initializer",
         "truncated_normal_initializer", "uniform_unit_scaling_initializer", "variance_scaling_initializer", "orthogonal_initializer",
         "glorot_uniform_initializer", "glorot_normal_initializer", "identity_initializer", "he_normal", "he_uniform", "lecun_normal",
         "lecun_uniform")
globals().update((name, _class(name)) for name in NAMES)
