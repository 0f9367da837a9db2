"""Functions and classes as regularizers."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
backend = tf.keras.backend
utils = tf.keras.utils
class Spread(tf.keras.regularizers.Regularizer):
    def __init__(self, by=0.1):
        self.by = by

    def __call__(self, x):
        return self.by * tf.reduce_sum(tf.abs(x - tf.reduce_mean(x)))

    def get_config(self):
        return {"by": self.by}


for rule in (Spread(0.2), lambda x: 0.01 * backend.sum(backend.abs(x))):
    model = tf.keras.Sequential([layers.Dense(2, kernel_regularizer=rule, input_shape=(3,))])
    settled(model).compile("sgd", "mse")
    print(rounded([model.train_on_batch(numbers(4, 3), numbers(4, 2)) for _ in range(2)]))
with utils.custom_object_scope({"Spread": Spread}):
    print(layers.Dense.from_config(layers.Dense(1, kernel_regularizer=Spread(0.5)).get_config()).kernel_regularizer.by)
