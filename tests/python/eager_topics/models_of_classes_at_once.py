"""A model of the program's trained by a tape and by fit."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded

layers = tf.keras.layers
optimizers = tf.keras.optimizers
class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.first, self.last = layers.Dense(4, activation="relu", kernel_initializer="ones"), layers.Dense(1, kernel_initializer="ones")

    def call(self, inputs, training=False):
        return self.last(self.first(inputs))


model, optimizer, mean = Net(), optimizers.Adam(0.05), tf.keras.metrics.Mean()
x, y = numbers(6, 3), numbers(6, 1)
for _ in range(3):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x, training=True) - y))
    optimizer.apply_gradients(zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables))
    mean(loss)
print(round(float(mean.result()), 4), len(model.trainable_variables), int(optimizer.iterations.numpy()), rounded(model(x[:2]).numpy()))
model.compile("sgd", "mse")
print(rounded(model.fit(x, y, epochs=2, verbose=0, shuffle=False).history), model.count_params())
