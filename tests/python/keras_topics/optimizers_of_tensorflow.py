"""tf.train's optimizers in compile."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
for optimizer in (tf.train.GradientDescentOptimizer(0.1), tf.train.MomentumOptimizer(0.1, 0.9), tf.train.AdamOptimizer(0.1), tf.train.RMSPropOptimizer(0.01), tf.train.AdagradOptimizer(0.1),
                  tf.train.AdadeltaOptimizer(1.0), tf.train.FtrlOptimizer(0.1), tf.train.ProximalGradientDescentOptimizer(0.1)):
    model = settled(tf.keras.Sequential([layers.Dense(2, input_shape=(3,))]))
    model.compile(optimizer, "mse", metrics=["mae"])
    print(type(optimizer).__name__, rounded([model.train_on_batch(numbers(4, 3), numbers(4, 2)) for _ in range(3)]))
