#!/usr/bin/env python3
"""TensorFlow's own Python client against a server in a process of its own, for scripts/compare.

    session_rows.py SERVER... --serve

SERVER is the command that starts the server and prints `Started server with target: grpc://HOST:PORT`: TensorFlow's own
(tensorflow_server.py) or `flowray server --port 0`. Nothing else differs between the two sides. Rows of a cluster start a ps and a worker
of the same make beside it.
"""

import contextlib
import json
import os
import socket
import subprocess
import sys

os.environ["TF_USE_LEGACY_KERAS"] = "1"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"

import numpy as np  # noqa: E402
import tensorflow.compat.v1 as tf  # noqa: E402
from serving import serve  # noqa: E402

tf.disable_v2_behavior()
tf.disable_resource_variables()
tf.logging.set_verbosity(tf.logging.ERROR)

CHECK_STEPS = 20
LARGE = 25 << 20  # elements: 100 MiB of float32


class SessionRow:
    """A graph with a session on the server. `build` makes the graph and sets `run`, the arguments of session.run."""

    def __init__(self, target):
        self.target = target

    def prepare(self, threads):
        config = tf.ConfigProto(intra_op_parallelism_threads=threads, inter_op_parallelism_threads=1)
        tf.Session.reset(self.target)  # the variables of the row before
        graph = tf.Graph()
        with graph.as_default():
            self.session = tf.Session(self.target, config=config, graph=graph)
            self.build()
            self.initialize = tf.global_variables_initializer()
        self.begin()

    def begin(self):
        self.session.run(self.initialize)

    def step(self):
        return self.session.run(*self.run)


class NoOp(SessionRow):
    """A target that does nothing: what a call costs."""

    def build(self):
        self.run = (tf.no_op(),)

    def check(self):
        return [0.0 if self.step() is None else 1.0]


class LinearRegression(SessionRow):
    """A gradient descent step of y = w x + b on 100 points that are fed."""

    def build(self):
        x, y = tf.placeholder(tf.float32, [None]), tf.placeholder(tf.float32, [None])
        w, b = tf.Variable([-0.5]), tf.Variable([0.0])
        self.loss = tf.reduce_mean(tf.square(w * x + b - y))
        points = (np.arange(100) / 100).astype(np.float32)
        feeds = {x: points, y: 0.1 * points + np.float32(0.3)}
        self.run = (tf.train.GradientDescentOptimizer(0.5).minimize(self.loss), feeds)

    def check(self):
        self.begin()
        train, feeds = self.run
        return [self.session.run([self.loss, train], feeds)[0] for _ in range(CHECK_STEPS)]


class Feed(SessionRow):
    """An array of 100 MiB is fed, one element of it fetched."""

    def build(self):
        x = tf.placeholder(tf.float32, [LARGE])
        values = np.ones(LARGE, np.float32)
        values[-1] = 3
        self.run = (x[-1], {x: values})

    def check(self):
        return [self.step()]


class Fetch(SessionRow):
    """A variable of 100 MiB is fetched."""

    def build(self):
        self.run = (tf.Variable(tf.fill([LARGE], 2.0)),)

    def check(self):
        fetched = self.step()
        return [len(fetched), fetched.min(), fetched.max()]


class ClusterRow(SessionRow):
    """The same with a session on the worker of a cluster that has a ps, too; both end with this process."""

    servers = contextlib.ExitStack()
    targets = {}  # of the workers, by the command that their servers were started with

    def __init__(self, command):
        super().__init__(None)
        self.command = command

    def prepare(self, threads):
        key = tuple(self.command)
        if key not in self.targets:
            self.targets[key] = self.start_cluster()
        self.target = self.targets[key]
        super().prepare(threads)

    def start_cluster(self):
        with contextlib.ExitStack() as stack:
            sockets = [stack.enter_context(socket.socket()) for _ in range(2)]
            for one in sockets:
                one.bind(("localhost", 0))
            ps, worker = (f"localhost:{one.getsockname()[1]}" for one in sockets)
        for job in "ps", "worker":
            if self.command[-1].endswith(".py"):
                command = [*self.command, json.dumps({"ps": [ps], "worker": [worker]}), job, "0"]
            else:
                command = [*self.command[:-2], "--cluster", f"ps={ps}", f"worker={worker}", "--job", job]
            server = self.servers.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
            self.servers.callback(server.terminate)
            server.stdout.readline()
        return f"grpc://{worker}"


class ParameterServerStep(ClusterRow):
    """An Adagrad step of two scalars that are on the ps, with a loss on the worker."""

    def build(self):
        x, y = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
        with tf.device("/job:ps/task:0"):
            w, b = tf.Variable(0.0), tf.Variable(0.0)
        with tf.device("/job:worker/task:0"):
            self.loss = tf.square(y - x * w - b)
            train = tf.train.AdagradOptimizer(0.1).minimize(self.loss)
        self.run = (train, {x: 0.5, y: 11.0})

    def check(self):
        self.begin()
        train, feeds = self.run
        return [self.session.run([self.loss, train], feeds)[0] for _ in range(CHECK_STEPS)]


class FromParameterServer(ClusterRow):
    """A variable of 100 MiB on the ps, of which the worker reads one element."""

    def build(self):
        with tf.device("/job:ps/task:0"):
            variable = tf.Variable(tf.fill([LARGE], 2.0))
        with tf.device("/job:worker/task:0"):
            self.run = (variable.value()[-1],)

    def check(self):
        return [self.step()]


CLUSTER_ROWS = {
    "ps and worker, Adagrad step": ParameterServerStep,
    "100 MB from ps to worker": FromParameterServer,
}
ROWS = {
    "grpc session step": LinearRegression,
    "grpc no-op step": NoOp,
    "grpc feed 100 MB": Feed,
    "grpc fetch 100 MB": Fetch,
}


def main():
    command = sys.argv[1:-1]
    if not command or sys.argv[-1] != "--serve":
        sys.exit(f"usage: {os.path.basename(sys.argv[0])} SERVER... --serve   (started by scripts/compare)")
    sys.argv[1:-1] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            line = server.stdout.readline()
            words, _, target = line.strip().rpartition(" ")
            if words != "Started server with target:":
                sys.exit(f"{' '.join(command)} said {line!r} instead of its target")
            rows = {name: make(target) for name, make in ROWS.items()}
            serve(rows | {name: make(command) for name, make in CLUSTER_ROWS.items()})
        finally:
            server.terminate()
            ClusterRow.servers.close()


if __name__ == "__main__":
    main()
