"""Cells with something around them: the same elements dropped in all steps, states that are kept, a way past the cell, a device."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
cells = tf.nn.rnn_cell
rng = np.random.RandomState(3)
x = rng.uniform(-1, 1, (2, 4, 3)).astype(np.float32)


def ran(title, cell, inputs=x):
    outputs, state = tf.nn.dynamic_rnn(cell, tf.constant(inputs), dtype=tf.float32)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        values, last = session.run([outputs, state])
    print(title, values.shape, [variable.name for variable in tf.global_variables()])
    return values, last


def fresh(**options):
    tf.reset_default_graph()
    tf.set_random_seed(11)
    return cells.BasicRNNCell(3, activation=lambda v: v + 1.0, **options)


def weights():
    return tf.variable_scope("net", initializer=tf.constant_initializer(0.1))


for words in (dict(output_keep_prob=0.5), dict(input_keep_prob=0.5, input_size=3), dict(state_keep_prob=0.5), dict(output_keep_prob=0.6, seed=9)):
    cell = fresh()
    with weights():
        values, last = ran("dropped alike by %s:" % sorted(words), cells.DropoutWrapper(cell, variational_recurrent=True, dtype=tf.float32, **words))
    print(np.round(values, 3).tolist(), np.round(last, 3).tolist())

tf.reset_default_graph()
tf.set_random_seed(4)
with weights():
    both = cells.MultiRNNCell([cells.LSTMCell(2), cells.GRUCell(2)])
    values, last = ran("an LSTM's memory is kept:", cells.DropoutWrapper(both, state_keep_prob=0.3))
    print(bool(np.all(last[0].c != 0.0)))


def only_memory(state):
    return cells.LSTMStateTuple(c=True, h=False) if isinstance(state, cells.LSTMStateTuple) else True


tf.reset_default_graph()
tf.set_random_seed(4)
with weights():
    kept = cells.DropoutWrapper(cells.LSTMCell(8), state_keep_prob=1e-6, dropout_state_filter_visitor=only_memory)
    values, last = ran("only its memory is dropped:", kept)
    print(last.c.tolist(), bool(np.all(last.h != 0.0)))

tf.reset_default_graph()
with weights():
    past = cells.ResidualWrapper(cells.DeviceWrapper(cells.BasicRNNCell(3), "/cpu:0"))
    print(past.state_size, past.output_size)
    zeros = past.zero_state(2, tf.float32)
    print(zeros.op.name, zeros.shape)
    values, last = ran("past the cell, on a device:", past)
    print(np.round(values, 3).tolist())
print(sorted({operation.device for operation in tf.get_default_graph().get_operations() if operation.type == "MatMul"}))

for title, wrong in (("no dtype", dict(variational_recurrent=True)),
                     ("no size", dict(variational_recurrent=True, dtype=tf.float32, input_keep_prob=0.5)),
                     ("visitor", dict(dropout_state_filter_visitor=3)), ("keep", dict(input_keep_prob=1.5))):
    try:
        cells.DropoutWrapper(cells.GRUCell(2), **wrong)
        print(title, "passed")
    except (ValueError, TypeError) as error:
        print(title, type(error).__name__, str(error).split(". ")[0])
