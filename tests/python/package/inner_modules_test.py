"""Modules below tensorflow.python, tensorflow.core and tensorflow.compat.v2 are what the package has by TensorFlow's inner names."""

import importlib
import subprocess
import sys
import tempfile
import unittest

import flowray
from flowray import tf
from flowray.tf import _inner

flowray.install()
# Of TensorFlow 2.21: a module, one of its names, and the public name that it goes by.
SAME = """
framework.ops convert_to_tensor convert_to_tensor
framework.ops Graph Graph
framework.ops GraphKeys GraphKeys
framework.ops name_scope name_scope
framework.ops reset_default_graph reset_default_graph
framework.ops IndexedSlices IndexedSlices
framework.dtypes float32 float32
framework.dtypes as_dtype as_dtype
framework.tensor_shape TensorShape TensorShape
framework.tensor_shape unknown_shape unknown_shape
framework.errors NotFoundError errors.NotFoundError
framework.errors_impl OutOfRangeError errors.OutOfRangeError
framework.constant_op constant constant
framework.graph_util convert_variables_to_constants graph_util.convert_variables_to_constants
framework.random_seed set_random_seed set_random_seed
framework.tensor_util constant_value get_static_value
framework.tensor_util make_tensor_proto make_tensor_proto
framework.test_util TensorFlowTestCase test.TestCase
ops.array_ops placeholder placeholder
ops.array_ops reshape reshape
ops.math_ops reduce_sum reduce_sum
ops.math_ops tanh math.tanh
ops.nn_ops conv2d nn.conv2d
ops.nn_ops softmax_cross_entropy_with_logits nn.softmax_cross_entropy_with_logits
ops.nn relu nn.relu
ops.nn_impl moments nn.moments
ops.variable_scope get_variable get_variable
ops.variable_scope variable_scope variable_scope
ops.variables Variable Variable
ops.variables global_variables_initializer global_variables_initializer
ops.control_flow_ops cond cond
ops.control_flow_ops while_loop while_loop
ops.init_ops zeros_initializer zeros_initializer
ops.init_ops Zeros zeros_initializer
ops.rnn dynamic_rnn nn.dynamic_rnn
ops.rnn_cell LSTMStateTuple nn.rnn_cell.LSTMStateTuple
ops.rnn_cell_impl RNNCell nn.rnn_cell.RNNCell
ops.random_ops random_uniform random_uniform
ops.state_ops assign_add assign_add
ops.clip_ops clip_by_value clip_by_value
ops.embedding_ops embedding_lookup nn.embedding_lookup
ops.gradients gradients gradients
ops.losses.losses mean_squared_error losses.mean_squared_error
ops.metrics mean metrics.mean
ops.check_ops assert_equal assert_equal
training.adam AdamOptimizer train.AdamOptimizer
training.optimizer Optimizer train.Optimizer
training.saver Saver train.Saver
training.training GradientDescentOptimizer train.GradientDescentOptimizer
training.training_util get_global_step train.get_global_step
training.session_run_hook SessionRunHook train.SessionRunHook
training.basic_session_run_hooks StopAtStepHook train.StopAtStepHook
training.monitored_session MonitoredTrainingSession train.MonitoredTrainingSession
training.moving_averages ExponentialMovingAverage train.ExponentialMovingAverage
training.summary_io SummaryWriter summary.FileWriter
platform.gfile GFile gfile.GFile
platform.app run app.run
platform.flags FLAGS flags.FLAGS
platform.test main test.main
platform.googletest GetTempDir test.get_temp_dir
platform.tf_logging info logging.info
platform.resource_loader get_path_to_datafile resource_loader.get_path_to_datafile
client.session Session Session
layers.layers dense layers.dense
layers.core dense layers.dense
summary.summary scalar summary.scalar
summary.writer.writer FileWriter summary.FileWriter
lib.io.tf_record TFRecordWriter python_io.TFRecordWriter
lib.io.file_io FileIO gfile.GFile
util.compat as_bytes compat.as_bytes
pywrap_tensorflow NewCheckpointReader train.NewCheckpointReader
"""


def at(path):
    value = tf
    for part in path.split("."):
        value = getattr(value, part)
    return value


class InnerModulesTest(unittest.TestCase):
    def test_their_names_are_the_public_ones(self):
        for line in SAME.strip().splitlines():
            module, name, public = line.split()
            with self.subTest(line):
                self.assertIs(getattr(importlib.import_module("tensorflow.python." + module), name), at(public))

    def test_each_row_of_the_table_names_what_is_there(self):
        for path, (namespaces, own) in _inner._rows().items():
            module = importlib.import_module("tensorflow." + path)
            for name in own:
                with self.subTest(path + "." + name):
                    getattr(module, name)
            for namespace in namespaces:
                if namespace != "gen":
                    with self.subTest(path, namespace=namespace):
                        _inner._inside(namespace)

    def test_ops_have_tensorflows_small_names(self):
        names = {"MatMul": "mat_mul", "Conv2D": "conv2d", "Conv2DBackpropInput": "conv2d_backprop_input", "LRN": "lrn",
                 "ApplyRMSProp": "apply_rms_prop", "AddV2": "add_v2", "IFFT2D": "ifft2d", "BatchMatMulV2": "batch_mat_mul_v2",
                 "L2Loss": "l2_loss", "ResourceApplyAdam": "resource_apply_adam", "SoftmaxCrossEntropyWithLogits":
                 "softmax_cross_entropy_with_logits", "NonMaxSuppressionV3": "non_max_suppression_v3",
                 "HSVToRGB": "hsv_to_rgb", "RGBToHSV": "rgb_to_hsv"}
        self.assertEqual({op: _inner.small_name(op) for op in names}, names)
        from tensorflow.python.ops import gen_math_ops, gen_nn_ops
        self.assertIs(gen_math_ops.mat_mul, tf.raw_ops.MatMul)
        self.assertIs(gen_nn_ops.l2_loss, tf.raw_ops.L2Loss)

    def test_one_of_several_functions_is_chosen_by_switch_and_merge(self):
        """As the image pre-processing of TensorFlow's model garden chooses."""
        from tensorflow.python.ops import control_flow_ops
        from tensorflow.python.training import training_ops
        self.assertIs(training_ops.apply_adam, tf.raw_ops.ApplyAdam)
        with tf.Graph().as_default(), tf.Session() as sess:
            x = tf.constant([1.0, 2.0])
            chosen = tf.placeholder(tf.int32, [])
            result = control_flow_ops.merge([
                case * control_flow_ops.switch(x, tf.equal(chosen, case))[1] for case in range(3)])[0]
            for case in range(3):
                self.assertEqual(sess.run(result, {chosen: case}).tolist(), [case, 2.0 * case])

    def test_what_is_missing_is_told_as_python_does(self):
        with self.assertRaisesRegex(ImportError, "cannot import name 'Defun'"):
            from tensorflow.python.framework.ops import Defun  # noqa: F401
        with self.assertRaisesRegex(ModuleNotFoundError, "No module named 'tensorflow.python.compiler.*'\nFlowray has no such part of tensorflow"):
            import tensorflow.python.compiler  # noqa: F401
        with self.assertRaisesRegex(ModuleNotFoundError, "No module named 'tensorflow.core.framework.no_such_pb2'"):
            import tensorflow.core.framework.no_such_pb2  # noqa: F401

    def test_messages_are_where_their_files_say(self):
        from tensorflow.core.example import example_pb2, feature_pb2
        from tensorflow.core.framework import attr_value_pb2, graph_pb2, summary_pb2, types_pb2
        from tensorflow.core.protobuf import config_pb2, rewriter_config_pb2
        from tensorflow.core.util import event_pb2
        self.assertIs(graph_pb2.GraphDef, tf.GraphDef)
        self.assertIs(config_pb2.ConfigProto, tf.ConfigProto)
        self.assertIsInstance(tf.GraphOptions().rewrite_options, rewriter_config_pb2.RewriterConfig)
        self.assertIs(summary_pb2.Summary, tf.Summary)
        self.assertIs(event_pb2.Event, tf.Event)
        self.assertIs(feature_pb2.Feature, tf.train.Feature)
        self.assertIs(example_pb2.Example, tf.train.Example)
        self.assertEqual(attr_value_pb2.AttrValue(i=3).i, 3)
        self.assertEqual((types_pb2.DT_FLOAT, types_pb2.DT_INT32, types_pb2.DT_STRING, types_pb2.DT_BOOL, types_pb2.DT_FLOAT_REF),
                         (1, 3, 7, 10, 101))

    def test_version_2_is_there_where_it_is_the_same(self):
        import tensorflow.compat.v2 as tf2
        from tensorflow.compat.v2 import nn
        self.assertIs(tf2.matmul, tf.matmul)
        self.assertIs(nn.relu, tf.nn.relu)
        self.assertIs(tf.compat.v2.float32, tf.float32)
        with self.assertRaisesRegex(AttributeError, "tf.compat.v2.nn.dropout is another one than tf.nn.dropout"):
            nn.dropout
        with self.assertRaises(NotImplementedError):
            tf2.enable_v2_behavior()

    def test_helpers_that_only_these_modules_have(self):
        from tensorflow.python.framework import ops, tensor_shape, tensor_util
        from tensorflow.python.lib.io import file_io
        from tensorflow.python.util import nest, tf_inspect
        from tensorflow.python.util.deprecation import deprecated
        from tensorflow.python.util.tf_export import tf_export
        self.assertEqual(tensor_shape.vector(3).as_list(), [3])
        self.assertEqual(tensor_util.constant_value_as_shape(tf.constant([2, -1])).as_list(), [2, None])
        self.assertEqual(nest.flatten({"b": [1, 2], "a": (3,)}), [3, 1, 2])
        self.assertEqual(nest.map_structure(lambda x, y: x + y, [1, (2,)], [3, (4,)]), [4, (6,)])
        self.assertEqual(nest.flatten_up_to([0, 0], [[1, 2], 3]), [[1, 2], 3])
        self.assertEqual(tf_inspect.getfullargspec(lambda a, b=1: a).args, ["a", "b"])
        self.assertEqual(deprecated("2020-01-01", "no more")(tf_export("f")(lambda: 7))(), 7)
        with tf.Graph().as_default():
            with tf.name_scope("a"), tf.name_scope("b"):
                self.assertEqual(ops.get_name_scope(), "a/b")
        with tempfile.TemporaryDirectory() as folder:
            file_io.write_string_to_file(folder + "/x", "text")
            self.assertEqual(file_io.read_file_to_string(folder + "/x"), "text")
            self.assertEqual(file_io.list_directory(folder), ["x"])

    def test_a_moving_average_follows_its_value(self):
        from tensorflow.python.training.moving_averages import assign_moving_average
        with tf.Graph().as_default(), tf.Session() as sess:
            v = tf.Variable(10.0)
            plain = assign_moving_average(v, 20.0, 0.75, zero_debias=False)
            w = tf.Variable(0.0, name="w")
            debiased = assign_moving_average(w, tf.constant(6.0), 0.9)
            sess.run(tf.global_variables_initializer())
            self.assertEqual([float(sess.run(plain)) for _ in range(2)], [12.5, 14.375])  # 10 + 10 / 4, and on
            for _ in range(3):
                self.assertAlmostEqual(float(sess.run(debiased)), 6.0, places=5)  # of one value it is that value

    def test_attributes_lead_there_without_an_import(self):
        program = "import flowray; flowray.install(); import tensorflow as tf\n" \
                  "print(tf.python.framework.ops.Graph is tf.Graph, tf.pywrap_tensorflow.NewCheckpointReader is tf.train.NewCheckpointReader)"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100, check=True)
        self.assertEqual(done.stdout, "True True\n")


if __name__ == "__main__":
    unittest.main()
