"""tf.function: one trace for each kind of arguments."""

import tensorflow.compat.v1 as tf

from keras_numbers import refused

traces = []


@tf.function
def scaled(x, by=2):
    traces.append((x.shape.as_list(), by))
    return x * tf.cast(by, x.dtype)


print([scaled(tf.constant(value)).numpy() for value in (1.0, 2.0)], scaled(tf.constant([1.0, 2.0])).numpy().tolist(), scaled(tf.constant(1.0), by=3).numpy(), traces)


@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
def total(x):
    traces.append("total")
    return tf.reduce_sum(x)


print(total(tf.constant([1.0, 2.0])).numpy(), total(tf.constant([1.0])).numpy(), traces[-1], refused(total, tf.constant([[1.0]]))[0])
v = tf.Variable(1.0)
count = tf.function(lambda: v.assign_add(1.0))
print([float(count()) for _ in range(2)], v.numpy(), scaled.get_concrete_function(tf.TensorSpec([3], tf.float32))(tf.constant([1.0, 1.0, 2.0])).numpy().tolist())
with tf.GradientTape() as tape:
    y = total(tf.stack([v, v * v]))
print(tape.gradient(y, v).numpy())
