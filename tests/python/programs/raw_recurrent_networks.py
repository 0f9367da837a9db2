"""tf.nn.raw_rnn: as dynamic_rnn does it, a decoder that feeds itself, states of loops, and structures of what is emitted."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)
numbers = np.random.RandomState(5)


def show(fetches, fed=None):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for value in sess.run(fetches, fed):
            print([round(float(number), 4) for number in np.ravel(value)], np.shape(value))
    tf.reset_default_graph()


def of_inputs(cell, lengths, batch=3):
    inputs = tf.placeholder(tf.float32, [4, batch, 2], name="inputs")
    array = tf.TensorArray(tf.float32, 4).unstack(inputs)

    def loop(time, output, state, loop_state):
        state = cell.zero_state(tf.shape(inputs)[1], tf.float32) if output is None else state
        finished = time >= lengths
        there = tf.zeros([batch or tf.shape(inputs)[1], 2])
        if batch is None:
            there.set_shape([None, 2])
        coming = tf.cond(tf.reduce_all(finished), lambda: there, lambda: array.read(time))
        coming.set_shape([batch, 2])
        return finished, coming, state, output, None

    return inputs, loop


tf.set_random_seed(1)
with tf.variable_scope("net", initializer=tf.constant_initializer(0.25)):
    cell = tf.nn.rnn_cell.BasicRNNCell(3)
    inputs, loop = of_inputs(cell, tf.constant([4, 1, 3]))
    outputs, state, loop_state = tf.nn.raw_rnn(cell, loop)
    print(loop_state, [v.name for v in tf.trainable_variables()])
    stacked = outputs.stack()
    slopes = tf.gradients(tf.reduce_sum(stacked), tf.trainable_variables())
print(stacked.name, stacked.shape, state.name, state.shape)
show([stacked, state] + slopes, {inputs: numbers.rand(4, 3, 2)})

with tf.variable_scope("of_any", initializer=tf.constant_initializer(0.5)):
    cell = tf.nn.rnn_cell.LSTMCell(2)
    lengths = tf.placeholder(tf.int32, [None], name="lengths")
    inputs, loop = of_inputs(cell, lengths, None)
    outputs, state, _ = tf.nn.raw_rnn(cell, loop, scope="rows")
    print([v.name for v in tf.trainable_variables()], type(state).__name__)
show([outputs.stack(), state.c, state.h], {inputs: numbers.rand(4, 2, 2), lengths: [2, 4]})

with tf.variable_scope("decoder", initializer=tf.constant_initializer(0.5)):
    cell = tf.nn.rnn_cell.GRUCell(2)

    def decode(time, output, state, loop_state):
        if output is None:
            return tf.zeros([2], tf.bool), tf.ones([2, 2]), cell.zero_state(2, tf.float32), \
                {"seen": tf.zeros([], tf.int32), "twice": tf.zeros([])}, tf.constant(10.0)
        emitted = {"seen": tf.fill([2], time), "twice": 2 * tf.reduce_sum(output, 1)}
        return tf.greater_equal(time, [2, 3]), output, state, emitted, loop_state * 2

    outputs, state, loop_state = tf.nn.raw_rnn(cell, decode)
print(sorted(outputs), loop_state.shape)
show([outputs["seen"].stack(), outputs["twice"].stack(), state, loop_state])

for wrong in (lambda: tf.nn.raw_rnn(5, decode), lambda: tf.nn.raw_rnn(tf.nn.rnn_cell.GRUCell(2), "loop")):
    try:
        wrong()
    except Exception as error:
        print(type(error).__name__, str(error).split("\n")[0][:60])
