"""What is saved while operations run at once: a Saver without a session, and what optimizers keep in checkpoints."""

import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.enable_eager_execution()
layers = tf.keras.layers
constant = tf.keras.initializers.Constant
x = (np.arange(60).reshape(20, 3) * 37 % 11 / 11.0).astype("float32")
y = (x[:, :1] - 0.5 * x[:, 1:2]).astype("float32")


def told(values):
    return [round(float(value), 4) for value in np.asarray(values).reshape(-1)[:6]]


os.chdir(tempfile.mkdtemp())
v = tf.Variable([1.0, 2.0], name="v")
w = tf.Variable(3.0, name="w")
saver = tf.train.Saver([v, w])
path = saver.save(None, "one", global_step=tf.Variable(7))
print(path)
v.assign([0.0, 0.0])
w.assign(0.0)
saver.restore(None, path)
print(told(v.numpy()), told(w.numpy()))
print(sorted(name for name, _ in tf.train.list_variables(path)))


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.a = layers.Dense(3, activation="relu", kernel_initializer=constant(0.2))
        self.b = layers.Dense(1, kernel_initializer=constant(0.5))

    def call(self, inputs):
        return self.b(self.a(inputs))


def loop(net, opt, n):
    losses = []
    for _ in range(n):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(net(tf.constant(x)) - y))
        opt.apply_gradients(zip(tape.gradient(loss, net.trainable_variables), net.trainable_variables))
        losses.append(loss)
    return told(losses)


for make in (lambda: tf.train.AdamOptimizer(0.05), lambda: tf.train.MomentumOptimizer(0.05, 0.9), lambda: tf.train.RMSPropOptimizer(0.01)):
    net, opt = Net(), make()
    print(loop(net, opt, 3))
    c = tf.train.Checkpoint(net=net, opt=opt)
    p = c.save("ck/a")
    after = loop(net, opt, 3)
    net, opt = Net(), make()
    status = tf.train.Checkpoint(net=net, opt=opt).restore(p)
    again = loop(net, opt, 3)
    status.assert_consumed()
    print(after, again == after)
    print(sorted(name for name, _ in tf.train.list_variables(p)))
