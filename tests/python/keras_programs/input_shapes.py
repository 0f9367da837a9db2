"""What a Sequential's first layer may say of its inputs, whichever layer that is; and what configs say of it."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
layers = tf.keras.layers


def numbers(*shape):
    return (np.arange(np.prod(shape), dtype=np.float64).reshape(shape) * 37 % 11) / 11.0


def rounded(values):
    return [round(float(value), 4) + 0.0 for value in np.asarray(values).ravel()]


for make in (lambda **more: layers.Dropout(0.5, **more), lambda **more: layers.BatchNormalization(**more), lambda **more: layers.Flatten(**more),
             lambda **more: layers.Activation("relu", **more), lambda **more: layers.MaxPooling2D(2, **more),
             lambda **more: layers.AveragePooling2D(2, **more), lambda **more: layers.GlobalMaxPooling2D(**more),
             lambda **more: layers.GlobalAveragePooling2D(**more), lambda **more: layers.ZeroPadding2D(1, **more),
             lambda **more: layers.Cropping2D(1, **more), lambda **more: layers.UpSampling2D(2, **more), lambda **more: layers.GaussianNoise(0.1, **more),
             lambda **more: layers.SpatialDropout2D(0.1, **more), lambda **more: layers.LeakyReLU(0.1, **more), lambda **more: layers.ReLU(**more),
             lambda **more: layers.Permute((2, 1, 3), **more), lambda **more: layers.Reshape((8, 2), **more), lambda **more: layers.Softmax(**more),
             lambda **more: layers.LayerNormalization(**more), lambda **more: layers.Lambda(lambda x: x * 2, **more),
             lambda **more: layers.ActivityRegularization(0.1, **more), lambda **more: layers.GaussianDropout(0.1, **more),
             lambda **more: layers.Conv2D(2, 2, **more), lambda **more: layers.DepthwiseConv2D(2, **more),
             lambda **more: layers.SeparableConv2D(2, 2, **more), lambda **more: layers.Conv2DTranspose(2, 2, **more),
             lambda **more: layers.LocallyConnected2D(2, 2, **more),
             lambda **more: layers.TimeDistributed(layers.Dense(2), **more)):
    tf.keras.backend.clear_session()
    with tf.Graph().as_default():
        layer = make(input_shape=(4, 4, 1))
        model = tf.keras.Sequential([layer])
        print(type(layer).__name__, model.built, [one.name for one in model.inputs], model.input_shape, model.output_shape,
              [weight.name for weight in model.weights])
        print("  ", layer.get_config()["batch_input_shape"], [one["class_name"] for one in model.get_config()["layers"]],
              rounded(model.predict(numbers(2, 4, 4, 1)))[:3] if not layer.weights else "")
        print("  ", make(batch_input_shape=(3, 4, 4, 1)).get_config()["batch_input_shape"], make().get_config().get("batch_input_shape"))

print("sequences")
for make in (lambda **more: layers.MaxPooling1D(2, **more), lambda **more: layers.AveragePooling1D(2, **more),
             lambda **more: layers.GlobalAveragePooling1D(**more), lambda **more: layers.GlobalMaxPooling1D(**more),
             lambda **more: layers.Masking(0.0, **more), lambda **more: layers.Conv1D(2, 2, **more), lambda **more: layers.LSTM(2, **more),
             lambda **more: layers.Bidirectional(layers.GRU(2), **more), lambda **more: layers.SpatialDropout1D(0.1, **more),
             lambda **more: layers.UpSampling1D(2, **more), lambda **more: layers.Dense(2, **more)):
    tf.keras.backend.clear_session()
    with tf.Graph().as_default():
        model = tf.keras.Sequential([make(batch_input_shape=(2, 6, 3)), layers.Flatten()])
        print(model.layers[0].name, model.input_shape, model.output_shape, model.inputs[0].shape.as_list(), [weight.name for weight in model.weights])
        model = tf.keras.Sequential.from_config(model.get_config())
        print("  ", model.input_shape, model.output_shape, model.layers[0].get_config()["batch_input_shape"])

print("words")
for options in ({}, {"input_length": 5}, {"input_shape": (4,)}, {"batch_input_shape": (2, None)}, {"input_length": 5, "mask_zero": True}):
    tf.keras.backend.clear_session()
    with tf.Graph().as_default():
        model = tf.keras.Sequential([layers.Embedding(7, 3, **options)])
        print(sorted(options), model.built, model.input_shape, model.output_shape, [weight.name for weight in model.weights],
              model.layers[0].get_config()["batch_input_shape"], model.layers[0].get_config()["input_length"])

print("numbers")
tf.keras.backend.clear_session()
with tf.Graph().as_default():
    model = tf.keras.Sequential()
    model.add(layers.Dense(3, input_dim=4))
    model.add(layers.BatchNormalization(input_shape=(3,)))
    model.add(layers.Dropout(0.2))
    print(model.input_shape, model.output_shape, len(model.layers), model.layers[1].get_config()["batch_input_shape"])
    model.summary()
    print(layers.LSTM(2, input_dim=3, input_length=4).get_config()["batch_input_shape"])
    inner = tf.keras.Sequential([layers.Dense(2, input_shape=(3,))])
    model = tf.keras.Sequential([inner, layers.Dense(1)])
    print(model.input_shape, model.built, [weight.name for weight in model.weights])
