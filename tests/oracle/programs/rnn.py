"""tf.nn.rnn_cell and what runs cells over time."""

from programs import program
from tensorflow_v1 import tf

cells = tf.nn.rnn_cell


def inputs(shape=(None, 7, 3)):
    return tf.placeholder(tf.float32, shape, name="x")


@program
def rnn_cells():
    x = inputs([2, 3])
    cell = cells.BasicRNNCell(4)
    cell(x, cell.zero_state(2, tf.float32))
    lstm = cells.BasicLSTMCell(4, forget_bias=0.5)
    state = lstm.zero_state(2, tf.float32)
    output, state = lstm(x, state)
    lstm(x, state)
    gru = cells.GRUCell(4, name="gated")
    gru(x, gru.zero_state(2, tf.float32))
    full = cells.LSTMCell(4, initializer=tf.zeros_initializer())
    full(x, full.zero_state(2, tf.float32))


@program
def rnn_cells_of_cells():
    x = inputs([2, 3])
    several = cells.MultiRNNCell([cells.BasicLSTMCell(4), cells.GRUCell(5)])
    several(x, several.zero_state(2, tf.float32))


@program
def rnn_cell_with_projection():
    x = inputs([2, 3])
    cell = cells.LSTMCell(4, use_peepholes=True, num_proj=2, cell_clip=3.0, proj_clip=2.0)
    cell(x, cell.zero_state(2, tf.float32))


@program
def rnn_cell_dropout():
    x = inputs([2, 3])
    cell = cells.DropoutWrapper(cells.BasicLSTMCell(4), input_keep_prob=0.9, output_keep_prob=0.5, state_keep_prob=0.75, seed=3)
    cell(x, cell.zero_state(2, tf.float32))
    keep = tf.placeholder(tf.float32, [], name="keep")
    cell = cells.DropoutWrapper(cells.GRUCell(4), output_keep_prob=keep)
    cell(x, cell.zero_state(2, tf.float32))


@program
def static_rnn_of_lstm():
    x = tf.unstack(inputs(), 7, 1)
    tf.nn.static_rnn(cells.BasicLSTMCell(4), x, dtype=tf.float32)


@program
def dynamic_rnn_of_lstm():
    tf.nn.dynamic_rnn(cells.BasicLSTMCell(4), inputs([2, 7, 3]), dtype=tf.float32)


@program
def dynamic_rnn_with_lengths():
    n = tf.placeholder(tf.int32, [None], name="n")
    tf.nn.dynamic_rnn(cells.GRUCell(4), inputs([None, None, 3]), sequence_length=n, dtype=tf.float32)


@program
def dynamic_rnn_over_time_first():
    cell = cells.MultiRNNCell([cells.BasicRNNCell(4), cells.BasicRNNCell(4)])
    state = cell.zero_state(2, tf.float32)
    tf.nn.dynamic_rnn(cell, inputs([5, 2, 3]), initial_state=state, time_major=True, scope="layers", parallel_iterations=4)


@program
def gradients_of_dynamic_rnn():
    x = inputs([2, 5, 3])
    output, state = tf.nn.dynamic_rnn(cells.BasicRNNCell(4), x, dtype=tf.float32)
    tf.gradients(tf.reduce_sum(state), tf.trainable_variables() + [x])


@program
def bidirectional_dynamic_rnn_with_lengths():
    n = tf.placeholder(tf.int32, [None], name="n")
    tf.nn.bidirectional_dynamic_rnn(cells.BasicRNNCell(3), cells.BasicRNNCell(3), inputs([None, None, 3]), sequence_length=n, dtype=tf.float32)
