"""The layers of tf.keras.layers: weights, shapes and training of each; those over time, and what they say to wrong arguments."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
layers = tf.keras.layers


def numbers(*shape):
    return (np.arange(np.prod(shape), dtype=np.float64).reshape(shape) * 37 % 11) / 11.0


def with_weights(model):
    """The same weights everywhere."""
    model.set_weights([((np.arange(w.size).reshape(w.shape) * 7 % 5) - 2) / 10.0 if w.ndim > 1 else w for w in model.get_weights()])
    return model


def rounded(values):
    return [round(float(value), 4) + 0.0 for value in np.asarray(values).ravel()]


def refused(title, make):
    try:
        make()
        print(title, "accepted")
    except Exception as error:
        print(title, type(error).__name__, str(error).splitlines()[0].split("Received")[0].split("(?")[0].split("(None")[0].split("<")[0].split("Full")[0].split("Please")[0].split("Known")[0])


sequences, images = numbers(6, 5, 3), numbers(4, 6, 6, 2)


def trained(makes, x, flat=True):
    """Weights and shape of each of these layers, and what a model of several outputs, which come through them, scores."""
    with tf.Graph().as_default():
        inputs = tf.keras.Input(x.shape[1:])
        outputs = []
        for make in makes:
            layer = make()
            made = layer(layers.Dense(x.shape[-1], activation="tanh")(inputs))
            print(layer.name, [(w.name, w.shape.as_list()) for w in layer.weights], made.shape.as_list()[1:])
            outputs.append(layers.Dense(2)(layers.Flatten()(made) if flat else made))
        model = tf.keras.Model(inputs, outputs)
        model.compile("sgd", "mse")
        y = [numbers(len(x), 2) for _ in outputs]
        with_weights(model).fit(x, y, epochs=2, batch_size=len(x), shuffle=False, verbose=0)
        print("  ", rounded(model.evaluate(x, y, verbose=0)))
        for one in model.predict(x[:1]):
            print("  ", rounded(one))


print("over time")
trained((lambda: layers.SimpleRNN(4, return_sequences=True), lambda: layers.LSTM(4), lambda: layers.GRU(3, go_backwards=True),
         lambda: layers.GRU(3, reset_after=True, recurrent_activation="sigmoid"), lambda: layers.Bidirectional(layers.LSTM(2, return_sequences=True)),
         lambda: layers.TimeDistributed(layers.Dense(4, activation="relu"))), sequences)
trained((lambda: layers.TimeDistributed(layers.Conv2D(3, 2)), lambda: layers.TimeDistributed(layers.Flatten())), numbers(3, 2, 4, 4, 2))

print("states")
given = tf.keras.Input((5, 3))
whole, h, c = layers.LSTM(4, return_sequences=True, return_state=True)(given)
gru, state = layers.GRU(4, return_state=True)(given)
both = layers.Bidirectional(layers.GRU(2, return_sequences=True, return_state=True), merge_mode="sum")(given)
again = layers.LSTM(4, return_sequences=True)(whole, initial_state=[h, c])
model = with_weights(tf.keras.Model(given, [whole, h, c, gru, state, again, *both]))
for value in model.predict(sequences[:2]):
    print("  ", value.shape, rounded(value)[:6])
print("words")
model = tf.keras.Sequential([layers.Embedding(20, 8, input_length=5), layers.LSTM(4, dropout=0.0), layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
history = with_weights(model).fit(np.arange(60).reshape(12, 5) % 20, np.arange(12) % 2, epochs=2, batch_size=5, shuffle=False, verbose=0)
print("  ", {name: rounded(values) for name, values in sorted(history.history.items())})
model.summary()

print("convolutions")
trained((lambda: layers.Conv1D(4, 3, activation="relu"), lambda: layers.Conv1D(2, 2, padding="causal", dilation_rate=2),
         lambda: layers.Conv1D(2, 3, strides=2, padding="same", use_bias=False), lambda: layers.MaxPooling1D(),
         lambda: layers.AveragePooling1D(2, padding="same"), lambda: layers.MaxPooling1D(3, strides=1), lambda: layers.UpSampling1D(3),
         lambda: layers.ZeroPadding1D(2), lambda: layers.ZeroPadding1D((0, 3)), lambda: layers.Cropping1D((2, 1))), sequences)
trained((lambda: layers.SeparableConv2D(4, 3), lambda: layers.SeparableConv2D(3, (2, 3), padding="same", depth_multiplier=2, activation="elu"),
         lambda: layers.DepthwiseConv2D(3, depth_multiplier=2), lambda: layers.Conv2DTranspose(3, 3, strides=2),
         lambda: layers.Conv2DTranspose(3, (2, 3), padding="same", activation="relu"), lambda: layers.Conv2DTranspose(2, 2, strides=3),
         lambda: layers.UpSampling2D(), lambda: layers.UpSampling2D((2, 3), interpolation="bilinear"), lambda: layers.ZeroPadding2D(((1, 2), (3, 0))),
         lambda: layers.ZeroPadding2D(1), lambda: layers.Cropping2D(((1, 2), (0, 3))), lambda: layers.Cropping2D(2)), images)
trained((layers.GlobalMaxPooling1D, layers.GlobalAveragePooling1D), sequences, flat=False)
trained((layers.GlobalMaxPooling2D, layers.GlobalAveragePooling2D, lambda: layers.GlobalAveragePooling2D(keepdims=True),
         layers.LayerNormalization), images)

print("elements")
trained((lambda: layers.Permute((2, 1)), lambda: layers.LeakyReLU(), lambda: layers.LeakyReLU(0.1), lambda: layers.ELU(0.5), lambda: layers.ReLU(),
         lambda: layers.ReLU(max_value=0.4, negative_slope=0.1, threshold=0.1), lambda: layers.ThresholdedReLU(0.2), lambda: layers.Softmax(),
         lambda: layers.Softmax(axis=1), lambda: layers.PReLU(), lambda: layers.PReLU("ones", shared_axes=[1]), lambda: layers.LayerNormalization(),
         lambda: layers.LayerNormalization(epsilon=0.1, center=False), lambda: layers.GaussianNoise(0.0), lambda: layers.SpatialDropout1D(0.0)), sequences)
trained((lambda: layers.RepeatVector(3), lambda: layers.Reshape((2, 2))), numbers(6, 4))
noisy = tf.keras.Sequential([layers.GaussianNoise(1.0, input_shape=(3,)), layers.Activation("linear")])
print("  ", np.abs(noisy.predict(numbers(2, 3)) - numbers(2, 3)).max() < 1e-6)
whole = tf.ones([4, 7, 9])
with tf.Session() as session:
    dropped = session.run(layers.SpatialDropout1D(0.5)(whole, training=True))
print("  ", sorted(set(dropped.ravel())), bool((dropped == dropped[:, :1]).all()))

print("regularizers and constraints")
l2 = tf.keras.regularizers.l2(0.1)
model = tf.keras.Sequential([
    layers.Dense(4, input_shape=(3,), kernel_regularizer=l2, bias_regularizer="l1", activity_regularizer=tf.keras.regularizers.l1(0.05)),
    layers.Dense(2, kernel_regularizer=tf.keras.regularizers.l1_l2(0.01, 0.02), kernel_constraint=tf.keras.constraints.MaxNorm(0.3))])
model.compile("sgd", "mse")
with_weights(model)
print("  ", [rounded(model.train_on_batch(numbers(6, 3), numbers(6, 2)))[0] for _ in range(4)], rounded(model.evaluate(numbers(6, 3), numbers(6, 2), verbose=0)))
print("  ", rounded(np.sqrt((model.get_weights()[2] ** 2).sum(axis=0))))
for constraint in (tf.keras.constraints.NonNeg(), "unit_norm", tf.keras.constraints.MinMaxNorm(0.1, 0.4, rate=0.5)):
    model = tf.keras.Sequential([layers.Flatten(input_shape=(5, 3)), layers.Dense(3, kernel_regularizer=l2), layers.Dense(2, kernel_constraint=constraint)])
    model.compile("sgd", "mse")
    with_weights(model)
    print("  ", [rounded(model.train_on_batch(sequences, numbers(6, 2)))[0] for _ in range(3)], rounded(model.get_weights()[-2]))

refused("units", lambda: layers.LSTM(-1))
refused("rank", lambda: layers.LSTM(3, name="r")(tf.keras.Input((6, 6, 2))))
refused("cropping", lambda: layers.Cropping1D(3)(tf.keras.Input((5, 3))))
refused("no layer", lambda: layers.TimeDistributed(3))
refused("padding", lambda: layers.ZeroPadding2D((1, 2, 3)))
refused("times", lambda: layers.RepeatVector("x"))
refused("alpha", lambda: layers.LeakyReLU(None))
refused("dims", lambda: layers.Permute((1, 3)))
refused("merge mode", lambda: layers.Bidirectional(layers.LSTM(3), merge_mode="x"))
refused("activation", lambda: layers.LSTM(4, activation="foo"))
refused("filters", lambda: layers.Conv1D(0, 3))
refused("regularizer", lambda: layers.Dense(2, kernel_regularizer="foo"))
