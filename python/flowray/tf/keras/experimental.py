"""tf.keras.experimental: learning rates that TensorFlow 1.15 has there, and its first way to write models as SavedModels, which is refused."""

from flowray.tf.keras.learning_rate_schedules import CosineDecay, CosineDecayRestarts

__all__ = ["CosineDecay", "CosineDecayRestarts", "export_saved_model", "load_from_saved_model"]


def export_saved_model(model, saved_model_path, custom_objects=None, as_text=False, input_signature=None, serving_only=False):
    """Not there yet: model.save keeps a model, tf.saved_model.simple_save what it computes."""
    raise NotImplementedError("tf.keras.experimental.export_saved_model is not there yet: model.save(\"x.h5\") keeps the model, and "
                              "tf.saved_model.simple_save(tf.keras.backend.get_session(), path, {\"x\": model.input}, {\"y\": model.output}) "
                              "what it computes")


def load_from_saved_model(saved_model_path, custom_objects=None):
    """Not there yet: tf.keras.models.load_model reads .h5 files."""
    raise NotImplementedError("tf.keras.experimental.load_from_saved_model is not there yet: tf.keras.models.load_model reads .h5 files, and "
                              "tf.saved_model.load the graph of a SavedModel")
