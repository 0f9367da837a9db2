"""build() of layers that are not called yet."""

import tensorflow.compat.v1 as tf

from keras_numbers import rounded

layers = tf.keras.layers
backend = tf.keras.backend
for layer, shape in ((layers.Dense(2), (None, 3)), (layers.Conv2D(2, 3), (None, 5, 5, 1)), (layers.LSTM(2), (None, 4, 3)), (layers.BatchNormalization(fused=False), (None, 3)), (layers.Embedding(4, 2), (None, 3)),
                     (layers.PReLU(), (None, 3)), (layers.SeparableConv2D(2, 2), (None, 4, 4, 2)), (layers.Flatten(), (None, 2, 2))):
    before = layer.built
    layer.build(shape)
    print(type(layer).__name__, before, layer.built, layer.count_params(), [weight.shape.as_list() for weight in layer.weights])
dense = layers.Dense(2, kernel_initializer="ones")
dense.build((None, 3))
print(rounded(backend.eval(dense(tf.ones((1, 3))))), len(dense.trainable_weights), dense.get_weights()[0].shape)
