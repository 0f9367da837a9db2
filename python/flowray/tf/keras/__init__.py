"""tf.keras: models, layers and their training; see docs/keras.md."""

from flowray.tf.keras import callbacks, layers, losses, metrics, models, optimizers, utils
from flowray.tf.keras.models import Sequential

__all__ = ["Sequential", "callbacks", "layers", "losses", "metrics", "models", "optimizers", "utils"]
