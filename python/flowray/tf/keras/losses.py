"""tf.keras.losses: what a model is trained for."""

from flowray import _native
from flowray.tf import _with_python_words

_losses = _native.keras.losses
binary_crossentropy = _with_python_words(_losses.binary_crossentropy)
categorical_crossentropy = _with_python_words(_losses.categorical_crossentropy)
hinge = _with_python_words(_losses.hinge)
mean_absolute_error = mae = MAE = _with_python_words(_losses.mean_absolute_error)
mean_squared_error = mse = MSE = _with_python_words(_losses.mean_squared_error)
sparse_categorical_crossentropy = _with_python_words(_losses.sparse_categorical_crossentropy)
