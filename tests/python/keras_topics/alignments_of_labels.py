"""backend: CTC's loss and decoder."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import rounded

backend = tf.keras.backend
chances = np.array([[[0.6, 0.3, 0.1], [0.2, 0.2, 0.6], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]]], np.float32)
cost = backend.ctc_batch_cost(backend.constant([[0, 1]], dtype="int32"), backend.constant(chances), backend.constant([[4]], dtype="int32"), backend.constant([[2]], dtype="int32"))
print(rounded(backend.eval(cost)))
decoded, scores = backend.ctc_decode(backend.constant(chances), backend.constant([4], dtype="int32"))
print(backend.eval(decoded[0]).tolist(), rounded(backend.eval(scores)))
