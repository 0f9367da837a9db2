"""tf.keras.experimental: learning rates that TensorFlow 1.15 has there."""

from flowray.tf.keras.learning_rate_schedules import CosineDecay, CosineDecayRestarts

__all__ = ["CosineDecay", "CosineDecayRestarts"]
