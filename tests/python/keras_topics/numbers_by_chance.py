"""backend: random tensors of the right size, mean and spread."""

import tensorflow.compat.v1 as tf

backend = tf.keras.backend
for made, mean, spread in ((backend.random_normal((100, 100), mean=2.0, stddev=0.5), 2.0, 0.5), (backend.random_uniform((100, 100), 1.0, 3.0), 2.0, 0.577), (backend.random_binomial((100, 100), p=0.3), 0.3, 0.458),
                           (backend.truncated_normal((100, 100), stddev=1.0), 0.0, 0.88), (backend.dropout(backend.ones((100, 100)), 0.5), 1.0, 1.0)):
    value = backend.eval(made)
    print(value.shape, abs(float(value.mean()) - mean) < 0.05, abs(float(value.std()) - spread) < 0.05)
v = backend.random_uniform_variable((50, 50), -1.0, 1.0)
print(v.shape.as_list(), bool(abs(backend.get_value(v)).max() <= 1.0), backend.random_normal_variable((2, 2), 0.0, 1.0).shape.as_list())
