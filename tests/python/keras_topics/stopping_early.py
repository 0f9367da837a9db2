"""EarlyStopping by patience, baseline and best weights."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
optimizers = tf.keras.optimizers
callbacks = tf.keras.callbacks
x, y = numbers(6, 3), numbers(6, 1)
for options in ({"patience": 1}, {"patience": 2, "min_delta": 1.0}, {"monitor": "loss", "baseline": 0.0, "patience": 1}, {"monitor": "val_loss", "mode": "max", "patience": 1, "restore_best_weights": True}):
    model = settled(tf.keras.Sequential([layers.Dense(1, input_shape=(3,))]))
    model.compile(optimizers.SGD(0.3), "mse")
    stopping = callbacks.EarlyStopping(**options)
    history = model.fit(x, y, epochs=8, validation_data=(x[:2], y[:2]), shuffle=False, verbose=0, callbacks=[stopping])
    print(options, len(history.epoch), stopping.stopped_epoch, rounded(model.get_weights()[1]))
