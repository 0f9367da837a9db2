#!/usr/bin/env python3
"""Records what optimizers of real TensorFlow make of an embedding of which some rows are gathered, as
tests/golden/training/sparse.json: for each optimizer the embedding after each of five steps, in float64.

The embedding is [6, 2], element i is i / 10 - 0.5. A step gathers rows `ids` (one of them twice), and rows 4 and 1 in another
gathering; the loss is sum((rows - 0.3) ** 2) + sum(others ** 3).

Usage: record_sparse_training.py
"""

import os

from op_cases import write
from tensorflow_v1 import GOLDEN, np, tf, write_if_changed

STEPS = 5
OPTIMIZERS = {
    "gradient_descent": lambda: tf.train.GradientDescentOptimizer(0.1),
    "momentum": lambda: tf.train.MomentumOptimizer(0.1, 0.9),
    "nesterov": lambda: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    "adagrad": lambda: tf.train.AdagradOptimizer(0.1),
    "rms_prop": lambda: tf.train.RMSPropOptimizer(0.1, momentum=0.5),
    "centered_rms_prop": lambda: tf.train.RMSPropOptimizer(0.1, centered=True),
    "adam": lambda: tf.train.AdamOptimizer(0.1),
    "adadelta": lambda: tf.train.AdadeltaOptimizer(10.0),
    "adagrad_da": lambda: tf.train.AdagradDAOptimizer(0.1, tf.constant(2, tf.int64), l1_regularization_strength=0.01,
                                                      l2_regularization_strength=0.02),
    "ftrl": lambda: tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01, l2_regularization_strength=0.02, beta=0.5),
    "ftrl_shrinkage": lambda: tf.train.FtrlOptimizer(0.1, -0.25, l2_shrinkage_regularization_strength=0.5),
}


def training(optimizer):
    with tf.Graph().as_default(), tf.Session() as session:
        embedding = tf.Variable(np.arange(12).reshape(6, 2) / 10 - 0.5, dtype=tf.float64, name="embedding")
        rows, others = tf.gather(embedding, [3, 1, 3, 0]), tf.gather(embedding, [4, 1])
        loss = tf.reduce_sum(tf.square(rows - 0.3)) + tf.reduce_sum(others**3)
        step = optimizer().minimize(loss)
        session.run(tf.global_variables_initializer())
        values = []
        for _ in range(STEPS):
            session.run(step)
            values.append(list(session.run(embedding).reshape(-1)))
        return values


def main():
    lines = [f'"{name}":{write(training(optimizer))}' for name, optimizer in OPTIMIZERS.items()]
    if write_if_changed(os.path.join(GOLDEN, "training", "sparse.json"), "{" + ",\n".join(lines) + "}\n"):
        print("sparse")


if __name__ == "__main__":
    main()
