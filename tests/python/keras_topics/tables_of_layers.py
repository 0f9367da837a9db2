"""summary() in its forms."""

import tensorflow.compat.v1 as tf

layers = tf.keras.layers
model = tf.keras.Sequential([layers.Dense(30, input_shape=(10,), name="a_layer_with_a_name_that_is_long"), layers.Dropout(0.5), layers.Dense(1)], name="chain")
model.summary()
model.summary(line_length=50)
model.summary(line_length=80, positions=[0.4, 0.8, 1.0])
lines = []
model.summary(print_fn=lines.append)
print(len(lines), lines[3])
model.layers[0].trainable = False
model.summary(show_trainable=True, layer_range=["dropout", "dense"])
