"""weights= of layers, as programs give them for words' vectors that are known."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded

layers = tf.keras.layers
matrix = numbers(4, 2)
model = tf.keras.Sequential([layers.Embedding(4, 2, weights=[matrix], input_length=3, trainable=False), layers.Flatten(), layers.Dense(1, weights=[numbers(6, 1), np.ones(1)])])
model.compile("sgd", "mse")
print(rounded(model.predict(np.array([[0, 1, 3]]))), rounded(model.train_on_batch(np.array([[0, 1, 3]]), np.ones((1, 1)))), np.allclose(model.layers[0].get_weights()[0], matrix))
for make, shapes, shape in ((lambda w: layers.Conv2D(2, 2, weights=w), [(2, 2, 1, 2), (2,)], (3, 3, 1)), (lambda w: layers.LSTM(2, weights=w), [(3, 8), (2, 8), (8,)], (4, 3)),
                            (lambda w: layers.GRU(2, use_bias=False, weights=w), [(3, 6), (2, 6)], (4, 3)), (lambda w: layers.BatchNormalization(scale=False, weights=w), [(3,), (3,), (3,)], (3,)),
                            (lambda w: layers.Dense(2, use_bias=False, weights=w), [(3, 2)], (3,)), (lambda w: layers.DepthwiseConv2D(2, weights=w), [(2, 2, 1, 1), (1,)], (3, 3, 1))):
    given = [numbers(*one) + 0.1 for one in shapes]
    inputs = tf.keras.Input(shape)
    layer = make(given)
    model = tf.keras.Model(inputs, layer(inputs))
    print(layer.name, [np.allclose(one, other) for one, other in zip(layer.get_weights(), given)], "weights" in layer.get_config(), rounded(model.predict(numbers(1, *shape)).ravel()[:3]))
