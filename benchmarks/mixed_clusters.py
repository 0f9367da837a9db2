"""What a step of a ps and a worker takes where one of both is TensorFlow's, beside clusters of one make, as a table.

    PYTHON_WITH_TENSORFLOW benchmarks/mixed_clusters.py [--rounds N] [--seconds S]     (FLOWRAY_BINARY: build/release/bin/flowray)

TensorFlow's own Python client is in all of them, and the worker is the master. The clusters are there all the time and are measured in
turn; the numbers are medians of the rounds in microseconds, behind them the least and the greatest.
"""

import argparse
import os
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "interop"))

from cluster_test import OURS, THEIRS, Cluster  # noqa: E402
from tensorflow_client import tf  # noqa: E402

MIXTURES = ((THEIRS, THEIRS), (OURS, THEIRS), (THEIRS, OURS), (OURS, OURS))  # ps, worker
LARGE = 25 << 20  # elements: 100 MiB of float32
PS, WORKER = "/job:ps/task:0", "/job:worker/task:0"


def adagrad_step():
    with tf.device(PS):
        weight, bias = tf.Variable(0.0), tf.Variable(0.0)
    with tf.device(WORKER):
        x, y = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
        train = tf.train.AdagradOptimizer(0.1).minimize(tf.square(y - x * weight - bias))
    return train, {x: 0.5, y: 11.0}


def large_value(source, destination):
    with tf.device(source):
        value = tf.Variable(tf.zeros([LARGE]))
    with tf.device(destination):
        return value[LARGE - 1], {}


ROWS = {
    "Adagrad step of two scalars": adagrad_step,
    "100 MB, ps to worker": lambda: large_value(PS, WORKER),
    "100 MB, worker to ps": lambda: large_value(WORKER, PS),
}


class Measured:
    """One row on one cluster."""

    def __init__(self, cluster, build):
        with tf.Graph().as_default():
            self.session = tf.Session(cluster.target())
            self.fetch, self.feeds = build()
            self.session.run(tf.global_variables_initializer())
        for _ in range(5):
            self.session.run(self.fetch, self.feeds)

    def microseconds(self, seconds):
        begin, steps = time.perf_counter(), 0
        while steps < 3 or time.perf_counter() - begin < seconds:
            self.session.run(self.fetch, self.feeds)
            steps += 1
        return (time.perf_counter() - begin) / steps * 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1, help="of each measurement")
    options = parser.parse_args()
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.2f}; {options.rounds} rounds of {options.seconds:g} s\n")
    print("| step | " + " | ".join(f"ps {ps}, worker {worker}" for ps, worker in MIXTURES) + " |\n|---" + "|---" * len(MIXTURES) + "|")
    clusters = [Cluster({"ps": [ps], "worker": [worker]}) for ps, worker in MIXTURES]
    try:
        for name, build in ROWS.items():
            rows = [Measured(cluster, build) for cluster in clusters]
            rounds = [[row.microseconds(options.seconds) for row in rows] for _ in range(options.rounds)]
            cells = [f"{statistics.median(times):,.0f} ({min(times):,.0f} to {max(times):,.0f})" for times in zip(*rounds)]
            print(f"| {name} | {' | '.join(cells)} |", flush=True)
            for row in rows:
                row.session.close()
            for cluster in clusters:
                tf.Session.reset(cluster.target())
    finally:
        for cluster in clusters:
            cluster.end()


if __name__ == "__main__":
    main()
