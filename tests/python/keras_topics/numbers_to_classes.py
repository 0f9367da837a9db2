"""utils.to_categorical, normalize and the like."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import rounded

layers = tf.keras.layers
utils = tf.keras.utils
print(utils.to_categorical([0, 2, 1]).tolist(), utils.to_categorical([[1], [0]], 3).tolist(), utils.to_categorical([1], 2, dtype="int32").dtype)
print(rounded(utils.normalize(np.array([[3.0, 4.0], [0.0, 2.0]]))), rounded(utils.normalize(np.array([1.0, 1.0]), order=1)))
inputs = tf.keras.Input((2,), name="start")
print([one.name for one in utils.get_source_inputs(layers.Dense(1)(layers.Dense(2)(inputs)))], utils.serialize_keras_object(tf.keras.initializers.Ones())["class_name"])
