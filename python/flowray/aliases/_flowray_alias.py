"""Makes flowray importable, and what programs import mean it, in a process that has only this folder on its path: a child that
multiprocessing spawns, a program that a program starts. The packages beside it are what `import tensorflow` and its like find here."""

import os
import sys

try:
    import flowray
except ImportError:
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    import flowray

flowray.install()
