"""Each layer of tf.keras.layers by itself: its config, what it makes of numbers and the gradients of that; and a twin from its config."""

import json

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
layers, K = tf.keras.layers, tf.keras.backend


def numbers(*shape):
    return ((np.arange(np.prod(shape), dtype=np.float64).reshape(shape) * 37 % 11) / 11.0 - 0.4).astype(np.float32)


def rounded(values):
    values = np.asarray(values, np.float64)
    return [list(values.shape), round(float(values.sum()), 3) + 0.0, [round(float(value), 3) + 0.0 for value in values.ravel()[:6]]]


def config_of(layer):
    config = json.loads(json.dumps(layer.get_config(), default=lambda value: value.item() if hasattr(value, "item") else str(value)))
    for name in ("causal", "score_mode"):  # of attention: the one stands in files of TensorFlow 1.15, the other in newer ones
        config.pop(name, None)
    if "function" in config:
        config["function"] = "..."  # the compiled code names its file
    return config


def told(config):
    return json.dumps(config, sort_keys=True)


def weights_of(layer):
    return [numbers(*weight.shape.as_list()) + (0.5 if "variance" in weight.name or "gamma" in weight.name else 0.0) for weight in layer.weights]


def check(make, *inputs):
    with tf.Graph().as_default():
        given = [tf.keras.Input(batch_shape=x.shape, dtype=x.dtype.name) for x in inputs]
        layer = make()
        made = layer(given if len(given) > 1 else given[0])
        print(layer.name, [(weight.name, weight.shape.as_list(), weight in layer.trainable_weights) for weight in layer.weights])
        print("  ", told(config_of(layer)))
        twin = type(layer).from_config(layer.get_config())
        if config_of(layer)["dtype"] is not None:
            print("   twin", told({**config_of(twin), "dtype": None}) == told({**config_of(layer), "dtype": None}))
        outputs = made if isinstance(made, (list, tuple)) else [made]
        loss = tf.add_n([tf.reduce_sum(output * output) for output in outputs])
        floats = [x for x in given if x.dtype == tf.float32]
        gradients = [g for g in tf.gradients(loss, floats + layer.trainable_weights) if g is not None]
        gradients = [tf.convert_to_tensor(g) for g in gradients]
        layer.set_weights(weights_of(layer))
        print("   weights", [rounded(weight) for weight in layer.get_weights()][:1])
        for value in K.function(given, list(outputs) + gradients)(list(inputs)):
            print("  ", rounded(value))
        print("  ", layer.count_params(), layer.trainable, [tuple(o.shape.as_list()) for o in outputs])


matrix, sequences, images, volumes = numbers(3, 4), numbers(2, 5, 3), numbers(2, 5, 6, 3), numbers(1, 4, 5, 4, 2)
words = np.array([[1, 2, 0, 3], [4, 0, 0, 1]], np.int32)
for make in (lambda: layers.Dense(3), lambda: layers.Dense(2, activation="tanh", use_bias=False, kernel_regularizer=tf.keras.regularizers.l1(0.5)),
             lambda: layers.Dense(2, kernel_initializer=tf.keras.initializers.RandomNormal(stddev=0.25), bias_constraint="non_neg"),
             lambda: layers.Dense(2, "relu", kernel_initializer="he_normal", bias_initializer="ones", name="mine", trainable=False),
             lambda: layers.Activation("softmax"), lambda: layers.Activation("selu"), lambda: layers.Dropout(0.5), lambda: layers.RepeatVector(3),
             lambda: layers.Reshape((2, 2)), lambda: layers.Reshape((-1, 1)), lambda: layers.BatchNormalization(),
             lambda: layers.BatchNormalization(scale=False, momentum=0.5), lambda: layers.LayerNormalization(), lambda: layers.LeakyReLU(0.25),
             lambda: layers.ELU(0.5), lambda: layers.ThresholdedReLU(0.25), lambda: layers.PReLU(), lambda: layers.Softmax(),
             lambda: layers.GaussianNoise(0.5), lambda: layers.GaussianDropout(0.5), lambda: layers.AlphaDropout(0.5),
             lambda: layers.ActivityRegularization(l1=0.5), lambda: layers.Lambda(lambda x: x * x + 1.0), lambda: layers.Flatten()):
    check(make, matrix)
for make in (lambda: layers.Dense(2), lambda: layers.Flatten(), lambda: layers.Permute((2, 1)), lambda: layers.Conv1D(4, 3),
             lambda: layers.Conv1D(2, 2, padding="causal", dilation_rate=2, activation="relu"), lambda: layers.SeparableConv1D(4, 3),
             lambda: layers.SeparableConv1D(2, 2, padding="same", depth_multiplier=2, use_bias=False), lambda: layers.MaxPooling1D(),
             lambda: layers.AveragePooling1D(3, strides=1, padding="same"), lambda: layers.GlobalMaxPooling1D(), lambda: layers.GlobalAveragePooling1D(),
             lambda: layers.ZeroPadding1D(2), lambda: layers.Cropping1D((1, 2)), lambda: layers.UpSampling1D(3), lambda: layers.SpatialDropout1D(0.25),
             lambda: layers.SimpleRNN(4), lambda: layers.LSTM(3, return_sequences=True), lambda: layers.GRU(3, go_backwards=True),
             lambda: layers.LSTM(2, unit_forget_bias=False, recurrent_activation="sigmoid"), lambda: layers.Bidirectional(layers.GRU(2), merge_mode="sum"),
             lambda: layers.TimeDistributed(layers.Dense(2)), lambda: layers.Masking(0.0), lambda: layers.PReLU(shared_axes=[1])):
    check(make, sequences)
for make in (lambda: layers.Conv2D(4, 3), lambda: layers.Conv2D(2, (2, 3), strides=2, padding="same", activation="elu"),
             lambda: layers.SeparableConv2D(4, 3), lambda: layers.DepthwiseConv2D(2, depth_multiplier=2), lambda: layers.Conv2DTranspose(2, 3, strides=2),
             lambda: layers.MaxPooling2D(), lambda: layers.AveragePooling2D((2, 3), strides=1), lambda: layers.GlobalMaxPooling2D(),
             lambda: layers.GlobalAveragePooling2D(), lambda: layers.ZeroPadding2D(((1, 0), (2, 1))), lambda: layers.Cropping2D(1),
             lambda: layers.UpSampling2D((2, 1)), lambda: layers.SpatialDropout2D(0.5), lambda: layers.BatchNormalization(), lambda: layers.Flatten()):
    check(make, images)
for make in (lambda: layers.Conv3D(3, 2), lambda: layers.Conv3D(2, (1, 2, 3), strides=2, padding="same", activation="tanh"), lambda: layers.MaxPooling3D(),
             lambda: layers.AveragePooling3D((2, 1, 2), padding="same"), lambda: layers.GlobalMaxPooling3D(), lambda: layers.GlobalAveragePooling3D(),
             lambda: layers.ZeroPadding3D((1, 0, 2)), lambda: layers.Cropping3D(1), lambda: layers.UpSampling3D((1, 2, 3)), lambda: layers.SpatialDropout3D(0.5)):
    check(make, volumes)
check(lambda: layers.Conv3DTranspose(2, 2, strides=2, padding="same"), numbers(2, 2, 3, 2, 3))
check(lambda: layers.Conv3DTranspose(2, (3, 2, 2), activation="tanh"), numbers(1, 2, 3, 2, 2))
check(lambda: layers.LocallyConnected1D(3, 2, strides=2, activation="relu"), numbers(2, 7, 3))
check(lambda: layers.LocallyConnected2D(2, (2, 3), strides=(1, 2), use_bias=False), numbers(2, 4, 7, 2))
check(lambda: layers.ConvLSTM2D(2, 3, padding="same", return_sequences=True), numbers(2, 3, 4, 5, 2))
check(lambda: layers.ConvLSTM2D(2, (2, 3), strides=2, go_backwards=True), numbers(2, 3, 5, 7, 1))
for make in (lambda: layers.Embedding(6, 3), lambda: layers.Embedding(6, 2, input_length=4, mask_zero=True)):
    check(make, words)
for make in (layers.Add, layers.Subtract, layers.Multiply, layers.Average, layers.Maximum, layers.Minimum, layers.Concatenate, lambda: layers.Dot(1),
             lambda: layers.Dot(-1, normalize=True)):
    check(make, matrix, numbers(3, 4) * 0.5 + 0.1)
for make in (lambda: layers.Concatenate(axis=1), lambda: layers.Dot((2, 2))):
    check(make, sequences, numbers(2, 5, 3) * 0.5)
check(lambda: layers.ReLU(0.5, negative_slope=0.25, threshold=0.125), matrix)
for make in (layers.Attention, lambda: layers.Attention(use_scale=True), layers.AdditiveAttention, lambda: layers.AdditiveAttention(use_scale=False)):
    check(make, sequences, numbers(2, 4, 3) * 0.5)
