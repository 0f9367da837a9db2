"""RNNs that keep their states between batches, and RNNs without a loop."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
layers = tf.keras.layers


def numbers(*shape):
    return (np.arange(np.prod(shape), dtype=np.float64).reshape(shape) * 37 % 11) / 11.0


def with_weights(model):
    model.set_weights([((np.arange(w.size).reshape(w.shape) * 7 % 5) - 2) / 10.0 if w.ndim > 1 else w for w in model.get_weights()])
    return model


def rounded(values):
    return [round(float(value), 4) + 0.0 for value in np.asarray(values).ravel()]


x, y = numbers(8, 3, 2), numbers(8, 1)


def of_parts(*makes):
    tf.keras.backend.clear_session()
    with tf.Graph().as_default():
        model = tf.keras.Sequential([make() for make in makes] + [layers.Dense(1)])
        model.compile("sgd", "mse")
        with_weights(model)
        print([layer.name for layer in model.layers], model.stateful, len(model.weights), [variable.name for variable in model.weights][:3])
        print("  ", rounded(model.predict(x[:2])), rounded(model.predict(x[:2])), rounded(model.predict(x, batch_size=2)))
        model.reset_states()
        print("  ", rounded(model.predict(x[:2])))
        model.reset_states()
        losses = [rounded(model.fit(x, y, epochs=1, batch_size=2, shuffle=False, verbose=0).history["loss"]) for _ in range(3)]
        print("  ", losses, rounded(model.evaluate(x, y, batch_size=2, verbose=0)), rounded(model.train_on_batch(x[:2], y[:2])))
        model.reset_states()
        print("  ", rounded(model.predict(x[:2])))
        layer = model.layers[-2]
        if isinstance(layer, layers.SimpleRNN):
            print(layer.stateful, rounded(tf.keras.backend.get_value(layer.states[0])), layer.states[0].shape.as_list())
            layer.reset_states(np.ones((2, 3)))
            print(rounded(model.predict(x[:2])))


of_parts(lambda: layers.SimpleRNN(3, stateful=True, batch_input_shape=(2, 3, 2)))
of_parts(lambda: layers.LSTM(3, stateful=True, batch_input_shape=(2, 3, 2)))
of_parts(lambda: layers.GRU(3, stateful=True, return_sequences=True, batch_input_shape=(2, None, 2)), lambda: layers.LSTM(2, stateful=True))
of_parts(lambda: layers.Masking(0.0, batch_input_shape=(2, 3, 2)), lambda: layers.LSTM(3, stateful=True))
of_parts(lambda: layers.Bidirectional(layers.GRU(2, stateful=True), batch_input_shape=(2, 3, 2)))
of_parts(lambda: layers.LSTM(3, stateful=True, go_backwards=True, unroll=True, batch_input_shape=(2, 3, 2)))

print("generated")
tf.keras.backend.clear_session()
with tf.Graph().as_default():
    model = tf.keras.Sequential([layers.Embedding(5, 3, batch_input_shape=(1, None)),
                                 layers.GRU(4, return_sequences=True, stateful=True), layers.Dense(5)])
    with_weights(model)
    word, words = 1, []
    for _ in range(12):
        word = int(model.predict(np.array([[word]]))[0, -1].argmax())
        words.append(word)
        if len(words) == 6:
            model.reset_states()
    print(words)
    config = model.get_config()
    print(config["layers"][0], {name: config["layers"][2]["config"][name] for name in ("stateful", "unroll")})
    print(tf.keras.Sequential.from_config(config).layers[1].stateful)

print("without a loop")
for make in (lambda **more: layers.SimpleRNN(3, **more), lambda **more: layers.LSTM(2, return_sequences=True, **more),
             lambda **more: layers.GRU(2, return_sequences=True, go_backwards=True, **more),
             lambda **more: layers.LSTM(2, return_state=True, **more)):
    tf.keras.backend.clear_session()
    with tf.Graph().as_default():
        inputs = tf.keras.Input((3, 2))
        outputs = make(unroll=True)(layers.Masking(0.0)(inputs))
        outputs = outputs if isinstance(outputs, list) else [outputs]
        model = tf.keras.Model(inputs, outputs)
        with_weights(model)
        masked = x.copy()
        masked[1, 1:], masked[2, 0] = 0, 0
        made = model.predict(masked)
        print([rounded(one)[:8] for one in (made if isinstance(made, list) else [made])])

for make in (lambda: tf.keras.Sequential([layers.LSTM(2, stateful=True, input_shape=(3, 2))]),
             lambda: tf.keras.Sequential([layers.LSTM(2, unroll=True, input_shape=(None, 2))]),
             lambda: layers.LSTM(2).reset_states()):
    try:
        tf.keras.backend.clear_session()
        with tf.Graph().as_default():
            make()
    except (ValueError, AttributeError) as error:
        print(type(error).__name__, str(error).partition("\n")[0])
