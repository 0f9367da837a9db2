"""keras.backend of values."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded

backend = tf.keras.backend
x = backend.constant(numbers(2, 3))
print(rounded([backend.mean(x).numpy(), backend.sum(x, axis=1).numpy(), backend.dot(x, backend.transpose(x)).numpy(), backend.softmax(x).numpy(), backend.clip(x, 0.2, 0.5).numpy()]))
v = backend.variable(2.0)
backend.set_value(v, 5.0)
print(backend.get_value(v), backend.eval(v * 2.0), backend.int_shape(x), backend.learning_phase(), backend.one_hot([1], 3).numpy().tolist())
print(backend.switch(backend.constant(1.0) > 0.0, lambda: x, lambda: -x).numpy().shape, backend.argmax(x, axis=1).numpy().tolist(), rounded(backend.binary_crossentropy(backend.constant([1.0]), backend.constant([0.4])).numpy()))
