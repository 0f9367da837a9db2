"""How much longer examples/python/lenet_actors.py takes than flowray-lenet, which does the same work: in turn, in one table.

    PYTHONPATH=build/release/python build/python-venv/bin/python benchmarks/lenet_from_python.py [--rounds 5] [--steps 1000]

From the start of a process to its end. The side that begins alternates; that both print the same losses and accuracies is looked at each time.
"""

import argparse
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def run(command):
    """(seconds, the numbers that it printed)"""
    start = time.perf_counter()
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return time.perf_counter() - start, re.findall(r"(?:loss|accuracy) \S+", said)


def main():
    parser = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=1000)
    flags = parser.parse_args()
    steps = ["--steps", str(flags.steps)]
    commands = {"Python": [sys.executable, "-m", "flowray", str(ROOT / "examples" / "python" / "lenet_actors.py"), *steps],
                "C++": [str(ROOT / "build" / "release" / "bin" / "flowray-lenet"), *steps]}
    rounds = []
    print(f"{'round':>6} {'Python, s':>10} {'C++, s':>8} {'ratio':>6}")
    for number in range(1, flags.rounds + 1):
        took = {name: run(commands[name]) for name in sorted(commands, reverse=number % 2 == 0)}
        (python, printed), (cpp, also_printed) = took["Python"], took["C++"]
        if printed != also_printed:
            raise SystemExit(f"they print other numbers: {printed}, {also_printed}")
        rounds.append((python, cpp, python / cpp))
        print(f"{number:>6} %10.2f %8.2f %6.2f" % rounds[-1], flush=True)
    print("median %10.2f %8.2f %6.2f" % tuple(statistics.median(column) for column in zip(*rounds)))


if __name__ == "__main__":
    main()
