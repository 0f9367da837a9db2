"""class_weight makes some classes count more."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
utils = tf.keras.utils
model = tf.keras.Sequential([layers.Dense(3, activation="softmax", input_shape=(2,))])
x, classes = numbers(6, 2), np.array([0, 1, 2, 0, 1, 0])
for loss, y in (("sparse_categorical_crossentropy", classes), ("categorical_crossentropy", utils.to_categorical(classes))):
    settled(model).compile("sgd", loss)
    print(rounded(model.fit(x, y, class_weight={0: 1.0, 1: 5.0, 2: 0.5}, epochs=2, batch_size=3, shuffle=False, verbose=0).history))
print(rounded(model.train_on_batch(x, y, class_weight={0: 0.0, 1: 1.0, 2: 1.0})))
