#!/usr/bin/env python3
"""Records which ops TensorFlow has gradient functions for, as tests/golden/gradient_registry.tsv.

Usage: record_gradient_registry.py

A line is an op, a tab, and "gradient", or "not differentiable" where TensorFlow stops without an error. Ops that TensorFlow
says nothing of are left out: to differentiate them is an error.
"""

import os

from tensorflow_v1 import GOLDEN, write_if_changed
from tensorflow.python.framework import ops


def main():
    registered = ops.gradient_registry
    lines = [f"{op}\t{'not differentiable' if registered.lookup(op) is None else 'gradient'}\n" for op in sorted(registered.list())]
    if write_if_changed(os.path.join(GOLDEN, "gradient_registry.tsv"), "".join(lines)):
        print("gradient_registry.tsv")


if __name__ == "__main__":
    main()
