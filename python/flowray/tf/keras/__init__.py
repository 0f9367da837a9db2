"""tf.keras: models, layers and their training; see docs/keras.md."""

from flowray.tf.keras import (activations, applications, backend, callbacks, constraints, datasets, experimental, initializers, layers, losses, metrics,
                              models, optimizers, preprocessing, regularizers, utils)
from flowray.tf.keras.layers import Input
from flowray.tf.keras.models import Model, Sequential

__all__ = ["Input", "Model", "Sequential", "activations", "applications", "backend", "callbacks", "constraints", "datasets", "experimental", "initializers",
           "layers", "losses", "metrics", "models", "optimizers", "preprocessing", "regularizers", "utils"]
