"""Functions of tf.nn that make several nodes: activations, losses, moments."""

from programs import program
from tensorflow_v1 import tf


def placeholder(shape=(None, 3), name="x", dtype=tf.float32):
    return tf.placeholder(dtype, shape, name=name)


@program
def activations_of_several_nodes():
    x = placeholder()
    tf.nn.crelu(x)
    tf.nn.crelu(x, name="both", axis=0)
    tf.nn.silu(x)
    tf.nn.swish(x, beta=2.0)
    tf.nn.zero_fraction(x)
    tf.nn.zero_fraction(placeholder((4, 3), "y"), name="zeros")
    tf.nn.zero_fraction(placeholder((4, 3), "n", tf.int32), name="of_integers")


@program
def losses_of_elements():
    targets, x = placeholder(name="targets"), placeholder()
    tf.nn.weighted_cross_entropy_with_logits(targets, x, 2.0)
    tf.nn.weighted_cross_entropy_with_logits(labels=targets, logits=x, pos_weight=placeholder((3,), "weight"), name="weighted")
    tf.nn.log_poisson_loss(targets, x)
    tf.nn.log_poisson_loss(targets, x, compute_full_loss=True, name="full")


@program
def moments_with_weights():
    x = placeholder((4, 3))
    tf.nn.weighted_moments(x, [0], placeholder((4, 1), "w"))
    tf.nn.weighted_moments(x, [0, 1], placeholder((4, 3), "v"), name="kept", keep_dims=True)
    tf.nn.weighted_moments(placeholder((4, 3), "n", tf.float16), [1], 2.0, name="number")
    tf.nn.weighted_moments(placeholder((4, 3), "h", tf.float16), [1], placeholder((4, 3), "u", tf.float16))


@program
def statistics_of_moments():
    x = placeholder((4, 3))
    tf.nn.sufficient_statistics(x, [0])
    tf.nn.sufficient_statistics(placeholder((None, 3), "y"), [0], shift=1.5, keep_dims=True, name="shifted")
    count, mean, variance, shift = tf.nn.sufficient_statistics(x, [0, 1], shift=tf.constant(2.0, name="by"), name="of_all")
    tf.nn.normalize_moments(count, mean, variance, shift)
    tf.nn.normalize_moments(count, mean, variance, None, name="plain")


@program
def normalization_of_batches_as_once():
    x = placeholder((2, 4, 4, 3))
    vectors = [placeholder((3,), name) for name in ("m", "v", "beta", "gamma")]
    tf.nn.batch_norm_with_global_normalization(x, *vectors, 0.001, True)
    tf.nn.batch_norm_with_global_normalization(x, *vectors, 0.001, False, name="unscaled")
