"""A function and a class of the program's as metrics of a model."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
metrics = tf.keras.metrics
class Largest(metrics.Metric):
    def __init__(self, name="largest", **options):
        super().__init__(name=name, **options)
        self.seen = self.add_weight("seen", initializer="zeros")

    def update_state(self, y_true, y_pred, sample_weight=None):
        return self.seen.assign(tf.maximum(self.seen, tf.reduce_max(tf.abs(y_true - y_pred))))

    def result(self):
        return tf.identity(self.seen)


def within(y_true, y_pred):
    return tf.cast(tf.abs(y_true - y_pred) < 0.5, tf.float32)


model = tf.keras.Sequential([layers.Dense(2, input_shape=(3,))])
settled(model).compile("sgd", "mse", metrics=[Largest(), within, metrics.MeanAbsoluteError(name="error")])
history = model.fit(numbers(8, 3), numbers(8, 2), batch_size=4, epochs=2, shuffle=False, verbose=0)
print(rounded(history.history), rounded(model.evaluate(numbers(8, 3), numbers(8, 2), verbose=0)), model.metrics_names)
