"""`import tensorflow` where Python looks in this folder: flowray.tf."""

import sys

import _flowray_alias  # noqa: F401: makes what follows importable
from flowray import tf

sys.modules[__name__] = tf
