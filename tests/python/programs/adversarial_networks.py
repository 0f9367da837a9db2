"""A generator and a discriminator in variable scopes, with batch normalisation and transposed convolutions."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
tf.set_random_seed(11)
rng = np.random.RandomState(0)
def lrelu(x, leak=0.2, name="lrelu"): return tf.maximum(x, leak * x)
def linear(input_, output_size, scope=None, stddev=0.02, bias_start=0.0):
    shape = input_.get_shape().as_list()
    with tf.variable_scope(scope or "Linear"):
        matrix = tf.get_variable("Matrix", [shape[1], output_size], tf.float32, tf.random_normal_initializer(stddev=stddev))
        bias = tf.get_variable("bias", [output_size], initializer=tf.constant_initializer(bias_start))
        return tf.matmul(input_, matrix) + bias
def generator(z):
    with tf.variable_scope("generator") as scope:
        h = tf.nn.relu(tf.layers.batch_normalization(linear(z, 64, 'g_h0'), training=True))
        h = tf.reshape(h, [-1, 4, 4, 4])
        h = tf.layers.conv2d_transpose(h, 2, 5, strides=2, padding='same')
        return tf.nn.tanh(h)
def discriminator(image, reuse=False):
    with tf.variable_scope("discriminator") as scope:
        if reuse: scope.reuse_variables()
        h = lrelu(tf.layers.conv2d(image, 4, 5, 2, 'same', name='d_h0'))
        h = linear(tf.layers.flatten(h), 1, 'd_h1')
        return tf.nn.sigmoid(h), h
z = tf.placeholder(tf.float32, [None, 10], name='z')
real = tf.placeholder(tf.float32, [8, 8, 8, 2], name='real')
G = generator(z)
D, Dl = discriminator(real)
D_, Dl_ = discriminator(G, reuse=True)
d_loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(logits=Dl, labels=tf.ones_like(D)))
d_loss += tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(logits=Dl_, labels=tf.zeros_like(D_)))
g_loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(logits=Dl_, labels=tf.ones_like(D_)))
t_vars = tf.trainable_variables()
d_vars = [v for v in t_vars if v.name.startswith('disc')]
g_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope='generator')
print([v.name for v in d_vars], [v.name for v in g_vars])
d_optim = tf.train.AdamOptimizer(2e-4, beta1=0.5).minimize(d_loss, var_list=d_vars)
g_optim = tf.train.AdamOptimizer(2e-4, beta1=0.5).minimize(g_loss, var_list=g_vars)
sess = tf.InteractiveSession()
tf.global_variables_initializer().run()
for i in range(4):
    zz = rng.uniform(-1, 1, (8, 10))
    im = rng.randn(8, 8, 8, 2)
    _, dl = sess.run([d_optim, d_loss], {z: zz, real: im})
    _, gl = sess.run([g_optim, g_loss], {z: zz})
    print("%.4f %.4f" % (dl, gl))
print(np.round(G.eval({z: zz})[0, 0, 0], 4).tolist())
sess.close()
