"""The classes of tf.layers: objects whose calls share their variables. Those of TensorFlow's are the functions of the same name, called in
one scope (layers::Shared in C++); programs derive their own from Layer."""

import inspect as _inspect
import re as _re

from flowray import _native
from flowray import tf as _tf
from flowray.tf import _argument_words
from flowray.tf import _nest

_functions = _native.layers


def _kind_of(cls):
    parted = _re.sub("([a-z])([A-Z])", r"\1_\2", _re.sub("(.)([A-Z][a-z0-9]+)", r"\1_\2", cls.__name__)).lower()
    return parted if parted[0] != "_" else "private" + parted


def _counted(kind):
    counts = _tf.get_default_graph()._layer_names
    counts[kind] = counts.get(kind, 0) + 1
    return "%s_%d" % (kind, counts[kind])


class Layer:
    """A layer of a network: `build(input_shape)` makes its variables by `add_variable`, `call(inputs)` what it gives. The first call builds it;
    later ones use the same variables, in the same scope."""

    def __init__(self, trainable=True, name=None, dtype=None, **kwargs):
        self._reuse = kwargs.pop("_reuse", None)
        scope = kwargs.pop("_scope", None)
        if kwargs.pop("activity_regularizer", None) is not None:
            raise NotImplementedError("Layer(activity_regularizer=...) is not there today: add_loss says the same in call()")
        for word in kwargs:
            raise TypeError("('Keyword argument not understood:', '%s')" % word)
        if scope is not None and not isinstance(scope, str):
            scope = scope.name
        self._given_name = scope or name
        self._kind = _kind_of(type(self))
        self._name = name or _counted(self._kind)
        self._dtype = None if dtype is None else _tf.as_dtype(dtype).base_dtype.name
        self.trainable = trainable
        self._shared = _functions._Shared()
        self._weights, self._losses, self._updates = [], [], []
        self.built = False

    @property
    def name(self):
        return self._name

    @property
    def dtype(self):
        return self._dtype

    @property
    def scope_name(self):
        return self._shared.scope_name

    @property
    def graph(self):
        if not self.variables:
            raise AttributeError("The layer has no variables, so that it belongs to no graph.")
        return self.variables[0].graph

    @property
    def variables(self):
        return list(self._weights)

    weights = property(lambda self: self.variables)

    @property
    def trainable_variables(self):
        return [variable for variable in self.variables if variable.trainable] if self.trainable else []

    trainable_weights = property(lambda self: self.trainable_variables)

    @property
    def non_trainable_variables(self):
        trainable = {variable.name for variable in self.trainable_variables}
        return [variable for variable in self.variables if variable.name not in trainable]

    non_trainable_weights = property(lambda self: self.non_trainable_variables)

    @property
    def losses(self):
        return list(self._losses)

    @property
    def updates(self):
        return list(self._updates) if self.trainable else []

    def count_params(self):
        if not self.built:
            raise ValueError("You tried to call `count_params` on layer %s, but the layer isn't built. You can build it manually via: `layer.build("
                             "batch_input_shape)`." % self.name)
        return sum(variable.shape.num_elements() for variable in self.variables)

    # ---- for classes that derive from it

    def build(self, input_shape):
        self.built = True

    def call(self, inputs, *args, **kwargs):
        return inputs

    def add_variable(self, name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=True, constraint=None, use_resource=None,
                     partitioner=None):
        variable = _tf.get_variable(name, () if shape is None else shape, dtype=dtype or self._dtype or _tf.float32, initializer=initializer,
                                    regularizer=regularizer, trainable=bool(trainable and self.trainable), constraint=constraint,
                                    use_resource=use_resource, partitioner=partitioner)
        self._weights.append(variable)
        return variable

    add_weight = add_variable

    def add_loss(self, losses, inputs=None):
        for loss in losses if isinstance(losses, (list, tuple)) else [losses]:
            _tf.losses.add_loss(loss, _tf.GraphKeys.REGULARIZATION_LOSSES)

    def add_update(self, updates, inputs=None):
        for update in updates if isinstance(updates, (list, tuple)) else [updates]:
            _tf.add_to_collection(_tf.GraphKeys.UPDATE_OPS, update)

    # ---- calls

    def __call__(self, inputs, *args, **kwargs):
        inputs = _nest.map_structure(_tf.convert_to_tensor, inputs)
        if self._dtype is None:
            self._dtype = _nest.flatten(inputs)[0].dtype.base_dtype.name

        def run():
            if not self.built:
                shapes = _nest.map_structure(lambda tensor: tensor.shape, inputs)
                self.build(shapes)
                self.built = True
            return self.call(inputs, *args, **kwargs)
        return self._collecting(lambda: self._shared.call_in_scope(self._given_name, self._kind, self._reuse, run))

    def apply(self, inputs, *args, **kwargs):
        return self(inputs, *args, **kwargs)

    def _collecting(self, make):
        """What it makes, and what that adds to the collections of losses and updates."""
        keys = _tf.GraphKeys.REGULARIZATION_LOSSES, _tf.GraphKeys.UPDATE_OPS
        before = [len(_tf.get_collection(key)) for key in keys]
        made = make()
        for key, count, kept in zip(keys, before, (self._losses, self._updates)):
            kept.extend(_tf.get_collection(key)[count:])
        return made


class _LayerOfFunction(Layer):
    """One whose calls are those of `_function`; the arguments of its constructor are the function's, but for the inputs."""

    _function = None
    _of_call = ()  # the arguments that a call is given
    _variable_names = ()

    def __init__(self, *args, **kwargs):
        own = {word: kwargs.pop(word) for word in ("dtype", "_reuse", "_scope") if word in kwargs}
        given = self._signature().bind(*args, **kwargs)
        given.apply_defaults()
        self._options = dict(given.arguments)
        super().__init__(self._options.get("trainable", True), self._options.pop("name", None), **own)
        for word, value in self._options.items():
            if word != "trainable":
                setattr(self, word, value)

    @classmethod
    def _signature(cls):
        """The parameters of the function, the inputs, what a call says and `reuse` left out."""
        if "_parameters" not in cls.__dict__:
            listed = _argument_words.signature(cls._function).parameters.values()
            cls._parameters = _inspect.Signature([one for one in listed if one.name not in ("inputs", "reuse", *cls._of_call)])
        return cls._parameters

    @property
    def variables(self):
        return list(self._shared.variables)

    def _variable(self, name):
        for variable in self.variables:
            if variable.op.name.rsplit("/", 1)[-1] == name:
                return variable
        return None

    def __getattr__(self, name):
        if name in type(self)._variable_names and "_shared" in self.__dict__:
            return self._variable(name)
        raise AttributeError("'%s' object has no attribute '%s'" % (type(self).__name__, name))

    def build(self, input_shape):
        raise NotImplementedError("%s.build() is not there today: the first call builds the layer" % type(self).__name__)

    def _made(self, inputs, **of_call):
        options = {**self._options, **of_call}
        reuse = {"reuse": self._reuse} if self._reuse is not None else {}
        return type(self)._function(inputs, name=self._given_name, **options, **reuse)

    def __call__(self, inputs, **of_call):
        for word in of_call:
            if word not in self._of_call:
                raise TypeError("%s.call() got an unexpected keyword argument '%s'" % (type(self).__name__, word))
        made = self._collecting(lambda: self._shared.call(lambda: self._made(inputs, **of_call)))
        self.built = True
        if self._dtype is None:
            self._dtype = made.dtype.base_dtype.name
        return made

    def call(self, inputs, **of_call):
        return self(inputs, **of_call)

    def compute_output_shape(self, input_shape):
        with _tf.Graph().as_default():
            return type(self)._function(_tf.placeholder(self._dtype or _tf.float32, input_shape), **self._options).shape


def _layer(name, function, of_call=(), variables=("kernel", "bias")):
    made = getattr(_functions, function)
    return type(name, (_LayerOfFunction,), {"__doc__": "tf.layers.%s as an object, whose calls share their variables." % function,
                                            "__module__": __name__, "_function": staticmethod(made), "_of_call": of_call,
                                            "_variable_names": variables})


Dense = _layer("Dense", "dense")
Conv1D = _layer("Conv1D", "conv1d")
Conv2D = _layer("Conv2D", "conv2d")
Conv3D = _layer("Conv3D", "conv3d")
Conv2DTranspose = _layer("Conv2DTranspose", "conv2d_transpose")
Conv3DTranspose = _layer("Conv3DTranspose", "conv3d_transpose")
SeparableConv1D = _layer("SeparableConv1D", "separable_conv1d", variables=("depthwise_kernel", "pointwise_kernel", "bias"))
SeparableConv2D = _layer("SeparableConv2D", "separable_conv2d", variables=("depthwise_kernel", "pointwise_kernel", "bias"))
BatchNormalization = _layer("BatchNormalization", "batch_normalization", ("training",),
                            ("gamma", "beta", "moving_mean", "moving_variance", "moving_stddev", "renorm_mean", "renorm_stddev"))
Dropout = _layer("Dropout", "dropout", ("training",), ())
Flatten = _layer("Flatten", "flatten", variables=())
MaxPooling1D = _layer("MaxPooling1D", "max_pooling1d", variables=())
MaxPooling2D = _layer("MaxPooling2D", "max_pooling2d", variables=())
MaxPooling3D = _layer("MaxPooling3D", "max_pooling3d", variables=())
AveragePooling1D = _layer("AveragePooling1D", "average_pooling1d", variables=())
AveragePooling2D = _layer("AveragePooling2D", "average_pooling2d", variables=())
AveragePooling3D = _layer("AveragePooling3D", "average_pooling3d", variables=())
