"""Unit tests of graphs: tf.test.TestCase, what it asserts, and derivatives by differences."""

import collections
import os

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.disable_resource_variables()

Pair = collections.namedtuple("Pair", "a b")


class GraphsTest(tf.test.TestCase):
    def runTest(self):  # noqa: N802: unittest's name
        pass

    def seeded(self):
        return [self.evaluate(tf.random_uniform([2])).tolist(), np.random.rand(2).tolist()]

    def sessions(self):
        v = tf.Variable(1.0)
        with self.session() as sess:
            sess.run(v.initializer)
            first = (v.eval(), tf.get_default_session() is sess)
        with self.cached_session() as sess:
            sess.run(v.assign(5.0))
        with self.cached_session() as again:
            same = (again is sess, float(v.eval()), float(self.evaluate(v + 1.0)))
        with self.test_session(graph=tf.Graph()) as other:
            two = float(tf.constant(2.0).eval())
        return [float(first[0]), first[1], same, two, other.graph is tf.get_default_graph()]

    def asserted(self):
        """Which of these hold."""
        x, nan = tf.constant([1.0, 2.0]), float("nan")
        held = []
        for assertion, *arguments in (
                (self.assertAllClose, [1.0, 2.0], x), (self.assertAllClose, [1.0, 2.0], [1.0, 2.0 + 1e-7]),
                (self.assertAllClose, [1.0, 2.0], [1.0, 2.1]), (self.assertAllClose, [1.0, 2.0], [[1.0, 2.0]]),
                (self.assertAllClose, {"a": [1.0], "b": Pair(1.0, x)}, {"a": [1.0], "b": Pair(1.0, x)}),
                (self.assertAllClose, {"a": [1.0]}, {"b": [1.0]}), (self.assertAllClose, [[1.0], [1.0, 2.0]], [[1.0], [1.0, 2.0]]),
                (self.assertAllEqual, [1, 2], tf.constant([1, 2])), (self.assertAllEqual, [nan], [nan]),
                (self.assertAllEqual, [1, 2], [1, 3]), (self.assertAllEqual, [b"a"], tf.constant(["a"])),
                (self.assertNotAllClose, [1.0], [2.0]), (self.assertNotAllClose, [1.0], [1.0]), (self.assertNotAllEqual, [1], [2]),
                (self.assertAllCloseAccordingToType, np.float16([1.0]), np.float16([1.001])),
                (self.assertAllCloseAccordingToType, np.float64([1.0]), np.float64([1.001])),
                (self.assertAllInRange, [1, 2, 3], 1, 3), (self.assertAllInRange, [1, 2, 3], 1, 3, True),
                (self.assertAllInSet, [1, 2], {1, 2, 3}), (self.assertAllInSet, [1, 4], {1, 2, 3}), (self.assertAllGreater, [2, 3], 1),
                (self.assertAllLess, [2, 3], 3), (self.assertAllGreaterEqual, [2, 3], 2), (self.assertAllLessEqual, [2, 3], 2),
                (self.assertNear, 1.0, 1.05, 0.1), (self.assertNear, 1.0, 1.2, 0.1), (self.assertArrayNear, [1.0], [1.05], 0.1),
                (self.assertNDArrayNear, np.ones(3), np.zeros(3), 1.0), (self.assertShapeEqual, np.ones([2]), x),
                (self.assertShapeEqual, np.ones([3]), x), (self.assertDTypeEqual, x, np.float32), (self.assertStartsWith, "abc", "ab"),
                (self.assertDeviceEqual, "/device:CPU:0", "/cpu:0"), (self.assertItemsEqual, [1, 2], [2, 1]), (self.assertEmpty, []),
                (self.assertLen, [1, 2], 2), (self.assertBetween, 2, 1, 3), (self.assertBetween, 4, 1, 3)):
            try:
                assertion(*arguments)
                held.append(1)
            except (AssertionError, ValueError, TypeError) as error:
                held.append(type(error).__name__[0])
        return held

    def raised(self):
        with self.assertRaisesOpError("is not invertible"):
            self.evaluate(tf.matrix_inverse(tf.zeros([2, 2])))
        with self.assertRaisesWithPredicateMatch(ValueError, lambda error: "Dimensions" in str(error)):
            tf.matmul(tf.ones([1, 2]), tf.ones([3, 4]))
        with self.assertRaisesRegex(ValueError, "Dimensions"):
            tf.matmul(tf.ones([1, 2]), tf.ones([3, 4]))
        try:
            with self.assertRaisesOpError("anything"):
                pass
        except AssertionError:
            return "an error that is not raised fails"

    def threads(self):
        results = []
        thread = self.checkedThread(target=lambda: results.append(3))
        thread.start()
        thread.join()
        return results


test = GraphsTest()
for part in ("seeded", "sessions", "asserted", "raised", "threads", "seeded"):
    test.setUp()
    print(part, getattr(test, part)())
    test.tearDown()
print(os.path.isdir(test.get_temp_dir()), test.get_temp_dir() == test.get_temp_dir(),
      test.get_temp_dir().startswith(tf.test.get_temp_dir()), tf.test.is_gpu_available(), repr(tf.test.gpu_device_name()),
      tf.test.is_built_with_cuda())

with tf.Graph().as_default(), tf.Session() as sess:
    x = tf.constant([[1.0, 2.0, 3.0]], name="x")
    w = tf.constant([[0.5], [1.5], [-1.0]], name="w")
    y = tf.tanh(tf.matmul(x, w)) * x
    for jacobian in tf.test.compute_gradient(x, [1, 3], y, [1, 3], x_init_value=np.float32([[0.2, -0.3, 0.4]])):
        print(np.round(jacobian, 3).tolist())
    print(tf.test.compute_gradient_error([x, w], [[1, 3], [3, 1]], y, [1, 3]) < 1e-2)
    z = tf.constant([1.0 + 2.0j], name="z")
    print([np.round(jacobian, 2).tolist() for jacobian in tf.test.compute_gradient(z, [1], z * z, [1], np.complex64([1 + 2j]))])
    print(tf.test.compute_gradient_error(x, [1, 3], tf.stop_gradient(y) + x, [1, 3]) > 0.1)

with tf.Graph().as_default() as graph:
    tf.constant(1.0, name="a")
    tf.constant(2.0, name="b")
    first = graph.as_graph_def()
with tf.Graph().as_default() as graph:
    tf.constant(2.0, name="b")
    tf.constant(1.0, name="a")
    tf.test.assert_equal_graph_def(graph.as_graph_def(), first)
    tf.constant(3.0, name="c")
    try:
        tf.test.assert_equal_graph_def(graph.as_graph_def(), first)
    except AssertionError:
        print("graphs differ")
