"""backend: functions of each element."""

import tensorflow.compat.v1 as tf

from keras_numbers import rounded

backend = tf.keras.backend
x = backend.constant([[-1.5, 0.0, 0.25], [2.0, -0.5, 4.0]])
for name in ("abs", "square", "exp", "sign", "round", "sin", "cos", "relu", "elu", "sigmoid", "hard_sigmoid", "tanh", "softplus", "softsign", "softmax"):
    print(name, rounded(backend.eval(getattr(backend, name)(x))))
print(rounded([backend.eval(one) for one in (backend.sqrt(backend.abs(x)), backend.log(backend.abs(x) + 1.0), backend.pow(x, 3), backend.clip(x, -1, 1), backend.maximum(x, 0.5), backend.minimum(x, 0.5))]))
print([backend.eval(one).tolist() for one in (backend.equal(x, 0.0), backend.not_equal(x, 0.0), backend.greater(x, 0.0), backend.less_equal(x, 0.25))])
