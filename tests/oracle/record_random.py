#!/usr/bin/env python3
"""Records the random numbers that real TensorFlow's stateful operations make, as tests/golden/random.txt.

Usage: record_random.py   prints the name of the file if it changed.

A line is one run of one operation; an operation's lines follow each other in the order of its runs in one session:

    distribution dtype seed seed2 least limit size run weighted total index:bits ...

`least` and `limit` are those of uniform_int, "-" elsewhere. `weighted` is the sum of (index + 1) * bits over all numbers,
modulo 2^64, which tells any changed or exchanged number; `total` is the sum of the numbers as float64 ("-" for integers).
The rest are some of the numbers as hexadecimal bit patterns.
"""

import math
import os

from tensorflow.python.ops import gen_random_ops

from tensorflow_v1 import GOLDEN, np, tf, write_if_changed

SIZES = (1, 5, 1000, 100000)
SEEDS = ((7, 11),)
MORE_SEEDS = ((87654321, 3), (-5, (1 << 33) + 1), (0, 1), (1 << 40, 0))
RUNS = 3
FLOATS = (tf.float32, tf.float64, tf.float16, tf.bfloat16)
RANGES = {
    tf.int32: ((-5, 1000003), (0, 10), (-(2**31), 2**31 - 1)),
    tf.int64: ((-5, 1 << 62), (0, 3), (-(2**63), 2**63 - 1)),
}
BITS = {2: np.uint16, 4: np.uint32, 8: np.uint64}
OPS = {
    "uniform": gen_random_ops.random_uniform,
    "normal": gen_random_ops.random_standard_normal,
    "truncated_normal": gen_random_ops.truncated_normal,
}


def describe(numbers):
    bits = numbers.view(BITS[numbers.dtype.itemsize]).astype(np.uint64)
    weights = np.arange(1, bits.size + 1, dtype=np.uint64)
    weighted = int((weights * bits).sum(dtype=np.uint64))
    is_integer = numbers.dtype.kind == "i"
    total = "-" if is_integer else math.fsum(numbers.astype(np.float64)).hex()
    chosen = sorted({i for i in (0, 1, 2, 3, 4, 5, 6, 7, 63, 255, 511, bits.size // 2, bits.size - 1) if i < bits.size})
    return " ".join([f"{weighted:016x}", total] + [f"{i}:{int(bits[i]):x}" for i in chosen])


def lines_of(head, make, seed, seed2, size):
    """Runs an operation RUNS times in a session of its own."""
    with tf.Graph().as_default(), tf.Session() as session:
        output = make([size], seed, seed2)
        return [f"{head} {size} {run} {describe(session.run(output))}" for run in range(RUNS)]


def record():
    cases = [(*seeds, size) for seeds in SEEDS for size in SIZES] + [(*seeds, 1000) for seeds in MORE_SEEDS]
    lines = []
    for seed, seed2, size in cases:
        for name, op in OPS.items():
            for dtype in FLOATS:
                head = f"{name} {dtype.name} {seed} {seed2} - -"
                lines += lines_of(head, lambda s, a, b: op(s, dtype, seed=a, seed2=b), seed, seed2, size)
        for dtype, ranges in RANGES.items():
            for least, limit in ranges:
                head = f"uniform_int {dtype.name} {seed} {seed2} {least} {limit}"

                def make(shape, a, b):
                    return gen_random_ops.random_uniform_int(
                        shape, tf.constant(least, dtype), tf.constant(limit, dtype), seed=a, seed2=b
                    )

                lines += lines_of(head, make, seed, seed2, size)
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    path = os.path.join(GOLDEN, "random.txt")
    if write_if_changed(path, record()):
        print(os.path.basename(path))
