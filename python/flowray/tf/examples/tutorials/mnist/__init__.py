"""tensorflow.examples.tutorials.mnist."""

from flowray.tf.examples.tutorials.mnist import input_data

__all__ = ["input_data"]
