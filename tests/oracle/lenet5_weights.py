"""Weights of LeNet-5 from a formula that C++ repeats exactly; see tests/golden/README.md. Needs numpy only."""

import numpy as np

# name, shape, fan in, fan out; the place in this list (plus the first seed) is the formula's seed
LENET5 = [
    ("w_conv1", (5, 5, 1, 6), 25, 150),
    ("w_conv2", (5, 5, 6, 16), 150, 400),
    ("w_fc1", (400, 120), 400, 120),
    ("b1", (120,), 120, 120),
    ("w_fc2", (120, 10), 120, 10),
    ("b2", (10,), 10, 10),
]


def formula_weights(shape, fan_in, fan_out, seed):
    """Computed in double, rounded to float32 (for float64 trainings as well)."""
    index = np.arange(int(np.prod(shape)), dtype=np.int64)
    unit = ((index * 7919 + seed * 104729) % 10007) / 10007.0 * 2 - 1
    return (unit * np.sqrt(6.0 / (fan_in + fan_out))).astype(np.float32).reshape(shape)


def lenet5(first_seed=0):
    """All weights by name, in the order of the network."""
    return {name: formula_weights(shape, *fans, first_seed + i) for i, (name, shape, *fans) in enumerate(LENET5)}
