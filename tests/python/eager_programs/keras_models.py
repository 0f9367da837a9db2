"""Keras' models while operations run at once."""

import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.enable_eager_execution()
layers, metrics = tf.keras.layers, tf.keras.metrics
constant = tf.keras.initializers.Constant
x = (np.arange(60).reshape(20, 3) * 37 % 11 / 11.0).astype("float32")
y = (x[:, :1] - 0.5 * x[:, 1:2]).astype("float32")


def told(values):
    return [round(float(value), 4) for value in np.asarray(values).reshape(-1)[:6]]


def sequence():
    return tf.keras.Sequential([layers.Dense(4, activation="tanh", kernel_initializer=constant(0.3), input_shape=(3,)),
                                layers.BatchNormalization(), layers.Dense(1, kernel_initializer=constant(0.2))])


model = sequence()
model.compile(tf.keras.optimizers.Adam(0.05), "mse", metrics=["mae"])
history = model.fit(x, y, batch_size=5, epochs=3, verbose=0, shuffle=False)
print([told(values) for values in history.history.values()])
print(told(model.evaluate(x, y, verbose=0)), told(model.predict(x, verbose=0)))
print(told(model(tf.constant(x))))
print([told(weight) for weight in model.get_weights()][:3], [variable.name for variable in model.weights])
model.set_weights([weight * 0 for weight in model.get_weights()])
print(told(model.predict(x, verbose=0)), told(model.trainable_variables[0].numpy()))

inputs = tf.keras.Input((3,))
h = layers.Dense(2, activation="relu", kernel_initializer=constant(0.4), name="shared")(inputs)
two = tf.keras.Model(inputs, [layers.Dense(1, kernel_initializer=constant(1.0), name="a")(h), layers.Dense(1, kernel_initializer=constant(-1.0), name="b")(h)])
optimizer = tf.train.GradientDescentOptimizer(0.1)
for _ in range(3):
    with tf.GradientTape() as tape:
        a, b = two(tf.constant(x))
        loss = tf.reduce_mean(tf.square(a - y)) + tf.reduce_mean(tf.square(b + y))
    optimizer.apply_gradients(zip(tape.gradient(loss, two.trainable_variables), two.trainable_variables))
    print(round(float(loss.numpy()), 5))
two.compile("sgd", "mse")
print(told(two.fit(x, [y, -y], epochs=2, verbose=0, shuffle=False).history["loss"]), told(two(x)[0].numpy()))


class Own(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.first = layers.Dense(3, activation="relu", kernel_initializer=constant(0.2))
        self.last = layers.Dense(1, kernel_initializer=constant(0.5))

    def call(self, inputs):
        return self.last(self.first(inputs))


own = Own()
own.compile(tf.keras.optimizers.SGD(0.1, momentum=0.5), "mse")
print(told(own.fit(x, y, batch_size=10, epochs=2, verbose=0, shuffle=False).history["loss"]), told(own(tf.constant(x)).numpy()))
endless = tf.data.Dataset.from_tensor_slices((x, y)).batch(5).repeat()
for walk in (lambda: own.fit(endless), lambda: own.evaluate(endless), lambda: own.predict(endless)):
    try:
        walk()
    except ValueError as error:
        print(error)


class Net(tf.keras.Model):
    """A model of the program's class."""

    def __init__(self):
        super().__init__()
        self.hidden, self.last = layers.Dense(3, kernel_initializer=constant(0.3)), layers.Dense(1, kernel_initializer=constant(0.2))

    def call(self, inputs):
        return self.last(self.hidden(inputs))


# Weights of a checkpoint wait for the first batch, whichever way it comes.
first = Net()
first.compile("sgd", "mse")
first.fit(x, y, verbose=0, shuffle=False)
path = os.path.join(tempfile.mkdtemp(), "weights")
first.save_weights(path)
for use in (lambda model: model.predict(x, verbose=0), lambda model: model(tf.constant(x)), lambda model: model.predict_on_batch(x)):
    second = Net()
    second.load_weights(path)
    print(np.allclose(use(second), first.predict(x, verbose=0)), [np.allclose(a, b) for a, b in zip(first.get_weights(), second.get_weights())])

# Tensors are data as arrays are: alone, in lists and dictionaries, for validation, as weights of samples, and from generators.
fed, targets = tf.constant(x), tf.constant(y)
of_tensors = sequence()
of_tensors.compile("sgd", "mse", metrics=["mae"])
history = of_tensors.fit(fed, targets, batch_size=5, epochs=2, verbose=0, shuffle=False, validation_data=(fed[:7], targets[:7]))
print([told(values) for values in history.history.values()])
print([told(values) for values in of_tensors.fit(fed * 2.0, y, verbose=0, shuffle=False, validation_split=0.25).history.values()])
print(told(of_tensors.fit(x, targets, verbose=0, shuffle=False, sample_weight=tf.range(20.0) / 20.0).history["loss"]))
print(told(of_tensors.train_on_batch(fed, targets)), told(of_tensors.train_on_batch(x, targets, sample_weight=tf.ones([20]) * 0.5)))
print(told(of_tensors.test_on_batch(fed, targets)), told(of_tensors.evaluate(fed, targets, batch_size=8, verbose=0)))
for predicted in (of_tensors.predict(fed, batch_size=6, verbose=0), of_tensors.predict_on_batch(fed[:4])):
    print(type(predicted) is np.ndarray, predicted.shape, told(predicted))
print(told(of_tensors.fit(((fed, targets) for _ in range(4)), steps_per_epoch=2, epochs=2, verbose=0).history["loss"]))
print(told(of_tensors.evaluate(((fed, targets) for _ in range(2)), steps=2, verbose=0)))
print(told(two.fit([fed], [targets, -targets], epochs=2, verbose=0, shuffle=False).history["loss"]))
print(told(two.fit(fed, {"a": targets, "b": y}, verbose=0, shuffle=False).history["loss"]), told(two.predict([fed], verbose=0)[1]))
classes = tf.keras.Sequential([layers.Dense(3, activation="softmax", kernel_initializer=constant(0.3), input_shape=(3,))])
classes.compile("sgd", "sparse_categorical_crossentropy", metrics=["accuracy"])
numbers = tf.constant(np.arange(20) % 3)
print(told(classes.fit(fed, numbers, verbose=0, shuffle=False).history["loss"]), told(classes.evaluate(fed, tf.reshape(numbers, [20, 1]), verbose=0)))
print(told(classes.train_on_batch(fed, numbers, class_weight={0: 1.0, 1: 2.0, 2: 0.5})))
third = Own()
third.compile("sgd", "mse")
print(told(third.fit(fed, targets, verbose=0, shuffle=False).history["loss"]), told(third.predict(fed, verbose=0)))
