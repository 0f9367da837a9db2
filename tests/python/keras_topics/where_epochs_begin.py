"""initial_epoch, a callback that stops, and History."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
callbacks = tf.keras.callbacks
model = settled(tf.keras.Sequential([layers.Dense(1, input_shape=(3,))]))
model.compile("sgd", "mse")
history = model.fit(numbers(4, 3), numbers(4, 1), initial_epoch=2, epochs=5, verbose=0, shuffle=False)
print(history.epoch, rounded(history.history["loss"]), sorted(history.params))
stop = callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: setattr(model, "stop_training", epoch == 1))
print(model.fit(numbers(4, 3), numbers(4, 1), epochs=9, verbose=0, callbacks=[stop]).epoch, model.history.epoch)
