"""tf.keras.applications.resnet50, by its older place."""

from flowray.tf.keras.applications.resnet import ResNet50, decode_predictions, preprocess_input  # noqa: F401
