"""tf.keras.optimizers: rules with tf.keras' rates."""

from flowray import _native
from flowray.tf import _with_python_words

_optimizers = _native.keras.optimizers
Adagrad = _with_python_words(_optimizers.Adagrad)
Adam = _with_python_words(_optimizers.Adam)
RMSprop = _with_python_words(_optimizers.RMSprop)
SGD = _with_python_words(_optimizers.SGD)
