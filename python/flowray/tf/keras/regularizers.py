"""tf.keras.regularizers: what is added to the loss for a weight or an output."""

import numpy as _np

from flowray import tf as _tf
from flowray.tf.keras import _custom_objects


class Regularizer:
    """A class of the program's has __call__, and get_config for files."""

    def __call__(self, x):
        return 0.0

    @classmethod
    def from_config(cls, config):
        return cls(**config)

    def get_config(self):
        raise NotImplementedError("%s does not implement get_config()" % self)


class L1L2(Regularizer):
    """l1 * sum(|x|) + l2 * sum(x^2)."""

    def __init__(self, l1=0.0, l2=0.0):
        self.l1, self.l2 = (0.0 if value is None else float(_np.float32(value)) for value in (l1, l2))

    def __call__(self, x):
        loss = 0.0
        if self.l1:
            loss += self.l1 * _tf.reduce_sum(_tf.abs(x))
        if self.l2:
            loss += self.l2 * _tf.reduce_sum(_tf.square(x))
        return loss if self.l1 or self.l2 else _tf.constant(0.0)

    def get_config(self):
        return {"l1": self.l1, "l2": self.l2}


class L1(L1L2):
    """l1 * sum(|x|)."""

    def __init__(self, l1=0.01):
        super().__init__(l1=0.01 if l1 is None else l1)

    def get_config(self):
        return {"l1": self.l1}


class L2(L1L2):
    """l2 * sum(x^2)."""

    def __init__(self, l2=0.01):
        super().__init__(l2=0.01 if l2 is None else l2)

    def get_config(self):
        return {"l2": self.l2}


l1, l2 = L1, L2


def l1_l2(l1=0.01, l2=0.01):
    """L1L2(l1, l2)"""
    return L1L2(l1=l1, l2=l2)


_NAMES = {"l1": L1, "l2": L2, "l1_l2": l1_l2, "L1": L1, "L2": L2, "L1L2": L1L2}


def serialize(regularizer):
    """Its config."""
    return _custom_objects.serialize(regularizer)


def deserialize(config, custom_objects=None):
    """The regularizer that a config tells of."""
    if isinstance(config, dict) and config.get("class_name") == "l1_l2":
        return l1_l2(**config.get("config", {}))
    return _custom_objects.made(config, _NAMES, "regularizer", custom_objects)


def get(identifier):
    """A regularizer by its name or config, or what is one already."""
    if isinstance(identifier, str) and identifier == "l1_l2" or isinstance(identifier, dict) and identifier.get("class_name") == "l1_l2":
        return deserialize({"class_name": "l1_l2"} if isinstance(identifier, str) else identifier)
    return _custom_objects.function_on_weights(identifier, _NAMES, "regularizer")
