"""Layers as objects, called twice and in other scopes; layers of one's own."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
def names(values): return [value.name for value in values]
x = tf.placeholder(tf.float32, [None, 4])
ones = tf.ones_initializer()
hidden = tf.layers.Dense(3, activation=tf.nn.relu, kernel_initializer=ones)
print(hidden.name, hidden.built, hidden.units, hidden.variables)
y, z = hidden(x), hidden(2.0 * x)
print(y.name, z.name, names(hidden.variables), hidden.scope_name, hidden.dtype, hidden.count_params())
with tf.variable_scope("outer"):
    inner, given = tf.layers.Dense(2, kernel_initializer=ones), tf.layers.Dense(2, name="given", use_bias=False, kernel_initializer=ones)
    print(inner.name, given.name, names([inner(x), given(x)]), names(inner.variables + given.variables))
again = inner.apply(x)
print(again.name, inner.scope_name, inner.kernel.name, inner.bias.name, given.bias)
third = tf.layers.Dense(2, kernel_initializer=ones, kernel_regularizer=lambda v: tf.reduce_sum(v * v))
print(names([third(x), third(x)]), names(third.variables), len(third.losses), len(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)))
normal = tf.layers.BatchNormalization(momentum=0.5)
n = normal(x, training=True)
print(names(normal.variables), names(normal.trainable_variables), names(normal.non_trainable_variables), len(normal.updates))
images = tf.reshape(x, [-1, 2, 2, 1])
conv, pool = tf.layers.Conv2D(2, 2, padding="same", kernel_initializer=ones), tf.layers.MaxPooling2D(2, 1)
made = [conv(images), conv(-images), pool(images), tf.layers.Flatten()(images), tf.layers.Dropout(0.5)(x), tf.layers.AveragePooling2D((1, 2), 1)(images)]
print(names(made), conv.filters, conv.kernel.shape, conv.compute_output_shape([1, 5, 5, 1]))
class Scaled(tf.layers.Layer):
    def __init__(self, units, **more):
        super(Scaled, self).__init__(**more)
        self.units = units
    def build(self, shape):
        self.w = self.add_variable("w", [int(shape[-1]), self.units], initializer=ones, regularizer=lambda v: tf.reduce_sum(v))
        self.offset = self.add_weight("offset", [self.units], trainable=False, initializer=tf.zeros_initializer())
        super(Scaled, self).build(shape)
    def call(self, inputs, scale=1.0):
        return tf.matmul(inputs, self.w) * scale + self.offset
own, named = Scaled(2), Scaled(3, name="mine", trainable=False)
results = [own(x), own(x, scale=2.0), named(x)]
print(names(results), names(own.weights), names(own.trainable_weights), names(named.trainable_variables), own.name, named.name, len(own.losses))
print(names(tf.global_variables()))
print(names(tf.trainable_variables()))
try: own.scope
except AttributeError as e: print("no scope")
try: Scaled(1, what=2)
except TypeError as e: print("TypeError")
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    feed = {x: np.arange(8).reshape(2, 4) / 4.0}
    for value in sess.run([y, z, again, *results, conv(images), made[2], *made[3:5]], feed): print(np.round(value, 3).tolist())
    sess.run(normal.updates, feed)
    print(np.round(sess.run([normal.moving_mean, normal.moving_variance]), 4).tolist())
    step = tf.train.GradientDescentOptimizer(0.5).minimize(tf.reduce_sum(y - z))
    sess.run(step, feed)
    print(sess.run(hidden.kernel).tolist(), sess.run(hidden.bias).tolist())
