"""Models of the outputs of layers inside, and of parts of another model."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
backend = tf.keras.backend
inputs = tf.keras.Input((6, 6, 1))
h = layers.Conv2D(2, 3, name="edges")(inputs)
model = settled(tf.keras.Model(inputs, layers.Dense(2)(layers.Flatten(name="flat")(layers.MaxPooling2D()(h)))))
inside = tf.keras.Model(model.input, [model.get_layer("edges").output, model.get_layer("flat").output])
made = inside.predict(numbers(2, 6, 6, 1))
print([one.shape for one in made], rounded(made[1]), rounded(backend.function([model.input], [model.layers[-1].output])([numbers(2, 6, 6, 1)])[0]))
head = tf.keras.Sequential(model.layers[1:3])
print(head.predict(numbers(1, 6, 6, 1)).shape, [layer.name for layer in head.layers])
