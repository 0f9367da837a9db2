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
import threading
from concurrent.futures import ThreadPoolExecutor

os.environ["TF_USE_LEGACY_KERAS"] = "1"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "oracle"))

import lenet5_weights  # noqa: E402
import numpy as np  # noqa: E402
import tensorflow.compat.v1 as tf  # noqa: E402
from serving import serve  # noqa: E402

tf.disable_v2_behavior()
tf.disable_resource_variables()
tf.logging.set_verbosity(tf.logging.ERROR)

CHECK_STEPS = 20
LARGE = 25 << 20  # elements: 100 MiB of float32
BATCH, WORKERS = 100, 2


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
    """The same with a session on the worker of a cluster that has a ps, too; all end with this process."""

    workers = 1
    servers = contextlib.ExitStack()
    targets = {}  # of the workers, by the command that their servers were started with, and by their number

    def __init__(self, command):
        super().__init__(None)
        self.command = command

    def prepare(self, threads):
        self.connect()
        super().prepare(threads)

    def connect(self):
        key = tuple(self.command), self.workers
        if key not in self.targets:
            self.targets[key] = self.start_cluster()
        self.every_target = self.targets[key]
        self.target = self.every_target[0]

    def start_cluster(self):
        with contextlib.ExitStack() as stack:
            sockets = [stack.enter_context(socket.socket()) for _ in range(1 + self.workers)]
            for one in sockets:
                one.bind(("localhost", 0))
            ps, *workers = (f"localhost:{one.getsockname()[1]}" for one in sockets)
        for job, task in ("ps", 0), *(("worker", task) for task in range(self.workers)):
            if self.command[-1].endswith(".py"):
                command = [*self.command, json.dumps({"ps": [ps], "worker": workers}), job, str(task)]
            else:
                command = [*self.command[:-2], "--cluster", f"ps={ps}", f"worker={','.join(workers)}", "--job", job, "--task", str(task)]
            server = self.servers.enter_context(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
            self.servers.callback(server.terminate)
            server.stdout.readline()
        return [f"grpc://{worker}" for worker in workers]


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

    owner, reader = "ps", "worker"

    def build(self):
        with tf.device("/job:%s/task:0" % self.owner):
            variable = tf.Variable(tf.fill([LARGE], 2.0))
        with tf.device("/job:%s/task:0" % self.reader):
            self.run = (variable.value()[-1],)

    def check(self):
        return [self.step()]


class ToParameterServer(FromParameterServer):
    """A variable of 100 MiB on the worker, of which the ps reads one element."""

    owner, reader = "worker", "ps"


class Replicas(ClusterRow):
    """Two workers that train one LeNet-5, whose variables are on the ps, each with a session and a batch of its own. A step is one of each
    worker; its operations are images."""

    workers, operations, synchronous = WORKERS, WORKERS * BATCH, False
    open_sessions = []  # of the row before, too

    def prepare(self, threads):
        self.connect()
        while self.open_sessions:
            self.open_sessions.pop().close()
        tf.Session.reset(self.target)
        self.threads = ThreadPoolExecutor(WORKERS)
        self.sessions, self.trains, self.losses = [], [], []
        for task, target in enumerate(self.every_target):
            with tf.Graph().as_default() as graph:
                init, local_init, apply = self.build_replica(task)
            config = tf.ConfigProto(intra_op_parallelism_threads=threads, inter_op_parallelism_threads=1,
                                    device_filters=["/job:ps", f"/job:worker/task:{task}"])
            session = tf.Session(target, config=config, graph=graph)
            self.sessions.append(session)
            self.open_sessions.append(session)
            if task == 0:
                session.run(init)
            session.run(local_init)
            if task == 0 and apply is not None:
                threading.Thread(target=self.apply_for_ever, args=(session, apply), daemon=True).start()
        self.first_losses = self.current_losses()

    def build_replica(self, task):
        """What the chief runs first, what all run first, and what the chief runs again and again, or None."""
        cluster = tf.train.ClusterSpec({"ps": ["unused:1"], "worker": ["unused:1"] * WORKERS})
        with tf.device(tf.train.replica_device_setter(worker_device=f"/job:worker/task:{task}", cluster=cluster)):
            step = tf.train.get_or_create_global_step()
            images, labels = self.batch(task)
            logits = self.network(images)
            loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits))
            optimizer = tf.train.MomentumOptimizer(0.02, 0.9)
            if self.synchronous:
                optimizer = tf.train.SyncReplicasOptimizer(optimizer, WORKERS, WORKERS)
            self.trains.append(optimizer.minimize(loss, global_step=step))
            self.losses.append(loss)
            init = tf.global_variables_initializer()
        if not self.synchronous:
            return init, tf.no_op(), None
        local_init = optimizer.chief_init_op if task == 0 else optimizer.local_step_init_op
        return init, local_init, optimizer.get_chief_queue_runner().enqueue_ops[0]

    @staticmethod
    def apply_for_ever(session, apply):
        with contextlib.suppress(tf.errors.OpError, RuntimeError):  # the session ends
            while True:
                session.run(apply)

    @staticmethod
    def batch(task):
        numbers = np.random.RandomState(task)
        classes = numbers.randint(0, 10, BATCH)
        images = numbers.uniform(0, 0.2, [BATCH, 784])
        images[np.arange(BATCH), 78 * classes] = 1  # by which they can be told apart
        return tf.constant(images, tf.float32), tf.constant(np.eye(10)[classes], tf.float32)

    @staticmethod
    def network(images):
        w = {name: tf.Variable(value) for name, value in lenet5_weights.lenet5().items()}
        y = tf.reshape(images, [-1, 28, 28, 1])
        for kernel, padding in (("w_conv1", "SAME"), ("w_conv2", "VALID")):
            y = tf.nn.relu(tf.nn.conv2d(y, w[kernel], strides=[1, 1, 1, 1], padding=padding))
            y = tf.nn.avg_pool(y, [1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
        y = tf.nn.relu(tf.matmul(tf.reshape(y, [-1, 400]), w["w_fc1"]) + w["b1"])
        return tf.matmul(y, w["w_fc2"]) + w["b2"]

    def current_losses(self):
        return [session.run(loss) for session, loss in zip(self.sessions, self.losses)]

    def begin(self):
        pass  # losses that fall on and on cost the same time

    def step(self):
        list(self.threads.map(lambda session, train: session.run(train), self.sessions, self.trains))

    def check(self):
        """Whether each replica's loss has fallen: in which order they train is nobody's to say."""
        for _ in range(CHECK_STEPS):
            self.step()
        return [float(now < first) for now, first in zip(self.current_losses(), self.first_losses)]


class SynchronousReplicas(Replicas):
    """The same with the mean of both gradients in each step."""

    synchronous = True


CLUSTER_ROWS = {
    "ps and worker, Adagrad step": ParameterServerStep,
    "ps and worker, Adagrad step, C++ client": ParameterServerStep,
    "100 MB from ps to worker": FromParameterServer,
    "100 MB from worker to ps": ToParameterServer,
    "LeNet-5, ps and 2 workers": Replicas,
    "LeNet-5, ps and 2 workers, sync": SynchronousReplicas,
}
ROWS = {
    "grpc session step": LinearRegression,
    "grpc session step, C++ client": LinearRegression,
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
