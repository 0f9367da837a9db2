"""Cells of tf.nn.rnn_cell run by static_rnn, dynamic_rnn and bidirectional_dynamic_rnn, and a training step through them."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
tf.set_random_seed(5)
rng = np.random.RandomState(2)
X = tf.placeholder(tf.float32, [None, 7, 4])
Y = tf.placeholder(tf.float32, [None, 3])
seq = tf.placeholder(tf.int32, [None])
def show(name, v): print(name, np.round(np.asarray(v, np.float64), 3).tolist())
with tf.variable_scope("static"):
    xs = tf.unstack(X, 7, 1)
    cell = tf.nn.rnn_cell.BasicLSTMCell(5, forget_bias=1.0)
    outs, st = tf.nn.static_rnn(cell, xs, dtype=tf.float32)
    logits = tf.matmul(outs[-1], tf.Variable(tf.random_normal([5, 3])))
with tf.variable_scope("dynamic"):
    cell = tf.nn.rnn_cell.LSTMCell(5, state_is_tuple=True)
    out2, st2 = tf.nn.dynamic_rnn(cell, X, dtype=tf.float32, sequence_length=seq)
    print(out2, st2)
with tf.variable_scope("gru"):
    out3, st3 = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(6), X, dtype=tf.float32)
with tf.variable_scope("multi"):
    cells = [tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.BasicLSTMCell(n), output_keep_prob=1.0) for n in (4, 3)]
    multi = tf.nn.rnn_cell.MultiRNNCell(cells)
    init = multi.zero_state(tf.shape(X)[0], tf.float32)
    out4, st4 = tf.nn.dynamic_rnn(multi, X, initial_state=init)
with tf.variable_scope("bi"):
    forwards, backwards = tf.nn.rnn_cell.BasicRNNCell(3), tf.nn.rnn_cell.BasicRNNCell(3)
    (fw, bw), states = tf.nn.bidirectional_dynamic_rnn(forwards, backwards, X, dtype=tf.float32, sequence_length=seq)
    bi = tf.concat([fw, bw], 2)
for v in tf.trainable_variables(): print(v.name, v.shape.as_list())
for last in (out2[:, -1], st3, out4[:, -1, :], bi[:, 0]):
    logits += tf.layers.dense(last, 3)
loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(logits=logits, labels=Y))
train = tf.train.RMSPropOptimizer(0.01).minimize(loss)
x = rng.randn(6, 7, 4)
y = np.eye(3)[rng.randint(0, 3, 6)]
lens = [7, 3, 2, 7, 1, 5]
f = {X: x, Y: y, seq: lens}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show("lstm", sess.run(outs[-1], f)[:2])
    show("dyn", sess.run(out2, f)[1, :4])
    show("gru", sess.run(st3, f)[0])
    show("multi", sess.run(st4[1].h, f)[0])
    show("bi", sess.run(bi, f)[1, :3])
    for i in range(5):
        show("loss", sess.run([loss, train], f)[0])
