"""`import ray` where Python looks in this folder: flowray.ray."""

import sys

import _flowray_alias  # noqa: F401: makes what follows importable
from flowray import ray

sys.modules[__name__] = ray
