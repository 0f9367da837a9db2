"""Configs of layers and models, as dictionaries that tf.keras reads and writes, too."""

import numpy as _np

from flowray import _native
from flowray.tf.keras import _custom_objects, activations, constraints, initializers, regularizers

_Layer = _native.keras.Layer
_CONVOLUTIONS = ("Conv1D", "Conv2D", "Conv2DTranspose", "SeparableConv2D", "DepthwiseConv2D")
_NORMALIZATIONS = ("BatchNormalization", "LayerNormalization")
_SIZES = {"kernel_size", "strides", "dilation_rate", "pool_size", "size"}


def _rank(name):
    return 1 if "1D" in name else 3 if "3D" in name else 2


def _sizes(value, rank):
    return (value,) * rank if hasattr(value, "__index__") else tuple(value)


def _pairs(value, rank):
    """Paddings and croppings as the layers keep them."""
    if hasattr(value, "__index__"):
        return (value, value) if rank == 1 else ((value, value),) * rank
    if rank == 1:
        return tuple(value)
    return tuple((one, one) if hasattr(one, "__index__") else tuple(one) for one in value)


def kind_of(layer):
    """The name of the language's class, which the layer's own may derive from."""
    return getattr(type(layer), "_of_language", type(layer)).__name__


def _told(layer, name, value, arguments):
    kind = kind_of(layer)
    if name.endswith("_initializer"):
        return initializers.serialize(initializers.get(value))
    if name.endswith("_regularizer"):
        return regularizers.serialize(regularizers.get(value))
    if name.endswith("_constraint"):
        return constraints.serialize(constraints.get(value))
    if name in ("activation", "recurrent_activation"):
        return activations.serialize(activations.get(value))
    if isinstance(value, _Layer):
        return {"class_name": class_name_of(value), "config": value.get_config()}
    if name == "alpha" and kind == "LeakyReLU":
        return float(_np.float32(value))
    if name == "axis" and kind in _NORMALIZATIONS:
        return layer._axes or value
    if name == "strides" and value is None:
        value = arguments["pool_size"]
    if name in _SIZES and kind not in ("UpSampling1D",):
        return _sizes(value, _rank(kind))
    if name in ("padding", "cropping") and not isinstance(value, str):
        return _pairs(value, _rank(kind))
    return list(value) if isinstance(value, list) else value


def attribute_of(layer, name, value):
    """What a layer was made of, as its attribute of that name is."""
    if name.endswith("_initializer"):
        return initializers.get(value)
    if name.endswith("_regularizer"):
        return regularizers.get(value)
    if name.endswith("_constraint"):
        return constraints.get(value)
    if name in ("activation", "recurrent_activation"):
        return activations.get(value)
    return value if isinstance(value, _Layer) else _told(layer, name, value, layer._arguments)


# Layers whose configs name a regularizer of their outputs where there is none, too.
_WITH_ACTIVITY = {"Dense", "Embedding", "SimpleRNN", "LSTM", "GRU", *_CONVOLUTIONS}
# What tf.keras' configs say besides, and what there is one value of here.
_KERNEL = {"kernel_initializer": {"class_name": "GlorotUniform", "config": {"seed": None, "dtype": "float32"}}, "kernel_regularizer": None,
           "kernel_constraint": None}
_FIXED = {"SimpleRNN": {"time_major": False}, "LSTM": {"time_major": False}, "GRU": {"time_major": False},
          "SpatialDropout1D": {"noise_shape": None}, "SpatialDropout2D": {"noise_shape": None}, "SeparableConv2D": {"groups": 1, **_KERNEL},
          "DepthwiseConv2D": {"groups": 1}, "Conv2DTranspose": {"groups": 1}}


def of_language_layer(layer, arguments):
    """What a layer of the language's was made of, besides its name."""
    config, kind = {}, kind_of(layer)
    for name, value in arguments.items():
        if name == "name" or name == "backward_layer" and value is None or name == "data_format" and kind == "SpatialDropout2D":
            continue
        if name == "activity_regularizer" and value is None and kind not in _WITH_ACTIVITY:
            continue
        config[name] = _told(layer, name, value, arguments)
    config.update(_FIXED.get(kind, {}))
    return config


def arguments_of(cls, config, custom_objects=None):
    """Arguments of a class from the config of such a layer."""
    arguments = {name: value for name, value in config.items() if name not in _FIXED.get(getattr(cls, "_of_language", cls).__name__, {})}
    if isinstance(arguments.get("dtype"), dict):  # a policy
        arguments["dtype"] = arguments["dtype"].get("config", {}).get("name", "float32")
    for name, value in list(arguments.items()):
        if isinstance(value, dict) and value.get("class_name") == "__tuple__":
            value = arguments[name] = tuple(value["items"])
        if name.endswith("_initializer"):
            arguments[name] = initializers.get(value)
        elif name.endswith("_regularizer"):
            arguments[name] = regularizers.get(value)
        elif name.endswith("_constraint"):
            arguments[name] = constraints.get(value)
        elif name in ("activation", "recurrent_activation") and isinstance(value, (str, dict)):
            named = value if isinstance(value, str) else value.get("config")
            arguments[name] = _custom_objects.found(named, custom_objects) or named
        elif name in ("layer", "backward_layer") and isinstance(value, dict):
            arguments[name] = layer_from(value, custom_objects)
        elif isinstance(value, list):
            arguments[name] = [tuple(one) if isinstance(one, list) else one for one in value]
    return arguments


def class_name_of(layer):
    """What configs call its class."""
    if isinstance(layer, _native.keras.InputLayer):
        return "InputLayer"
    if isinstance(layer, _native.keras.Model) and not layer._is_own and type(layer).__name__ in ("Model", "Sequential"):
        return layer._class_name
    return _custom_objects.get_registered_name(type(layer))


def layer_from(config, custom_objects=None):
    """The layer, model or input that {"class_name": ..., "config": ...} tells of."""
    from flowray.tf.keras import _operation_layers, layers, models
    name = config["class_name"]
    cls = _custom_objects.found(config.get("registered_name"), custom_objects) or _custom_objects.found(name, custom_objects)
    if cls is None:
        cls = {"TensorFlowOpLayer": _operation_layers.TensorFlowOpLayer, "Functional": models.Model, "Model": models.Model, "Sequential": models.Sequential}.get(name) or getattr(layers, name, None)
    if not (isinstance(cls, type) and issubclass(cls, _Layer)):
        raise ValueError("Unknown layer: '%s'. Please ensure you are using a `keras.utils.custom_object_scope` and that this object is "
                         "included in the scope. See https://www.tensorflow.org/guide/keras/save_and_serialize#registering_the_custom_object "
                         "for details." % name)
    with _custom_objects.CustomObjectScope(custom_objects):
        return cls.from_config(config["config"])


# ---- models

def _calls_of(model):
    """{(layer's name, number of the call): (the call's outputs, history)}, those behind the inputs included."""
    calls = {}

    def visit(tensor):
        layer, number, _, inputs, _, _, _ = history = tensor._history
        if (layer.name, number) in calls:
            return
        calls[layer.name, number] = history
        for one in inputs:
            visit(one)
    for tensor in [*model._outputs, *model._inputs]:
        visit(tensor)
    return calls


def _begins_with_inputs(layer):
    """Whether tf.keras counts the calls of this model from 1, as 0 is that of its own inputs."""
    return isinstance(layer, _native.keras.Model) and not layer._is_own and bool(layer.built) and not layer._is_deferred


def of_network(model):
    """The config of a functional model."""
    calls = _calls_of(model)
    numbers = {}
    for layer in model.layers:
        kept = 1 if _begins_with_inputs(layer) else 0
        for name, number in sorted(calls):
            if name == layer.name:
                numbers[name, number] = kept
                kept += 1

    def place(tensor):
        layer, number, index = tensor._history[:3]
        return [layer.name, numbers[layer.name, number], index]

    told = []
    for layer in model.layers:
        nodes = []
        for name, number in sorted(calls):
            _, _, _, inputs, training, arguments, has_mask = calls[name, number]
            if name != layer.name or not inputs:
                continue
            options = {} if arguments is None else arguments.config()
            if training is not None:
                options["training"] = training
            if has_mask:
                *inputs, mask = inputs
                options["mask"] = place(mask)
            nodes.append([[*place(tensor), options] for tensor in inputs])
        told.append({"class_name": class_name_of(layer), "config": layer.get_config(), "name": layer.name, "inbound_nodes": nodes})
    return {"name": model.name, "trainable": model.trainable, "layers": told, "input_layers": [place(one) for one in model._inputs],
            "output_layers": [place(one) for one in model._outputs]}


class _Building:
    """The layers and tensors of a functional model that is made anew."""

    def __init__(self, config, custom_objects):
        self.layers, self.tensors, self.waiting = {}, {}, []
        for told in config["layers"]:
            name = told["config"].get("name", told["name"])
            if told["class_name"] == "InputLayer":
                self.tensors[told["name"], 0] = [input_from(told["config"])]
                continue
            layer = self.layers[told["name"]] = layer_from(told, custom_objects)
            first = 1 if _begins_with_inputs(layer) else 0
            self.waiting += [(told["name"], first + i, node) for i, node in enumerate(told["inbound_nodes"])]
            assert name

    def run(self):
        while self.waiting:
            ready = [one for one in self.waiting if all((place[0], place[1]) in self.tensors for place in _needed(one[2]))]
            if not ready:
                raise ValueError("The config of the model has nodes whose inputs no layer makes: %s" % self.waiting[0][2])
            for name, number, node in ready:
                self.waiting.remove((name, number, node))
                self.call(name, number, node)

    def call(self, name, number, node):
        places = _places(node)
        inputs = [self.tensors[place[0], place[1]][place[2]] for place in places]
        options = dict(places[0][3]) if len(places[0]) > 3 else {}
        options = {key: value for key, value in options.items() if value is not None}
        if isinstance(options.get("mask"), (list, tuple)):
            layer, call, output = options["mask"]
            options["mask"] = self.tensors[layer, call][output]
        outputs = self.layers[name](inputs if _is_list(node) else inputs[0], **options)
        self.tensors[name, number] = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]


def _is_list(node):
    return len(node) > 1 and not isinstance(node[0], str)


def _places(node):
    """[layer, call, output, arguments] of each input; a node of one input may be that alone."""
    return [node] if isinstance(node[0], str) else list(node)


def _needed(node):
    """Where a node's inputs stand, and its mask."""
    places = _places(node)
    mask = places[0][3].get("mask") if len(places[0]) > 3 else None
    return [*places, mask] if isinstance(mask, (list, tuple)) else places


def _in_lists(places):
    """Those of inputs or outputs: a single one may stand alone."""
    return [places] if places and isinstance(places[0], str) else list(places)


def input_from(config):
    from flowray.tf.keras.layers import Input
    shape = config.get("batch_input_shape", config.get("batch_shape"))
    if isinstance(shape, dict):
        shape = shape["items"]
    return Input(batch_shape=tuple(shape), dtype=config.get("dtype"), name=config.get("name"))


def network_from(cls, config, custom_objects=None):
    """The functional model that a config tells of."""
    building = _Building(config, custom_objects)
    building.run()
    inputs = [building.tensors[name, number][index] for name, number, index in _in_lists(config["input_layers"])]
    outputs = [building.tensors[name, number][index] for name, number, index in _in_lists(config["output_layers"])]
    return cls(inputs=inputs, outputs=outputs, name=config.get("name"))


def of_sequence(model):
    """The config of a Sequential."""
    told = []
    if model.built and not model._is_deferred:
        told.append({"class_name": "InputLayer", "config": model._inputs[0]._history[0].get_config()})
    told += [{"class_name": class_name_of(layer), "config": layer.get_config()} for layer in model.layers]
    config = {"name": model.name, "layers": told}
    if model.built and model._is_deferred:
        config["build_input_shape"] = tuple(model._inputs[0].shape.as_list())
    return config


def sequence_from(cls, config, custom_objects=None):
    """The Sequential that a config tells of; old ones are lists of layers."""
    name, told = (config.get("name"), config["layers"]) if isinstance(config, dict) else (None, config)
    model = cls(name=name)
    for one in told:
        if one["class_name"] == "InputLayer":
            model._begin_with(input_options(one["config"]))
        else:
            model.add(layer_from(one, custom_objects))
    shape = config.get("build_input_shape") if isinstance(config, dict) else None
    if not model.built and shape is not None and model.layers:
        model.build(tuple(shape["items"]) if isinstance(shape, dict) else tuple(shape))
    return model


def input_options(config):
    """(shape of a batch, dtype, name)"""
    shape = config.get("batch_input_shape", config.get("batch_shape"))
    if isinstance(shape, dict):
        shape = shape["items"]
    return tuple(shape), config.get("dtype"), config.get("name")
