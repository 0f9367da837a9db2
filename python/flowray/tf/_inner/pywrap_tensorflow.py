"""tensorflow.python.pywrap_tensorflow: what reads checkpoints."""

from flowray._native import CheckpointReader

NewCheckpointReader = CheckpointReader
