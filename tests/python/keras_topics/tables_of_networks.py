"""summary() of functional models with connections, and of models in models."""

import tensorflow.compat.v1 as tf

from keras_numbers import refused

layers = tf.keras.layers
a, b = tf.keras.Input((3,), name="a"), tf.keras.Input((3,), name="b")
inner = tf.keras.Sequential([layers.Dense(4, input_shape=(3,)), layers.Dense(2)], name="inner")
model = tf.keras.Model([a, b], layers.Dense(1)(layers.Concatenate()([inner(a), layers.Dense(2)(b)])), name="outer")
model.summary()
model.summary(line_length=70)
model.summary(expand_nested=True, show_trainable=True)
tf.keras.Model(a, layers.Dense(1)(inner(a)), name="nested").summary(expand_nested=True, line_length=60)
print(refused(model.summary, layer_range=["x", "y"]), refused(tf.keras.Sequential([layers.Dense(1)]).summary))
