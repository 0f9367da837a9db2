"""What models say to what is wrong."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, refused

layers = tf.keras.layers
model = tf.keras.Sequential([layers.Dense(2, input_shape=(3,))])
print(refused(model.fit, numbers(2, 3), numbers(2, 2))[0], refused(model.evaluate, numbers(2, 3), numbers(2, 2))[0])
model.compile("sgd", "mse")
print(refused(model.fit, numbers(2, 4), numbers(2, 2))[0], refused(model.fit, numbers(2, 3), numbers(3, 2))[0], refused(model.train_on_batch, numbers(2, 3), numbers(2, 3))[0])
print(refused(model.compile, "no such", "mse"), refused(model.compile, "sgd", "no such"), refused(model.get_layer, index=5), refused(model.get_layer))
print(refused(model.set_weights, [np.ones((3, 2))])[0], refused(tf.keras.Sequential, [1])[0], refused(model.predict, numbers(2, 5))[0])
print(refused(model.evaluate, numbers(2, 3), numbers(2, 2), verbose=0, return_dict=True), refused(layers.Dense, 2, no_such=3)[0])
