"""Layers and regularizers of tf.contrib.layers: names of nodes and variables, collections, results."""

import numpy as np
import tensorflow as tf
layers = tf.contrib.layers
def show(name, v): print(name, np.round(np.asarray(v, np.float64), 4).tolist())
def weights(shape, dtype=tf.float32, partition_info=None):
    return tf.constant(np.cos(np.arange(np.prod(shape))).reshape(shape), dtype)
x = tf.placeholder(tf.float32, [None, 3])
images = tf.placeholder(tf.float32, [None, 6, 6, 2])
first = layers.fully_connected(x, 4, weights_initializer=weights, weights_regularizer=layers.l2_regularizer(0.1))
h = layers.fully_connected(first, 2, activation_fn=tf.nn.tanh, weights_initializer=weights, biases_initializer=None, scope="second")
again = layers.fully_connected(2.0 * first, 2, tf.nn.tanh, scope="second", reuse=True, biases_initializer=None)
line = layers.linear(h, 1, weights_initializer=weights, biases_initializer=tf.ones_initializer(), outputs_collections="ends",
                     biases_regularizer=layers.l1_regularizer(0.5))
normal = layers.fully_connected(x, 2, weights_initializer=weights, normalizer_fn=lambda v, by: v / by, normalizer_params={"by": 2.0})
deep = layers.fully_connected(tf.reshape(x, [-1, 1, 3]), 2, weights_initializer=weights, trainable=False,
                              variables_collections=["mine"])
c = layers.conv2d(images, 3, 3, weights_initializer=weights, weights_regularizer=layers.l1_l2_regularizer(0.1, 0.2))
c = layers.conv2d(c, 2, [3, 2], stride=2, padding="VALID", activation_fn=None, weights_initializer=weights)
wide = layers.conv2d(images, 1, 2, rate=2, weights_initializer=weights, scope="wide")
m = layers.max_pool2d(images, 2)
m = layers.avg_pool2d(m, [2, 1], stride=1, padding="SAME")
f = layers.flatten(m)
print(f.shape, layers.flatten(images, scope="flat").name, c.shape, wide.shape)
kept = layers.dropout(f, is_training=False)
hot = layers.one_hot_encoding([1, 0, 2], 3)
v = tf.get_variable("v", [2], initializer=tf.constant_initializer([1.0, -2.0]), regularizer=layers.l1_l2_regularizer())
with tf.variable_scope("scope", regularizer=layers.l2_regularizer(0.5)):
    w = tf.get_variable("w", [2], initializer=tf.constant_initializer([3.0, 1.0]))
both = layers.apply_regularization(layers.sum_regularizer([layers.l1_regularizer(2.0), layers.l2_regularizer(1.0)]), [v, w])
print(layers.l2_regularizer(0.0)(v))
for call in (lambda: layers.l2_regularizer(-1.0), lambda: layers.l1_regularizer(1), lambda: layers.apply_regularization(None)):
    try: call()
    except ValueError as error: print(error)
for key in ("model_variables", "trainable_variables", "mine", "ends", "regularization_losses"):
    print(key, [item.name for item in tf.get_collection(key)])
print([variable.op.name for variable in tf.contrib.framework.get_variables("second")],
      [variable.op.name for variable in tf.contrib.framework.get_variables(suffix="biases")])
for result in (h, again, line, normal, deep, c, m, kept, both, tf.losses.get_regularization_loss()): print(result.name, result.shape)
train = tf.train.GradientDescentOptimizer(0.01).minimize(tf.reduce_sum(line) + tf.losses.get_regularization_loss() + tf.reduce_sum(c))
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    feed = {x: [[1, 2, 3], [0.5, -1, 2]], images: np.sin(np.arange(144)).reshape(2, 6, 6, 2)}
    for result in (h, again, line, normal, deep, c, wide, m, kept, hot, both): show(result.op.name, sess.run(result, feed))
    show("losses", sess.run(tf.get_collection("regularization_losses"), feed))
    sess.run(train, feed)
    show("after", sess.run(tf.trainable_variables()[0]))
