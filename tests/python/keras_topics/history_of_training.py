"""What History and logs of callbacks have."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, settled

layers = tf.keras.layers
callbacks = tf.keras.callbacks
class Heard(callbacks.Callback):
    def __init__(self):
        super().__init__()
        self.calls = []

    def on_train_begin(self, logs=None):
        self.calls.append("train")

    def on_epoch_begin(self, epoch, logs=None):
        self.calls.append("epoch %d" % epoch)

    def on_batch_end(self, batch, logs=None):
        self.calls.append("batch %d %s" % (batch, sorted(logs)))

    def on_epoch_end(self, epoch, logs=None):
        self.calls.append(sorted(logs))

    def on_train_end(self, logs=None):
        self.calls.append("end")


model = settled(tf.keras.Sequential([layers.Dense(1, input_shape=(3,))]))
model.compile("sgd", "mse", metrics=["mae"])
heard = Heard()
history = model.fit(numbers(4, 3), numbers(4, 1), batch_size=2, epochs=2, validation_data=(numbers(2, 3), numbers(2, 1)), verbose=0, callbacks=[heard])
print(heard.calls, sorted(history.history), history.epoch, heard.model is model, sorted(heard.params)[:3])
