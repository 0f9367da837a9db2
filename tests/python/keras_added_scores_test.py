"""Losses and metrics that layers and programs add to those of compile: which a step has, and what is refused."""

import unittest

import numpy as np

from flowray import tf

layers = tf.keras.layers
X = np.array([[1.0, -2.0], [3.0, 1.0], [-2.0, 4.0]], np.float32)
Y = np.array([[1.0], [2.0], [-3.0]], np.float32)


def between():
    """(a functional model, its input, a tensor inside of it)"""
    tf.keras.backend.clear_session()
    inputs = tf.keras.Input((2,))
    h = layers.Dense(2, kernel_initializer="ones")(inputs)
    return tf.keras.Model(inputs, layers.Dense(1, kernel_initializer="ones")(h)), inputs, h


class LoopsTest(unittest.TestCase):
    """Loops of the graph between a model and what is added: nodes there stand before themselves."""

    def check_refused(self, add, what):
        with self.assertRaises(NotImplementedError) as raised:
            add()
        self.assertIn("model.%s of a tensor that is made by a loop of the graph" % what, str(raised.exception))

    def test_a_loop_of_the_models_tensors_is_refused(self):
        model, _, h = between()
        squares = tf.map_fn(tf.square, h)
        self.check_refused(lambda: model.add_loss(tf.reduce_mean(squares)), "add_loss")
        self.check_refused(lambda: model.add_metric(squares, name="squares"), "add_metric")
        _, last = tf.while_loop(lambda i, _: i < 3, lambda i, total: (i + 1, total + tf.reduce_sum(h)), (0, 0.0))
        self.check_refused(lambda: model.add_loss(last), "add_loss")
        model.compile("sgd", "mse")
        self.assertTrue(np.isscalar(model.test_on_batch(X, Y)))

    def test_a_loop_beside_the_models_tensors_stays_as_it_is(self):
        model, _, h = between()
        model.add_loss(tf.reduce_sum(tf.map_fn(tf.square, tf.constant([1.0, 2.0]))) * tf.reduce_max(h))
        model.compile(tf.keras.optimizers.SGD(0.0))
        # 1 + 4; the rows' sums are -1, 4 and 2.
        self.assertAlmostEqual(float(model.evaluate(X)), 20.0, places=5)

    def test_a_loop_in_a_lambda_is_made_anew(self):
        _, inputs, h = between()
        model = tf.keras.Model(inputs, h)
        model.add_loss(layers.Lambda(lambda rows: tf.map_fn(tf.square, rows))(h))
        model.compile(tf.keras.optimizers.SGD(0.1))
        self.assertAlmostEqual(float(model.train_on_batch(X)), (1 + 16 + 4) / 3, places=5)
        # The mean of six squares, of rows with 1 for the bias times weights that change by its slopes.
        rows, weights = np.hstack([X, np.ones((3, 1))]), np.array([[1.0, 1.0], [1.0, 1.0], [0.0, 0.0]])
        expected = np.mean(np.square(rows @ (weights - 0.1 * 2 * rows.T @ (rows @ weights) / 6)))
        self.assertAlmostEqual(float(model.evaluate(X)), float(expected), places=4)

    def test_what_is_needed_twice_is_found_once(self):
        model, inputs, h = between()
        value = h + inputs
        for _ in range(60):  # 2 ** 60 ways through it
            value = (value + value) * 0.5
        model.add_metric(value, name="sums")
        model.compile("sgd", "mse")
        self.assertAlmostEqual(float(model.test_on_batch(X, Y)[1]), float(np.mean(X @ np.ones((2, 2)) + X)), places=5)


class DepthTest(unittest.TestCase):
    def test_a_model_of_many_layers(self):
        tf.keras.backend.clear_session()
        first = h = tf.keras.Input((1,))
        for _ in range(1200):
            h = layers.Activation("linear")(h)
        model = tf.keras.Model(first, h)
        model.add_loss(tf.reduce_sum(h))
        model.compile("sgd")
        self.assertEqual(float(model.test_on_batch(np.array([[1.0], [2.0]]))), 3.0)


if __name__ == "__main__":
    unittest.main()
