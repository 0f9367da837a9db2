"""Sequential: add, pop, build, and layers without a known input."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, refused, rounded, settled

layers = tf.keras.layers
model = tf.keras.Sequential(name="steps")
model.add(layers.Dense(3, activation="relu"))
model.add(layers.Dense(2))
print(model.built, refused(lambda: model.weights), len(model.layers))
model.build((None, 4))
print(model.built, [weight.shape.as_list() for weight in model.weights], model.count_params())
settled(model)
print([layer.name for layer in model.layers], model.predict(numbers(2, 4)).shape, refused(model.add, "layer"))
model.compile("sgd", "mse")
print(rounded(model.train_on_batch(numbers(2, 4), numbers(2, 2))))
known = tf.keras.Sequential([layers.Dense(3, input_shape=(2,)), layers.Dense(2)])
known.pop()
known.add(layers.Dense(1, name="last"))
print(known.output_shape, [layer.name for layer in known.layers], rounded(settled(known).predict(numbers(2, 2))))
