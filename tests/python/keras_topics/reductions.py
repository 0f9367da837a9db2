"""backend: sums, means and places along axes."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded

backend = tf.keras.backend
x = backend.constant(numbers(2, 3, 2))
for name in ("sum", "mean", "max", "min", "prod", "std", "var", "logsumexp"):
    function = getattr(backend, name, tf.reduce_logsumexp)
    print(name, rounded([backend.eval(function(x)), backend.eval(function(x, axis=1)), backend.eval(function(x, axis=[0, 2], keepdims=True) if name != "logsumexp" else function(x, axis=[0, 2], keepdims=True))]))
print([backend.eval(one).tolist() for one in (backend.argmax(x, axis=1), backend.argmin(x), backend.any(x > 0.9, axis=0), backend.all(x >= 0.0), backend.cumsum(backend.constant([1.0, 2.0])), backend.cumprod(backend.constant([2.0, 3.0])))])
