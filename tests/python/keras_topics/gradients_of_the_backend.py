"""backend.gradients, stop_gradient, and losses of the backend."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded

backend = tf.keras.backend
x = backend.variable([1.0, 2.0])
loss = backend.sum(backend.square(x) * backend.stop_gradient(x))
print([backend.eval(one).tolist() for one in backend.gradients(loss, [x])])
truth, guess = backend.constant([[0.0, 1.0]]), backend.constant([[0.3, 0.6]])
print(rounded([backend.eval(backend.categorical_crossentropy(truth, guess)), backend.eval(backend.binary_crossentropy(truth, guess)), backend.eval(backend.sparse_categorical_crossentropy(backend.constant([1], dtype="int32"), guess)),
               backend.eval(backend.binary_crossentropy(truth, guess, from_logits=True)), backend.eval(backend.in_top_k(guess, backend.constant([1], dtype="int32"), 1))]))
mean, variance = backend.eval(backend.mean(guess)), backend.eval(backend.normalize_batch_in_training(backend.constant(numbers(4, 2)), backend.ones((2,)), backend.zeros((2,)), [0])[0])
print(rounded([mean]), rounded(variance))
