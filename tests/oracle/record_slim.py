"""Writes what tf_slim prints for the programs of tests/python/programs_of_1_15 that import it (slim_*.py) into tests/golden/contrib. tf_slim is
tf.contrib.layers, framework and slim of TensorFlow 1.15, released apart. Run it by a Python that has TensorFlow 2.21 and finds tf_slim 1.1.0:

    pip install --no-deps --target FOLDER tf-slim==1.1.0
    PYTHONPATH=FOLDER tests/oracle/record_slim.py
"""

import os
import runpy
import subprocess
import sys
import types
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1", "TF_ENABLE_ONEDNN_OPTS": "0", "TF_USE_LEGACY_KERAS": "1"}


def give_what_is_gone():
    """tf_slim 1.1.0 looks for names that TensorFlow has moved since."""
    import tensorflow.compat.v1 as tf
    from tensorflow.python.framework import ops
    from tensorflow.python.ops import control_flow_ops
    ops.Tensor, ops.IndexedSlices, control_flow_ops.cond = tf.Tensor, tf.IndexedSlices, tf.cond
    outer, inner = types.ModuleType("tf_keras.legacy_tf_layers"), types.ModuleType("tf_keras.legacy_tf_layers.normalization")
    outer.__path__, inner.BatchNormalization = [], tf.layers.BatchNormalization
    sys.modules.update({module.__name__: module for module in (outer, inner)})


if len(sys.argv) > 1:
    give_what_is_gone()
    runpy.run_path(sys.argv[1], run_name="__main__")
else:
    for program in sorted((TESTS / "python" / "programs_of_1_15").glob("slim_*.py")):
        made = subprocess.run([sys.executable, __file__, str(program)], env={**os.environ, **QUIET}, check=True, capture_output=True, text=True)
        (TESTS / "golden" / "contrib" / (program.stem + ".txt")).write_text(made.stdout)
