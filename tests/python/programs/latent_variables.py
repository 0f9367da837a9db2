"""An autoencoder whose code is drawn from a normal distribution, in an interactive session."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.set_random_seed(7)
size, wide, code = 12, 16, 2


def layer(inputs, units, activation=None, seed=0):
    fan_in = int(inputs.shape[-1])
    limit = np.sqrt(6.0 / (fan_in + units))
    weights = tf.Variable(tf.random_uniform((fan_in, units), minval=-limit, maxval=limit, seed=seed), name="weights")
    result = tf.matmul(inputs, weights) + tf.Variable(tf.zeros([units]), name="offsets")
    return activation(result) if activation else result


x = tf.placeholder(tf.float32, [None, size], name="x")
with tf.name_scope("encode"):
    hidden = layer(x, wide, tf.nn.softplus, 1)
    mean, log_variance = layer(hidden, code, seed=2), layer(hidden, code, seed=3)
noise = tf.random_normal((tf.shape(x)[0], code), 0, 1, dtype=tf.float32, seed=4)
z = tf.add(mean, tf.multiply(tf.exp(log_variance / 2), noise), name="z")
with tf.name_scope("decode"):
    shown = layer(layer(z, wide, tf.nn.softplus, 5), size, tf.sigmoid, 6)
unlike = -tf.reduce_sum(x * tf.log(shown + 1e-10) + (1 - x) * tf.log(1 - shown + 1e-10), 1)
divergence = 0.5 * tf.reduce_sum(tf.exp(log_variance) + tf.square(mean) - 1 - log_variance, reduction_indices=1)
cost = tf.reduce_mean(unlike + divergence)
train = tf.train.AdamOptimizer(learning_rate=0.01).minimize(cost)
session = tf.InteractiveSession()
tf.global_variables_initializer().run()
images = (np.random.RandomState(0).rand(40, size) > 0.5).astype(np.float32)
for epoch in range(4):
    total = 0.0
    for first in range(0, 40, 10):
        total += session.run((train, cost), {x: images[first : first + 10]})[1] / 4
    print("%d %.3f" % (epoch, total))
print(z.shape, [variable.name for variable in tf.trainable_variables()])
print(np.round(mean.eval({x: images[:2]}), 3).tolist())
session.close()
