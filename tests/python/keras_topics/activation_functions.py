"""Each activation by its name."""

import tensorflow.compat.v1 as tf

from keras_numbers import refused, rounded

backend = tf.keras.backend
activations = tf.keras.activations
x = tf.constant([[-2.0, -0.5, 0.0, 0.3, 4.0]])
for name in ("linear", "relu", "elu", "selu", "softplus", "softsign", "tanh", "sigmoid", "hard_sigmoid", "exponential", "swish", "softmax"):
    function = activations.get(name)
    print(name, rounded(backend.eval(function(x))), activations.serialize(function), rounded(backend.eval(tf.gradients(function(x), x)[0])))
print(rounded(backend.eval(activations.relu(x, alpha=0.2, max_value=0.2, threshold=0.1))), activations.get(None) is activations.linear)
print(rounded(backend.eval(activations.elu(x, alpha=0.3))), refused(activations.get, "no such"), refused(activations.softmax, tf.constant([1.0])))
