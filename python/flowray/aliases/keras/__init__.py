"""`import keras` where Python looks in this folder: flowray.tf.keras."""

import sys

import _flowray_alias  # noqa: F401: makes what follows importable
from flowray.tf import keras

sys.modules[__name__] = keras
