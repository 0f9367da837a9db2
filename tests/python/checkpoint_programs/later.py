"""Weights for layers that are made after their tf.train.Checkpoint has gone: `later.py save PREFIX`, `later.py load PREFIX`."""

import gc
import sys

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.enable_eager_execution()
saves, prefix = sys.argv[1] == "save", sys.argv[2]


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.first = tf.keras.layers.Dense(2)
        self.rest = [tf.keras.layers.Dense(3), tf.keras.layers.Dense(1)]

    def call(self, inputs):
        return self.rest[1](self.rest[0](self.first(inputs)))


x = tf.constant([[1.0, 2.0], [-1.0, 0.5]])
net = Net()
if saves:
    net(x)
    for number, variable in enumerate(net.variables):
        variable.assign(np.arange(variable.shape.num_elements()).reshape(variable.shape.as_list()) / 8.0 + number)
    print(tf.train.Checkpoint(net=net).save(prefix)[len(prefix):])
else:
    tf.train.Checkpoint(net=net).restore(prefix + "-1")
    gc.collect()
    print("-1")
print(net(x).numpy().tolist())
print([variable.numpy().tolist() for variable in net.variables])
