"""Weights in HDF5 files, and the callbacks that write them or change the learning rate."""

import os
import tempfile

import h5py
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
layers, callbacks = tf.keras.layers, tf.keras.callbacks


def numbers(*shape):
    return (np.arange(np.prod(shape), dtype=np.float64).reshape(shape) * 37 % 11) / 11.0


def rounded(values):
    return [round(float(value), 5) for value in np.asarray(values).ravel()]


def refused(title, make):
    try:
        make()
        print(title, "accepted")
    except Exception as error:
        print(title, type(error).__name__, str(error).splitlines()[0])


def model_of(units=4):
    inputs = tf.keras.Input((6,))
    inner = tf.keras.Sequential([layers.Dense(5, activation="relu", input_shape=(6,)), layers.BatchNormalization()])
    model = tf.keras.Model(inputs, layers.Dense(2)(layers.Dropout(0.0)(layers.Dense(units, activation="tanh")(inner(inputs)))))
    model.compile(tf.keras.optimizers.SGD(0.1), "mse")
    model.set_weights([((np.arange(w.size).reshape(w.shape) * 7 % 5) - 2) / 10.0 if w.ndim > 1 else w for w in model.get_weights()])
    return model


x, y = numbers(12, 6), numbers(12, 2)
folder = tempfile.mkdtemp()
path = os.path.join(folder, "weights.h5")
with tf.Graph().as_default():
    model = model_of()
    model.fit(x, y, epochs=2, batch_size=5, shuffle=False, verbose=0)
    model.save_weights(path)
    expected = model.predict(x)
    with h5py.File(path, "r") as file:
        print([str(name) for name in file.attrs["layer_names"]], sorted(file))
        file.visititems(lambda name, item: print("  ", name, getattr(item, "shape", ""), [str(n) for n in item.attrs.get("weight_names", [])]))
with tf.Graph().as_default():
    model = model_of()
    before = model.predict(x)
    model.load_weights(path)
    print(np.abs(model.predict(x) - expected).max() < 1e-6, np.abs(before - expected).max() > 1e-3)
    model.load_weights(path, by_name=True)
with tf.Graph().as_default():
    small = tf.keras.Sequential([layers.Dense(2, input_shape=(6,))])
    refused("layers", lambda: small.load_weights(path))
    refused("skipped", lambda: small.load_weights(path, skip_mismatch=True))

print("callbacks")
with tf.Graph().as_default():
    model = model_of()
    history = model.fit(x, y, epochs=4, batch_size=5, shuffle=False, verbose=0, validation_split=0.25, callbacks=[
        callbacks.LearningRateScheduler(lambda epoch: 0.1 / (epoch + 1)),
        callbacks.ModelCheckpoint(os.path.join(folder, "{epoch:02d}-{val_loss:.3f}.h5"), save_weights_only=True)])
    print({name: rounded(values) for name, values in sorted(history.history.items())})
    print(sorted(os.listdir(folder)))
    history = model.fit(x, y, epochs=3, batch_size=5, shuffle=False, verbose=0, callbacks=[
        callbacks.LearningRateScheduler(lambda epoch, rate: rate * 0.5, verbose=1)])
    print(rounded(history.history["lr"]), rounded(history.history["loss"]))
with tf.Graph().as_default():
    model = model_of()
    history = model.fit(x, y, epochs=6, batch_size=5, shuffle=False, verbose=0, callbacks=[
        callbacks.ReduceLROnPlateau("loss", factor=0.5, patience=2, min_delta=1.0, min_lr=0.02),
        callbacks.ModelCheckpoint(os.path.join(folder, "best.h5"), monitor="loss", save_best_only=True, save_weights_only=True)])
    print({name: rounded(values) for name, values in sorted(history.history.items())}, os.path.exists(os.path.join(folder, "best.h5")))
    model.load_weights(os.path.join(folder, "best.h5"))
    print(rounded(model.evaluate(x, y, verbose=0)))
refused("factor", lambda: callbacks.ReduceLROnPlateau(factor=1.0))
refused("schedule", lambda: model.fit(x, y, verbose=0, callbacks=[callbacks.LearningRateScheduler(lambda epoch: "x")]))
