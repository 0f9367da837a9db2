"""What callbacks do where the number that they watch is missing, and which of a callback's methods hear of batches."""

import logging
import os
import re
import sys
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
callbacks = tf.keras.callbacks
tf.logging.set_verbosity(tf.logging.WARN)
told = logging.StreamHandler(sys.stdout)
told.addFilter(lambda record: "available" in record.getMessage() or "mode" in record.getMessage())
logging.getLogger("tensorflow").addHandler(told)
x = np.arange(8, dtype=np.float32).reshape(8, 1)
y = 2 * x


class Logs(callbacks.Callback):
    """Puts its own numbers into the logs; None takes one out."""

    def __init__(self, values):
        super().__init__()
        self.values = values

    def on_epoch_end(self, epoch, logs=None):
        for name, value in self.values[epoch].items():
            if value is None:
                logs.pop(name, None)
            else:
                logs[name] = value


def run(title, heard, epochs=3, **options):
    print("--", title)
    tf.keras.backend.clear_session()
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,), kernel_initializer="ones")])
    model.compile(tf.keras.optimizers.SGD(0.001), "mse")
    history = model.fit(x, y, epochs=epochs, verbose=0, shuffle=False, callbacks=heard, **options)
    print(sorted(history.history), len(history.epoch), model.get_weights()[0].round(4))


# A number that is missing is warned of, and nothing is done.
folder = tempfile.mkdtemp()
run("stopping without a validation", [callbacks.EarlyStopping()])
run("stopping at nothing", [callbacks.EarlyStopping(monitor="nothing", restore_best_weights=True, verbose=1)])
run("the best without a validation",
    [callbacks.ModelCheckpoint(os.path.join(folder, "a"), save_best_only=True, save_weights_only=True, verbose=1)])
print(os.listdir(folder))
run("a smaller rate without a validation", [callbacks.ReduceLROnPlateau(verbose=1)])
for mode in ("auto", "min", "max", "other"):
    run("mode " + mode, [Logs([{"acc": 0.3}, {"acc": None}, {"acc": 0.1}]), callbacks.EarlyStopping("acc", mode=mode, verbose=1),
                         callbacks.ReduceLROnPlateau("acc", mode=mode, patience=0, verbose=1)])

# Stopping, and going back to the best weights.
for options in ({}, {"restore_best_weights": True}, {"restore_best_weights": True, "patience": 2}, {"baseline": 0.1},
                {"baseline": 0.6, "patience": 2}, {"min_delta": 0.2}, {"start_from_epoch": 4}):
    for losses in ((1.0, 0.5, 0.7, 0.8, 0.9, 1.0), (1.0, 0.5, 0.4, 0.3, 0.2, 0.15), (1, 2, 3, 4, 5, 6), (float("nan"),) * 6):
        run("stopping %s %s" % (options, losses), [Logs([{"loss": loss} for loss in losses]),
                                                   callbacks.EarlyStopping("loss", verbose=1, **options)], epochs=6)

# Files of the best.
os.chdir(folder)
run("the best of all", [Logs([{"loss": loss} for loss in (0.5, 0.7, 0.3)]),
                        callbacks.ModelCheckpoint("new/{epoch:02d}-{loss:.1f}.h5", "loss", save_best_only=True, verbose=1)])
print(sorted(os.listdir("new")))
run("the best below", [Logs([{"loss": loss} for loss in (0.5, 0.7, 0.3)]),
                       callbacks.ModelCheckpoint("best.h5", "loss", save_best_only=True, verbose=1, initial_value_threshold=0.4)])
run("all", [callbacks.ModelCheckpoint("all.h5", "loss", verbose=1)])
try:
    run("no such number", [callbacks.ModelCheckpoint("{other}.h5", "loss", verbose=1)])
except KeyError as error:
    print(error)

# Which methods hear of batches.
heard = []


class Batches(callbacks.Callback):
    def on_batch_begin(self, batch, logs=None):
        heard.append(("batch begins", batch))

    def on_batch_end(self, batch, logs=None):
        heard.append(("batch ends", batch))


class TrainBatches(callbacks.Callback):
    def on_train_batch_begin(self, batch, logs=None):
        heard.append(("train batch begins", batch))

    def on_train_batch_end(self, batch, logs=None):
        heard.append(("train batch ends", batch))


class Both(TrainBatches):
    def on_batch_begin(self, batch, logs=None):
        heard.append(("batch begins", batch))

    def on_batch_end(self, batch, logs=None):
        heard.append(("batch ends", batch))


class Through(Batches):
    def on_train_batch_begin(self, batch, logs=None):
        heard.append(("train batch begins", batch))
        super().on_train_batch_begin(batch, logs)


for kind in (Batches, TrainBatches, Both, Through):
    run(kind.__name__, [kind()], epochs=1, batch_size=4)
    print(heard)
    for name in ("on_batch_begin", "on_batch_end", "on_train_batch_begin", "on_train_batch_end"):
        del heard[:]
        getattr(kind(), name)(7, {})
        print(name, heard)
    del heard[:]
of_functions = callbacks.LambdaCallback(on_batch_begin=lambda batch, logs: heard.append(batch),
                                        on_batch_end=lambda batch, logs: heard.append(-batch - 1))
run("functions", [of_functions], epochs=1, batch_size=4)
of_functions.on_train_batch_begin(3, {})
of_functions.on_batch_begin(4, {})
print(heard)

# The columns of a file are those of its first row.
rows = [{"loss": 1.0, "b": 2}, {"loss": None, "c": 3, "b": 4}, {"loss": 5.0, "b": [1, 2]}, {"loss": 5.0, "b": np.array([1., 2.])},
        {"loss": np.float32(5.0), "b": "text"}]
for append in (False, True, True):
    run("rows", [Logs(rows), callbacks.CSVLogger("rows.csv", append=append)], epochs=5)
    with open("rows.csv") as file:
        print(file.read())
for freq in (2, [1, 4]):
    run("rows of validations", [callbacks.CSVLogger("rows.csv")], epochs=4, validation_data=(x, y), validation_freq=freq)
    with open("rows.csv") as file:
        print([re.sub(r"\d+\.\d+(e-?\d+)?", "#", line) for line in file])
again = callbacks.CSVLogger("rows.csv", separator=";")
for values in ({"loss": 1.0}, {"loss": 2.0, "acc": 3.0}):
    run("rows again", [Logs([values]), again], epochs=1)
    with open("rows.csv") as file:
        print(file.read())


# What they hear of batches: the loss is that of the batch, metrics are those of the epoch until now.
class Numbers(callbacks.Callback):
    def on_batch_begin(self, batch, logs=None):
        print(batch, dict(logs))

    def on_batch_end(self, batch, logs=None):
        print(batch, {name: round(float(value), 4) for name, value in logs.items()})


class Stop(callbacks.Callback):
    def on_batch_end(self, batch, logs=None):
        self.model.stop_training = batch == 1


def model_of():
    tf.keras.backend.clear_session()
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,), kernel_initializer="ones")])
    model.compile(tf.keras.optimizers.SGD(0.001), "mse", metrics=["mae"])
    return model


def batches_of():
    return tf.data.Dataset.from_tensor_slices((x, y)).batch(3)


def generated():
    while True:
        for i in (0, 3, 6):
            yield x[i:i + 3], y[i:i + 3]


model_of().fit(x, y, batch_size=3, verbose=0, shuffle=False, callbacks=[Numbers()])
model = model_of()
model.fit(batches_of(), verbose=0, callbacks=[Numbers()])
model.fit(generated(), steps_per_epoch=3, verbose=0, callbacks=[Numbers()])
print(sorted(model.fit(x, y, batch_size=3, epochs=2, verbose=0, validation_data=(x, y), callbacks=[Stop()]).history))
print(sorted(model.fit(batches_of(), epochs=2, verbose=0, validation_data=batches_of(), callbacks=[Stop()]).history))
for size in ("batch", 4):
    model = model_of()
    for folder, options in (("arrays", {"x": x, "y": y, "batch_size": 3, "shuffle": False}), ("dataset", {"x": batches_of()})):
        folder += str(size)
        model.fit(**options, epochs=2, verbose=0, callbacks=[callbacks.TensorBoard(folder, update_freq=size, profile_batch=0, write_graph=False)])
        for file in os.listdir(folder):
            print([(event.step, value.tag, round(value.simple_value, 4)) for event in tf.train.summary_iterator(os.path.join(folder, file))
                   for value in event.summary.value])
try:
    model.fit(batches_of().take(0), verbose=0)
except ValueError as error:
    print(str(error).splitlines()[0])
