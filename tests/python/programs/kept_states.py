"""tf.nn.static_state_saving_rnn: sequences in parts, whose states variables keep from step to step."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)


class Kept:
    """States of two rows in variables."""

    def __init__(self, **sizes):
        with tf.variable_scope("kept"):
            self.states = {name: tf.get_variable(name, [2, size], initializer=tf.zeros_initializer(), trainable=False)
                           for name, size in sizes.items()}

    def state(self, name):
        return self.states[name].read_value()

    def save_state(self, name, value):
        return self.states[name].assign(value)


numbers = np.random.RandomState(2)
for cell, names, sizes in ((tf.nn.rnn_cell.GRUCell(3), "h", {"h": 3}), (tf.nn.rnn_cell.BasicLSTMCell(2), ("c", "h"), {"c": 2, "h": 2}),
                           (tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.GRUCell(2), tf.nn.rnn_cell.GRUCell(3)]), ("a", "b"), {"a": 2, "b": 3})):
    with tf.variable_scope(type(cell).__name__, initializer=tf.constant_initializer(0.5)):
        kept = Kept(**sizes)
        parts = [tf.placeholder(tf.float32, [2, 2]) for _ in range(3)]
        outputs, state = tf.nn.static_state_saving_rnn(cell, parts, kept, names, sequence_length=[3, 2])
        print(outputs[-1].name, outputs[0].shape, isinstance(state, tuple) and type(state).__name__)
        try:
            tf.nn.static_state_saving_rnn(cell, parts, kept, ("h",) if names == "h" else "h", scope="other")
        except Exception as error:
            print(type(error).__name__)
        try:
            tf.nn.static_state_saving_rnn(cell, parts, kept, names + ("more",) if names != "h" else ["h"], scope="other")
        except Exception as error:
            print(type(error).__name__)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(3):
            got = sess.run(outputs[-1], {part: numbers.rand(2, 2) for part in parts})
            print(["%.4f" % number for number in np.ravel(got)])
            print(["%.4f" % number for value in sess.run(list(kept.states.values())) for number in np.ravel(value)])
