"""Functions and classes as constraints."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
class Centred(tf.keras.constraints.Constraint):
    def __call__(self, w):
        return w - tf.reduce_mean(w)


for rule in (Centred(), lambda w: tf.clip_by_value(w, -0.1, 0.1)):
    model = tf.keras.Sequential([layers.Dense(2, kernel_constraint=rule, input_shape=(3,))])
    settled(model).compile("sgd", "mse")
    model.train_on_batch(numbers(4, 3), numbers(4, 2))
    print(rounded(model.get_weights()))
