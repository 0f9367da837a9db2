from flowray.ray.experimental import tf_utils as tf_utils
from flowray.ray.experimental.tf_utils import TensorFlowVariables as TensorFlowVariables
