"""Gradients of the program's own: what they compute and what they refuse. The nodes are compared by golden_graphs_test.py."""

import gc
import unittest

import numpy as np

from flowray import tf


@tf.RegisterGradient("TestTripled")
def tripled(op, grad):
    """The gradient, three times."""
    return 3.0 * grad


class RegisterGradientTest(unittest.TestCase):
    def setUp(self):
        scope = tf.Graph().as_default()
        self.graph = scope.__enter__()
        self.addCleanup(scope.__exit__, None, None, None)
        self.x = tf.placeholder(tf.float32, [2], name="x")

    def run_with(self, tensor, value=(1.0, 2.0)):
        with tf.Session() as session:
            return session.run(tensor, {self.x: value}).tolist()

    def overridden(self, name, function=tf.tanh, op="Tanh"):
        with self.graph.gradient_override_map({op: name}):
            return function(self.x)

    def test_the_decorator_gives_the_function_back(self):
        self.assertEqual(tripled.__doc__, "The gradient, three times.")
        self.assertEqual(tripled(None, 2.0), 6.0)

    def test_a_node_has_the_gradient_that_the_map_says(self):
        y = self.overridden("TestTripled")
        self.assertEqual(y.op.get_attr("_gradient_op_type"), b"TestTripled")
        self.assertEqual(self.run_with(tf.gradients(y, self.x)[0]), [3.0, 3.0])

    def test_a_function_sees_the_operation(self):
        @tf.RegisterGradient("TestSees")
        def sees(op, grad):
            self.assertEqual((op.type, op.name, len(op.inputs)), ("Tanh", "Tanh", 1))
            self.assertIs(op.graph, self.graph)
            return [grad * op.inputs[0]]

        self.assertEqual(self.run_with(tf.gradients(self.overridden("TestSees"), self.x)[0]), [1.0, 2.0])

    def test_a_py_func_gets_a_gradient(self):
        @tf.RegisterGradient("TestCube")
        def cube_gradient(op, grad):
            slope = tf.py_func(lambda x: 3.0 * x * x, [op.inputs[0]], tf.float32)
            return grad * slope

        with self.graph.gradient_override_map({"PyFunc": "TestCube"}):
            y = tf.py_func(lambda x: x ** 3, [self.x], tf.float32)
        self.assertEqual(self.run_with(tf.gradients(y, self.x)[0]), [3.0, 12.0])

    def test_slices_of_rows_may_be_a_gradient(self):
        @tf.RegisterGradient("TestRows")
        def rows(op, grad):
            return tf.IndexedSlices(grad[:1] * 7.0, [1], tf.shape(op.inputs[0]))

        (found,) = tf.gradients(self.overridden("TestRows"), self.x)
        self.assertEqual(self.run_with(tf.convert_to_tensor(found)), [0.0, 7.0])

    def test_what_is_no_gradient_is_told(self):
        @tf.RegisterGradient("TestNumber")
        def number(op, grad):
            return 1.0

        with self.assertRaisesRegex(TypeError, r"Invalid gradient \[1.0\] \[index = 0\]. Gradients have to be either all Tensors"):
            tf.gradients(self.overridden("TestNumber"), self.x)

    def test_a_wrong_number_of_gradients_is_told(self):
        @tf.RegisterGradient("TestTwo")
        def two(op, grad):
            return grad, grad

        with self.assertRaisesRegex(ValueError, "Num gradients 2 generated for op .* do not match num inputs 1"):
            tf.gradients(self.overridden("TestTwo"), self.x)
        self.assertEqual(self.run_with(self.x + 1.0), [2.0, 3.0])

    def test_an_exception_of_the_function_is_the_callers(self):
        @tf.RegisterGradient("TestRaises")
        def raises(op, grad):
            with tf.name_scope("inner"), tf.control_dependencies([grad]):
                raise OSError("of the program")

        with self.assertRaisesRegex(OSError, "of the program"):
            tf.gradients(self.overridden("TestRaises"), self.x)
        self.assertEqual(tf.identity(self.x, name="after").op.name, "after")
        self.assertEqual(tf.get_default_graph().get_operation_by_name("after").control_inputs, [])

    def test_a_name_is_registered_once(self):
        with self.assertRaisesRegex(KeyError, r"Registering two gradient with name 'TestTripled'! \(Previous registration was in "
                                              r"<module> .*custom_gradient_test.py:\d+\)"):
            tf.RegisterGradient("TestTripled")(lambda op, grad: grad)
        with self.assertRaisesRegex(KeyError, "Registering two gradient with name 'Tanh'!"):
            tf.NotDifferentiable("Tanh")

    def test_types_of_arguments(self):
        for wrong in (3, None, b"Tanh"):
            with self.assertRaisesRegex(TypeError, "op_type must be a string"):
                tf.RegisterGradient(wrong)
            with self.assertRaisesRegex(TypeError, "op_type must be a string"):
                tf.NoGradient(wrong)
        for wrong in ([], {"a": 1}, {1: "a"}, None):
            with self.assertRaisesRegex(TypeError, "op_type_map must be a dictionary mapping strings to strings"):
                with self.graph.gradient_override_map(wrong):
                    pass

    def test_none_on_purpose(self):
        tf.NotDifferentiable("TestNothing")
        self.assertIsNone(tf.gradients(self.overridden("TestNothing"), self.x)[0])

    def test_a_name_that_nobody_registered_is_told(self):
        with self.assertRaises(LookupError) as caught:
            tf.gradients(self.overridden("TestNobody"), self.x)
        said = caught.exception.args[0]
        self.assertIn("No gradient defined for operation'Tanh' (op type: Tanh).", said)
        self.assertIn("custom_gradient_test.py", said)  # where the node was made

    def test_scopes_may_end_in_another_order(self):
        outer, inner = (self.graph.gradient_override_map({"Tanh": name}) for name in ("TestTripled", "TestNobody"))
        outer.__enter__()
        inner.__enter__()
        outer.__exit__(None, None, None)
        self.assertEqual(tf.tanh(self.x).op.get_attr("_gradient_op_type"), b"TestNobody")
        inner.__exit__(None, None, None)
        with self.assertRaises(ValueError):
            tf.tanh(self.x).op.get_attr("_gradient_op_type")


class CustomGradientTest(unittest.TestCase):
    def setUp(self):
        scope = tf.Graph().as_default()
        self.graph = scope.__enter__()
        self.addCleanup(scope.__exit__, None, None, None)
        self.x = tf.placeholder(tf.float32, [2], name="x")

    def slope(self, y, by=None, value=(1.0, 2.0)):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(tf.gradients(y, self.x if by is None else by), {self.x: value})[0].tolist()

    def test_the_gradient_is_what_the_function_says(self):
        @tf.custom_gradient
        def log1pexp(x):
            """Softplus."""
            e = tf.exp(x)
            return tf.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))

        self.assertEqual(log1pexp.__doc__, "Softplus.")
        self.assertEqual(self.slope(log1pexp(self.x), value=[100.0, 0.0]), [1.0, 0.5])

    def test_it_may_be_called_with_parentheses(self):
        @tf.custom_gradient()
        def f(x):
            return x * 1.0, lambda dy: dy * 9.0
        self.assertEqual(self.slope(f(self.x)), [9.0, 9.0])

    def test_of_numpy_and_numbers(self):
        @tf.custom_gradient
        def f(x, y, z):
            return x * y + z, lambda dy: (dy * 2.0, None, None)
        self.assertEqual(self.slope(f(self.x, np.float32([1, 2]), 3.0)), [2.0, 2.0])

    def test_variables_get_gradients(self):
        v = tf.get_variable("v", [2], initializer=tf.ones_initializer())

        @tf.custom_gradient
        def f(x):
            def grad(dy, **options):
                (only,) = options["variables"]
                self.assertEqual(only.name, "v:0")
                return dy * 5.0, [dy * 6.0]
            return x * v, grad

        self.assertEqual(self.slope(f(self.x)), [5.0, 5.0])
        self.assertEqual(self.slope(f(self.x), by=v), [6.0, 6.0])

    def test_variables_need_a_gradient_that_takes_them(self):
        v = tf.get_variable("v", [2], initializer=tf.ones_initializer())

        @tf.custom_gradient
        def f(x):
            return x * v, lambda dy: dy
        with self.assertRaisesRegex(TypeError, "grad_fn must accept keyword argument 'variables', since function uses variables: "):
            f(self.x)

        @tf.custom_gradient
        def g(x):
            return x * v, lambda dy, variables: (dy, [])
        with self.assertRaisesRegex(ValueError, "Must return gradient for each variable from @custom_gradient grad_fn."):
            tf.gradients(g(self.x), self.x)

        @tf.custom_gradient
        def h(x):
            return x * tf.get_variable("w", [2]), lambda dy, variables: (dy, [dy])
        with self.assertRaisesRegex(TypeError, "All variables used by a function wrapped with @custom_gradient must be `ResourceVariable`s"):
            h(self.x)

    def test_keywords_are_refused_in_a_graph(self):
        @tf.custom_gradient
        def f(x, y):
            return x * y, lambda dy: (dy, dy)
        with self.assertRaisesRegex(ValueError, "currently supports keywords arguments only when eager execution is enabled."):
            f(self.x, y=self.x)

    def test_a_wrong_number_of_gradients_is_told(self):
        @tf.custom_gradient
        def f(x):
            return x * 2.0, lambda dy: (dy, dy)
        with self.assertRaisesRegex(ValueError, "Num gradients 3 generated for op .* do not match num inputs 2"):
            tf.gradients(f(self.x), self.x)

    def test_a_graph_with_one_may_be_trained_after_others_are_gone(self):
        @tf.custom_gradient
        def f(x):
            return tf.square(x), lambda dy: dy * 2.0 * x
        v = tf.Variable([1.0, 2.0])
        train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(f(v)))
        gc.collect()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(train)
            np.testing.assert_allclose(session.run(v), [0.8, 1.6], rtol=1e-6)


class AggregationMethodTest(unittest.TestCase):
    def test_what_is_none_is_refused(self):
        with tf.Graph().as_default():
            x = tf.placeholder(tf.float32, [])
            for wrong in (3, -1, "tree", 1.5):
                with self.assertRaisesRegex(ValueError, "Invalid `aggregation_method` specified"):
                    tf.gradients(x * x, x, aggregation_method=wrong)


if __name__ == "__main__":
    unittest.main()
