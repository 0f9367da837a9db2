"""Writes what tf_keras prints for the programs of tests/python/keras_topics and eager_topics into the recorded.txt beside them. Run it by a Python
that has TensorFlow 2.21 and tf_keras:

    tests/oracle/record_keras_topics.py            # all of them
"""

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent / "python"
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1", "TF_ENABLE_ONEDNN_OPTS": "0", "TF_USE_LEGACY_KERAS": "1"}

for folder, mode in (("keras_topics", "graphs"), ("eager_topics", "eager")):
    programs = sorted(str(path) for path in (TESTS / folder).glob("*.py"))
    made = subprocess.run([sys.executable, str(TESTS / "support" / "together.py"), mode, *programs], env={**os.environ, **QUIET}, check=True,
                          capture_output=True, text=True)
    if "ended early" in made.stdout:
        raise SystemExit("a program of %s ended early:\n%s" % (folder, made.stderr))
    (TESTS / folder / "recorded.txt").write_text(made.stdout)
