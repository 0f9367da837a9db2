"""backend: variables, their values, updates and functions."""

import numpy as np
import tensorflow.compat.v1 as tf

backend = tf.keras.backend
v = backend.variable([1.0, 2.0], name="v")
print(backend.get_value(v).tolist(), v.name, backend.int_shape(v))
backend.set_value(v, [3.0, 4.0])
backend.batch_set_value([(v, np.array([5.0, 6.0]))])
print(backend.batch_get_value([v])[0].tolist(), backend.eval(backend.zeros_like(v)).tolist(), backend.eval(backend.ones((2, 1))).tolist(), backend.eval(backend.eye(2)).tolist())
x = backend.placeholder((2,))
add = backend.function([x], [v + x], updates=[(v, v + x)])
print([add([np.ones(2)])[0].tolist() for _ in range(2)], backend.get_value(v).tolist())
print(backend.eval(backend.update_add(v, [1.0, 1.0])).tolist(), backend.eval(backend.update_sub(v, [2.0, 2.0])).tolist(), backend.eval(backend.cast(v, "int32")).tolist())
print(backend.epsilon(), backend.floatx(), backend.image_data_format(), backend.get_uid("word"), backend.get_uid("word"), backend.backend())
