"""tf.keras: Sequential models, how they are trained and judged, and what they say to wrong arguments."""

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
    return [round(float(value), 4) for value in np.atleast_1d(values)]


def shown(history):
    print("  ", {name: rounded(values) for name, values in sorted(history.history.items())}, history.epoch)


def refused(title, make):
    try:
        make()
        print(title, "accepted")
    except Exception as error:
        print(title, type(error).__name__, str(error).splitlines()[0].split(" Provided weights")[0])


x, onehot = numbers(24, 6), tf.keras.utils.to_categorical(np.arange(24) % 3)

print("a model of the documents: built by the first numbers that it sees")
model = tf.keras.Sequential()
model.add(layers.Dense(8, activation="relu", kernel_initializer=tf.constant_initializer(numbers(6, 8) - 0.4)))
model.add(layers.Dense(3, activation="softmax", kernel_initializer=tf.constant_initializer(numbers(8, 3) - 0.6)))
model.compile(optimizer=tf.train.RMSPropOptimizer(0.01), loss=tf.keras.losses.categorical_crossentropy,
              metrics=[tf.keras.metrics.categorical_accuracy])
shown(model.fit(x, onehot, epochs=3, batch_size=5, shuffle=False, verbose=0))
print("  ", rounded(model.evaluate(x, onehot, verbose=0)), model.predict(x).shape, model.metrics_names)
print("  ", [(w.name, w.shape.as_list()) for w in model.weights], model.name, [layer.name for layer in model.layers])

for optimizer in ("sgd", "adam", "rmsprop", "adagrad"):
    for loss, metrics, y in (("categorical_crossentropy", ["accuracy"], onehot), ("mse", ["mae"], numbers(24, 3)),
                             ("sparse_categorical_crossentropy", ["acc"], np.arange(24) % 3)):
        print(optimizer, loss)
        model = tf.keras.Sequential([layers.Dense(5, activation="tanh", input_shape=(6,)), layers.Dense(3, activation="softmax")])
        model.compile(optimizer, loss, metrics=metrics)
        shown(with_weights(model).fit(x, y, batch_size=7, epochs=2, shuffle=False, verbose=0, validation_data=(x[:5], y[:5])))
        print("  ", model.metrics_names)

print("images")
images = np.random.RandomState(3).rand(12, 6, 6, 2)  # no two are equal, so that rounding does not choose what max_pool takes
model = tf.keras.models.Sequential([
    layers.Conv2D(4, 3, padding="same", activation="relu", input_shape=(6, 6, 2)), layers.MaxPooling2D((2, 2)),
    layers.BatchNormalization(), layers.Conv2D(3, (2, 2), strides=(1, 1)), layers.AveragePooling2D(2), layers.Activation("elu"),
    layers.Flatten(), layers.Dropout(0.0), layers.Dense(2, activation="softmax")], name="pictures")
model.compile(tf.keras.optimizers.SGD(0.1, momentum=0.9), "sparse_categorical_crossentropy", metrics=["accuracy"])
shown(with_weights(model).fit(images, np.arange(12) % 2, batch_size=4, epochs=3, shuffle=False, verbose=0, validation_split=0.25))
print("  ", np.round(model.predict(images[:2]), 4).tolist(), model.count_params())
print("  ", [w.name for w in model.weights], len(model.trainable_weights), len(model.non_trainable_weights))
model.summary()

print("words")
model = tf.keras.Sequential([layers.Embedding(9, 4, input_length=5), layers.Reshape((20,)), layers.Dense(1, activation="sigmoid")])
model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
words = np.arange(60).reshape(12, 5) % 9
shown(with_weights(model).fit(words, np.arange(12) % 2, epochs=2, batch_size=6, shuffle=False, verbose=0))

print("weights of elements and classes, a loss of the program's own")
model = tf.keras.Sequential([layers.Dense(3, activation="softmax", input_dim=6)])
model.compile(tf.keras.optimizers.Adam(0.01), lambda y_true, y_pred: tf.reduce_sum(tf.square(y_true - y_pred), -1))
shown(with_weights(model).fit(x, onehot, epochs=1, shuffle=False, verbose=0, sample_weight=np.arange(24) / 10.0))
shown(model.fit(x, onehot, epochs=1, shuffle=False, verbose=0, class_weight={0: 1.0, 1: 2.0, 2: 0.5}))
print("  ", rounded(model.train_on_batch(x[:4], onehot[:4])), rounded(model.test_on_batch(x[:4], onehot[:4])))

print("callbacks")
seen = []


class Recorder(tf.keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        seen.append((epoch, sorted(logs)))
        if epoch == 1:
            self.model.stop_training = True


model.fit(x, onehot, epochs=5, verbose=0, callbacks=[Recorder(), tf.keras.callbacks.LambdaCallback(
    on_epoch_begin=lambda epoch, logs: seen.append("begin %d" % epoch))])
print("  ", seen)
history = model.fit(x, onehot, epochs=9, verbose=0, shuffle=False,
                    callbacks=[tf.keras.callbacks.EarlyStopping("loss", min_delta=10, patience=2)])
print("  ", history.epoch, sorted(history.params))

batches = []


class Batches(tf.keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        batches.append(batch)


model.fit(x, onehot, batch_size=10, verbose=0, callbacks=[Batches(), tf.keras.callbacks.LambdaCallback(
    on_batch_begin=lambda batch, logs: batches.append("begin %d" % batch))])
print("  ", batches)

print("order of a seed")
np.random.seed(3)
model = tf.keras.Sequential([layers.Dense(3, activation="softmax", input_shape=(6,))])
model.compile("sgd", "categorical_crossentropy")
shown(with_weights(model).fit(x, onehot, epochs=3, batch_size=5, verbose=0))

before = tf.keras.Sequential([layers.Dense(2)])
refused("not compiled", lambda: before.fit(x, x))
refused("no weights yet", lambda: before.get_weights())
refused("no summary yet", lambda: before.summary())
refused("no layer", lambda: model.add(3))
refused("samples", lambda: model.fit(x, onehot[:5], verbose=0))
refused("number of weights", lambda: model.set_weights([x[0]]))
refused("shape of weights", lambda: model.set_weights([x, x]))
