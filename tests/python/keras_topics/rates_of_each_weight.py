"""RMSprop, Adagrad, Adadelta and Ftrl."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
optimizers = tf.keras.optimizers
for optimizer in (optimizers.RMSprop(0.01), optimizers.RMSprop(0.01, rho=0.5, momentum=0.5, centered=True), optimizers.Adagrad(0.1, initial_accumulator_value=0.5),
                  optimizers.Adadelta(1.0), optimizers.Ftrl(0.1, l1_regularization_strength=0.01), optimizers.Ftrl(0.1, l2_regularization_strength=0.1)):
    model = settled(tf.keras.Sequential([layers.Dense(2, input_shape=(3,))]))
    model.compile(optimizer, "mse")
    print(type(optimizer).__name__, rounded([model.train_on_batch(numbers(4, 3), numbers(4, 2)) for _ in range(4)], 4), [w.name for w in optimizer.weights][1:3])
