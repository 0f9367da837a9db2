"""Attention of several heads as a layer of the program's, with places and a feed-forward part."""

import numpy as np
import tensorflow.compat.v1 as tf

from keras_numbers import rounded, settled

layers = tf.keras.layers
backend = tf.keras.backend
optimizers = tf.keras.optimizers
class Heads(layers.Layer):
    def __init__(self, count, **options):
        super().__init__(**options)
        self.count = count

    def build(self, input_shape):
        width = int(input_shape[-1])
        self.parts = [self.add_weight(name, (width, width), initializer="identity") for name in ("query", "key", "value", "out")]
        super().build(input_shape)

    def split(self, x):
        return tf.transpose(tf.reshape(x, (-1, x.shape[1], self.count, x.shape[2] // self.count)), (0, 2, 1, 3))

    def call(self, x):
        q, k, v = (self.split(backend.dot(x, part)) for part in self.parts[:3])
        scores = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) / float(q.shape.as_list()[-1]) ** 0.5)
        return backend.dot(tf.reshape(tf.transpose(tf.matmul(scores, v), (0, 2, 1, 3)), (-1, x.shape[1], x.shape[2])), self.parts[3])


inputs = tf.keras.Input((5,), dtype="int32")
h = layers.Embedding(7, 4)(inputs)
h = layers.LayerNormalization()(layers.add([h, Heads(2)(h)]))
h = layers.LayerNormalization()(layers.add([h, layers.Dense(4)(layers.Dense(8, activation="relu")(h))]))
model = settled(tf.keras.Model(inputs, layers.Dense(1, activation="sigmoid")(layers.GlobalAveragePooling1D()(h))))
model.compile(optimizers.Adam(0.01), "binary_crossentropy", metrics=["acc"])
print(model.count_params(), rounded(model.fit(np.arange(30).reshape(6, 5) % 7, np.arange(6) % 2, epochs=2, batch_size=3, shuffle=False, verbose=0).history))
