"""TensorArray, scan, map_fn and while_loop of values."""

import tensorflow.compat.v1 as tf

array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
for i in range(3):
    array = array.write(i, tf.fill([2], float(i)))
print(array.stack().numpy().tolist(), int(array.size()))
print(tf.map_fn(lambda x: x * x, tf.constant([1.0, 2.0])).numpy().tolist(), tf.scan(lambda a, x: a + x, tf.constant([1.0, 2.0, 3.0])).numpy().tolist(), [one.numpy() for one in tf.while_loop(lambda i, s: i < 4, lambda i, s: (i + 1, s + i), (tf.constant(0), tf.constant(0)))])
print(tf.cond(tf.constant(True), lambda: tf.constant(1), lambda: tf.constant(2)).numpy(), tf.case([(tf.constant(False), lambda: tf.constant(1))], default=lambda: tf.constant(3)).numpy(), tf.foldl(lambda a, x: a * x, tf.constant([1, 2, 3, 4])).numpy())
