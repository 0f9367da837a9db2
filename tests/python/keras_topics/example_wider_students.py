"""A teacher's layer made wider: the student begins where the teacher ended."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
utils = tf.keras.utils
def made(width):
    return tf.keras.Sequential([layers.Dense(width, activation="relu", input_shape=(4,), name="fc1"), layers.Dense(2, activation="softmax", name="fc2")])


teacher, student = settled(made(2)), made(4)
teacher.compile("sgd", "categorical_crossentropy")
x, y = numbers(6, 4), utils.to_categorical(np.arange(6) % 2)
teacher.fit(x, y, epochs=2, shuffle=False, verbose=0)
w1, b1 = teacher.get_layer("fc1").get_weights()
w2, b2 = teacher.get_layer("fc2").get_weights()
student.get_layer("fc1").set_weights([np.concatenate([w1, w1], axis=1), np.concatenate([b1, b1])])
student.get_layer("fc2").set_weights([np.concatenate([w2, w2], axis=0) / 2, b2])
student.compile("sgd", "categorical_crossentropy", metrics=["acc"])
print(np.allclose(teacher.predict(x), student.predict(x), atol=1e-6), rounded(student.fit(x, y, epochs=2, shuffle=False, verbose=0).history))
