"""Operations and tensors as programs look at them, containers, devices, flags and custom getters. Expectations are TensorFlow's."""

import unittest

import numpy as np

from flowray import tf
from flowray.tf import _messages, flags


class OperationsTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def test_attributes_are_pythons_values(self):
        conv = tf.nn.conv2d(tf.ones([1, 4, 4, 1]), tf.ones([2, 2, 1, 1]), [1, 1, 1, 1], "SAME").op
        self.assertEqual([conv.get_attr(name) for name in ("strides", "padding", "T", "use_cudnn_on_gpu", "data_format",
                                                           "explicit_paddings")],
                         [[1, 1, 1, 1], b"SAME", tf.float32, True, b"NHWC", []])
        shape = tf.placeholder(tf.float32, [None, 3]).op.get_attr("shape")
        self.assertEqual([dim.size for dim in shape.dim], [-1, 3])
        value = tf.constant([1.5, 2.5]).op.get_attr("value")
        np.testing.assert_array_equal(tf.make_ndarray(value), np.float32([1.5, 2.5]))
        self.assertEqual(tf.train.batch([tf.constant(1)], 2).op.get_attr("component_types"), [tf.int32])
        with self.assertRaisesRegex(ValueError, "^Operation 'Conv2D' has no attr named 'foo'.$"):
            conv.get_attr("foo")

    def test_attributes_may_be_set_before_a_step(self):
        op = tf.constant(1.0).op
        op._set_attr("_mine", _messages.AttrValue(s=b"abc"))
        op._set_attr("_number", _messages.AttrValue(i=3))
        self.assertEqual((op.get_attr("_mine"), op.get_attr("_number")), (b"abc", 3))
        self.assertIn("_mine", op.node_def.attr)
        noise = tf.random_uniform([2]).op
        noise._set_attr("seed", _messages.AttrValue(i=7))
        noise._set_attr("seed2", _messages.AttrValue(i=9))
        with tf.Session() as sess:
            first = sess.run(noise.outputs[0])
        with tf.Graph().as_default(), tf.Session() as sess:
            same = tf.raw_ops.RandomUniform(shape=[2], dtype=tf.float32, seed=7, seed2=9)
            np.testing.assert_array_equal(sess.run(same), first)

    def test_the_op_tells_what_it_takes(self):
        told = tf.matmul(tf.ones([1, 1]), tf.ones([1, 1])).op.op_def
        self.assertEqual((told.name, [arg.name for arg in told.input_arg], [arg.type_attr for arg in told.output_arg]),
                         ("MatMul", ["a", "b"], ["T"]))
        attrs = {attr.name: attr for attr in told.attr}
        self.assertEqual((attrs["transpose_a"].type, attrs["transpose_a"].default_value.b, attrs["T"].type), ("bool", False, "type"))
        self.assertIn(tf.float32.as_datatype_enum, attrs["T"].allowed_values.list.type)
        self.assertFalse(told.is_stateful)
        variable = tf.Variable(1.0).op.op_def
        self.assertTrue(variable.is_stateful)
        self.assertTrue(variable.output_arg[0].is_ref)

    def test_a_tensor_has_its_inner_names(self):
        x = tf.placeholder(tf.float32, [2, None])
        self.assertEqual(x._op, x.op)
        self.assertEqual(x._shape.as_list(), [2, None])

    def test_a_variable_has_no_length_and_is_no_array(self):
        v, x = tf.Variable([1.0, 2.0]), tf.constant([1.0])
        self.assertEqual([hasattr(v, "__len__"), hasattr(x, "__len__"), hasattr(v, "__array__"), hasattr(x, "__array__")],
                         [False, True, False, True])
        with self.assertRaisesRegex(TypeError, r"has no len\(\)"):
            len(v)
        self.assertTrue(v)

    def test_resources_live_in_the_container_that_is_open(self):
        with tf.container("here"):
            v, queue = tf.Variable(2.0), tf.FIFOQueue(3, tf.float32)
            with tf.container(""):
                outside = tf.Variable(3.0)
            with tf.get_default_graph().container("inner"):
                inner = tf.Variable(4.0)
        after = tf.Variable(5.0)
        self.assertEqual([one.op.get_attr("container") for one in (v, outside, inner, after)], [b"here", b"", b"inner", b""])
        self.assertEqual(queue.queue_ref.op.get_attr("container"), b"here")
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            self.assertEqual([float(value) for value in sess.run([v, outside, inner, after])], [2, 3, 4, 5])

    def test_a_session_lists_its_devices(self):
        with tf.Session() as sess:
            (device,) = sess.list_devices()
        self.assertEqual((device.name, device.device_type), ("/job:localhost/replica:0/task:0/device:CPU:0", "CPU"))

    def test_collections_may_be_a_set(self):
        v = tf.get_variable("v", [1], collections={"mine", "variables"})
        w = tf.Variable(1.0, collections={"mine"})
        self.assertEqual([x.name for x in tf.get_collection("mine")], [v.name, w.name])
        self.assertEqual(tf.global_variables(), [v])


class ListsOfOpenLengthTest(unittest.TestCase):
    def test_a_list_of_tensors_beside_one_of_open_types_has_its_share(self):
        with tf.Graph().as_default(), tf.Session() as session:
            for components in ([[[1, 2], [3, 4]]], [[[1, 2], [3, 4]], [[5], [6]]]):
                count = len(components)
                rows = tf.raw_ops.TensorSliceDataset(components=[tf.constant(one) for one in components],
                                                     output_shapes=[[len(one[0])] for one in components])
                padded = tf.raw_ops.PaddedBatchDatasetV2(
                    input_dataset=rows, batch_size=tf.constant(2, tf.int64), padded_shapes=[tf.constant([3], tf.int64)] * count,
                    padding_values=[tf.constant(9)] * count, drop_remainder=False, output_shapes=[[None, 3]] * count)
                self.assertEqual(padded.op.get_attr("N"), count)
                batch = tf.raw_ops.DatasetToSingleElement(dataset=padded, output_types=[tf.int32] * count, output_shapes=[[None, 3]] * count)
                expected = [[[1, 2, 9], [3, 4, 9]], [[5, 9, 9], [6, 9, 9]]][:count]
                self.assertEqual([one.tolist() for one in session.run(list(batch))], expected)


class CustomGetterTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        self.asked = []

    def getter(self, getter, name, *arguments, **named):
        self.asked.append((name, named["shape"].as_list(), named["dtype"], named["trainable"]))
        return getter(name, *arguments, **named)

    def test_it_stands_before_each_variable_of_the_scope(self):
        with tf.variable_scope("a", custom_getter=self.getter) as scope:
            v = tf.get_variable("v", [2])
            with tf.variable_scope("b"):
                tf.get_variable("w", [1], tf.int32, trainable=False)
            tf.layers.dense(tf.ones([1, 3]), 2, name="d")
        tf.get_variable("outside", [1])
        with tf.variable_scope(scope, reuse=True):
            self.assertIs(scope.custom_getter, tf.get_variable_scope().custom_getter)
            self.assertEqual(tf.get_variable("v", [2]), v)
        self.assertEqual(self.asked, [("a/v", [2], tf.float32, True), ("a/b/w", [1], tf.int32, False),
                                      ("a/d/kernel", [3, 2], tf.float32, True), ("a/d/bias", [2], tf.float32, True),
                                      ("a/v", [2], tf.float32, True)])
        self.assertEqual([x.name for x in tf.global_variables()], ["a/v:0", "a/b/w:0", "a/d/kernel:0", "a/d/bias:0", "outside:0"])

    def test_an_inner_one_stands_before_that_of_the_scope_around(self):
        order = []

        def named(label):
            def getter(getter, *arguments, **keywords):
                order.append(label)
                return getter(*arguments, **keywords)
            return getter
        with tf.variable_scope("a", custom_getter=named("outer")):
            with tf.variable_scope("b", custom_getter=named("inner")):
                tf.get_variable("v", [1])
            tf.get_variable("w", [1])
        self.assertEqual(order, ["inner", "outer", "outer"])

    def test_it_may_change_what_is_asked_for(self):
        def half(getter, name, shape=None, dtype=None, *arguments, **named):
            stored = getter(name + "_stored", shape, tf.float64, *arguments, **named)
            return tf.cast(stored, tf.float16)
        with tf.variable_scope("a", custom_getter=half):
            v = tf.get_variable("v", [2], initializer=tf.ones_initializer())
            with self.assertRaisesRegex(TypeError, "A layer wants a variable"):
                tf.layers.dense(tf.ones([1, 1], tf.float16), 1)
        self.assertEqual((v.dtype, tf.global_variables()[0].name), (tf.float16, "a/v_stored:0"))

    def test_get_variable_takes_one_for_itself(self):
        tf.get_variable("v", [2], custom_getter=self.getter)
        tf.get_variable("w", [2])
        tf.get_local_variable("x", [1], custom_getter=self.getter)
        self.assertEqual([name for name, *_ in self.asked], ["v", "x"])
        self.assertEqual([v.name for v in tf.local_variables()], ["x:0"])

    def test_its_error_is_the_callers_and_leaves_nothing_behind(self):
        def fails(getter, *arguments, **named):
            raise RuntimeError("no variable today")
        with self.assertRaisesRegex(RuntimeError, "no variable today"):
            with tf.variable_scope("a", custom_getter=fails):
                tf.get_variable("v", [1])
        self.assertEqual(tf.get_variable("v", [1]).name, "v:0")


class FlagsTest(unittest.TestCase):
    def flags(self):
        made = flags.FlagValues()
        made._flags["rate"] = flags._Flag("rate", 0.5, "how fast", float)
        made._flags["loud"] = flags._Flag("loud", False, "or not", flags._boolean, True)
        return made

    def test_old_programs_print_all_flags(self):
        made = self.flags()
        made._parse_flags(["--rate=2", "--loud"])
        shown = ["%s=%s" % item for item in sorted(getattr(made, "__flags").items())]
        self.assertEqual(shown, ["loud=True", "rate=2.0"])
        self.assertEqual([made["rate"].value, made["rate"].default, made["rate"].present], [2.0, 0.5, 1])

    def test_flags_are_read_once_until_they_are_unread(self):
        made = self.flags()
        made._parse_flags(["--rate=2"])
        made._parse_flags()
        self.assertEqual(made.rate, 2.0)
        made.unparse_flags()
        made.mark_as_parsed()
        self.assertEqual((made.rate, sorted(made), len(made)), (0.5, ["loud", "rate"], 2))
        made.set_default("rate", 3.0)
        self.assertEqual((made.rate, made.get_flag_value("none", 4)), (3.0, 4))


if __name__ == "__main__":
    unittest.main()
