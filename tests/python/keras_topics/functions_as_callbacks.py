"""LambdaCallback."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, settled

layers = tf.keras.layers
callbacks = tf.keras.callbacks
told = []
model = settled(tf.keras.Sequential([layers.Dense(1, input_shape=(3,))]))
model.compile("sgd", "mse")
model.fit(numbers(4, 3), numbers(4, 1), epochs=2, batch_size=2, verbose=0, callbacks=[callbacks.LambdaCallback(
    on_epoch_begin=lambda epoch, logs: told.append("begin %d" % epoch), on_epoch_end=lambda epoch, logs: told.append(sorted(logs)),
    on_batch_begin=lambda batch, logs: told.append(batch), on_train_begin=lambda logs: told.append("train"), on_train_end=lambda logs: told.append("end"),
    on_test_begin=lambda logs=None: told.append("test"))])
model.evaluate(numbers(4, 3), numbers(4, 1), verbose=0, callbacks=[callbacks.LambdaCallback(on_test_end=lambda logs=None: told.append("tested"))])
print(told)
