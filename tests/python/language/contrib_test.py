"""The programs of programs_of_1_15, which use tf.contrib, print what TensorFlow 1.15.5 printed (tests/golden/contrib/): TensorFlow 2
has no tf.contrib. To record one again, with Python 3.7:

    pip install tensorflow==1.15.5 'protobuf<3.21' 'numpy<1.19'
    python tests/python/programs_of_1_15/NAME.py > tests/golden/contrib/NAME.txt

What slim_*.py print is tf_slim's, the same layers released apart (tests/oracle/record_slim.py).
"""

import sys
import unittest
from pathlib import Path

import numpy as np
from flowray import tf
from flowray.tf import contrib

from two_systems import output_of

PYTHON_TESTS = Path(__file__).resolve().parent.parent
GOLDEN = PYTHON_TESTS.parent / "golden" / "contrib"


class ContribTest(unittest.TestCase):
    maxDiff = None

    def check(self, program):
        ours = output_of([sys.executable, "-m", "flowray", str(program)])
        self.assertEqual(ours, (GOLDEN / f"{program.stem}.txt").read_text())

    def test_modules_may_be_imported(self):
        program = "from tensorflow.contrib import rnn; from tensorflow.contrib.layers import fully_connected, flatten\n" \
                  "import tensorflow.contrib.layers as layers; import tensorflow.contrib.framework\n" \
                  "from tensorflow.contrib.learn.python.learn.datasets.mnist import read_data_sets\n" \
                  "print(layers.fully_connected is fully_connected)"
        ours = output_of([sys.executable, "-c", f"import flowray; flowray.install()\n{program}"])
        self.assertEqual(ours, "True\n")


class HParamsTest(unittest.TestCase):
    """What TensorFlow 1.15's class is said to do, worked out by hand."""

    def setUp(self):
        self.hparams = contrib.training.HParams(rate=0.1, layers=2, name="net", sizes=[3, 4], dropout=False)

    def test_values_are_attributes_of_one_type(self):
        self.assertEqual((self.hparams.rate, self.hparams.sizes, "rate" in self.hparams, "other" in self.hparams), (0.1, [3, 4], True, False))
        self.hparams.set_hparam("rate", 2)
        self.assertEqual((self.hparams.rate, type(self.hparams.rate)), (2.0, float))
        for name, value in (("layers", 1.5), ("layers", "3"), ("dropout", 1), ("rate", True), ("name", 3), ("layers", [1]), ("sizes", 3)):
            with self.assertRaises(ValueError):
                self.hparams.set_hparam(name, value)
        for name, value in (("rate", 1.0), ("values", 1), ("nothing", [])):
            with self.assertRaises(ValueError):
                self.hparams.add_hparam(name, value)
        self.hparams.add_hparam("more", 1)
        self.hparams.del_hparam("more")
        self.assertNotIn("more", self.hparams)

    def test_texts_are_parsed(self):
        self.assertIs(self.hparams.parse("rate=0.5, layers=3,name=other net,sizes=[5,6,7],dropout=true"), self.hparams)
        self.assertEqual(self.hparams.values(), {"rate": 0.5, "layers": 3, "name": "other net", "sizes": [5, 6, 7], "dropout": True})
        self.hparams.parse("sizes[1]=9")
        self.assertEqual(self.hparams.sizes, [5, 9, 7])
        for text in ("unknown=1", "layers=x", "layers=1.5", "rate", "rate=1,rate=2", "dropout=maybe", "layers=[1,2]", "sizes[0]=[1]"):
            with self.assertRaises(ValueError):
                self.hparams.parse(text)

    def test_json_goes_back_and_forth(self):
        text = self.hparams.to_json(sort_keys=True)
        self.assertEqual(text, '{"dropout": false, "layers": 2, "name": "net", "rate": 0.1, "sizes": [3, 4]}')
        other = contrib.training.HParams(rate=0.0, layers=0, name="", sizes=[0], dropout=True).parse_json(text)
        self.assertEqual(other.values(), self.hparams.values())
        self.assertEqual((other.get("layers"), other.get("none", 3)), (2, 3))
        with self.assertRaises(ValueError):
            other.get("layers", "two")
        self.assertEqual(str(contrib.training.HParams(b=1, a=2)), "[('a', 2), ('b', 1)]")


class SequenceLossTest(unittest.TestCase):
    def test_means_are_over_what_counts(self):
        logits = np.random.RandomState(0).randn(2, 3, 4).astype(np.float32)
        targets, weights = np.array([[0, 1, 2], [3, 0, 0]]), np.array([[1, 1, 1], [1, 0, 0]], np.float32)
        each = -np.take_along_axis(logits - np.log(np.exp(logits).sum(2, keepdims=True)), targets[..., None], 2)[..., 0] * weights
        loss = contrib.seq2seq.sequence_loss
        with tf.Graph().as_default(), tf.Session() as sess:
            for averaged, expected in (((True, True), each.sum() / 4), ((True, False), each.sum(1) / [3, 1]),
                                       ((False, True), each.sum(0) / [2, 1, 1]), ((False, False), each)):
                made = sess.run(loss(tf.constant(logits), tf.constant(targets), tf.constant(weights), *averaged))
                np.testing.assert_allclose(made, expected, rtol=1e-5, atol=1e-6)
            with self.assertRaisesRegex(ValueError, "Targets must be a .batch_size x sequence_length. tensor"):
                loss(logits, logits, weights)


class StackedNetworksTest(unittest.TestCase):
    """Layers of both directions give what one layer after the other gives."""

    def setUp(self):
        scope = tf.Graph().as_default()
        scope.__enter__()
        self.addCleanup(scope.__exit__, None, None, None)
        tf.get_variable_scope().set_initializer(tf.constant_initializer(0.1))
        self.x = tf.constant(np.random.RandomState(0).rand(2, 4, 3).astype(np.float32))

    def cells(self):
        return [tf.nn.rnn_cell.GRUCell(2), tf.nn.rnn_cell.GRUCell(3)]

    def test_layers_read_both_directions_of_the_layer_below(self):
        outputs, forwards, backwards = contrib.rnn.stack_bidirectional_dynamic_rnn(
            self.cells(), self.cells(), self.x, dtype=tf.float32, sequence_length=[4, 2])
        names = [variable.op.name for variable in tf.global_variables()]
        self.assertEqual(names[0], "stack_bidirectional_rnn/cell_0/bidirectional_rnn/fw/gru_cell/gates/kernel")
        self.assertEqual(names[-1], "stack_bidirectional_rnn/cell_1/bidirectional_rnn/bw/gru_cell/candidate/bias")
        static, *last = contrib.rnn.stack_bidirectional_rnn(
            self.cells(), self.cells(), tf.unstack(self.x, axis=1), dtype=tf.float32, sequence_length=[4, 2], scope="static")
        by_hand, states = self.x, []
        for layer, (forward, backward) in enumerate(zip(self.cells(), self.cells())):
            pair, state = tf.nn.bidirectional_dynamic_rnn(forward, backward, by_hand, [4, 2], dtype=tf.float32, scope="by_hand_%d" % layer)
            by_hand = tf.concat(pair, 2)
            states.append(state)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            got, of_steps, expected = session.run([(outputs, (forwards, backwards)), (tf.stack(static, 1), tuple(last)),
                                                   (by_hand, tuple(zip(*states)))])
        for one in (got, of_steps):
            np.testing.assert_allclose(one[0], expected[0], rtol=1e-6)
            for direction, other in zip(one[1], expected[1]):
                for state, expected_state in zip(direction, other):
                    np.testing.assert_allclose(state, expected_state, rtol=1e-6)

    def test_cells_that_do_not_fit(self):
        with self.assertRaisesRegex(ValueError, "Forward and Backward cells must have the same depth."):
            contrib.rnn.stack_bidirectional_dynamic_rnn(self.cells(), self.cells()[:1], self.x, dtype=tf.float32)
        with self.assertRaisesRegex(ValueError, r"cells_fw must be a list of RNNCells \(one per layer\)."):
            contrib.rnn.stack_bidirectional_dynamic_rnn(self.cells()[0], self.cells(), self.x, dtype=tf.float32)

    def test_batch_and_time_change_places(self):
        self.assertEqual(contrib.rnn.transpose_batch_time(self.x).shape.as_list(), [4, 2, 3])
        self.assertEqual(contrib.rnn.transpose_batch_time(tf.zeros([3])).shape.as_list(), [3])


class OtherNamesTest(unittest.TestCase):
    def test_names_of_the_language_by_their_first_place(self):
        self.assertIs(contrib.data.scan, tf.data.experimental.scan)
        self.assertIs(contrib.data.CsvDataset, tf.data.experimental.CsvDataset)
        self.assertEqual(contrib.util.constant_value(tf.constant(3)), 3)
        self.assertEqual(contrib.util.make_tensor_proto([1, 2]).tensor_shape.dim[0].size, 2)
        self.assertIs(contrib.framework.list_variables, tf.train.list_variables)
        with self.assertRaisesRegex(AttributeError, "module 'tensorflow.contrib.data' has no attribute 'nothing'"):
            contrib.data.nothing  # noqa: B018


for _program in sorted((PYTHON_TESTS / "programs_of_1_15").glob("*.py")):
    def _test(self, program=_program):
        self.check(program)
    setattr(ContribTest, f"test_{_program.stem}", _test)

if __name__ == "__main__":
    unittest.main()
