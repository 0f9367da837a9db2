"""Losses and metrics that layers and programs add to those of compile: which a step has, and what is refused. tf_keras has no say in the
first: it calls a model once for training and not."""

import unittest

import numpy as np

from flowray import tf

layers = tf.keras.layers
X = np.array([[1.0, -2.0], [3.0, 1.0], [-2.0, 4.0]], np.float32)
Y = np.array([[1.0], [2.0], [-3.0]], np.float32)


class InOneMode(layers.Layer):
    """Gives what it gets; two metrics in training or outside of it, none in the other."""

    def __init__(self, training):
        super().__init__()
        self.mode = training

    def call(self, inputs, training=None):
        if bool(training) == self.mode:
            self.add_metric(tf.reduce_max(inputs), name="greatest")
            self.add_metric(tf.reduce_min(inputs), name="least")
        return inputs


class Watched(tf.keras.Model):
    def __init__(self, training):
        super().__init__()
        self.look, self.dense = InOneMode(training), layers.Dense(1, kernel_initializer="ones")

    def call(self, inputs, training=None):
        return self.dense(self.look(inputs, training=training))


def made(training):
    tf.keras.backend.clear_session()
    model = Watched(training)
    model.compile(tf.keras.optimizers.SGD(0.0), "mse")
    return model


# By hand: the sums of X' rows are -1, 4 and 2, their errors -2, 2 and 5.
LOSS = (4 + 4 + 25) / 3


class MetricsOfOneModeTest(unittest.TestCase):
    def check_evaluated(self, scores, expected):
        np.testing.assert_allclose(np.ravel(scores), expected, rtol=1e-6)

    def test_metrics_in_training_only(self):
        model = made(True)
        self.check_evaluated(model.evaluate(X, Y), [LOSS])
        history = model.fit(X, Y, verbose=0, validation_data=(X, Y)).history
        self.assertEqual(set(history), {"loss", "greatest", "least", "val_loss"})
        self.check_evaluated([history["loss"], history["greatest"], history["least"], history["val_loss"]], [LOSS, 4.0, -2.0, LOSS])
        self.check_evaluated(model.evaluate(X, Y), [LOSS])
        self.assertEqual(model.metrics_names, ["loss"])
        self.check_evaluated(model.train_on_batch(X, Y), [LOSS, 4.0, -2.0])
        self.assertEqual(model.metrics_names, ["loss", "greatest", "least"])

    def test_metrics_outside_of_training_only(self):
        model = made(False)
        for _ in range(2):
            history = model.fit(X, Y, epochs=2, verbose=0, validation_data=(X, Y)).history
            self.assertEqual(set(history), {"loss", "val_loss", "val_greatest", "val_least"})
            self.check_evaluated(history["val_least"], [-2.0, -2.0])
            self.check_evaluated(model.evaluate(X, Y), [LOSS, 4.0, -2.0])
            self.check_evaluated(model.train_on_batch(X, Y), [LOSS])

    def test_metrics_outside_of_training_only_batch_by_batch(self):
        model = made(False)
        for _ in range(2):
            history = model.fit(X, Y, epochs=2, verbose=0, batch_size=3, validation_data=(X, Y, np.ones(3))).history
            self.assertEqual(set(history), {"loss", "val_loss", "val_greatest", "val_least"})
            self.check_evaluated(history["val_greatest"], [4.0, 4.0])
            self.check_evaluated(model.evaluate(X, Y, callbacks=[tf.keras.callbacks.Callback()]), [LOSS, 4.0, -2.0])


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


class TrueValuesWithoutALossTest(unittest.TestCase):
    def test_a_model_without_any_loss_says_so(self):
        model, _, _ = between()
        model.compile("sgd")
        for use in (model.fit, model.evaluate, model.train_on_batch, model.test_on_batch):
            with self.assertRaisesRegex(ValueError, "^The model cannot be compiled because it has no loss to optimize.\n"):
                use(X, Y)

    def test_a_model_of_an_added_loss_takes_none(self):
        model, _, h = between()
        model.add_loss(tf.reduce_max(h))
        model.compile("sgd")
        for use in (model.fit, model.evaluate, model.test_on_batch):
            with self.assertRaisesRegex(ValueError, "^Error when checking model target: expected no data, but got 1 array"):
                use(X, Y)
        self.assertEqual(float(model.test_on_batch(X)), 4.0)


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
