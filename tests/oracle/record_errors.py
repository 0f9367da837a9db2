#!/usr/bin/env python3
"""Records which errors real TensorFlow raises for the wrong uses in misuses/, as tests/golden/errors.txt, and for those in
python_misuses/, as tests/golden/python_errors.txt.

Usage: record_errors.py [WORD...]   with words: prints the lines of the matching cases and writes nothing.
The format is in tests/golden/README.md.
"""

import importlib
import os
import pkgutil
import re
import sys

import misuses
import python_misuses
from tensorflow_v1 import GOLDEN, tf, write_if_changed

HEAD = "# case | exception class | code | first line of the message (see README.md)\n"
CODES = {value: name for name, value in vars(tf.errors).items() if name.isupper() and isinstance(value, int)}


def clean(message):
    """The first line of what TensorFlow's core says, without Python's wrapping and what differs from run to run."""
    message = message.removeprefix("Graph execution error:\n\n")
    if message.startswith("Detected at node"):
        message = re.split(r"\nNode: '.*'\n", message)[-1]
    line = message.split("\n")[0].strip()
    line = re.sub(r" config: goo.gle/debug.*", "", line)  # random spaces in there
    return re.sub(r"0x[0-9a-f]+", "0x0", line)


def line_of(name, function):
    try:
        with tf.Graph().as_default():
            function()
    except Exception as error:  # whatever class: it is what is recorded
        code = f"{error.error_code} {CODES[error.error_code]}" if isinstance(error, tf.errors.OpError) else "-"
        message = error.message if isinstance(error, tf.errors.OpError) else str(error)
        if isinstance(error, KeyError):
            message = str(error.args[0])
        return f"{name} | {type(error).__name__} | {code} | {clean(message)}"
    return f"{name} | none | - |"


def record(package, file, words):
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(package.__name__ + "." + module.name)
    names = sorted(name for name in package.MISUSES if not words or any(word in name for word in words))
    lines = [line_of(name, package.MISUSES[name]) for name in names]
    if words:
        print("\n".join(lines))
    elif write_if_changed(os.path.join(GOLDEN, file), HEAD + "\n".join(lines) + "\n"):
        print(file)


def main(words):
    record(misuses, "errors.txt", words)
    record(python_misuses, "python_errors.txt", words)


if __name__ == "__main__":
    main(sys.argv[1:])
