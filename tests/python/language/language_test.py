"""What Python adds to the language: conversions, collections, scopes, errors at the line that builds."""

import gc
import unittest

import numpy as np

from flowray import tf


class LanguageTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def test_dtypes_equal_what_stands_for_them(self):
        self.assertTrue(tf.float32 == "float32" and tf.float32 == np.float32 and tf.as_dtype(np.dtype("int64")) is tf.int64)
        self.assertFalse(tf.float32 == None or tf.float32 == "no dtype")  # noqa: E711
        self.assertEqual((str(tf.float32_ref), repr(tf.bool)), ("<dtype: 'float32_ref'>", "tf.bool"))
        self.assertEqual((tf.int8.min, tf.int8.max, tf.string.as_numpy_dtype), (-128, 127, np.object_))
        with self.assertRaisesRegex(TypeError, "Cannot convert the argument `type_value`: 'x' to a TensorFlow DType"):
            tf.as_dtype("x")

    def test_values_become_constants_of_tensorflows_dtypes(self):
        for value, dtype in ((1, tf.int32), (1.0, tf.float32), (True, tf.bool), ("a", tf.string), (2**40, tf.int64),
                             (np.float64(1), tf.float64), ([1, 2.5], tf.float32), (np.arange(3), tf.int64),
                             ([np.float64(1), np.float64(2)], tf.float32), ([np.arange(2), np.arange(2)], tf.int32),
                             (1j, tf.complex128), (range(3), tf.int32)):
            self.assertEqual(tf.constant(value).dtype, dtype, value)
        self.assertEqual((tf.zeros([2], tf.float64) * 2).dtype, tf.float64)
        self.assertEqual((np.float32(2) * tf.zeros([2])).shape.as_list(), [2])
        with self.assertRaisesRegex(ValueError, "None values not supported"):
            tf.constant(None)

    def test_shapes_are_tensorflows(self):
        x = tf.placeholder(tf.float32, [None, 3])
        self.assertEqual((x.shape.as_list(), x.get_shape()[1].value, str(x.shape), int(x.shape[1])), ([None, 3], 3, "(?, 3)", 3))
        self.assertIsNone(x.shape[0].value)
        self.assertEqual(tf.reshape(x, [-1, x.shape[1]]).shape.as_list(), [None, 3])
        self.assertEqual(str(tf.placeholder(tf.float32).shape), "<unknown>")

    def test_arrays_are_shapes(self):
        for dims, shape in ((np.array([2, 3]), [2, 3]), (np.array([4]), [4]), (np.array(5), [5]), (np.int64(6), [6]),
                            (np.array([], np.int64), []), ([np.int32(2), tf.Dimension(7)], [2, 7])):
            self.assertEqual(tf.TensorShape(dims).as_list(), shape)
            self.assertEqual(tf.placeholder(tf.float32, dims).shape.as_list(), shape)
        image = tf.zeros([1, 4, 4, 1])
        self.assertEqual(tf.nn.max_pool(image, np.array([1, 2, 2, 1]), np.array([1, 2, 2, 1]), "SAME").shape.as_list(), [1, 2, 2, 1])

    def test_text_that_is_no_name_is_refused(self):
        with self.assertRaises(ValueError):
            tf.constant(1, name="a\0b")
        with self.assertRaises(UnicodeEncodeError):
            tf.constant("\udc80")
        with self.assertRaises(UnicodeEncodeError):
            tf.constant(1, name="\udc80")
        for name in ("\udc80", "float32\0"):
            with self.assertRaises(TypeError):
                tf.as_dtype(name)
            self.assertFalse(tf.float32 == name)
        with self.assertRaisesRegex(ValueError, "embedded null byte"):
            tf.train.latest_checkpoint("a\0b")

    def test_slices_take_python_indices(self):
        x = tf.constant(np.arange(24).reshape(2, 3, 4))
        values = np.arange(24).reshape(2, 3, 4)
        with tf.Session() as sess:
            for key in (0, (0, 1), (slice(None), 1), (Ellipsis, -1), (slice(None, None, -1), slice(1, 3)), (0, None, slice(2))):
                np.testing.assert_array_equal(sess.run(x[key]), values[key])
            np.testing.assert_array_equal(sess.run(x[tf.constant(1)]), values[1])

    def test_misuses_of_tensors_raise_type_errors(self):
        x = tf.placeholder(tf.float32, [2])
        for misuse in (lambda: bool(x), lambda: len(x), lambda: iter(x), lambda: x + "a", lambda: np.array(x)):
            with self.assertRaises((TypeError, NotImplementedError)):
                misuse()
        self.assertTrue(x == x and x != tf.zeros([2]) and x in {x: 1})

    def test_errors_of_building_come_at_the_line_that_builds(self):
        with self.assertRaisesRegex(ValueError, "Dimensions must be equal, but are 3 and 4"):
            tf.matmul(tf.zeros([2, 3]), tf.zeros([4, 5]))
        with self.assertRaises(TypeError):
            tf.constant(1) + tf.constant(1.0)
        with self.assertRaisesRegex(KeyError, "refers to a Tensor which does not exist"):
            tf.get_default_graph().get_tensor_by_name("nothing:0")

    def test_collections_hold_what_the_language_and_the_program_add(self):
        v = tf.Variable(1.0, name="v")
        tf.add_to_collection("losses", v)
        self.assertEqual(tf.get_collection("losses"), [v])
        self.assertEqual(tf.global_variables(), [v])
        self.assertEqual(tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="w"), [])
        s = tf.summary.scalar("s", v)
        self.assertEqual(tf.get_collection(tf.GraphKeys.SUMMARIES), [s])

    def test_the_languages_collections_take_what_python_adds(self):
        v = tf.Variable(1.0, trainable=False, collections=["mine"])
        tf.add_to_collection(tf.GraphKeys.TRAINABLE_VARIABLES, v)
        tf.get_default_graph().add_to_collection(tf.GraphKeys.GLOBAL_VARIABLES, v)
        tf.add_to_collection("mine", 5)
        s = tf.raw_ops.ScalarSummary(tags="s", values=v)
        tf.add_to_collection(tf.GraphKeys.SUMMARIES, s)
        self.assertEqual(tf.get_collection("mine"), [v, 5])
        step = tf.train.GradientDescentOptimizer(0.5).minimize(v * v)  # of the trainable variables
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(step)
            self.assertEqual(sess.run(v), 0)
            self.assertIn(b"s", sess.run(tf.summary.merge_all()))
        for key in (tf.GraphKeys.TRAINABLE_VARIABLES, "mine"):
            with self.assertRaisesRegex(NotImplementedError, "the language's"):
                tf.get_collection_ref(key)
        other = tf.summary.scalar("other", v, collections=["others"])
        tf.add_to_collection("others", s)
        self.assertEqual(tf.get_collection("others"), [other, s])
        self.assertEqual(tf.get_collection(tf.GraphKeys.TRAIN_OP), [step])
        tf.get_default_graph().clear_collection("mine")
        tf.get_collection_ref("mine").append(6)
        self.assertEqual(tf.get_collection("mine"), [6])

    def test_a_graph_keeps_its_collections_without_its_python_object(self):
        def build():
            with tf.Graph().as_default():
                x = tf.constant(1)
                tf.add_to_collection("mine", 5)
            return x
        x = build()
        gc.collect()
        self.assertEqual(x.graph.get_collection("mine"), [5])
        self.assertEqual(x.graph, x.op.graph)

    def test_scopes_are_left_when_an_error_comes(self):
        with self.assertRaises(ZeroDivisionError):
            with tf.name_scope("a"), tf.variable_scope("b"), tf.control_dependencies([tf.no_op()]):
                raise ZeroDivisionError
        self.assertEqual(tf.constant(1, name="c").name, "c:0")

    def test_a_function_may_be_an_initializer(self):
        ones = tf.get_variable("a", [2], initializer=lambda shape, dtype: tf.ones(shape, dtype))
        zeros = tf.get_variable("b", [2], initializer=tf.zeros_initializer)
        made = tf.Variable(lambda: tf.fill([2], 7.0))
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            np.testing.assert_array_equal(sess.run([ones, zeros, made]), [[1, 1], [0, 0], [7, 7]])

    def test_an_initialized_value_is_the_variables(self):
        v = tf.Variable(tf.random_normal([2]))
        value = v.initialized_value()
        w = tf.Variable(value * 2)
        with tf.Session() as sess:
            self.assertEqual(sess.run(value).shape, (2,))  # though v has none
            sess.run(v.initializer)
            sess.run(w.initializer)
            first, second, now = sess.run([v, w, value])
            np.testing.assert_array_equal(now, first)
            np.testing.assert_array_equal(second, 2 * first)

    def test_what_is_not_there_yet_is_refused(self):
        x = tf.placeholder(tf.float32, [2, 3])
        for asked in (lambda: tf.transpose(tf.constant([1j]), conjugate=True),
                      lambda: tf.layers.batch_normalization(x, adjustment=lambda shape: (1.0, 0.0))):
            with self.assertRaises(tf.errors.UnimplementedError):
                asked()
        self.assertEqual(tf.transpose(x, conjugate=True).shape.as_list(), [3, 2])
        self.assertEqual(tf.nn.softmax_cross_entropy_with_logits_v2(labels=x, logits=x, axis=-1).shape.as_list(), [2])

    def test_optimizers_work_in_two_steps(self):
        v = tf.Variable([3.0])
        optimizer = tf.train.AdamOptimizer(0.1)
        pairs = optimizer.compute_gradients(tf.reduce_sum(v * v))
        step = optimizer.apply_gradients([(tf.clip_by_value(g, -1.0, 1.0), w) for g, w in pairs])
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(step)
            self.assertAlmostEqual(float(sess.run(v)[0]), 2.9, places=4)  # Adam's first step is the rate
        self.assertEqual(optimizer.get_slot_names(), ["m", "v"])

    def test_raw_ops_take_keywords(self):
        with tf.Session() as sess:
            result = tf.raw_ops.Unique(x=[3, 3, 5], out_idx=tf.int64)
            y, idx = sess.run([result.y, result.idx])
        self.assertEqual((y.tolist(), idx.tolist(), idx.dtype), ([3, 5], [0, 0, 1], np.int64))

    def test_queues_wait(self):
        queue = tf.FIFOQueue(3, [tf.float32], shapes=[[]])
        with tf.Session() as sess:
            sess.run(queue.enqueue_many([[1.0, 2.0, 3.0]]))
            self.assertEqual(sess.run(queue.dequeue_many(2)).tolist(), [1, 2])
            sess.run(queue.close())
            with self.assertRaises(tf.errors.OutOfRangeError):
                sess.run(queue.dequeue_many(2))

    def test_graph_defs_travel(self):
        x = tf.placeholder(tf.float32, [], name="x")
        tf.add(x, 1.0, name="y")
        message = tf.GraphDef.FromString(tf.get_default_graph().as_graph_def().SerializeToString())
        with tf.Graph().as_default(), tf.Session() as sess:
            again, y = tf.import_graph_def(message, return_elements=["x:0", "y:0"], name="")
            self.assertEqual(sess.run(y, {again: 2}), 3)


if __name__ == "__main__":
    unittest.main()
