#!/usr/bin/env python3
"""The rows that TensorFlow 2.21's compat.v1 serves to scripts/compare.

TensorFlow is used as its documentation advises for many small steps: one session, callables made once, feeds as numpy
arrays of the right dtype, variables that never leave the session, thread counts set.
"""

import os
import sys
import time

os.environ["TF_USE_LEGACY_KERAS"] = "1"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "oracle"))

import fashion_mnist  # noqa: E402
import lenet5_weights  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow.compat.v1 as tf  # noqa: E402
from serving import serve  # noqa: E402

tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)
# Reference variables unless told otherwise: no row gains by resource variables (docs/measuring.md).
RESOURCE_VARIABLES = os.environ.get("FLOWRAY_COMPARE_RESOURCE_VARIABLES", "0") == "1"
(tf.enable_resource_variables if RESOURCE_VARIABLES else tf.disable_resource_variables)()

CHECK_STEPS = 20
BATCH = 100
BATCHES = 20


class TensorFlowRow:
    """A graph with one session. `build` makes the graph and, in the session, what `step` calls."""

    threads_of_process = None

    def prepare(self, threads):
        if TensorFlowRow.threads_of_process not in (None, threads):
            raise ValueError(
                f"threads are {TensorFlowRow.threads_of_process} for this process; start another for {threads}"
            )
        TensorFlowRow.threads_of_process = threads
        # One inter-op thread, as advised for a machine of one socket: no row is faster with more (docs/measuring.md).
        config = tf.ConfigProto(intra_op_parallelism_threads=threads, inter_op_parallelism_threads=1)
        graph = tf.Graph()
        with graph.as_default():
            self.session = tf.Session(config=config, graph=graph)
            self.build()
        self.begin()

    def begin(self):
        pass


class ScalarAdd(TensorFlowRow):
    """One addition of two fed float32 scalars by a callable."""

    def build(self):
        self.a, self.b = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
        self.sum = self.a + self.b
        self.add = self.session.make_callable(self.sum, [self.a, self.b])
        self.one, self.two = np.array(1, np.float32), np.array(2, np.float32)

    def step(self):
        self.add(self.one, self.two)

    def check(self):
        return [self.add(np.array(1.5, np.float32), np.array(2.25, np.float32))]


class ScalarAddRun(ScalarAdd):
    """The same by session.run with a dictionary of feeds."""

    def step(self):
        self.session.run(self.sum, {self.a: self.one, self.b: self.two})

    def check(self):
        feeds = {self.a: np.array(1.5, np.float32), self.b: np.array(2.25, np.float32)}
        return [self.session.run(self.sum, feeds)]


class Training(TensorFlowRow):
    """A row that trains: each measurement starts from the given weights."""

    def begin(self):
        self.session.run(self.initialize)

    def finish(self, loss, train):
        self.initialize = tf.global_variables_initializer()
        self.losses = self.session.make_callable([loss, train], self.placeholders)
        return train


class LinearRegression(Training):
    """A gradient descent step of y = w x + b on 100 points that are constants of the graph."""

    placeholders = ()

    def build(self):
        x = np.arange(100) / 100
        w, b = tf.Variable([-0.5]), tf.Variable([0.0])
        loss = tf.reduce_mean(tf.square(w * tf.constant(x, tf.float32) + b - tf.constant(0.1 * x + 0.3, tf.float32)))
        train = self.finish(loss, tf.train.GradientDescentOptimizer(0.5).minimize(loss))
        self.step = self.session.make_callable(train)

    def check(self):
        self.begin()
        return [self.losses()[0] for _ in range(CHECK_STEPS)]


class LeNet5(Training):
    """A Momentum step of the job's LeNet-5 on a batch of 100 images, with its accuracy."""

    def build(self):
        x, labels = tf.placeholder(tf.float32, [None, 784]), tf.placeholder(tf.float32, [None, 10])
        self.placeholders = [x, labels]
        logits = self.network(x)
        loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits))
        train = self.finish(loss, tf.train.MomentumOptimizer(0.02, 0.9).minimize(loss))
        correct = tf.equal(tf.argmax(logits, 1), tf.argmax(labels, 1))
        accuracy = tf.reduce_mean(tf.cast(correct, tf.float32))
        self.train = self.session.make_callable([train, accuracy], self.placeholders)
        self.batches, self.next = self.read_batches(), 0

    def network(self, x):
        w = {name: tf.Variable(value) for name, value in lenet5_weights.lenet5().items()}
        y = tf.reshape(x, [-1, 28, 28, 1])
        for kernel, padding in (("w_conv1", "SAME"), ("w_conv2", "VALID")):
            y = tf.nn.relu(tf.nn.conv2d(y, w[kernel], strides=[1, 1, 1, 1], padding=padding))
            y = tf.nn.avg_pool(y, [1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
        y = tf.nn.relu(tf.matmul(tf.reshape(y, [-1, 400]), w["w_fc1"]) + w["b1"])
        return tf.matmul(y, w["w_fc2"]) + w["b2"]

    def read_batches(self):
        images, classes = fashion_mnist.load("train")
        starts = range(0, BATCH * BATCHES, BATCH)
        labels = fashion_mnist.one_hot(classes)
        return [(images[start : start + BATCH].copy(), labels[start : start + BATCH].copy()) for start in starts]

    def begin(self):
        super().begin()
        self.next = 0

    def step(self):
        self.train(*self.batches[self.next])
        self.next = (self.next + 1) % BATCHES

    def check(self):
        self.begin()
        return [self.losses(*self.batches[step % BATCHES])[0] for step in range(CHECK_STEPS)]


def pattern(shape, factor, scale):
    """What both sides begin with: numbers in [-1, 1) that look like none in particular."""
    numbers = np.arange(np.prod(shape, dtype=np.int64)) * factor % 2000 - 1000
    return (numbers.astype(np.float32) / np.float32(1000) * np.float32(scale)).reshape(shape)


class Mlp(Training):
    """An RMSProp step of a network of three layers, 32-64-64-10, on one batch."""

    def __init__(self, batch):
        self.inputs = pattern([batch, 32], 7919, 1)
        self.labels = np.eye(10, dtype=np.float32)[np.arange(batch) * 7 % 10]

    def build(self):
        x, labels = tf.placeholder(tf.float32, [None, 32]), tf.placeholder(tf.float32, [None, 10])
        self.placeholders = [x, labels]
        logits = self.layer(tf.nn.relu(self.layer(tf.nn.relu(self.layer(x, 32, 64)), 64, 64)), 64, 10)
        loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits))
        train = self.finish(loss, tf.train.RMSPropOptimizer(0.001).minimize(loss))
        self.train = self.session.make_callable(train, self.placeholders)

    @staticmethod
    def layer(x, inputs, outputs):
        w, b = tf.Variable(pattern([inputs, outputs], 6007, 0.2)), tf.Variable(np.zeros(outputs, np.float32))
        return tf.matmul(x, w) + b

    def step(self):
        self.train(self.inputs, self.labels)

    def check(self):
        self.begin()
        return [self.losses(self.inputs, self.labels)[0] for _ in range(CHECK_STEPS)]


class Network(Training):
    """A network trained on the same batch again and again, from weights that are a pattern."""

    def __init__(self, input_shape):
        self.inputs = pattern(input_shape, 7919, 1)
        self.labels = np.eye(10, dtype=np.float32)[np.arange(input_shape[0]) * 7 % 10]

    def build(self):
        self.placeholders = [tf.placeholder(tf.float32, value.shape) for value in (self.inputs, self.labels)]
        x, labels = self.placeholders
        logits = self.network(x)
        loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits))
        self.weights = tf.trainable_variables()
        train = self.finish(loss, self.optimizer().minimize(loss))
        self.train = self.session.make_callable(train, self.placeholders)

    @staticmethod
    def dense(x, inputs, outputs):
        return tf.matmul(x, tf.Variable(tf.zeros([inputs, outputs]))) + tf.Variable(tf.zeros([outputs]))

    def begin(self):
        super().begin()
        for weight in self.weights:
            weight.load(pattern(weight.shape.as_list(), 6007, self.scale_of_weights), self.session)

    def step(self):
        self.train(self.inputs, self.labels)

    def check(self):
        self.begin()
        return [self.losses(self.inputs, self.labels)[0] for _ in range(CHECK_STEPS)]


class Cnn(Network):
    """A Momentum step of two convolutions of 3 x 3 with 32 and 64 channels, pooled, and two dense layers."""

    scale_of_weights = 0.05

    def network(self, x):
        for inputs, outputs in ((1, 32), (32, 64)):
            kernel, bias = tf.Variable(tf.zeros([3, 3, inputs, outputs])), tf.Variable(tf.zeros([outputs]))
            x = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(x, kernel, strides=[1, 1, 1, 1], padding="SAME"), bias))
            x = tf.nn.max_pool(x, [1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
        hidden = tf.nn.relu(self.dense(tf.reshape(x, [-1, 7 * 7 * 64]), 7 * 7 * 64, 128))
        return self.dense(hidden, 128, 10)

    def optimizer(self):
        return tf.train.MomentumOptimizer(0.01, 0.9)


class Lstm(Network):
    """A gradient descent step of two layers of 128 LSTM cells over 50 steps."""

    scale_of_weights = 0.1

    def network(self, x):
        cells = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.BasicLSTMCell(128) for _ in range(2)])
        outputs, _ = tf.nn.dynamic_rnn(cells, x, dtype=tf.float32)
        return self.dense(outputs[:, -1], 128, 10)

    def optimizer(self):
        return tf.train.GradientDescentOptimizer(0.1)


class BuildLargeGraph(TensorFlowRow):
    """A graph of 1,000 ops, made from nothing."""

    LAYERS = 333  # of three ops; with the placeholder there are 1,000

    def prepare(self, threads):
        self.config = tf.ConfigProto(intra_op_parallelism_threads=threads, inter_op_parallelism_threads=1)

    def step(self):
        graph = tf.Graph()
        with graph.as_default():
            x = y = tf.placeholder(tf.float32, [4])
            for i in range(self.LAYERS):
                y = tf.tanh(y + tf.constant(0.001 * i, tf.float32))
        return graph, x, y

    def first_run(self, graph, x, y):
        session = tf.Session(graph=graph, config=self.config)
        return session, session.run(y, {x: np.array([-1, 0, 0.5, 2], np.float32)})

    def check(self):
        session, values = self.first_run(*self.step())
        session.close()
        return values


class FirstRunOfLargeGraph(BuildLargeGraph):
    """A new session's first step on such a graph, which is made outside the clock."""

    def measure(self, seconds):
        iterations, spent = 0, 0.0
        while spent < seconds:
            made = self.step()
            begin = time.perf_counter()
            session, _ = self.first_run(*made)
            spent += time.perf_counter() - begin
            iterations += 1
            session.close()
        return iterations, spent


ROWS = {
    "scalar add": ScalarAdd(),
    "scalar add, run": ScalarAddRun(),
    "linear regression training step": LinearRegression(),
    "LeNet-5 batch 100": LeNet5(),
    "MLP batch 32": Mlp(32),
    "MLP batch 1024": Mlp(1024),
    "CNN batch 100": Cnn([100, 28, 28, 1]),
    "LSTM batch 32": Lstm([32, 50, 64]),
    "build 1,000 ops": BuildLargeGraph(),
    "first run of 1,000 ops": FirstRunOfLargeGraph(),
}

if __name__ == "__main__":
    serve(ROWS)
