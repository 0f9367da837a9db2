"""Objects of eager execution into a checkpoint, or out of one: `at_once.py save PREFIX`, `at_once.py load PREFIX`. What is loaded waits for objects
that are made later."""

import sys

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.enable_eager_execution()
saves, prefix = sys.argv[1] == "save", sys.argv[2]


class Scale(tf.keras.layers.Layer):
    def build(self, input_shape):
        self.factor = self.add_weight("factor", shape=(int(input_shape[-1]),), initializer="ones")
        super().build(input_shape)

    def call(self, inputs):
        return inputs * self.factor


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.first = tf.keras.layers.Dense(3, activation="tanh")
        self.more = [Scale(), tf.keras.layers.BatchNormalization()]
        self.last = tf.keras.layers.Dense(1)

    def call(self, inputs, training=False):
        h = self.more[0](self.first(inputs))
        return self.last(self.more[1](h, training=training))


x = tf.constant(np.arange(12).reshape(4, 3) * 7 % 5 / 5.0, tf.float32)
y = tf.constant([[1.0], [2.0], [0.5], [0.0]])
net, step = Net(), tf.Variable(0, trainable=False)


def train():
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(net(x, training=True) - y))
    variables = net.trainable_variables
    for variable, gradient in zip(variables, tape.gradient(loss, variables)):
        variable.assign_sub(0.05 * gradient)
    step.assign_add(1)
    return round(float(loss.numpy()), 5)


checkpoint = tf.train.Checkpoint(net=net, step=step)
if saves:
    for _ in range(3):
        train()
    print(checkpoint.save(prefix)[len(prefix):], step.numpy())
else:
    status = checkpoint.restore(prefix + "-1")
    print("-1", step.numpy())
    try:
        status.assert_consumed()
    except AssertionError as error:
        assert str(error).startswith("Unresolved object in checkpoint"), error
print(np.round(net(x).numpy(), 5).tolist())
print([train() for _ in range(4)])
if not saves:
    status.assert_consumed()
print(sorted(variable.name for variable in net.variables))
print([name for name, _ in tf.train.list_variables(prefix + "-1") if "OBJECT_GRAPH" not in name])
