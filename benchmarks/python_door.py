"""What a step costs from Python: the linear regression of 100 points here and in TensorFlow, in turn, in one table.

    PYTHONPATH=build/release/python build/python-venv/bin/python benchmarks/python_door.py [PYTHON_WITH_TENSORFLOW]

Each program is run three times; the numbers are medians of their best of five rounds, in microseconds. The package's modules are
compiled first, as pip does when it installs them: else an import would compile them each time where Python writes no bytecode.
"""

import compileall
import importlib.util
import json
import os
import statistics
import subprocess
import sys

PROGRAM = r"""
import json, sys, time
started = time.perf_counter()
if sys.argv[1] == "flowray":
    from flowray import tf
else:
    import tensorflow.compat.v1 as tf
    tf.disable_v2_behavior(); tf.disable_resource_variables()
imported = time.perf_counter() - started
import numpy as np
xs = np.random.rand(100).astype(np.float32)
ys = xs * 0.1 + 0.3
x, y = tf.placeholder(tf.float32, [100]), tf.placeholder(tf.float32, [100])
w, b = tf.Variable(tf.random_uniform([1], -1.0, 1.0)), tf.Variable(tf.zeros([1]))
loss = tf.reduce_mean(tf.square(w * x + b - y))
train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
sess = tf.Session()
sess.run(tf.global_variables_initializer())

def best_us(function, count):
    function()
    rounds = []
    for _ in range(5):
        begin = time.perf_counter()
        for _ in range(count):
            function()
        rounds.append((time.perf_counter() - begin) / count * 1e6)
    return min(rounds)

count = 5000 if sys.argv[1] == "flowray" else 500
step = sess.make_callable(train, [x, y])
result = {
    "import (ms)": imported * 1e3,
    "a run (us)": best_us(lambda: sess.run(train, {x: xs, y: ys}), count),
    "a run that fetches the loss (us)": best_us(lambda: sess.run([train, loss], {x: xs, y: ys}), count),
    "a callable (us)": best_us(lambda: step(xs, ys), count),
    "a node (us)": best_us(lambda: tf.add(x, y), 500),
}
print(json.dumps(result))
"""


def measure(python, name):
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
    done = subprocess.run([python, "-c", PROGRAM, name], env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{name}: {done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def main(pythons):
    results = {name: [] for name in pythons}
    for _ in range(3):
        for name, python in pythons.items():
            results[name].append(measure(python, name))
    print("| |" + "".join(f" {name} |" for name in pythons) + "\n|---|" + "---|" * len(pythons))
    for row in results["flowray"][0]:
        medians = [statistics.median(result[row] for result in results[name]) for name in pythons]
        print(f"| {row} |" + "".join(f" {median:.1f} |" for median in medians))


compileall.compile_dir(os.path.dirname(importlib.util.find_spec("flowray").origin), quiet=1)
main({"flowray": sys.executable, **({"tensorflow": sys.argv[1]} if sys.argv[1:] else {})})
