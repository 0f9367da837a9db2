"""tf.contrib.rnn: the same cells by other names."""

import numpy as np
import tensorflow as tf
from tensorflow.contrib import rnn
def show(name, v): print(name, np.round(np.asarray(v, np.float64), 3).tolist())
def weights(shape, dtype=tf.float32, partition_info=None):
    return tf.constant(np.sin(np.arange(np.prod(shape))).reshape(shape), dtype)
x = tf.placeholder(tf.float32, [None, 4, 3])
steps = tf.unstack(x, 4, 1)
with tf.variable_scope("one", initializer=weights):
    outputs, state = rnn.static_rnn(rnn.BasicLSTMCell(2, forget_bias=1.0), steps, dtype=tf.float32)
with tf.variable_scope("both", initializer=weights):
    both, _, _ = rnn.static_bidirectional_rnn(rnn.BasicLSTMCell(2), rnn.BasicLSTMCell(2), steps, dtype=tf.float32)
with tf.variable_scope("lengths", initializer=weights):
    some, last = tf.nn.static_rnn(rnn.GRUCell(2), steps, dtype=tf.float32, sequence_length=[2, 4])
with tf.variable_scope("stack", initializer=weights):
    cells = rnn.MultiRNNCell([rnn.DropoutWrapper(rnn.LSTMCell(size), output_keep_prob=1.0) for size in (3, 2)])
    stacked, states = tf.nn.dynamic_rnn(cells, x, initial_state=cells.zero_state(2, tf.float32))
with tf.variable_scope("joined", initializer=weights):
    joined, joined_state = tf.nn.dynamic_rnn(rnn.BasicLSTMCell(2, state_is_tuple=False), x, dtype=tf.float32)
print(isinstance(state, rnn.LSTMStateTuple), joined_state.shape)
for v in tf.trainable_variables(): print(v.name, v.shape.as_list())
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    feed = {x: np.cos(np.arange(24)).reshape(2, 4, 3)}
    for result in (outputs[-1], state.c, both[0], some[3], last, stacked, states[1].h, joined, joined_state):
        show(result.op.name.partition("/")[0], sess.run(result, feed))
