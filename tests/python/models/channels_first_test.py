"""Layers that tf_keras computes with channels in front on GPUs only: here they give what the others give of turned images."""

import unittest

import numpy as np

from flowray import tf

layers = tf.keras.layers
FIRST = {"data_format": "channels_first"}


def turned(x):
    """[batch, channels, ...] of [batch, ..., channels]"""
    return np.moveaxis(x, -1, 1)


class ChannelsFirstTest(unittest.TestCase):
    def setUp(self):
        tf.keras.backend.clear_session()

    def check(self, make, *shape):
        x = np.random.RandomState(0).rand(*shape).astype(np.float32)
        found = []
        for options, given in (({}, x), (FIRST, turned(x))):
            layer = make(options)
            model = tf.keras.Sequential([layers.InputLayer(given.shape[1:]), layer])
            if layer.weights:
                layer.set_weights([np.cos(np.arange(weight.size)).reshape(weight.shape) for weight in layer.get_weights()])
            made = model.predict(given)
            self.assertEqual(tuple(layer.output_shape[1:]), made.shape[1:])
            self.assertEqual(layer.get_config()["data_format"], options.get("data_format", "channels_last"))
            model.compile(tf.keras.optimizers.SGD(0.1), "mse")
            model.train_on_batch(given, made * 0.5)
            found.append((made, model.get_weights()))
        (last, weights), (first, others) = found
        np.testing.assert_allclose(first, turned(last), rtol=1e-5, atol=1e-6)
        for one, other in zip(weights, others):
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)

    def test_convolutions(self):
        self.check(lambda options: layers.Conv1D(3, 2, padding="causal", dilation_rate=2, **options), 2, 6, 2)
        self.check(lambda options: layers.Conv2D(3, 2, strides=2, activation="relu", **options), 2, 5, 6, 2)
        self.check(lambda options: layers.Conv2D(3, 2, padding="same", use_bias=False, **options), 2, 5, 6, 2)
        self.check(lambda options: layers.Conv3D(3, 2, **options), 2, 3, 4, 3, 2)
        self.check(lambda options: layers.SeparableConv1D(3, 2, **options), 2, 5, 2)
        self.check(lambda options: layers.SeparableConv2D(3, 2, depth_multiplier=2, **options), 2, 5, 4, 2)
        self.check(lambda options: layers.Conv3DTranspose(2, 2, strides=2, **options), 2, 2, 3, 2, 2)

    def test_pools(self):
        self.check(lambda options: layers.MaxPooling2D(2, **options), 2, 5, 6, 3)
        self.check(lambda options: layers.AveragePooling2D(2, strides=1, padding="same", **options), 2, 5, 6, 3)

    def test_that_axes_of_inputs_are_named_as_programs_have_them(self):
        layer = layers.Conv2D(3, 2, name="first", **FIRST)
        layer(tf.keras.Input((2, 4, 4)))
        with self.assertRaisesRegex(ValueError, r"expected axis -3 of input shape to have value 2, but received input with shape \(.*, 3, 4, 4\)"):
            layer(tf.keras.Input((3, 4, 4)))

    def test_that_generators_of_images_refuse_it(self):
        with self.assertRaisesRegex(NotImplementedError, "ImageDataGenerator"):
            tf.keras.preprocessing.image.ImageDataGenerator(data_format="channels_first")


if __name__ == "__main__":
    unittest.main()
