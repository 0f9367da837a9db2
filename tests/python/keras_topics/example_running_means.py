"""A stateful LSTM learns a mean over more times than a batch has."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
optimizers = tf.keras.optimizers
model = tf.keras.Sequential([layers.LSTM(4, input_shape=(2, 1), batch_size=3, stateful=True), layers.Dense(1)])
settled(model).compile(optimizers.Adam(0.05), "mse")
x, y = numbers(6, 2, 1), numbers(6, 1)
for _ in range(2):
    print(rounded(model.fit(x, y, batch_size=3, epochs=1, shuffle=False, verbose=0).history["loss"]))
    model.reset_states()
print(rounded(model.predict(x, batch_size=3)))
