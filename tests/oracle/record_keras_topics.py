"""Writes what tf_keras prints for the programs of tests/python/keras_topics and eager_topics into the recorded.txt beside them. Run it by a Python
that has TensorFlow 2.21 and tf_keras:

    tests/oracle/record_keras_topics.py                     # all of them
    tests/oracle/record_keras_topics.py dense_layers tapes  # these
"""

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent / "python"
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1", "TF_ENABLE_ONEDNN_OPTS": "0", "TF_USE_LEGACY_KERAS": "1"}


def sections(text):
    """{name of a program: what it printed}"""
    return dict(part.split("\n", 1) for part in ("\n" + text).split("\n# ")[1:])


for folder, mode in (("keras_topics", "graphs"), ("eager_topics", "eager")):
    everything = sorted(path.stem for path in (TESTS / folder).glob("*.py"))
    chosen = [name for name in everything if name in sys.argv[1:] or not sys.argv[1:]]
    if not chosen:
        continue
    made = subprocess.run([sys.executable, str(TESTS / "support" / "together.py"), mode, *(str(TESTS / folder / (name + ".py")) for name in chosen)],
                          env={**os.environ, **QUIET}, check=True, capture_output=True, text=True)
    if "ended early" in made.stdout:
        raise SystemExit("a program of %s ended early:\n%s" % (folder, made.stderr))
    recorded = TESTS / folder / "recorded.txt"
    printed = {**(sections(recorded.read_text()) if recorded.exists() else {}), **sections(made.stdout)}
    parts = ("# %s.py\n%s" % (name, printed[name + ".py"].rstrip("\n") + "\n") for name in everything if name + ".py" in printed)
    recorded.write_text("".join(parts))
