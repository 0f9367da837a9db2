"""tf.keras: models, layers and their training; see docs/keras.md."""

from flowray.tf.keras import callbacks, constraints, layers, losses, metrics, models, optimizers, regularizers, utils
from flowray.tf.keras.layers import Input
from flowray.tf.keras.models import Model, Sequential

__all__ = ["Input", "Model", "Sequential", "callbacks", "constraints", "layers", "losses", "metrics", "models", "optimizers", "regularizers",
           "utils"]
