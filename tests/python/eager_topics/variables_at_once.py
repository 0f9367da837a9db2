"""Variables: values, assignments and slices."""

import tensorflow.compat.v1 as tf

v = tf.Variable([1.0, 2.0, 3.0], name="v")
v.assign_add([1.0, 1.0, 1.0])
v.assign_sub([0.0, 1.0, 0.0])
print(v.numpy().tolist(), v.shape.as_list(), v.dtype.base_dtype.name, v.trainable, (v * 2.0).numpy().tolist(), v[1].numpy())
v.assign([0.0, 0.0, 1.0])
print(tf.reduce_max(v).numpy(), v.read_value().numpy().tolist(), tf.Variable(3, trainable=False).numpy())
