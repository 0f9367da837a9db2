import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.disable_resource_variables()


def layer(x, name, shape, activation):
    with tf.variable_scope(name):
        w = tf.get_variable("w", shape, initializer=tf.glorot_uniform_initializer(seed=1))
        b = tf.get_variable("b", shape[-1:], initializer=tf.constant_initializer(0.1))
        return activation((tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME") if len(shape) == 4 else tf.matmul(x, w)) + b)


tf.set_random_seed(3)
images = np.random.RandomState(0).rand(20, 8, 8, 1).astype(np.float32)
classes = np.arange(20) % 4
x = tf.placeholder(tf.float32, [None, 8, 8, 1])
labels = tf.placeholder(tf.int32, [None])
keep = tf.placeholder_with_default(1.0, [])
h = tf.nn.max_pool(layer(x, "conv", [3, 3, 1, 6], tf.nn.relu), [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
h = tf.nn.dropout(tf.reshape(h, [-1, 4 * 4 * 6]), keep_prob=keep, seed=5)
logits = layer(h, "out", [96, 4], tf.identity)
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), tf.cast(labels, tf.int64)), tf.float32))
train = tf.train.AdamOptimizer(0.01).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for i in range(30):
        sess.run(train, {x: images, labels: classes, keep: 0.8})
        if i % 5 == 0:
            print(i, "%.3f %.2f" % tuple(sess.run([loss, accuracy], {x: images, labels: classes})))
    try:
        sess.run(loss, {x: images[:, :7], labels: classes})
    except ValueError as error:
        print(str(error).split(" for Tensor")[0])
print([(v.name, v.shape.as_list()) for v in tf.global_variables()])
