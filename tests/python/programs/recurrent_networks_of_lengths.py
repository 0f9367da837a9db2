"""static_rnn and static_bidirectional_rnn of inputs of different lengths, and LSTM cells whose states are one tensor."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
rng = np.random.RandomState(3)
X = tf.placeholder(tf.float32, [None, 5, 3])
seq = tf.placeholder(tf.int32, [None])
def weights(shape, dtype=None, partition_info=None):
    return tf.constant(np.sin(np.arange(np.prod(shape))).reshape(shape), tf.float32)
def show(name, v): print(name, np.round(np.asarray(v, np.float64), 3).tolist())
xs = tf.unstack(X, 5, 1)
with tf.variable_scope("static", initializer=weights):
    cell = tf.nn.rnn_cell.BasicLSTMCell(2)
    outs, last = tf.nn.static_rnn(cell, xs, dtype=tf.float32, sequence_length=seq)
    print(outs[0], last)
with tf.variable_scope("gru", initializer=weights):
    gru_outs, gru_last = tf.nn.static_rnn(tf.nn.rnn_cell.GRUCell(2), xs, initial_state=tf.ones([4, 2]), sequence_length=seq)
with tf.variable_scope("both", initializer=weights):
    both, forwards, backwards = tf.nn.static_bidirectional_rnn(
        tf.nn.rnn_cell.BasicLSTMCell(2), tf.nn.rnn_cell.BasicRNNCell(3), xs, dtype=tf.float32)
    print(both[0], forwards, backwards)
with tf.variable_scope("both_of_lengths", initializer=weights):
    some, _, some_back = tf.nn.static_bidirectional_rnn(
        tf.nn.rnn_cell.BasicRNNCell(2), tf.nn.rnn_cell.BasicRNNCell(2), xs, dtype=tf.float32, sequence_length=seq, scope="named")
with tf.variable_scope("joined", initializer=weights):
    one = tf.nn.rnn_cell.BasicLSTMCell(2, state_is_tuple=False)
    print(one.state_size, one.zero_state(4, tf.float32))
    joined, joined_last = tf.nn.dynamic_rnn(one, X, dtype=tf.float32, sequence_length=seq)
with tf.variable_scope("projected", initializer=weights):
    cell = tf.nn.rnn_cell.LSTMCell(3, num_proj=2, state_is_tuple=False, use_peepholes=True)
    projected, projected_last = tf.nn.static_rnn(cell, xs, dtype=tf.float32)
with tf.variable_scope("stacked", initializer=weights):
    cells = [tf.nn.rnn_cell.BasicLSTMCell(2, state_is_tuple=False), tf.nn.rnn_cell.GRUCell(3)]
    stack = tf.nn.rnn_cell.MultiRNNCell(cells, state_is_tuple=False)
    zero = stack.zero_state(4, tf.float32)
    print(stack.state_size, zero)
    stacked, stacked_last = tf.nn.dynamic_rnn(stack, X, initial_state=zero)
try:
    tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.BasicLSTMCell(2)], state_is_tuple=False)
except ValueError as error:
    print(str(error).partition(".")[0])
for v in tf.trainable_variables(): print(v.name, v.shape.as_list())
loss = tf.add_n([tf.reduce_sum(outs[3] ** 2), tf.reduce_sum(gru_last), tf.reduce_sum(both[2]), tf.reduce_sum(some[1]),
                 tf.reduce_sum(joined_last), tf.reduce_sum(projected_last), tf.reduce_sum(stacked_last)])
gradients = tf.gradients(loss, tf.trainable_variables())
f = {X: rng.randn(4, 5, 3), seq: [5, 2, 0, 3]}
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    show("lstm", sess.run([outs[1], outs[4], last.c, last.h], f))
    show("gru", sess.run([gru_outs[2], gru_last], f))
    show("both", sess.run(both[1], f))
    show("states", sess.run([forwards.h, backwards[:, :2]], f))
    show("some", sess.run([some[0], some[3]], f))
    show("back", sess.run(some_back, f))
    show("joined", sess.run(joined_last, f))
    show("projected", sess.run(projected_last, f))
    show("stacked", sess.run(stacked_last, f))
    for v, g in zip(tf.trainable_variables(), sess.run(gradients, f)): show(v.name, np.abs(g).sum())
    show("all end early", sess.run([outs[4], last.h], {X: f[X], seq: [1, 2, 0, 1]}))
