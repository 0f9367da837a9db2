"""Architectures of tf.keras.applications without weights: layers, their shapes, weights and what they give."""

import hashlib

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
applications = tf.keras.applications


def told(model):
    """In few characters: of all layers the name, class and shape, and of all weights the name and shape."""
    layers = [(layer.name, type(layer).__name__, layer.output_shape) for layer in model.layers if not layer.name.startswith("input_")]
    weights = [(weight.name, tuple(weight.shape.as_list())) for weight in model.weights]
    print(model.name, model.count_params(), len(model.layers), model.output_shape)
    print("  ", layers[:4], layers[-3:], weights[:2], weights[-1])
    print("  ", hashlib.md5(repr(layers).encode()).hexdigest(), hashlib.md5(repr(weights).encode()).hexdigest())


for make, options in (
        (applications.VGG16, {}),
        (applications.VGG19, {"include_top": False, "input_shape": (64, 48, 3), "pooling": "avg"}),
        (applications.ResNet50, {}),
        (applications.ResNet101, {"include_top": False, "input_shape": (32, 32, 3), "pooling": "max"}),
        (applications.MobileNet, {}),
        (applications.MobileNet, {"alpha": 0.25, "include_top": False, "input_shape": (64, 64, 1)}),
        (applications.MobileNetV2, {"classes": 7}),
        (applications.MobileNetV2, {"alpha": 0.5, "include_top": False, "input_shape": (97, 64, 3)}),
        (applications.DenseNet121, {"input_shape": (64, 64, 3), "classes": 10}),
        (applications.InceptionV3, {"classes": 10}),
        (applications.InceptionV3, {"include_top": False, "input_shape": (75, 96, 3), "pooling": "avg"}),
        (applications.Xception, {"classes": 10}),
        (applications.Xception, {"include_top": False, "input_shape": (71, 80, 3), "pooling": "max"})):
    tf.keras.backend.clear_session()
    with tf.Graph().as_default():
        told(make(weights=None, **options))

tf.keras.backend.clear_session()
with tf.Graph().as_default(), tf.Session():
    model = applications.MobileNet(weights=None, alpha=0.25, input_shape=(32, 32, 3), classes=5)
    model.set_weights([(np.arange(w.size).reshape(w.shape) * 37 % 11 - (5 if w.ndim > 1 else 0)) / (10.0 if w.ndim > 1 else 5.0)
                       for w in model.get_weights()])
    images = (np.arange(2 * 32 * 32 * 3).reshape(2, 32, 32, 3) * 7 % 256).astype("float32")
    print(np.round(model.predict(applications.mobilenet.preprocess_input(images.copy())), 3).tolist())
    for module in (applications.vgg16, applications.resnet50, applications.densenet, applications.mobilenet_v2):
        made = module.preprocess_input(images.copy())
        print(made.dtype, np.round(made[1, 2, 3], 3).tolist())

for options in ({"input_shape": (31, 32, 3)}, {"input_shape": (32, 32)}, {"weights": "no/such/file.h5"}):
    try:
        applications.VGG16(**{"weights": None, **options})
    except ValueError as error:
        print(str(error).partition("\n")[0])
