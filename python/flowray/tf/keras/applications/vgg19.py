"""tf.keras.applications.vgg19. Source: Simonyan and Zisserman, 2015."""

from flowray.tf.keras.applications.vgg16 import decode_predictions, preprocess_input, vgg  # noqa: F401: of this module, too


def VGG19(include_top=True, weights="imagenet", input_tensor=None, input_shape=None, pooling=None, classes=1000,  # noqa: N802
          classifier_activation="softmax"):
    """A network of 19 layers with weights; the default weights are not there (weights=None)."""
    return vgg("vgg19", (2, 2, 4, 4, 4), include_top, weights, input_tensor, input_shape, pooling, classes, classifier_activation)
