"""Attributes of layers and models."""

import tensorflow.compat.v1 as tf

layers = tf.keras.layers
inputs = tf.keras.Input((5, 4))
layer = layers.Dense(3, activation="relu", kernel_regularizer="l1", name="d")
outputs = layer(inputs)
model = tf.keras.Model(inputs, layers.Concatenate(name="c")([outputs, layers.Dense(3, name="b")(outputs)]))
print(layer.units, layer.activation.__name__, layer.use_bias, layer.input_shape, layer.output_shape, layer.input_spec, layer.built, layer.trainable, layer.dtype)
print([(node.outbound_layer.name, node.input_shapes, node.output_shapes) for node in layer.inbound_nodes], layer.input_mask, layer.output_mask, layer.stateful)
print(layer.kernel.shape.as_list(), layer.bias.name, len(layer.losses), len(layer.updates), layer.get_input_at(0) is not None, layer.get_output_shape_at(0))
print(layer.compute_output_signature(tf.TensorSpec((None, 5, 4), tf.float32)).shape.as_list(), model.get_losses_for(None) is not None, model.stateful)
print([type(layers.Conv2D(2, 3).kernel_initializer).__name__, layers.Conv2D(2, 3).kernel_size, layers.MaxPooling2D().strides, layers.LSTM(3).units, layers.Dropout(0.5).rate])
for make, shape in ((lambda: layers.Conv2D(2, 2), (5, 5, 3)), (lambda: layers.LSTM(2), (4, 3)), (lambda: layers.BatchNormalization(), (4, 3)), (lambda: layers.Flatten(), (4, 3)), (lambda: layers.Dropout(0.5), (3,))):
    layer = make()
    kept = layer(tf.keras.Input(shape))
    print(layer.name, layer.input_spec)
