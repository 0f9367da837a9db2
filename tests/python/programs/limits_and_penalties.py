"""Gradients that are clipped, and losses of weights: of get_variable, of scopes and of layers."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
def show(name, v): print(name, np.round(np.asarray(v, np.float64), 4).tolist())
def half_of_squares(v):
    return 0.5 * tf.nn.l2_loss(v)
x = tf.placeholder(tf.float32, [None, 3])
init = tf.constant_initializer([[0.5, -1.0], [2.0, 0.25], [-0.75, 1.5]])
with tf.variable_scope("own"):
    w = tf.get_variable("w", [3, 2], initializer=init, regularizer=half_of_squares)
with tf.variable_scope("given", regularizer=half_of_squares) as given:
    u = tf.get_variable("u", [3, 2], initializer=init)
    none = tf.get_variable("none", [2], initializer=tf.ones_initializer(), regularizer=tf.no_regularizer)
    with tf.variable_scope("inner"):
        deep = tf.get_variable("deep", [2], initializer=tf.ones_initializer())
with tf.variable_scope(given, reuse=True):
    again = tf.get_variable("u", [3, 2])
def layer(inputs, **more):
    return tf.layers.dense(inputs, 2, kernel_initializer=init, kernel_regularizer=lambda v: tf.reduce_sum(tf.abs(v)),
                           bias_initializer=tf.ones_initializer(), bias_regularizer=half_of_squares, name="layer", **more)
y = layer(x, activity_regularizer=lambda r: tf.reduce_sum(r * r))
z = layer(2.0 * x, reuse=True)
images = tf.reshape(x, [-1, 1, 3, 1])
c = tf.layers.conv2d(images, 1, [1, 2], kernel_initializer=tf.ones_initializer(), kernel_regularizer=half_of_squares)
b = tf.layers.batch_normalization(x, gamma_regularizer=half_of_squares, beta_regularizer=tf.nn.l2_loss)
for v in tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES): print(v.name)
total = tf.losses.get_regularization_loss()
loss = tf.reduce_sum(tf.matmul(x, w) * tf.matmul(x, u)) + total
variables = [w, u, none]
gradients = tf.gradients(loss, variables)
print(gradients[2])
clipped, norm = tf.clip_by_global_norm(gradients, 5.0)
print([None if g is None else g.op.name for g in clipped], clipped[2], norm.op.name)
loose, _ = tf.clip_by_global_norm(gradients, 1e6, use_norm=tf.constant(2.0))
table = tf.Variable(np.arange(8, dtype=np.float32).reshape(4, 2))
rows, = tf.gradients(tf.reduce_sum(tf.nn.embedding_lookup(table, [1, 3, 1]) ** 2), [table])
(kept,), rows_norm = tf.clip_by_global_norm([rows], 1.0)
step = tf.train.GradientDescentOptimizer(0.1).apply_gradients([(clipped[0], w), (clipped[1], u), (kept, table)])
broken, _ = tf.clip_by_global_norm([tf.constant([np.inf, 1.0])], 1.0)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    f = {x: [[1, 2, 3], [-1, 0.5, 2]]}
    show("losses", sess.run(tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES), f))
    show("total", sess.run(total, f))
    show("norm", sess.run([norm, tf.global_norm(gradients[:1]), rows_norm], f))
    for g in sess.run(clipped[:2] + loose[:2], f): show("clipped", g)
    show("broken", sess.run(broken[0]))
    show("rows", sess.run([kept.values, tf.convert_to_tensor(kept)], f)[1])
    sess.run(step, f)
    for v in sess.run([w, u, table]): show("after", v)
    for axes in (None, [0], 1): show("by norm", sess.run(tf.clip_by_norm(w, 1.5, axes)))
    show("of nothing", sess.run(tf.gradients(tf.reduce_sum(tf.clip_by_norm(tf.zeros([3]) * w[:, 0], 1.0)), w)[0]))
    show("average", sess.run(tf.clip_by_average_norm(w, 0.2)))
