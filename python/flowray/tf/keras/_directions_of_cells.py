"""Bidirectional of RNN, whose cells are written in Python: that of the language knows SimpleRNN, LSTM and GRU."""

from flowray import _native
from flowray import tf as _tf
from flowray.tf.keras import _configs
from flowray.tf.keras.cells import RNN

_MERGES = {"sum": lambda a, b: a + b, "mul": lambda a, b: a * b, "ave": lambda a, b: (a + b) / 2.0, None: lambda a, b: [a, b],
           "concat": lambda a, b: _tf.concat([a, b], axis=-1)}


def _named(layer, before, turns=False):
    """A layer like it with `before` in front of its name; `turns`: one that reads the other way."""
    config = layer.get_config()
    config.update(name=before + layer.name, go_backwards=layer.go_backwards is not turns)
    return RNN.from_config(config)


class Bidirectional(_native.keras.Layer):
    """Two RNN like the given one, of which one reads the sequences from their ends."""

    def __init__(self, layer, merge_mode="concat", weights=None, backward_layer=None, name=None, **options):
        if merge_mode not in _MERGES:
            raise ValueError("Invalid merge mode. Received: %s. Merge mode should be one of {\"sum\", \"mul\", \"ave\", \"concat\", None}" % merge_mode)
        if weights is not None or layer.return_state or layer.stateful:
            raise NotImplementedError("Bidirectional(weights=) and of RNN with return_state or stateful is not there yet: leave them out")
        super().__init__(name=name or _native.keras._next_name("bidirectional"), **options)
        self.merge_mode, self.supports_masking, self._given = merge_mode, True, [layer.get_config(), backward_layer and backward_layer.get_config()]
        self.forward_layer = _named(layer, "forward_")
        self.backward_layer = _named(backward_layer, "backward_") if backward_layer else _named(layer, "backward_", turns=True)

    layer = property(lambda self: self.forward_layer)

    def call(self, inputs, mask=None, training=None):
        first, second = self.forward_layer(inputs, mask=mask), self.backward_layer(inputs, mask=mask)
        if self.forward_layer.return_sequences:
            second = _tf.reverse(second, [0 if self.forward_layer.time_major else 1])
        return _MERGES[self.merge_mode](first, second)

    def compute_mask(self, inputs, mask=None):
        kept = mask if self.forward_layer.return_sequences else None
        return [kept, kept] if self.merge_mode is None else kept

    def get_config(self):
        layer, backward = ({"class_name": "RNN", "config": config} if config else None for config in self._given)
        config = {**super().get_config(), "merge_mode": self.merge_mode, "layer": layer}
        return config if backward is None else {**config, "backward_layer": backward}

    @classmethod
    def from_config(cls, config, custom_objects=None):
        config = dict(config)
        for name in ("layer", "backward_layer"):
            if name in config:
                config[name] = _configs.layer_from(config[name], custom_objects)
        return cls(**config)
