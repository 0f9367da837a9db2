"""What all layers of tf.keras have, those of the program's classes above all: how arguments of a call are told to the language, weights and
losses that a class adds, and the config that a layer is made anew from. The functions here become methods of flowray._native.keras.Layer."""

import inspect as _inspect
import threading as _threading

import numpy as _np

from flowray import _native
from flowray import tf as _tf
from flowray.tf import _nest
from flowray.tf import _object_graph as _objects
from flowray.tf.keras import _layer_options

_Layer = _native.keras.Layer
_KerasTensor = _native.keras.KerasTensor
# Of the calls of the program's layers that go on: .training: whether they are for training; .explicit: what a program said of it, which
# layers inside are told. (A layer whose call has training=None and is told nothing gets None, as in TensorFlow 1's graphs.)
_calls = _threading.local()


class _Place:
    """Where a tensor stands in the arguments of a call."""

    def __init__(self, number):
        self.number = number


class Arguments:
    """What a layer of the program's was called with; the language keeps the tensors, and this says where they stand."""

    def __init__(self, args, options):
        values = _nest.flatten((args, options))
        is_symbolic = any(isinstance(value, _KerasTensor) for value in values)
        kind = _KerasTensor if is_symbolic else _native.Tensor
        self.tensors = [value for value in values if isinstance(value, kind)]
        numbers = iter(range(len(self.tensors)))
        places = [_Place(next(numbers)) if isinstance(value, kind) else value for value in values]
        self.args, self.options = _nest.pack_sequence_as((args, options), places)
        self.outputs = None

    def filled(self, tensors):
        """(args, options) with these tensors."""
        values = [tensors[value.number] if isinstance(value, _Place) else value for value in _nest.flatten((self.args, self.options))]
        return _nest.pack_sequence_as((self.args, self.options), values)

    def inputs_of(self, tensors):
        """The first argument with these in place of its tensors."""
        first = self.args[0] if self.args else next(iter(self.options.values()))
        return _nest.map_structure(lambda value: tensors[value.number] if isinstance(value, _Place) else value, first)

    def masks_of(self, masks):
        """Of the first argument; None where no part of it has one."""
        first = self.args[0] if self.args else next(iter(self.options.values()))
        found = [masks[value.number] if isinstance(value, _Place) else None for value in _nest.flatten(first)]
        if all(mask is None for mask in found):
            return None
        return found if _nest.is_nested(first) else found[0]

    def packed(self, outputs):
        """A call's outputs as `call` gave them."""
        return _nest.pack_sequence_as(self.outputs, outputs) if _nest.is_nested(self.outputs) else outputs[0]

    def config(self):
        """The arguments besides tensors, by name, for the node of a model's config."""
        return dict(self.options)


def parsed_options(cls, trainable=True, name=None, dtype=None, dynamic=False, activity_regularizer=None, input_shape=None, input_dim=None,
                   batch_input_shape=None, batch_size=None, input_dtype=None, autocast=None, **others):
    """What Layer.__init__ takes, for the language: (class name, name, trainable, shape of an element, attributes)."""
    for option in others:
        raise TypeError("('Keyword argument not understood:', '%s')" % option)
    if dynamic:
        raise NotImplementedError("Layer(dynamic=True) is not there: a layer is called in a graph, or with eager values as it is")
    if autocast:
        raise NotImplementedError("Layer(autocast=True) is not there: layers take inputs of the dtype that they get")
    attributes = {}
    if dtype or input_dtype:
        attributes["_dtype"] = _native.as_dtype(dtype or input_dtype).name  # init_own_layer tells the language
    shape = _layer_options.batch_shape_of(input_shape, input_dim, batch_input_shape, batch_size)
    if shape is not None:
        attributes["_batch_input_shape"] = shape
    return cls.__name__, name, bool(trainable), shape[1:] if shape is not None else None, attributes, activity_regularizer


def activity_regularizer_of(identifier):
    from flowray.tf.keras import regularizers
    return regularizers.get(identifier)


# ---- calls

def _call_own(self, *args, **options):
    first = args[0] if args else next(iter(options.values()), None)
    if not args and not options:
        raise ValueError("The first argument to `Layer.call` must always be passed.")
    values = _nest.flatten(first)
    if not any(isinstance(value, (_native.Tensor, _native.Variable)) for value in values):
        first = _nest.map_structure(lambda value: value if value is None else _tf.convert_to_tensor(_as_floatx(value)), first)
        args, options = ((first, *args[1:]), options) if args else (args, {**options, next(iter(options)): first})
    if not _native.keras._is_in_call():
        args, options = _nest.map_structure(_with_layers_behind, (args, options))
    args, options = _nest.map_structure(lambda value: value.value() if isinstance(value, _native.Variable) else value, (args, options))
    if "_input_spec" in self.__dict__ and self.__dict__["_input_spec"] is not None:
        from flowray.tf.keras import _input_specs
        _input_specs.check(self.__dict__["_input_spec"], args[0] if args else next(iter(options.values())), self.name)
    training = options.get("training") if _takes(self, "training") else None
    if "training" in options and training is None:
        del options["training"]
    if training is not None and not isinstance(training, (bool, int, _np.bool_)):
        raise NotImplementedError("%s: training is True or False in a call, not %r" % (self.name, training))
    if "mask" in options and options["mask"] is None:
        del options["mask"]
    arguments = Arguments(args, options)
    outputs = self._apply(arguments.tensors, current_training() if training is None else training, arguments)
    return arguments.packed(outputs)


def _with_layers_behind(value):
    if not isinstance(value, _native.keras.DerivedTensor):
        return value
    from flowray.tf.keras import _operation_layers
    return _operation_layers.keras_tensor_of(value)


def _as_floatx(value):
    """Numbers as Keras takes them: float64 becomes what the backend has as floatx()."""
    value = _np.asarray(value)
    return value.astype(_tf.keras.backend.floatx()) if value.dtype == _np.float64 else value


_signatures = {}


def _signature(layer):
    function = type(layer).call
    if function not in _signatures:
        _signatures[function] = _inspect.signature(function)
    return _signatures[function]


def _takes(layer, name):
    parameters = _signature(layer).parameters
    return name in parameters or any(one.kind is one.VAR_KEYWORD for one in parameters.values())


def _call_for(self, tensors, training, arguments):
    if arguments is None:
        arguments = self._default_arguments(tensors)
    args, options = arguments.filled(tensors)
    given = _signature(self).bind_partial(self, *args, **options).arguments
    explicit = given.get("training", getattr(_calls, "explicit", None))
    if explicit is None and isinstance(self, _native.keras.Model):
        explicit = training
    if "training" in _signature(self).parameters and "training" not in given and explicit is not None:
        options["training"] = bool(explicit)
    if "mask" in _signature(self).parameters and "mask" not in given:
        masks = arguments.masks_of(self._input_masks())
        if masks is not None:
            options["mask"] = masks
    before = getattr(_calls, "training", None), getattr(_calls, "explicit", None)
    _calls.training, _calls.explicit = training, explicit
    try:
        outputs = _converted_call(self)(*args, **options)
    finally:
        _calls.training, _calls.explicit = before
    if outputs is None:
        raise ValueError("A layer's `call` method should return a Tensor or a list of Tensors, not None (layer: %s)." % self.name)
    flat = _nest.flatten(outputs)
    arguments.outputs = _nest.map_structure(lambda value: None, outputs) if _nest.is_nested(outputs) else None
    return flat


def _converted_call(layer):
    """Its call; in a graph with `if`, `while` and `for` on tensors as statements of that."""
    if _tf.executing_eagerly() or "__class__" in getattr(type(layer).call, "__code__", _call.__code__).co_freevars:  # super() is not converted
        return layer.call
    from flowray.tf import autograph
    from flowray.tf.autograph import _operators
    call = autograph.converted(layer.call)
    return call if call == layer.call else lambda *args, **options: _operators.traced(call, *args, **options)[0]


def current_training():
    """Whether the call of a layer of the program's that goes on is one for training; None outside of such calls."""
    return getattr(_calls, "training", None)


def _default_arguments(self, tensors):
    """Of a model that is called by its steps."""
    structure = getattr(self, "_input_structure", None)
    if structure is None:
        return Arguments((tensors[0] if len(tensors) == 1 else list(tensors),), {})
    return Arguments((_nest.pack_sequence_as(structure, tensors),), {})


def _build_for(self, shapes, arguments):
    if self.built:
        return
    if arguments is None:
        arguments = self._default_arguments([None] * len(shapes))
        shapes = shapes[0] if len(shapes) == 1 else list(shapes)
    else:
        shapes = arguments.inputs_of(shapes)
    self.build(shapes)


def _example_of(layer, input_shape):
    """Inputs of this shape, by which a layer of the language's makes its weights; their values say nothing."""
    if isinstance(input_shape, list):
        return [_example_of(layer, shape) for shape in input_shape]
    shape = _tf.TensorShape(input_shape)
    dtype = _tf.int32 if isinstance(layer, _native.keras.Embedding) else layer._weights_dtype
    if _tf.executing_eagerly():
        return _tf.zeros([1 if size is None else size for size in shape.as_list()], dtype)
    return _tf.placeholder(dtype, shape)


def _build(self, input_shape):
    """Makes the weights; a class of the program's overrides it."""
    if not self._is_own:
        if not self.built:
            self(_example_of(self, input_shape))
        return
    self._build_input_shape = input_shape
    if _is_derived(self):
        self._build_as_language(input_shape if isinstance(input_shape, list) else [input_shape])
    self._set_built(True)


def _is_derived(self):
    """Whether its class is one of the program's, which derives from one of the language's."""
    return self._is_own and hasattr(type(self), "_of_language")


def _call(self, inputs, *args, **options):
    """What comes out; a class of the program's overrides it."""
    if not self._is_own:
        return self(inputs, *args, **options)
    return _call_as_language(self, inputs, *args, **options) if _is_derived(self) else inputs


def _call_as_language(self, inputs, training=None, mask=None, initial_state=None):
    """What the language's class makes of the inputs in a call of the program's."""
    if mask is not None and all(one is None for one in _nest.flatten(self._input_masks())):
        raise NotImplementedError("%s: super().call(mask=) takes the mask of the layer's inputs: give it to the layer, not to super().call()"
                                  % type(self).__name__)
    tensors = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    if initial_state is not None:
        tensors += list(initial_state) if isinstance(initial_state, (list, tuple)) else [initial_state]
    return self._call_as_language([_tf.convert_to_tensor(one) for one in tensors], bool(current_training() if training is None else training))


def _mask_for(self, inputs, masks):
    if type(self).compute_mask is _Layer.compute_mask:
        return None
    made = self.compute_mask(inputs[0] if len(inputs) == 1 else inputs, masks[0] if len(masks) == 1 else masks)
    return [] if made is None else _nest.flatten(made)


def _compute_mask(self, inputs, mask=None):
    """The mask of what comes out."""
    if not self._is_own or _is_derived(self):
        return self._mask_of_language(inputs, mask)
    if not self._supports_masking:
        if any(one is not None for one in _nest.flatten(mask)):
            raise TypeError("Layer %s does not support masking, but was passed an input_mask: %s" % (self.name, mask))
        return None
    return mask


def _compute_output_shape(self, input_shape):
    """The shape that comes out for inputs of this shape."""
    shapes = input_shape if isinstance(input_shape, list) else [input_shape]
    with _tf.Graph().as_default():
        twin = type(self).from_config(self.get_config())
        inputs = [_tf.keras.Input(batch_shape=tuple(_tf.TensorShape(shape).as_list())) for shape in shapes]
        outputs = twin(inputs if isinstance(input_shape, list) else inputs[0])
        return _nest.map_structure(lambda output: _tf.TensorShape(output.shape.as_list()), outputs)


# ---- weights and losses of a class

def add_weight(self, name=None, shape=None, dtype=None, initializer=None, regularizer=None, trainable=None, constraint=None,
               use_resource=None, synchronization=None, aggregation=None, partitioner=None, **options):
    """A variable of this layer's; "trainable" ones are changed by training."""
    from flowray.tf.keras import constraints, initializers, regularizers
    for option in options:
        if option not in ("getter", "collections", "caching_device", "experimental_autocast", "layout"):
            raise TypeError("('Unknown keyword argument:', '%s')" % option)
        if options[option] is not None:
            raise NotImplementedError("add_weight(%s=) is not there" % option)
    for option, value in (("partitioner", partitioner), ("use_resource", use_resource or None)):
        if value is not None:
            raise NotImplementedError("add_weight(%s=) is not there yet: leave it out" % option)
    for value, allowed in ((synchronization, (0, 3)), (aggregation, (0, 3))):
        if value is not None and getattr(value, "value", value) not in allowed:
            raise NotImplementedError("add_weight: there is one copy of a variable; leave synchronization and aggregation out")
    dtype = _native.as_dtype(dtype or getattr(self, "_dtype", None) or self._weights_dtype)
    if initializer is None:
        initializer = "glorot_uniform" if dtype.is_floating else "zeros"
    shape = () if shape is None else shape
    shape = tuple(int(size) for size in (shape if hasattr(shape, "__iter__") else (shape,)))
    trainable = True if trainable is None else bool(trainable)
    name = "Variable" if name is None else name
    if regularizer is not None:
        self._set_regularizer(name, regularizers.get(regularizer))
    if constraint is not None:
        self._set_constraint(name, constraints.get(constraint))
    variable = self._add_own_weight(name, shape, dtype, initializers.get(initializer), trainable)
    self.__dict__.setdefault("_added_weights", {})[name] = variable
    return variable


def add_loss(self, losses, **options):
    """Adds to the loss of a model with this layer in it: a tensor, or a function that gives one."""
    options.pop("inputs", None)
    for option in options:
        raise TypeError("Unknown keyword arguments: %s" % [option])
    for loss in _nest.flatten(losses):
        if loss is None:
            continue
        if callable(loss):
            self.__dict__.setdefault("_loss_functions", []).append(loss)
        else:
            self._add_own_loss(_tf.convert_to_tensor(loss))


def add_update(self, updates):
    """What runs with each step of training."""
    for update in _nest.flatten(updates):
        if update is not None:
            self._add_own_update(getattr(update, "op", update))


def check_metric(value, name, aggregation):
    if name is None:
        raise ValueError("Please provide a name for your metric like `self.add_metric(tf.reduce_sum(inputs), name='mean_activation', aggregation='mean')`")
    if aggregation != "mean":
        raise NotImplementedError("add_metric(aggregation=%r) is not there yet: 'mean'" % (aggregation,))
    if not _tf.is_tensor(value):
        raise ValueError("Expected a symbolic tensor for the metric value, received: %s" % (value,))


def add_metric(self, value, name=None, aggregation="mean"):
    """In `call`: shows the mean of a tensor in the progress, beside the metrics of compile."""
    check_metric(value, name, aggregation)
    if not _tf.executing_eagerly():
        _native.keras._note_metric(name, _tf.convert_to_tensor(value))


def _losses_by_functions(self):
    found = [function() for function in getattr(self, "_loss_functions", ())]
    return [loss for loss in found if loss is not None]


def _inner_layers(self):
    """Layers in this one's attributes, in the order in which they were set."""
    found = []

    def look(value):
        if isinstance(value, _Layer):
            if value is not self and all(value is not one for one in found):
                found.append(value)
        elif isinstance(value, dict):
            for item in list(value.values()):
                look(item)
        elif isinstance(value, (list, tuple)) and not isinstance(value, _tf.TensorShape):
            for item in value:
                look(item)
    for name, value in list(self.__dict__.items()):
        if name not in _NOT_LAYERS:
            look(value)
    return found


_NOT_LAYERS = {"_input_structure", "history", "optimizer", "_compiled", "_loss_functions", "callbacks"}


def _loose_variables(self, trainable):
    """Variables in this layer's attributes; the language leaves out those that it knows by add_weight."""
    found = []

    def look(value):
        if isinstance(value, _native.Variable):
            if bool(value.trainable) is trainable:
                found.append(value)
        elif isinstance(value, (list, tuple)) and not isinstance(value, _tf.TensorShape):
            for item in value:
                look(item)
        elif isinstance(value, dict):
            for item in list(value.values()):
                look(item)
    for value in list(self.__dict__.values()):
        look(value)
    return found


# ---- checkpoints

_NO_STATE = {"_added_weights", "_arguments", "_call_arguments", "_session", "_own_graph", "_cells", *_NOT_LAYERS}


def _local_name(variable):
    """What a layer of the language's calls its weight."""
    name, _, number = variable.op.name.rpartition("/")[2].rpartition("_")
    return name if name and number.isdigit() else variable.op.name.rpartition("/")[2]


def _weights_by_name(variables):
    return [(_local_name(variable), variable) for variable in variables]


def _cells_of(layer):
    """{name: group} for the cells of a layer over time, which are objects of their own in TensorFlow."""
    weights = layer.weights
    if not weights:
        return {}
    if isinstance(layer, _native.keras.Bidirectional):
        half = next(i for i, weight in enumerate(weights) if "/backward_" in weight.name)
        return {name: _objects.Group([("cell", _objects.Group(_weights_by_name(part)))])
                for name, part in (("forward_layer", weights[:half]), ("backward_layer", weights[half:]))}
    return {"cell": _objects.Group(_weights_by_name(weights))}


def _checkpoint_children(self):
    """(name, object) of what has values of its own: weights, and layers in attributes."""
    if self._is_own:
        named = _weights_by_name(self.weights) if _is_derived(self) else list(getattr(self, "_added_weights", {}).items())
        return named + _objects.children_of_attributes(self, but=_NO_STATE)
    if isinstance(self, (_native.keras.Recurrent, _native.keras.Bidirectional)):
        if not self.__dict__.get("_cells"):
            self._cells = _cells_of(self)
        return list(self._cells.items())
    if isinstance(self, _native.keras.TimeDistributed):
        return [("layer", self.layer)]
    return _weights_by_name(self.weights)


_native_call = _Layer.__call__


def _call_and_restore(self, *args, **options):
    """A call. What is said of training to a layer around it holds for it, too, unless it is told itself. Where a checkpoint waits for weights,
    those that the first call makes get its values, and the call sees them."""
    if not self._is_own and current_training() is not None and options.get("training") is None:
        if len(args) < 2:
            options["training"] = current_training()
        elif args[1] is None:
            args = (args[0], current_training(), *args[2:])
    if not _objects.is_waiting():
        return _native_call(self, *args, **options)
    was_built = self.built
    outputs = _native_call(self, *args, **options)
    if not was_built and _objects.sync() and _tf.executing_eagerly():
        outputs = _native_call(self, *args, **options)
    return outputs


# ---- config

def get_config(self):
    """The arguments that make such a layer."""
    arguments = getattr(self, "_arguments", None)
    config = {"name": self.name, "trainable": self.trainable}
    if isinstance(self, _native.keras.InputLayer):
        return _input_config(self)
    shape = getattr(self, "_batch_input_shape", None)
    if shape is not None:
        config["batch_input_shape"] = tuple(shape)
    config["dtype"] = getattr(self, "_dtype", None) or (self._weights_dtype.name if self.built or shape is not None else None)
    if arguments is not None:
        from flowray.tf.keras import _configs
        config.update(_configs.of_language_layer(self, arguments))
        return config
    if type(self).get_config is _Layer.get_config:
        init = type(self).__init__
        own = [] if init is _Layer.__init__ else [name for name in _inspect.getfullargspec(init).args if name not in config]
        if len(own) > 1:
            raise NotImplementedError("Layers with arguments in `__init__` must override `get_config`.\n%s has none that says what %s are."
                                      % (type(self).__name__, ", ".join(own[1:])))
    return config


def _input_config(layer):
    return {"batch_input_shape": tuple(layer._batch_input_shape.as_list()), "dtype": layer._input_dtype.name, "sparse": False,
            "ragged": False, "name": layer.name, "optional": False}


def from_config(cls, config):
    """The layer that get_config() told of, with new weights."""
    return cls(**config)


def get_weights(self):
    """The values of its weights."""
    values, self._session = _native.keras._values_of(self.weights)
    return values


def set_weights(self, weights):
    """Values for its weights, in the order of get_weights."""
    variables = self.weights
    if len(variables) != len(weights):
        raise ValueError("You called `set_weights(weights)` on layer \"%s\" with a weight list of length %d, but the layer was expecting %d "
                         "weights. Provided weights: %s..." % (self.name, len(weights), len(variables), str(weights)[:50]))
    for variable, value in zip(variables, weights):
        if tuple(variable.shape.as_list()) != _np.shape(value):
            raise ValueError("Layer %s weight shape %s is not compatible with provided weight shape %s."
                             % (self.name, tuple(variable.shape.as_list()), _np.shape(value)))
    for variable, value in zip(variables, weights):
        self._session = _native.keras._set_value(variable, _np.asarray(value))


def _inputs_of_call(outputs):
    """What a layer was called with, besides a mask."""
    history = outputs[0]._history
    return history[3][:-1] if history[6] else history[3]


def _only_shape(layer, is_input):
    calls = layer._calls
    what = "input" if is_input else "output"
    if not calls:
        raise AttributeError("The layer \"%s\" has never been called and thus has no defined %s shape." % (layer.name, what))
    shapes = []
    for outputs in calls:
        tensors = _inputs_of_call(outputs) if is_input else outputs
        of_call = [tuple(tensor.shape.as_list()) for tensor in tensors or outputs]
        shapes.append(of_call[0] if len(of_call) == 1 else of_call)
    if any(shape != shapes[0] for shape in shapes):
        raise AttributeError("The layer \"%s\" has multiple inbound nodes with different %s shapes. Hence the notion of \"%s shape\" is "
                             "ill-defined for the layer. Use `get_%s_shape_at(node_index)` instead." % (layer.name, what, what, what))
    return shapes[0]


def _at(what, is_input, shapes):
    def method(self, node_index):
        calls = self._calls
        if node_index >= len(calls):
            raise ValueError("Asked to get %s at node %d, but the layer has only %d inbound nodes." % (what, node_index, len(calls)))
        outputs = calls[node_index]
        tensors = (_inputs_of_call(outputs) or outputs) if is_input else outputs
        values = [tuple(tensor.shape.as_list()) if shapes else tensor for tensor in tensors]
        return values[0] if len(values) == 1 else values
    return method


# Which times of a layer's output count; None where all do.
_native.Tensor._keras_mask = property(_native.keras._mask_of)


def _install():
    for function in (_call_own, _call_for, _default_arguments, _build_for, _mask_for, add_weight, add_loss, add_update, add_metric,
                     _checkpoint_children, _losses_by_functions, _inner_layers, _loose_variables, get_config, get_weights, set_weights):
        setattr(_Layer, function.__name__, function)
    _Layer.build, _Layer.call, _Layer.compute_mask, _Layer.compute_output_shape = _build, _call, _compute_mask, _compute_output_shape
    _Layer.add_variable = add_weight
    _Layer.__call__ = _call_and_restore
    _Layer.from_config = classmethod(from_config)
    _Layer.dtype = property(lambda self: getattr(self, "_dtype", None) or self._weights_dtype.name)
    _Layer.variables = property(lambda self: self.weights)
    _Layer.trainable_variables = property(lambda self: self.trainable_weights)
    _Layer.non_trainable_variables = property(lambda self: self.non_trainable_weights)
    _Layer.input_shape = property(lambda self: _only_shape(self, True))
    _Layer.output_shape = property(lambda self: _only_shape(self, False))
    _Layer.get_input_at, _Layer.get_output_at = _at("input", True, False), _at("output", False, False)
    _Layer.get_input_shape_at, _Layer.get_output_shape_at = _at("input_shape", True, True), _at("output_shape", False, True)
    _Layer.built = property(lambda self: self._built, lambda self, value: self._set_built(bool(value)))
    _Layer.supports_masking = property(lambda self: self._supports_masking, lambda self, value: self._set_masking(bool(value)))
    _Layer.dynamic = property(lambda self: False)
    _Layer.stateful = False


_install()
