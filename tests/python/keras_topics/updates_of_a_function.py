"""backend.function with updates is what gives a variable its first value, and the next call finds what the one before left."""

import numpy as np
import tensorflow.compat.v1 as tf

backend = tf.keras.backend
v = backend.variable(3.0)
x = backend.placeholder(())
add = backend.function([x], [v * 2.0 + x], updates=[(v, v + x)])
print([float(add([np.float32(one)])[0]) for one in (1, 10)], float(backend.get_value(v)))
w = backend.variable([1.0, 2.0])
read = backend.function([], w * 3.0)
print(read([]).tolist(), read([]).tolist())
