"""clipnorm and clipvalue."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, refused, rounded, settled

layers = tf.keras.layers
optimizers = tf.keras.optimizers
for options in ({"clipnorm": 0.1}, {"clipvalue": 0.05}, {"clipnorm": 100.0}):
    model = settled(tf.keras.Sequential([layers.Dense(2, input_shape=(3,))]))
    model.compile(optimizers.SGD(1.0, **options), "mse")
    print(options, rounded([model.train_on_batch(numbers(4, 3), 5 * numbers(4, 2)) for _ in range(3)], 4))
print(refused(optimizers.SGD, clipnorm=-1.0), refused(optimizers.SGD, no_such=1))
