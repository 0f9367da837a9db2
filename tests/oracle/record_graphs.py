#!/usr/bin/env python3
"""Records the graphs that real TensorFlow builds for the programs in programs/, as tests/golden/graphs/<program>.txt.

Usage: record_graphs.py [WORD...]   only programs whose name contains one of the words; prints the names it wrote.
The format is in tests/golden/README.md.
"""

import importlib
import os
import pkgutil
import sys
import traceback

import programs
from listing import listing
from tensorflow_v1 import GOLDEN, tf, write_if_changed

FOLDER = os.path.join(GOLDEN, "graphs")


def record(name):
    """Returns whether the program could be built."""
    with tf.Graph().as_default() as graph:
        try:
            programs.PROGRAMS[name]()
        except Exception as error:  # one bad program must not hide the others
            print(f"{name} FAILED: {type(error).__name__}: {error}")
            traceback.print_exc(limit=-3)
            return False
        text = listing(graph)
    if write_if_changed(os.path.join(FOLDER, name + ".txt"), text):
        print(name)
    return True


def remove_stale():
    for file in os.listdir(FOLDER):
        if file.endswith(".txt") and file[:-4] not in programs.PROGRAMS:
            os.remove(os.path.join(FOLDER, file))
            print("removed", file[:-4])


def main(words):
    for module in pkgutil.iter_modules(programs.__path__):
        importlib.import_module("programs." + module.name)
    os.makedirs(FOLDER, exist_ok=True)
    chosen = [name for name in sorted(programs.PROGRAMS) if not words or any(word in name for word in words)]
    built = [record(name) for name in chosen]
    if not words:
        remove_stale()
    return 0 if chosen and all(built) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
