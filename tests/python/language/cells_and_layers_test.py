"""Cells of a program's own, layers and summaries with arguments of unusual kinds. Expectations are TensorFlow's."""

import os
import tempfile
import unittest

import numpy as np

from flowray import tf


class C(tf.nn.rnn_cell.RNNCell):
    """output = state = input * w + state, by `__call__` as cells of older programs have it."""

    state_size = output_size = 2

    def __call__(self, inputs, state, scope=None):
        with tf.variable_scope(scope or type(self).__name__):
            w = tf.get_variable("w", [2], initializer=tf.ones_initializer())
            return inputs * w + state, inputs * w + state


class OwnCellsTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        self.rows = [tf.constant([[1.0, 2.0]]), tf.constant([[3.0, 4.0]]), tf.constant([[5.0, 6.0]])]

    def values(self, *fetches):
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            return sess.run(list(fetches))

    def test_what_is_no_cell_is_refused_with_what_it_lacks(self):
        lacks = ("is not an RNNCell: 'output_size' property is missing, 'state_size' property is missing, "
                 "either 'zero_state' or 'get_initial_state' method is required, is not callable.")
        with tf.Graph().as_default():
            x, cell = tf.placeholder(tf.float32, [2, 3, 4]), tf.nn.rnn_cell.BasicRNNCell(3)
            calls = {"The argument 'cell' (3) " + lacks: [lambda: tf.nn.dynamic_rnn(3, x), lambda: tf.nn.static_rnn(3, [x[:, 0]])],
                     "The argument 'cell_fw' (3) " + lacks: [lambda: tf.nn.bidirectional_dynamic_rnn(3, cell, x)],
                     "The argument 'cell_bw' (4) " + lacks: [lambda: tf.nn.bidirectional_dynamic_rnn(cell, 4, x),
                                                             lambda: tf.nn.static_bidirectional_rnn(cell, 4, [x[:, 0]])],
                     "Argument `inputs` must be a sequence. Received: 3": [lambda: tf.nn.static_rnn(cell, 3)]}
            for sentence, refused in calls.items():
                for call in refused:
                    with self.assertRaises(TypeError) as raised:
                        call()
                    self.assertEqual(str(raised.exception), sentence)

    def test_a_copy_for_each_time_shares_the_variables(self):
        outputs, state = tf.nn.static_rnn(C(), self.rows, dtype=tf.float32)
        self.assertEqual([v.name for v in tf.global_variables()], ["rnn/C/w:0"])
        last, same = self.values(outputs[-1], state)
        self.assertEqual((last.tolist(), same.tolist()), ([[9, 12]], [[9, 12]]))

    def test_so_it_is_in_both_directions_in_cells_around_it_and_with_lengths(self):
        cell = tf.nn.rnn_cell.MultiRNNCell([C(), tf.nn.rnn_cell.DropoutWrapper(C(), 1.0)])
        _, both = tf.nn.static_rnn(cell, self.rows, dtype=tf.float32, scope="stack")
        outputs, forwards, backwards = tf.nn.static_bidirectional_rnn(C(), C(), self.rows, dtype=tf.float32)
        _, short = tf.nn.static_rnn(C(), self.rows, dtype=tf.float32, sequence_length=[2], scope="short")
        self.assertEqual([v.name for v in tf.global_variables()],
                         ["stack/multi_rnn_cell/cell_0/C/w:0", "stack/multi_rnn_cell/cell_1/C/w:0", "bidirectional_rnn/fw/C/w:0",
                          "bidirectional_rnn/bw/C/w:0", "short/C/w:0"])
        values = self.values(both[1], forwards, backwards, short)
        self.assertEqual([value.tolist() for value in values], [[[14, 20]], [[9, 12]], [[9, 12]], [[4, 6]]])

    def test_one_that_reuses_has_the_variables_of_the_other(self):
        class Own(tf.nn.rnn_cell.RNNCell):
            state_size = output_size = 2

            def call(self, inputs, state):
                return inputs * tf.get_variable("w", [2]), state
        for reuse in (None, True, tf.AUTO_REUSE):
            Own(name="own", _reuse=reuse)(self.rows[0], self.rows[1])
        self.assertEqual([v.name for v in tf.global_variables()], ["own/w:0"])

    def test_any_object_may_be_a_cell(self):
        class Plain:
            state_size = output_size = 2

            def __call__(self, inputs, state, scope=None):
                w = tf.get_variable("w", [2], initializer=tf.ones_initializer())
                return inputs * w + state, inputs * w + state
        _, state = tf.nn.static_rnn(Plain(), self.rows, dtype=tf.float32)
        self.assertEqual(self.values(state)[0].tolist(), [[9, 12]])


class TrainingTest(unittest.TestCase):
    """`training` that is known while the graph is built chooses there, as in TensorFlow, whose choice is Python's truth."""

    def setUp(self):
        tf.reset_default_graph()

    def kinds(self):
        return {op.type for op in tf.get_default_graph().get_operations()}

    def test_a_constant_chooses_while_the_graph_is_built(self):
        for value, drops in ((True, True), (False, False), (1, True), (0, False), ("yes", True), ("", False)):
            with tf.Graph().as_default():
                tf.layers.dropout(tf.ones([4]), training=tf.constant(value))
                self.assertEqual(("RandomUniform" in self.kinds(), "Switch" in self.kinds()), (drops, False), value)
        tf.layers.dropout(tf.ones([4]), training=tf.equal(tf.size(tf.ones([2, 3])), 6))
        self.assertNotIn("Switch", self.kinds())

    def test_a_placeholder_chooses_in_the_step(self):
        tf.layers.dropout(tf.ones([4]), training=tf.placeholder(tf.bool, []))
        self.assertIn("Switch", self.kinds())

    def test_batch_normalization_knows_it_too(self):
        tf.layers.batch_normalization(tf.ones([2, 3, 3, 1]), training=tf.constant(True))
        self.assertNotIn("Switch", self.kinds())
        self.assertEqual(len(tf.get_collection(tf.GraphKeys.UPDATE_OPS)), 2)

    def test_several_are_no_choice(self):
        with self.assertRaisesRegex(ValueError, "The truth value of an array with more than one element is ambiguous"):
            tf.layers.dropout(tf.ones([4]), training=tf.constant([True, False]))


class SummariesTest(unittest.TestCase):
    def test_a_step_may_be_any_number_of_numpys(self):
        with tempfile.TemporaryDirectory() as folder, tf.Graph().as_default(), tf.Session() as sess:
            summary = sess.run(tf.summary.scalar("a", 1.0))
            writer = tf.summary.FileWriter(folder)
            steps = [np.float32(3), np.float64(4.9), np.int64(5), 6.2, np.array(7), True]
            for step in steps:
                writer.add_summary(summary, step)
            writer.add_graph(sess.graph, np.float32(8))
            writer.add_session_log(tf.SessionLog(status=tf.SessionLog.START), np.float32(9))
            with self.assertRaises(TypeError):
                writer.add_summary(summary, tf.constant(1))
            writer.close()
            events = list(tf.train.summary_iterator(writer.get_logdir() + "/" + os.listdir(folder)[0]))
        self.assertEqual([event.step for event in events if event.WhichOneof("what") != "file_version"], [3, 4, 5, 6, 7, 1, 8, 9])


if __name__ == "__main__":
    unittest.main()
