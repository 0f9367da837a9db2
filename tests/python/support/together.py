"""Runs small programs one after the other in this process, each in a graph of its own, and says whose output is whose."""

import contextlib
import io
import os
import runpy
import sys
import tempfile
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import tensorflow.compat.v1 as tf  # noqa: E402

if sys.argv[1] == "eager":
    tf.enable_eager_execution()
else:
    tf.disable_v2_behavior()
paths = [os.path.abspath(path) for path in sys.argv[2:]]
with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    for path in paths:
        tf.keras.backend.clear_session()
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            try:
                runpy.run_path(path)
            except Exception:  # noqa: BLE001: the others run on
                traceback.print_exc()
                print("ended early:", sys.exc_info()[0].__name__)
        print("#", os.path.basename(path))
        print(printed.getvalue(), end="", flush=True)
    os.chdir("/")
