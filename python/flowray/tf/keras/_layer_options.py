"""What classes of tf.keras.layers share: options that all layers take, and remembering what a layer was made of."""

import functools as _functools
import inspect as _inspect

import numpy as _np

from flowray import _native

# What layers of tf.keras take that says nothing here, with the value that it may have.
_FIXED = {"dynamic": (False,), "groups": (1,), "noise_shape": (None,),
          "time_major": (False,), "implementation": (1, 2), "output_padding": (None,)}
# ... of one layer: how the same is computed, and what would be another thing.
_FIXED_OF = {"BatchNormalization": {"fused": (None, True, False), "renorm": (False,), "renorm_clipping": (None,), "renorm_momentum": (0.99,),
                                    "virtual_batch_size": (None,), "adjustment": (None,)}}
# The weight that "kernel_regularizer" is meant for, by its beginning.
_WEIGHTS = {"recurrent": "recurrent_kernel", "depthwise": "depthwise_kernel", "pointwise": "pointwise_kernel"}
_RULES = ("_regularizer", "_constraint")


def fixed(layer, **values):
    """NotImplementedError unless the arguments say what is done anyway."""
    for name, value in values.items():
        if not any(value is allowed or isinstance(value, str) and value == allowed or value == allowed and type(value) is type(allowed)
                   for allowed in _FIXED_OF.get(layer, {}).get(name) or _FIXED[name]):
            raise NotImplementedError("%s(%s=%r) is not there yet: leave it out" % (layer, name, value))


def checked(layer, options):
    """The options that the language's layers know; NotImplementedError for others."""
    known = {}
    for name, value in options.items():
        if name in _FIXED or name in _FIXED_OF.get(layer, ()):
            fixed(layer, **{name: value})
        elif name == "name":
            known[name] = value
        else:
            raise TypeError("Keyword argument not understood:", name)
    return known


def set_dtype(layer, dtype):
    """What the layer was told that its weights are."""
    dtype = _native.as_dtype(dtype)
    if dtype.is_floating:
        if dtype.name not in ("float32", "float64"):
            raise NotImplementedError("%s(dtype=%r) is not there yet: float32 or float64" % (type(layer).__name__, dtype.name))
        layer._set_dtype(dtype)
    layer._dtype = dtype.name


def data_format_of(value):
    """Where images have their channels: what a layer was told, else what tf.keras.backend says for all."""
    from flowray.tf.keras import backend  # it needs layers
    if value is None:
        return backend.image_data_format()
    if str(value).lower() not in ("channels_first", "channels_last"):
        raise ValueError("The `data_format` argument must be one of \"channels_first\", \"channels_last\". Received: %s" % (value,))
    return value.lower()


def settled_data_format(layer, value):
    """The same, for a layer that is made now."""
    data_format, made = data_format_of(value), type(layer)
    known = getattr(made, "_of_language", made)
    if data_format == "channels_first" and (made.build is not known.build or made.call is not known.call):
        raise NotImplementedError("%s: data_format=\"channels_first\" of a class with a build() or call() of its own, which would see channels "
                                  "last. Transpose its inputs and outputs, and leave data_format out." % made.__name__)
    layer._set_data_format(data_format)
    return data_format


def batch_shape_of(input_shape=None, input_dim=None, batch_input_shape=None, batch_size=None, input_length=None):
    """The shape of the batches that a layer as the first of a Sequential is for, of what programs say of it; None where they say nothing."""
    if batch_input_shape is not None:
        return tuple(batch_input_shape)
    if input_shape is not None:
        return (batch_size, *(input_shape if hasattr(input_shape, "__iter__") else (input_shape,)))
    if input_dim is not None:
        return (batch_size, input_dim) if input_length is None else (batch_size, input_length, input_dim)
    return None


_SHAPES = tuple(_inspect.signature(batch_shape_of).parameters)


def _set_rules(layer, rules):
    from flowray.tf.keras import constraints, regularizers  # they need what stands in layers
    for name, rule in rules.items():
        if rule is None:
            continue
        beginning = name.rsplit("_", 1)[0]
        if name == "activity_regularizer":
            layer._set_activity_regularizer(regularizers.get(rule))
        elif name.endswith("_regularizer"):
            layer._set_regularizer(_WEIGHTS.get(beginning, beginning), regularizers.get(rule))
        else:
            layer._set_constraint(_WEIGHTS.get(beginning, beginning), constraints.get(rule))


# The names of activations that the language knows; others are functions of Python's.
_NATIVE_ACTIVATIONS = {"linear", "softmax", "relu", "relu6", "elu", "selu", "tanh", "softplus", "softsign", "sigmoid", "hard_sigmoid", "swish",
                       "exponential"}
_NATIVE_INITIALIZERS = {"zeros", "ones", "random_uniform", "random_normal", "truncated_normal", "orthogonal", "uniform", "normal",
                        *("%s_%s" % (name, kind) for name in ("glorot", "he", "lecun") for kind in ("uniform", "normal"))}


def _with_functions(arguments):
    """The arguments, where names of activations and initializers that only Python or the program knows are functions."""
    from flowray.tf.keras import _custom_objects, activations, initializers  # they need what stands in layers
    for name in ("activation", "recurrent_activation"):
        value = arguments.get(name)
        if isinstance(value, str) and (value not in _NATIVE_ACTIVATIONS or _custom_objects.found(value) is not None):
            arguments[name] = activations.get(value)
    for name, value in arguments.items():
        if name.endswith("_initializer") and (isinstance(value, dict) or isinstance(value, str) and value not in _NATIVE_INITIALIZERS):
            arguments[name] = initializers.get(value)
    return arguments


def _attribute(self, name):
    """What the layer was made of, and its weights, by tf.keras' names."""
    arguments = self.__dict__.get("_arguments", {})
    if name in arguments:
        from flowray.tf.keras import _configs
        return _configs.attribute_of(self, name, arguments[name])
    if not name.startswith("_"):
        for weight in self.weights:
            if weight.name.rsplit("/", 1)[-1] == name + ":0":
                return weight
        if name == "bias" and arguments.get("use_bias") is False:
            return None
    raise AttributeError("'%s' object has no attribute '%s'" % (type(self).__name__, name))


def _from_config(cls, config):
    """The layer that get_config() told of, with new weights."""
    from flowray.tf.keras import _configs  # it needs layers
    return cls(**_configs.arguments_of(cls, config))


# Which arguments say the first values of a layer's weights, in the order of get_weights(); a second word says where there is such a weight.
_FIRST_VALUES = {"Dense": ("kernel", "bias use_bias"), "Embedding": ("embeddings",), "PReLU": ("alpha",),
                 "BatchNormalization": ("gamma scale", "beta center", "moving_mean", "moving_variance"), "LayerNormalization": ("gamma scale", "beta center"),
                 **dict.fromkeys(("SimpleRNN", "LSTM", "GRU"), ("kernel", "recurrent", "bias use_bias")),
                 **dict.fromkeys(("Conv1D", "Conv2D", "Conv2DTranspose"), ("kernel", "bias use_bias")),
                 "SeparableConv2D": ("depthwise", "pointwise", "bias use_bias"), "DepthwiseConv2D": ("depthwise", "bias use_bias")}


def _with_first_values(layer, arguments, values):
    """The arguments of a layer with these values for its weights, which weights= of tf.keras gives."""
    from flowray.tf.keras import initializers
    if layer not in _FIRST_VALUES:
        raise NotImplementedError("%s(weights=) is not there yet: set_weights() gives a layer that is built its weights" % layer)
    names = [name.split() for name in _FIRST_VALUES[layer]]
    names = [name[0] + "_initializer" for name in names if len(name) == 1 or arguments.get(name[1], True)]
    if len(names) != len(values):
        raise ValueError("You called `set_weights(weights)` on layer of class %s with a weight list of length %d, but the layer was expecting %d weights."
                         % (layer, len(values), len(names)))
    made = {name: initializers.Constant(_np.asarray(value, _np.float32)) for name, value in zip(names, values)}
    return {**made, "unit_forget_bias": False} if layer == "LSTM" else made


def _turn_activation(arguments, data_format):
    """Softmax is along the last dimension of what a layer gives, where the channels are in front, too."""
    from flowray.tf.keras import _backend_layers, activations  # they need what stands in layers
    activation = arguments.get("activation")
    if callable(activation) or activation == "softmax":
        arguments["activation"] = _backend_layers.turned_activation(data_format, activations.get(activation))


def layer_class(*weights):
    """A class whose layers have regularizers and constraints for these weights, and remember what they were made of."""
    known = {beginning + rule for beginning in weights for rule in _RULES} | {"activity_regularizer"}

    def decorate(cls):
        init = cls.__init__
        signature = _inspect.signature(init)
        own = [name for name, parameter in signature.parameters.items() if parameter.kind is not parameter.VAR_KEYWORD and name != "self"]

        @_functools.wraps(init)
        def __init__(self, *args, **options):
            rules = {name: options.pop(name) for name in list(options) if name in known}
            values = options.pop("weights", None)
            trainable = options.pop("trainable", True)
            given = {name: options.pop(name) for name in list(options) if name in own}
            shape = batch_shape_of(**{name: options.pop(name) for name in _SHAPES if name in options})
            arguments = signature.bind(self, *args, **given)
            called = signature.bind(self, *args, **given)
            called.arguments.update(_with_functions(dict(called.arguments)))
            if values is not None:
                called.arguments.update(_with_first_values(cls.__name__, arguments.arguments, values))
            if type(self) is not cls and options.get("name") is None:
                options["name"] = _native.keras._next_class_name(type(self).__name__)
            dtype = options.pop("dtype", None)
            arguments.apply_defaults()
            if "data_format" in arguments.arguments:
                arguments.arguments["data_format"] = data_format_of(arguments.arguments["data_format"])
                _turn_activation(called.arguments, arguments.arguments["data_format"])
            init(*called.args, **called.kwargs, **checked(cls.__name__, options))
            self._arguments = {**{name: arguments.arguments[name] for name in own}, **{name: rules.get(name) for name in sorted(known)}}
            if "data_format" in self._arguments:
                settled_data_format(self, self._arguments["data_format"])
            if dtype is not None:
                set_dtype(self, dtype)
            if shape is not None:
                self._batch_input_shape = shape
            if not trainable:
                self.trainable = False
            _set_rules(self, rules)

        cls.__getattr__ = _attribute
        cls.__init__, cls.from_config, cls._of_language = __init__, classmethod(_from_config), cls  # which the program's classes derive from
        return cls
    return decorate


def one(value, what="kernel_size"):
    """The number of a sequence of one, or the number itself."""
    if hasattr(value, "__index__"):
        return value
    if len(value) != 1:
        raise ValueError("The `%s` argument must be a tuple of 1 integers. Received: %s" % (what, value))
    return value[0]


def axes_of(value):
    """A list of the dimensions that a layer normalises."""
    if hasattr(value, "__index__") and not isinstance(value, bool):
        return [int(value)]
    if not isinstance(value, (list, tuple)):
        raise TypeError("Expected an int or a list/tuple of ints for the argument 'axis', but received: %r" % (value,))
    return list(value)


def pair(value):
    """A list of one number or two."""
    return [value] if hasattr(value, "__index__") else list(value)


def ends(value, what):
    """(first, last) of one number or two."""
    if hasattr(value, "__index__"):
        return (value, value)
    if len(value) != 2:
        raise ValueError("`%s` should have two elements. Received: %s." % (what, value))
    return tuple(value)


def ends_of_image(value, what):
    """Those of rows and columns: of one number, of two, or of two pairs."""
    if hasattr(value, "__index__"):
        return (value, value), (value, value)
    if len(value) != 2:
        raise ValueError("`%s` should have two elements. Received: %s." % (what, value))
    return ends(value[0], what), ends(value[1], what)
