"""Records the graphs that calls of python_calls/ make, each as it is, with name='given', and of Python's own values:
tests/golden/python_calls/MODULE.txt.

    python tests/oracle/record_python_calls.py [WORD ...]     # WORD: only modules whose name contains one
"""

import os
import sys

import python_calls
from listing import listing
from tensorflow_v1 import GOLDEN, tf, write_if_changed


def flat(result):
    """The names of what a function gives."""
    if isinstance(result, (list, tuple)):
        return [name for item in result for name in flat(item)]
    return [getattr(result, "name", str(result))]


def graph_of(call, literal=False):
    """What it gives, and the nodes that it makes. None where TensorFlow refuses Python's own values."""
    with tf.Graph().as_default() as graph:
        arguments = python_calls.make_arguments(tf, call, literal)
        before = len(graph.get_operations())
        try:
            result = eval(call, {"tf": tf, **arguments})
        except Exception as error:  # whatever refuses them
            if not literal and "name=" not in call:
                print(call, type(error).__name__, str(error).splitlines()[0], file=sys.stderr)
            return None
        lines = [line for line in listing(graph).splitlines()[before:] if " = " in line]
        return "\n".join(["=> " + " ".join(flat(result))] + lines)


def main(words):
    texts = {}
    for module, call in python_calls.calls():
        if words and not any(word in module for word in words):
            continue
        variants = [(call, call, False)]
        if python_calls.endpoint(call) not in python_calls.WITH_LOST_NAMES:
            variants.append((python_calls.with_name(call), python_calls.with_name(call), False))
        if python_calls.has_literals(call):
            variants.append(("values: " + call, call, True))
        for title, text, literal in variants:
            made = graph_of(text, literal)
            if made is not None:
                texts.setdefault(module, []).append(f"> {title}\n{made}\n")
    for module, parts in texts.items():
        path = os.path.join(GOLDEN, "python_calls", module + ".txt")
        if write_if_changed(path, "".join(parts)):
            print(path)


main(sys.argv[1:])
