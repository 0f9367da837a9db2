"""tensorflow.python.util.tf_inspect: Python's inspect, under its older names, too."""

from inspect import *  # noqa: F401,F403
from inspect import getfullargspec

getargspec = getfullargspec
