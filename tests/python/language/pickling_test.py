"""What programs pickle and copy: functions, dtypes, shapes, initializers and what is made of them."""

import copy
import inspect
import pickle
import types
import unittest

from flowray import tf


def functions():
    """All functions of the package that have a public name."""
    found, open_modules = {}, [("tf", tf)]
    for path, module in open_modules:
        for name, value in list(vars(module).items()):
            if name.startswith("_"):
                continue
            if isinstance(value, types.ModuleType) and value.__name__.startswith("flowray.tf") and path.count(".") < 2:
                open_modules.append((f"{path}.{name}", value))
            elif callable(value) and not inspect.isclass(value) and not isinstance(value, tf.flags.FlagValues):
                found[f"{path}.{name}"] = value
    return found


class PicklingTest(unittest.TestCase):
    def test_functions_are_themselves_again(self):
        self.assertIn("layers", vars(tf.contrib))  # which is loaded by its first use
        self.assertTrue(callable(tf.keras.backend.zeros))  # the same
        found = functions()
        self.assertGreater(len(found), 800)
        others = [name for name, function in found.items()
                  if pickle.loads(pickle.dumps(function)) != function or copy.deepcopy(function) != function]
        self.assertEqual(others, [])

    def test_dtypes_and_shapes_are_equal_again(self):
        for value in (tf.float32, tf.float32._as_ref, tf.string, tf.TensorShape([1, None]), tf.TensorShape(None), tf.Dimension(3),
                      tf.nn.rnn_cell.LSTMStateTuple(1, 2), tf.TensorSpec([2], tf.int32, "a"), tf.DeviceSpec(job="ps"),
                      tf.VariableAggregation.SUM):
            for again in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):
                self.assertEqual(repr(again), repr(value))
        self.assertIs(pickle.loads(pickle.dumps(tf.float32)), tf.float32)

    def test_initializers_make_the_same_values_again(self):
        made = [tf.zeros_initializer(), tf.constant_initializer([1.0, 2.0, 3.0]), tf.truncated_normal_initializer(stddev=0.3, seed=5),
                tf.random_uniform_initializer(-1.0, 1.0, seed=2), tf.glorot_uniform_initializer(seed=1), tf.initializers.he_normal(seed=3),
                tf.orthogonal_initializer(seed=1), tf.variance_scaling_initializer(2.0, "fan_out", seed=4)]
        for initializer in made:
            values = []
            for one in (initializer, pickle.loads(pickle.dumps(initializer)), copy.deepcopy(initializer),
                        type(initializer).from_config(initializer.get_config())):
                self.assertIs(type(one), type(initializer))
                with tf.Graph().as_default(), tf.Session() as sess:
                    v = tf.get_variable("v", [3, 1], initializer=one)
                    sess.run(v.initializer)
                    values.append(sess.run(v).tolist())
            self.assertEqual(values, [values[0]] * 4)

    def test_an_initializer_tells_its_arguments(self):
        self.assertEqual(tf.truncated_normal_initializer(stddev=0.3).get_config(),
                         {"mean": 0.0, "stddev": 0.3, "seed": None, "dtype": "float32"})  # TensorFlow's
        self.assertEqual(tf.zeros_initializer().get_config(), {"dtype": "float32"})

    def test_an_initializer_may_be_given_as_its_class(self):
        with tf.Graph().as_default(), tf.Session() as sess:
            v = tf.get_variable("v", [2], initializer=tf.ones_initializer)
            w = tf.layers.dense(tf.ones([1, 2]), 1, use_bias=False, kernel_initializer=tf.initializers.ones, name="d")
            sess.run(tf.global_variables_initializer())
            self.assertEqual((sess.run(v).tolist(), sess.run(w).tolist()), ([1, 1], [[2]]))

    def test_a_configuration_is_copied(self):
        config = tf.ConfigProto(intra_op_parallelism_threads=2)
        for again in (pickle.loads(pickle.dumps(config)), copy.deepcopy(config)):
            self.assertEqual(again.intra_op_parallelism_threads, 2)
            self.assertIsNot(again.gpu_options, config.gpu_options)


if __name__ == "__main__":
    unittest.main()
