"""Elements that are made ahead: a training that reads them, errors in their places, ends, and walks that are begun anew before the end."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

D = tf.data.Dataset
images = np.random.RandomState(3).rand(30, 4).astype(np.float32)
labels = (images.sum(1) > 2).astype(np.int64)
pipeline = D.from_tensor_slices((images, labels)).shuffle(30, seed=4).repeat().map(
    lambda image, label: (image - 0.5, label), num_parallel_calls=2).batch(10).prefetch(2)
x, y = tf.data.make_one_shot_iterator(pipeline).get_next()
weights, bias = tf.get_variable("weights", initializer=np.zeros((4, 2), np.float32)), tf.get_variable("bias", initializer=np.zeros(2, np.float32))
logits = tf.matmul(x, weights) + bias
loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=y, logits=logits))
train = tf.train.GradientDescentOptimizer(2.0).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    losses = [sess.run([loss, train])[0] for _ in range(60)]
    print(["%.3f" % value for value in losses[::12]], losses[-1] < losses[0] / 2)


def outcomes(dataset, count):
    iterator = tf.data.make_initializable_iterator(dataset)
    element = iterator.get_next()
    found = []
    with tf.Session() as sess:
        for steps in (count // 2, count):
            sess.run(iterator.initializer)
            for _ in range(steps):
                try:
                    found.append(sess.run(element).tolist())
                except tf.errors.InvalidArgumentError:
                    found.append("wrong")
                except tf.errors.OutOfRangeError:
                    found.append("end")
    return found


print(outcomes(D.range(4).prefetch(1), 6))
print(outcomes(D.range(4).map(lambda n: tf.floordiv(np.int64(12), n - 1)).prefetch(3), 6))
print(outcomes(D.range(6).prefetch(2).batch(2).prefetch(tf.data.experimental.AUTOTUNE), 4))
print(outcomes(D.range(3).prefetch(0).repeat(2), 8))
print(outcomes(D.range(3).prefetch(100).shuffle(3, seed=5).repeat(2).prefetch(1), 8))
print(outcomes(D.from_generator(lambda: iter(range(3)), tf.int64, []).prefetch(2), 4))
print(outcomes(D.range(3).flat_map(lambda n: D.range(n).prefetch(1)), 4))
seen = tf.get_variable("seen", initializer=np.int64(0))
counted = D.range(5).map(lambda n: n + seen).prefetch(1).take(2)
iterator = tf.data.make_initializable_iterator(counted)
element = iterator.get_next()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for start in (0, 100):
        sess.run(seen.assign(start))
        sess.run(iterator.initializer)
        print([int(sess.run(element)) for _ in range(2)])
try:
    outcomes(D.range(3).prefetch(-5), 1)
except (tf.errors.InvalidArgumentError, ValueError) as error:
    print(type(error).__name__)
