"""Optimizers by name and config."""

import tensorflow.compat.v1 as tf

from keras_numbers import refused, rounded

backend = tf.keras.backend
optimizers = tf.keras.optimizers
for name in ("sgd", "rmsprop", "adam", "adagrad", "adadelta", "adamax", "nadam", "ftrl"):
    optimizer = optimizers.get(name)
    config = optimizer.get_config()
    again = type(optimizer).from_config(config)
    print(name, rounded({key: value for key, value in config.items() if isinstance(value, (int, float))}, 5), again.get_config() == config)
told = optimizers.serialize(optimizers.Adam(0.25))
print(told["class_name"], optimizers.deserialize(told).get_config()["learning_rate"], refused(optimizers.get, "steepest"))
optimizer = optimizers.SGD(lr=0.5)
backend.set_value(optimizer.lr, 0.125)
print(backend.get_value(optimizer.lr), backend.get_value(optimizer.learning_rate))
