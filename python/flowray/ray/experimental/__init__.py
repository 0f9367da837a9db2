"""ray.experimental: what joins Ray and TensorFlow."""

from flowray.ray.experimental import tf_utils
from flowray.ray.experimental.tf_utils import TensorFlowVariables

__all__ = ["TensorFlowVariables", "tf_utils"]
