import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.disable_resource_variables()
tf.set_random_seed(7)
xs = np.linspace(0, 1, 100).astype(np.float32)
x = tf.placeholder(tf.float32, [None], name="x")
y = tf.placeholder(tf.float32, [None], name="y")
w = tf.Variable(tf.random_uniform([1], -1.0, 1.0), name="w")
b = tf.Variable(tf.zeros([1]), name="b")
loss = tf.reduce_mean(tf.square(w * x + b - y))
step = tf.train.get_or_create_global_step()
train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, global_step=step)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(50):
        _, value, number = sess.run([train, loss, step], {x: xs, y: 0.1 * xs + 0.3})
        if i % 10 == 0:
            print(number, "%.5f" % value)
    print(["%.4f" % v[0] for v in sess.run([w, b])], [v.name for v in tf.trainable_variables()])
