"""The real TensorFlow, set up the way every recorder of this folder uses it.

TensorFlow 2.21's compat.v1: graphs and sessions, reference variables (VariableV2), tf_keras for tf.layers, CPU only.
Import it as `from tensorflow_v1 import np, tf`.
"""

import os
import sys
import warnings

os.environ["TF_USE_LEGACY_KERAS"] = "1"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")  # the plain kernels: their values and errors are those of the op
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"

import numpy as np  # noqa: E402
import tensorflow.compat.v1 as tf  # noqa: E402
from tensorflow.python.framework import function  # noqa: E402,F401
from tensorflow.python.ops import lookup_ops  # noqa: E402,F401
from tensorflow.python.util import deprecation  # noqa: E402

if not tf.__version__.startswith("2.21."):
    sys.exit(f"tensorflow is {tf.__version__}; the recorded facts are those of 2.21: install tensorflow-cpu==2.21.*")

tf.disable_v2_behavior()
tf.disable_resource_variables()
tf.logging.set_verbosity(tf.logging.ERROR)
deprecation._PRINT_DEPRECATION_WARNINGS = False
np.seterr(all="ignore")
warnings.filterwarnings("ignore", message=".*is deprecated and will be removed")

GOLDEN = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "golden")


def write_if_changed(path, text):
    """Writes `text` to `path`, but leaves an equal file's time stamp alone. Returns whether it wrote."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return False
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return True
