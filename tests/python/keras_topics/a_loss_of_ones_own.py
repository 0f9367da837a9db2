"""Functions and classes as losses."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
backend = tf.keras.backend
losses = tf.keras.losses
class Asymmetric(losses.Loss):
    def __init__(self, over=2.0, **options):
        super().__init__(**options)
        self.over = over

    def call(self, y_true, y_pred):
        error = y_pred - y_true
        return tf.reduce_mean(tf.where(error > 0, self.over * error, -error), axis=-1)


def cubed(y_true, y_pred):
    return backend.mean(backend.abs(y_pred - y_true) ** 3)


for loss in (Asymmetric(), Asymmetric(over=1.0, name="even"), cubed, lambda y_true, y_pred: backend.sum(backend.square(y_pred - y_true), axis=-1)):
    model = tf.keras.Sequential([layers.Dense(2, input_shape=(3,))])
    settled(model).compile("sgd", loss, metrics=[cubed])
    print(rounded(model.train_on_batch(numbers(4, 3), numbers(4, 2))), model.metrics_names)
