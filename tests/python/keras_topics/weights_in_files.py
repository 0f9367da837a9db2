"""save_weights and load_weights, by order and by name."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, refused, settled

layers = tf.keras.layers
def made(last):
    return tf.keras.Sequential([layers.Dense(3, input_shape=(2,), name="first"), layers.Dense(last, name="last%d" % last)])


model, other = settled(made(1)), made(2)
model.save_weights("weights.h5")
other.load_weights("weights.h5", by_name=True)
print([np.allclose(one, two) for one, two in zip(model.get_weights()[:2], other.get_weights()[:2])])
again = made(1)
again.load_weights("weights.h5")
print(np.allclose(again.predict(numbers(2, 2)), model.predict(numbers(2, 2))), refused(model.save_weights, "weights.h5", overwrite=True))
model.save_weights("kept")
again.set_weights([0 * weight for weight in again.get_weights()])
again.load_weights("kept")
print(np.allclose(again.predict(numbers(2, 2)), model.predict(numbers(2, 2))))
