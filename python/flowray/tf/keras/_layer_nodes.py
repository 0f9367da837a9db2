"""What a layer of a functional model shows of its calls, and of what hangs below it."""

from flowray import _native
from flowray import tf as _tf
from flowray.tf import _nest

_Layer = _native.keras.Layer


def _one_or_list(values):
    return values[0] if len(values) == 1 else list(values)


def _shape(tensor):
    return tuple(tensor.shape.as_list())


class Node:
    """A call of a layer: which tensors it took and which it gave."""

    def __init__(self, layer, inputs, outputs, are_lists):
        self.outbound_layer, self.layer = layer, layer
        one = list if are_lists else _one_or_list
        self.input_tensors, self.output_tensors = one(inputs or outputs), one(outputs)
        self.input_shapes, self.output_shapes = one([_shape(tensor) for tensor in inputs or outputs]), one([_shape(tensor) for tensor in outputs])
        self.inbound_layers = one([tensor._history[0] for tensor in inputs]) if inputs else []
        self.node_indices, self.tensor_indices = ([tensor._history[i] for tensor in inputs] for i in (1, 2))


def _inbound_nodes(layer):
    nodes = []
    for outputs in layer._calls:
        history = outputs[0]._history
        inputs = list(history[3][:-1] if history[6] else history[3] or ())
        nodes.append(Node(layer, inputs, list(outputs), are_lists=isinstance(layer, _native.keras.InputLayer)))
    return nodes


def _mask(layer, is_input):
    nodes = layer.inbound_nodes
    if len(nodes) != 1:
        raise AttributeError("Layer %s has multiple inbound nodes, hence the notion of \"layer %s mask\" is ill-defined. Use "
                             "`get_%s_mask_at(node_index)` instead." % (layer.name, *(["input" if is_input else "output"] * 2)))
    return _mask_at(layer, 0, is_input)


def _mask_at(layer, node_index, is_input):
    tensors = (layer.get_input_at if is_input else layer.get_output_at)(node_index)
    if isinstance(tensors, (list, tuple)):
        return [getattr(tensor, "_keras_mask", None) for tensor in tensors]
    return getattr(tensors, "_keras_mask", None)


def _submodules(layer):
    """Layers below this one: of a class of the program's by the names of its attributes, each before those below it."""
    found, waiting = [], [layer]
    while waiting:
        now = waiting.pop(0)
        if now._is_own:
            below = []
            for name in sorted(now.__dict__):
                below += [one for one in _nest.flatten(now.__dict__[name]) if isinstance(one, _Layer)] if name[:1] != "_" else []
        else:
            below = list(getattr(now, "layers", None) or [one for one in (getattr(now, "layer", None),) if isinstance(one, _Layer)])
        for one in below:
            if one is not layer and not any(one is other for other in found):
                found.append(one)
                waiting.append(one)
    return tuple(found)


def _compute_output_signature(layer, input_signature):
    """The TensorSpec that comes out for inputs of one."""
    for spec in _nest.flatten(input_signature):
        if not isinstance(spec, _tf.TensorSpec):
            raise TypeError("Only TensorSpec signature types are supported. Received: %s." % (spec,))
    shapes = layer.compute_output_shape(_nest.map_structure(lambda spec: spec.shape, input_signature))
    dtype = _tf.as_dtype(layer.dtype or "float32")
    return _nest.map_structure(lambda shape: _tf.TensorSpec(shape, dtype), shapes)


_Layer.inbound_nodes = property(_inbound_nodes)
_Layer.input_mask = property(lambda self: _mask(self, True))
_Layer.output_mask = property(lambda self: _mask(self, False))
_Layer.get_input_mask_at = lambda self, node_index: _mask_at(self, node_index, True)
_Layer.get_output_mask_at = lambda self, node_index: _mask_at(self, node_index, False)
_Layer.submodules = property(_submodules)
_Layer.compute_output_signature = _compute_output_signature
_Layer.get_losses_for = lambda self, inputs: list(self.losses)
_Layer.get_updates_for = lambda self, inputs: list(self.updates)
