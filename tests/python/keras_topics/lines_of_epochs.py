"""CSVLogger, anew and appended."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, settled

layers = tf.keras.layers
callbacks = tf.keras.callbacks
model = settled(tf.keras.Sequential([layers.Dense(1, input_shape=(3,))]))
model.compile("sgd", "mse", metrics=["mae"])
for append in (False, True):
    model.fit(numbers(4, 3), numbers(4, 1), epochs=2, verbose=0, shuffle=False, callbacks=[callbacks.CSVLogger("log.csv", separator=";", append=append)])
with open("log.csv") as file:
    print([line.split(";")[0] if line[0].isdigit() else line for line in file.read().splitlines()])
