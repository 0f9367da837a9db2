"""backend: dot, batch_dot and convolutions."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded

backend = tf.keras.backend
a, b = backend.constant(numbers(2, 3, 4)), backend.constant(numbers(2, 4, 2))
print(rounded(backend.eval(backend.dot(a[0], b[0]))), rounded(backend.eval(backend.batch_dot(a, b))), backend.eval(backend.dot(a, b[0])).shape)
print(rounded(backend.eval(backend.batch_dot(a[:, 0], a[:, 1], axes=1))), rounded(backend.eval(backend.l2_normalize(a[0], axis=-1))))
image, kernel = backend.constant(numbers(1, 4, 4, 1)), backend.constant(numbers(2, 2, 1, 2))
print(rounded(backend.eval(backend.conv2d(image, kernel)).ravel()[:6]), rounded(backend.eval(backend.pool2d(image, (2, 2), pool_mode="avg"))), rounded(backend.eval(backend.bias_add(image, backend.constant([2.0]))).ravel()[:2]))
print(rounded(backend.eval(backend.conv1d(backend.constant(numbers(1, 5, 2)), backend.constant(numbers(2, 2, 1)), padding="causal"))))
