"""Constraints alone and behind steps of training."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, refused, rounded, settled

layers = tf.keras.layers
backend = tf.keras.backend
constraints = tf.keras.constraints
w = tf.constant([[3.0, -0.5], [4.0, 0.25]])
for constraint in (constraints.MaxNorm(2), constraints.NonNeg(), constraints.UnitNorm(axis=1), constraints.MinMaxNorm(1.0, 2.0, rate=0.5)):
    print(type(constraint).__name__, rounded(backend.eval(constraint(w))), constraint.get_config())
for name in ("max_norm", "non_neg", "unit_norm"):
    model = tf.keras.Sequential([layers.Dense(2, kernel_constraint=name, bias_constraint="non_neg", input_shape=(3,))])
    settled(model).compile(tf.keras.optimizers.SGD(1.0), "mse")
    model.train_on_batch(numbers(4, 3), numbers(4, 2))
    print(name, rounded(model.get_weights()))
print(rounded(backend.eval(constraints.RadialConstraint()(tf.constant(numbers(3, 3, 1, 2))))), refused(constraints.get, "least"))
