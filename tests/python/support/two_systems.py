"""Where the real TensorFlow and Ray are, and what a program prints that they or we run."""

import os
import re
import subprocess
import sys
from pathlib import Path

PYTHON_TESTS = Path(__file__).resolve().parent.parent
ROOT = PYTHON_TESTS.parent.parent
TENSORFLOW = os.environ.get("FLOWRAY_ORACLE_PYTHON") or str(ROOT / "build" / "interop-venv" / "bin" / "python")
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1", "TF_ENABLE_ONEDNN_OPTS": "0", "TF_USE_LEGACY_KERAS": "1"}
RAY = os.environ.get("FLOWRAY_COMPARE_VENV") or str(ROOT / "build" / "compare-venv")


def output_of(command, timeout=200, **options):
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False, env={**os.environ, **QUIET}, **options)
    if done.returncode != 0:
        raise AssertionError(done.stdout + done.stderr)
    return done.stdout


FRACTION = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?")


def check_same_but_for_rounding(test, ours, theirs):
    """What two systems print of the same training: the same words and whole numbers, and fractions that are as near as two orders of
    adding leave them, which another processor may choose."""
    near = len(FRACTION.findall(ours)) == len(FRACTION.findall(theirs)) and all(
        abs(float(one) - float(other)) <= 5e-4 + 5e-4 * abs(float(other))
        for one, other in zip(FRACTION.findall(ours), FRACTION.findall(theirs)))
    if not near or FRACTION.sub("#", ours) != FRACTION.sub("#", theirs):
        test.assertEqual(ours, theirs)


def has_module(python, module):
    asked = f"import sys, importlib.util as u; print(sys.version_info[:2], u.find_spec({module!r}) is not None)"
    try:
        return output_of([python, "-c", asked]) == f"{sys.version_info[:2]} True\n"
    except (OSError, AssertionError):
        return False


def has_tensorflow():
    return has_module(TENSORFLOW, "tensorflow")
