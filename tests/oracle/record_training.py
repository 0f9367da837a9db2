#!/usr/bin/env python3
"""Records the losses of whole trainings by real TensorFlow, as tests/golden/training/<job>.json.

Usage: record_training.py [WORD...]   only jobs whose name contains one of the words.
The jobs, the formula of their weights and the format are in tests/golden/README.md.
"""

import os
import sys

import fashion_mnist
import lenet5_weights
from op_cases import write
from tensorflow_v1 import GOLDEN, np, tf, write_if_changed

STEPS = 100
BATCH = 100
SHUFFLES = 3  # trainings with the images of each batch in another order: the same but for rounding
AGREE = 2e-5


def linear_regression(dtype, shuffle):
    i = np.arange(100)
    if shuffle:
        np.random.RandomState(shuffle).shuffle(i)
    w, b = tf.Variable([-0.5], dtype=dtype, name="w"), tf.Variable([0.0], dtype=dtype, name="b")
    x, y = tf.constant(i / 100, dtype), tf.constant(0.1 * (i / 100) + 0.3, dtype)
    loss = tf.reduce_mean(tf.square(w * x + b - y))
    return loss, tf.train.GradientDescentOptimizer(0.5).minimize(loss), lambda step: {}


def lenet5_output(dtype, first_seed=0):
    """Placeholders and the output of the last layer, without relu."""
    x, labels = tf.placeholder(dtype, [None, 784]), tf.placeholder(dtype, [None, 10])
    values = lenet5_weights.lenet5(first_seed)
    w = {name: tf.Variable(value, dtype=dtype, name=name) for name, value in values.items()}
    y = tf.reshape(x, [-1, 28, 28, 1])
    for kernel, padding in (("w_conv1", "SAME"), ("w_conv2", "VALID")):
        y = tf.nn.relu(tf.nn.conv2d(y, w[kernel], strides=[1, 1, 1, 1], padding=padding))
        y = tf.nn.avg_pool(y, [1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
    y = tf.nn.relu(tf.matmul(tf.reshape(y, [-1, 400]), w["w_fc1"]) + w["b1"])
    return x, labels, tf.matmul(y, w["w_fc2"]) + w["b2"]


def lenet5_batches(x, labels, shuffle):
    """Step k gets images 100k to 100k + 99 of the training file, in its order unless `shuffle` is not 0."""
    images, classes = fashion_mnist.load("train")
    random = np.random.RandomState(shuffle)

    def feeds(step):
        rows = np.arange(step * BATCH, (step + 1) * BATCH)
        if shuffle:
            random.shuffle(rows)
        return {x: images[rows], labels: fashion_mnist.one_hot(classes[rows])}

    return feeds


def lenet5_job(optimizer, first_seed=0):
    def build(dtype, shuffle):
        x, labels, logits = lenet5_output(dtype, first_seed)
        loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits))
        return loss, optimizer().minimize(loss), lenet5_batches(x, labels, shuffle)

    return build


def lenet5_document(dtype, shuffle):
    x, labels, y = lenet5_output(dtype)
    y = tf.nn.softmax(tf.nn.relu(y))
    loss = tf.reduce_mean(-tf.reduce_sum(labels * tf.log(y), reduction_indices=[1]))
    return loss, tf.train.GradientDescentOptimizer(0.5).minimize(loss), lenet5_batches(x, labels, shuffle)


JOBS = {
    "linear_regression": linear_regression,
    "lenet5_momentum": lenet5_job(lambda: tf.train.MomentumOptimizer(0.02, 0.9)),
    "lenet5_momentum_slow": lenet5_job(lambda: tf.train.MomentumOptimizer(0.002, 0.9), first_seed=6),
    "lenet5_adam": lenet5_job(lambda: tf.train.AdamOptimizer(1e-3)),
    "lenet5_document": lenet5_document,
}


def train(job, dtype, shuffle=0):
    """Losses before each of the steps and the trained variables afterwards."""
    with tf.Graph().as_default(), tf.Session() as session:
        loss, step, feeds = JOBS[job](dtype, shuffle)
        session.run(tf.global_variables_initializer())
        losses = [session.run([loss, step], feeds(k))[0] for k in range(STEPS)]
        variables = {v.op.name: session.run(v) for v in tf.trainable_variables()}
    return np.array(losses), variables


def stable_steps(losses, others):
    """How many leading losses agree with those of all the others."""
    apart = np.max([np.abs(losses - other) for other in others], axis=0)
    return int(np.argmax(apart > AGREE)) if (apart > AGREE).any() else len(losses)


def summaries(variables):
    """The first values and the sum of each variable."""
    ends = {}
    for name, value in variables.items():
        flat = value.reshape(-1)
        ends[name] = {"shape": list(value.shape), "first": list(flat[:8]), "sum": flat.sum(dtype=np.float64)}
    return ends


def record(job):
    text = f'{{"job": "{job}"'
    for dtype in (tf.float32, tf.float64):
        losses, variables = train(job, dtype)
        others = [train(job, dtype, shuffle)[0] for shuffle in range(1, SHUFFLES + 1)]
        if dtype == tf.float32:
            others.append(train(job, tf.float64)[0])
        steps = stable_steps(losses, others)
        part = {"stable_steps": steps, "losses": list(losses), "variables": summaries(variables)}
        text += f',\n"{dtype.name}": {write(part)}'
        print(f"{job}, {dtype.name}: loss {losses[0]} to {losses[-1]}, the first {steps} are stable")
    if write_if_changed(os.path.join(GOLDEN, "training", job + ".json"), text + "}\n"):
        print(f"{job}.json")


if __name__ == "__main__":
    for name in JOBS:
        if len(sys.argv) == 1 or any(word in name for word in sys.argv[1:]):
            record(name)
