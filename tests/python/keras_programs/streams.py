"""fit, evaluate and predict with datasets, generators and Sequences; classes and samples with weights; callbacks between the batches."""

import csv
import glob
import logging
import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
layers = tf.keras.layers


def numbers(*shape):
    return ((np.arange(np.prod(shape), dtype=np.float64).reshape(shape) * 37 % 11) / 11.0).astype(np.float32)


def rounded(values):
    return [round(float(value), 4) + 0.0 for value in np.asarray(values).ravel()]


def told(history):
    print({name: rounded(values) for name, values in sorted(history.history.items())}, history.epoch)


x, y, classes = numbers(20, 4), numbers(20, 2), np.arange(20) % 3


def model_of(outputs=2, loss="mse", metrics=("mae",), **options):
    model = tf.keras.Sequential([layers.Dense(5, activation="tanh", input_shape=(4,)), layers.Dense(outputs, **options)])
    model.compile(tf.keras.optimizers.SGD(0.1), loss, metrics=list(metrics))
    model.set_weights([((np.arange(w.size).reshape(w.shape) * 7 % 5) - 2) / 10.0 if w.ndim > 1 else w for w in model.get_weights()])
    return model


def batches(size=6, weighted=False):
    while True:
        for i in range(0, 20, size):
            part = slice(i, i + size)
            yield (x[part], y[part], np.linspace(0.0, 1.0, 20)[part]) if weighted else (x[part], y[part])


class Batches(tf.keras.utils.Sequence):
    ended = 0

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return x[index * 5:index * 5 + 5], y[index * 5:index * 5 + 5]

    def on_epoch_end(self):
        Batches.ended += 1


class Counting(tf.keras.callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.heard = []

    def on_train_begin(self, logs=None):
        self.heard.append("begin")

    def on_train_batch_end(self, batch, logs=None):
        self.heard.append(batch)

    def on_epoch_end(self, epoch, logs=None):
        self.heard.append(sorted(logs))


with tf.Graph().as_default():
    dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(5)
    told(model_of().fit(dataset.repeat(), epochs=2, steps_per_epoch=4, verbose=0))
    model = model_of()
    told(model.fit(dataset, epochs=2, verbose=0, validation_data=dataset.repeat(), validation_steps=2))
    print(rounded(model.evaluate(dataset, steps=4, verbose=0)), model.predict(tf.data.Dataset.from_tensor_slices(x).batch(6), steps=4).shape)
    for walk in (lambda: model.fit(dataset.repeat()), lambda: model.fit(dataset, verbose=0, validation_data=dataset.repeat()),
                 lambda: model.evaluate(dataset.repeat()), lambda: model.predict(dataset.repeat())):
        try:
            walk()
        except ValueError as error:
            print(error)
with tf.Graph().as_default():
    counting = Counting()
    told(model_of().fit(batches(), steps_per_epoch=4, epochs=2, verbose=0, callbacks=[counting]))
    print(counting.heard)
    told(model_of().fit_generator(batches(weighted=True), steps_per_epoch=4, epochs=3, initial_epoch=1, verbose=0, validation_data=(x, y)))
    model = model_of()
    print(rounded(model.evaluate_generator(batches(), steps=4)), model.predict_generator(batches(), steps=2).shape)
    told(model.fit(Batches(), epochs=2, verbose=0, shuffle=False, validation_data=Batches()))
    print(Batches.ended > 0)
with tf.Graph().as_default():
    model = model_of(3, "sparse_categorical_crossentropy", ["accuracy"], activation="softmax")
    told(model.fit(x, classes, epochs=2, verbose=0, shuffle=False, class_weight={0: 1.0, 1: 0.5, 2: 2.0}, batch_size=8))
    told(model.fit(x, classes, epochs=2, verbose=0, shuffle=False, sample_weight=np.linspace(0, 1, 20), batch_size=8))
    told(model.fit(x, classes, epochs=4, verbose=0, shuffle=False, batch_size=8, validation_split=0.25, initial_epoch=2))
    told(model.fit(x, classes, epochs=4, verbose=0, shuffle=False, batch_size=8, validation_data=(x, classes), validation_freq=2))
    print(rounded(model.train_on_batch(x, classes, class_weight={0: 1.0, 1: 0.5, 2: 2.0})))
    print(model.predict_on_batch(x[:3]).shape)
print("first of all")
for walk in (lambda model, data: model.fit(data, verbose=0), lambda model, data: model.evaluate(data, verbose=0),
             lambda model, data: model.predict(data.map(lambda features, labels: features))):
    with tf.Graph().as_default():
        untouched = tf.keras.Sequential([layers.Dense(2, kernel_initializer="ones", input_shape=(4,))])
        untouched.compile("sgd", "mse")
        try:
            untouched.fit(tf.data.Dataset.from_tensor_slices((x, y)).batch(6).repeat())
        except ValueError as error:
            print(error)
        result = walk(untouched, tf.data.Dataset.from_tensor_slices((x, y)).batch(6))
        print(rounded(result.history["loss"] if hasattr(result, "history") else result), rounded(untouched.get_weights()[0]))


class RunOut(logging.Handler):
    def emit(self, record):
        if "ran out" in record.getMessage():
            print(record.getMessage())


print("too few")
tf.get_logger().addHandler(RunOut())
with tf.Graph().as_default():
    model = model_of()
    few = tf.data.Dataset.from_tensor_slices((x, y)).batch(10)
    told(model.fit(few, steps_per_epoch=3, epochs=1, verbose=0))
    model.fit(few, steps_per_epoch=3, epochs=4, verbose=0)
    model.fit(few, verbose=0, validation_data=few, validation_steps=5)
    model.evaluate(few, steps=3, verbose=0)
print("callbacks")
folder = tempfile.mkdtemp()
with tf.Graph().as_default():
    model = model_of()
    path = os.path.join(folder, "log.csv")
    model.fit(x, y, epochs=3, verbose=0, shuffle=False, validation_split=0.25, callbacks=[
        tf.keras.callbacks.CSVLogger(path), tf.keras.callbacks.TensorBoard(os.path.join(folder, "events"), histogram_freq=1, write_graph=False, profile_batch=0),
        tf.keras.callbacks.ModelCheckpoint(os.path.join(folder, "{epoch}.h5")), tf.keras.callbacks.TerminateOnNaN(),
        tf.keras.callbacks.EarlyStopping("loss", patience=1, min_delta=1.0, restore_best_weights=True)])
    with open(path) as file:
        for row in csv.reader(file):
            print([cell if not cell.replace(".", "").replace("e-", "").isdigit() else round(float(cell), 3) for cell in row])
    print(sorted(os.path.basename(name) for name in glob.glob(os.path.join(folder, "*.h5"))))
    tags = {}
    for name in glob.glob(os.path.join(folder, "events", "**", "*tfevents*"), recursive=True):
        for event in tf.train.summary_iterator(name):
            for value in event.summary.value:
                tags.setdefault(value.tag, []).append(round(value.simple_value, 4) if value.HasField("simple_value") else round(value.histo.num))
    print({name: values for name, values in sorted(tags.items()) if not name.startswith("batch_") and not name.endswith("_out")})
    loaded = tf.keras.models.load_model(os.path.join(folder, "2.h5"))
    print(rounded(loaded.evaluate(x, y, verbose=0)))
