"""What tf.distributions say of themselves; numbers and texts are TensorFlow 2.21's."""

import unittest

import numpy as np

from flowray import tf

distributions = tf.distributions


class DistributionsTest(unittest.TestCase):
    def setUp(self):
        graph = tf.Graph().as_default()
        graph.__enter__()
        self.addCleanup(graph.__exit__, None, None, None)

    def value(self, tensor):
        with tf.Session() as session:
            return session.run(tensor)

    def test_moments_of_students(self):
        student = distributions.StudentT([.5, 1., 2., 3.], 1., 2.)
        nan, inf = float("nan"), float("inf")
        np.testing.assert_allclose(self.value(student.mean()), [nan, nan, 1., 1.])
        np.testing.assert_allclose(self.value(student.variance()), [nan, nan, inf, 12.])
        np.testing.assert_allclose(self.value(student.stddev()), [nan, nan, inf, 3.4641016], rtol=1e-6)
        np.testing.assert_allclose(self.value(student.entropy()), [4.3598757, 3.2241719, 2.6534266, 2.4666245], rtol=1e-6)
        np.testing.assert_allclose(self.value(distributions.StudentT(3., [1., 2.], [2., -3.]).entropy()), [2.4666245, 2.8720896], rtol=1e-6)
        self.assertEqual(self.value(student.mode()), 1.)

    def test_a_mean_that_is_missing_is_an_error_where_it_may_not_be_nan(self):
        defined = distributions.StudentT([2., 3.], 1., 2., allow_nan_stats=False)
        self.assertEqual(self.value(defined.mean()).tolist(), [1., 1.])
        missing = distributions.StudentT([.5, 3.], 1., 2., allow_nan_stats=False)
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "^mean not defined for components of df <= 1"):
            self.value(missing.mean())

    def test_texts(self):
        self.assertEqual(str(distributions.Normal(0., 1.)), 'tfp.distributions.Normal("Normal/", batch_shape=(), event_shape=(), dtype=float32)')
        self.assertEqual(repr(distributions.Dirichlet([1., 2.])),
                         "<tfp.distributions.Dirichlet 'Dirichlet/' batch_shape=() event_shape=(2,) dtype=float32>")
        self.assertEqual(str(distributions.Multinomial(2., [[.1, .2]])),
                         'tfp.distributions.Multinomial("Multinomial/", batch_shape=(1,), event_shape=(2,), dtype=float32)')

    def test_shapes_of_parameters(self):
        names = {"Normal": ["loc", "scale"], "Laplace": ["loc", "scale"], "Uniform": ["low", "high"], "Gamma": ["concentration", "rate"],
                 "Exponential": ["rate"], "Beta": ["concentration1", "concentration0"], "StudentT": ["df", "loc", "scale"],
                 "Bernoulli": ["logits"]}
        for kind, parameters in names.items():
            shapes = getattr(distributions, kind).param_static_shapes([2, 3])
            self.assertEqual({name: shape.as_list() for name, shape in shapes.items()}, dict.fromkeys(parameters, [2, 3]), kind)
        self.assertEqual(distributions.Normal.param_static_shapes(3)["loc"].as_list(), [3])
        self.assertEqual({name: self.value(shape).tolist() for name, shape in distributions.Normal.param_shapes([2]).items()},
                         {"loc": [2], "scale": [2]})
        with self.assertRaisesRegex(ValueError, "sample_shape must be a fully-defined TensorShape or list/tuple"):
            distributions.Normal.param_static_shapes(tf.placeholder(tf.int32))
        with self.assertRaisesRegex(NotImplementedError, "_param_shapes not implemented"):
            distributions.Categorical.param_static_shapes([2])


if __name__ == "__main__":
    unittest.main()
