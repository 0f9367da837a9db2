"""Several cells as one, whose states come back."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, rounded, settled

layers = tf.keras.layers
inputs = tf.keras.Input((3, 2))
layer = layers.RNN([layers.LSTMCell(2), layers.GRUCell(3)], return_state=True)
model = settled(tf.keras.Model(inputs, layer(inputs)))
print([(one.shape, rounded(one)) for one in model.predict(numbers(2, 3, 2))])
stacked = layers.StackedRNNCells([layers.SimpleRNNCell(2), layers.SimpleRNNCell(1)])
print(stacked.state_size, stacked.output_size, [cell["class_name"] for cell in stacked.get_config()["cells"]], model.count_params())
