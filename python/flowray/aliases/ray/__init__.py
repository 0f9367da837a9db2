"""`import ray` where Python looks in this folder: flowray.ray. Processes that know nothing of `python -m flowray` - children that
multiprocessing spawns, programs that a program starts - have it on their path instead."""

import os
import sys

try:
    import flowray
except ImportError:  # only this folder is on the path
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))))
    import flowray

flowray.install()
from flowray import ray  # noqa: E402

sys.modules[__name__] = ray
