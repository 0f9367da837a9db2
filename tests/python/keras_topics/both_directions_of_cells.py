"""Bidirectional of RNN with cells."""

import tensorflow.compat.v1 as tf

from keras_numbers import numbers, refused, rounded, settled

layers = tf.keras.layers
for make in (lambda: layers.Bidirectional(layers.RNN(layers.LSTMCell(2))), lambda: layers.Bidirectional(layers.RNN(layers.GRUCell(2), return_sequences=True), merge_mode="sum"),
             lambda: layers.Bidirectional(layers.RNN([layers.SimpleRNNCell(2), layers.SimpleRNNCell(3)]), merge_mode="ave")):
    inputs = tf.keras.Input((3, 4))
    layer = make()
    model = settled(tf.keras.Model(inputs, layer(inputs)))
    model.compile("sgd", "mse")
    made = model.predict(numbers(2, 3, 4))
    print(made.shape, rounded(made), rounded(model.train_on_batch(numbers(2, 3, 4), made + 1.0)), [weight.name for weight in model.weights])
    again = type(layer).from_config(layer.get_config())
    print(layer.name, layer.merge_mode, again.merge_mode, again.get_config()["layer"]["class_name"], layer.forward_layer.name, layer.backward_layer.name, layer.backward_layer.go_backwards)
print(refused(layers.Bidirectional, layers.RNN(layers.GRUCell(2)), merge_mode="other"), refused(layers.Bidirectional, "layer")[0])
