"""What small programs about Keras share: numbers that are the same in both systems, and how they are printed."""

import numpy as np
import tensorflow.compat.v1 as tf


def numbers(*shape):
    """Numbers from 0 to 1 without an order that is easy to see."""
    return ((np.arange(np.prod(shape), dtype=np.float64).reshape(shape) * 37 % 11) / 11.0).astype(np.float32)


def settled(model):
    """The model (or layer) with weights that chance has no part in."""
    model.set_weights([((np.arange(w.size).reshape(w.shape) * 7 % 5) - 2) / 10.0 for w in model.get_weights()])
    return model


def rounded(values, digits=3):
    """Numbers as both systems print them: floats differ in their last digits."""
    if isinstance(values, dict):
        return {name: rounded(values[name], digits) for name in sorted(values)}
    if isinstance(values, (list, tuple)):
        return [rounded(value, digits) for value in values]
    made = np.asarray(values)
    return (np.round(made.astype(np.float64), digits) + 0.0).tolist()


def refused(function, *args, **options):
    """The class of the error that a call raises, and its first words."""
    try:
        return "gives", function(*args, **options)
    except Exception as error:  # noqa: BLE001: its class is what is printed
        return type(error).__name__, " ".join(str(error).split()[:6])


def studied(make, *shape):
    """Prints what the layers of `make()` give for a batch of this shape, what a step of training does to them, and whether their config makes
    such a layer anew."""
    inputs = tf.keras.Input(shape[1:], dtype="int32" if shape[0] < 0 else None)
    layer = make()
    outputs = layer(inputs)
    first = outputs[0] if isinstance(outputs, (list, tuple)) else outputs
    model = tf.keras.Model(inputs, first)
    if model.get_weights():
        settled(model)
    x = np.arange(np.prod(np.abs(shape))).reshape(np.abs(shape)) % 5 if shape[0] < 0 else numbers(*shape)
    made = model.predict(x)
    print(layer.name, made.shape, rounded(made.ravel()[:5]), round(float(np.abs(made).sum()), 2))
    model.compile(tf.keras.optimizers.SGD(0.1), "mae")
    losses = [round(float(model.train_on_batch(x, made * 0.5 + 1.0)), 3) for _ in range(2)]
    print("  ", losses, [(weight.name, tuple(weight.shape.as_list())) for weight in layer.weights], rounded([w.sum() for w in layer.get_weights()], 2))
    config = layer.get_config()
    again = type(layer).from_config(config).get_config()
    print("  ", [name for name in sorted(config) if str(config[name]) != str(again[name])], sorted(config))
