#!/usr/bin/env python3
"""Records what real TensorFlow makes of the network of examples/lenet_actor, as tests/golden/training/lenet_actor.json.

The format is in tests/golden/README.md.
"""

import os

import fashion_mnist
import lenet5_weights
from op_cases import write
from record_training import BATCH, SHUFFLES, STEPS, stable_steps
from tensorflow_v1 import GOLDEN, np, tf, write_if_changed

VALIDATION = 5000  # images that read_data_sets keeps back
ENDS = 4  # values recorded of each variable


def network():
    """LeNet-5 with relu before softmax, from the initializers of TensorFlow."""
    x, labels = tf.placeholder(tf.float32, [None, 784]), tf.placeholder(tf.float32, [None, 10])
    glorot = tf.glorot_uniform_initializer(seed=0)
    w = {name: tf.get_variable(name, shape, initializer=glorot) for name, shape, *_ in lenet5_weights.LENET5}
    y = tf.reshape(x, [-1, 28, 28, 1])
    for kernel, padding in (("w_conv1", "SAME"), ("w_conv2", "VALID")):
        y = tf.nn.relu(tf.nn.conv2d(y, w[kernel], strides=[1, 1, 1, 1], padding=padding))
        y = tf.nn.avg_pool(y, [1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
    y = tf.nn.relu(tf.matmul(tf.layers.flatten(y), w["w_fc1"]) + w["b1"])
    y = tf.nn.softmax(tf.nn.relu(tf.matmul(y, w["w_fc2"]) + w["b2"]))
    loss = tf.reduce_mean(-tf.reduce_sum(labels * tf.log(y), reduction_indices=[1]))
    step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(y, 1), tf.argmax(labels, 1)), tf.float32))
    return x, labels, w, step, loss, accuracy


class Batches:
    """Batch k: images 5000 + 100k and the 99 after it, in the file's order unless `shuffle` is not 0."""

    def __init__(self, shuffle=0):
        self.images, self.classes = fashion_mnist.load("train")
        self.shuffle, self.random = shuffle, np.random.RandomState(shuffle)

    def __getitem__(self, k):
        rows = VALIDATION + np.arange(k * BATCH, (k + 1) * BATCH)
        if self.shuffle:
            self.random.shuffle(rows)
        return self.images[rows], fashion_mnist.one_hot(self.classes[rows])


def training(shuffle=0):
    """Losses and accuracies of the steps of one training."""
    batches = Batches(shuffle)
    with tf.Graph().as_default(), tf.Session() as session:
        x, labels, _, step, loss, accuracy = network()
        session.run(tf.global_variables_initializer())
        told = []
        for k in range(STEPS):
            images, one_hot = batches[k]
            told.append(session.run([loss, accuracy, step], {x: images, labels: one_hot})[:2])
    return np.array(told).T


def single_steps():
    """Each from weights of its own: loss and accuracy before the update, some of the weights after it."""
    batches = Batches()
    steps = []
    with tf.Graph().as_default(), tf.Session() as session:
        x, labels, w, step, loss, accuracy = network()
        for k in range(STEPS):
            for name, value in lenet5_weights.lenet5(6 * k).items():
                w[name].load(value, session)
            images, one_hot = batches[k]
            before = session.run([loss, accuracy, step], {x: images, labels: one_hot})
            after = {name: session.run(w[name]).reshape(-1) for name, *_ in lenet5_weights.LENET5}
            ends = {name: {"first": list(v[:ENDS]), "sum": v.sum(dtype=np.float64)} for name, v in after.items()}
            steps.append({"loss": before[0], "accuracy": before[1], "variables": ends})
    return steps


if __name__ == "__main__":
    losses, accuracies = training()
    stable = stable_steps(losses, [training(shuffle)[0] for shuffle in range(1, SHUFFLES + 1)])
    whole = {"stable_steps": stable, "losses": list(np.float32(losses)), "accuracies": list(np.float32(accuracies))}
    text = f'{{"training": {write(whole)},\n"steps": [\n' + ",\n".join(write(s) for s in single_steps()) + "\n]}\n"
    print(f"the first {stable} steps are stable; accuracies {accuracies[0]:.2f} to {accuracies[-1]:.2f}")
    if write_if_changed(os.path.join(GOLDEN, "training", "lenet_actor.json"), text):
        print("lenet_actor.json")
