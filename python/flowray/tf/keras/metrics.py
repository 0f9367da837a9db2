"""tf.keras.metrics: what a model is judged by."""

from flowray import _native
from flowray.tf import _with_python_words
from flowray.tf.keras.losses import mean_absolute_error, mean_squared_error  # noqa: F401: metrics, too

_metrics = _native.keras.metrics
binary_accuracy = _with_python_words(_metrics.binary_accuracy)
categorical_accuracy = _with_python_words(_metrics.categorical_accuracy)
sparse_categorical_accuracy = _with_python_words(_metrics.sparse_categorical_accuracy)
