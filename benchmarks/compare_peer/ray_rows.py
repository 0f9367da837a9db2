#!/usr/bin/env python3
"""The rows that Ray 2.60's Python API, with TensorFlow where a network is trained, serves to scripts/compare. Run by
`python -m flowray` it serves those of Flowray's.

Ray is used as its documentation advises: a local cluster started once, actors and remote functions made once, references
collected and got together where calls are pipelined, arrays as NumPy's, which Ray reads in place.
"""

import os
import subprocess
import sys
import time

import numpy as np
import ray
import ray_averaging
import ray_cluster
from serving import serve

SMALL = 7
LARGE = (np.arange(1 << 20) % 1024).astype(np.float32)  # 4 MB
KEPT = 10  # objects that the `get` rows read in turn
CHECK_CALLS = 5
CHECK_ITERATIONS = 20


@ray.remote
def plus_one(x):
    return x + 1


@ray.remote
class Counter:
    def __init__(self):
        self.count = 0

    def add(self, x):
        self.count += x
        return self.count

    def echo(self, value):
        return value


class RayRow:
    def prepare(self, threads):  # Ray's processes have threads of their own; the cluster is that of docs/measuring.md
        ray_cluster.start()
        self.build()

    def build(self):
        pass

    def begin(self):
        pass


class Put(RayRow):
    def __init__(self, value, results):
        self.value, self.results = value, results

    def step(self):
        ray.put(self.value)

    def check(self):
        return self.results(ray.get(ray.put(self.value)))


class Get(Put):
    def build(self):
        self.refs, self.next = [ray.put(self.value) for _ in range(KEPT)], 0

    def step(self):
        ray.get(self.refs[self.next])
        self.next = (self.next + 1) % KEPT

    def check(self):
        return self.results(ray.get(self.refs[-1]))


class Task(RayRow):
    def step(self):
        ray.get(plus_one.remote(SMALL))

    def check(self):
        return ray.get([plus_one.remote(i) for i in range(CHECK_CALLS)])


class PipelinedTasks(Task):
    operations = 100

    def step(self):
        ray.get([plus_one.remote(SMALL) for _ in range(self.operations)])


class ActorCall(RayRow):
    def build(self):
        self.counter = Counter.remote()
        ray.get(self.counter.add.remote(0))

    def step(self):
        ray.get(self.counter.add.remote(1))

    def check(self):
        counter = Counter.remote()
        return ray.get([counter.add.remote(i) for i in range(CHECK_CALLS)])


class PipelinedActorCalls(ActorCall):
    operations = 1000

    def step(self):
        ray.get([self.counter.add.remote(1) for _ in range(self.operations)])


class TwoActors(ActorCall):
    def build(self):
        self.counters, self.next = [Counter.remote() for _ in range(2)], 0
        ray.get([counter.add.remote(0) for counter in self.counters])

    def step(self):
        ray.get(self.counters[self.next].add.remote(1))
        self.next = 1 - self.next


class Echo(ActorCall):
    def step(self):
        self.echoed = None  # let go first, as ours
        self.echoed = ray.get(self.counter.echo.remote(LARGE))

    def check(self):
        self.step()
        return ends(self.echoed)


class WeightAveraging(RayRow):
    def build(self):
        self.actors = ray_averaging.make_actors()
        self.begin()

    def begin(self):
        self.weights = ray_averaging.START

    def step(self):
        self.weights = ray_averaging.iterate(self.actors, self.weights)

    def check(self):
        self.begin()
        for _ in range(CHECK_ITERATIONS):
            self.step()
        return [self.weights[name][0] for name in ray_averaging.START]


class GradientAveraging(RayRow):
    def build(self):
        self.actors, self.local = ray_averaging.make_actors(), ray_averaging.make_local()
        self.begin()

    def begin(self):
        self.local.variables.set_weights(ray_averaging.START)

    def step(self):
        ray_averaging.iterate_by_gradients(self.actors, self.local)

    def check(self):
        self.begin()
        for _ in range(CHECK_ITERATIONS):
            self.step()
        weights = self.local.variables.get_weights()
        return [weights[name][0] for name in ray_averaging.START]


class Start(RayRow):
    """A program of its own each time: the clock runs from its start to its first line."""

    def prepare(self, threads):
        ray_cluster.stop()  # this process's cluster must not be in the way

    def run_program(self):
        program = os.path.join(ray_cluster.HERE, "ray_averaging.py")
        begin = time.perf_counter()
        runner = ["-m", "flowray"] if "flowray" in sys.modules else []
        with subprocess.Popen([sys.executable, *runner, program], stdout=subprocess.PIPE, text=True) as process:
            line = process.stdout.readline()
            seconds = time.perf_counter() - begin
        if process.returncode != 0 or not line:
            raise RuntimeError(f"{program} ended with status {process.returncode}")
        return line, seconds

    def measure(self, seconds):
        return 1, self.run_program()[1]  # once a round, however long it takes

    def check(self):
        return [float(word) for word in self.run_program()[0].split()]


def ends(array):
    return [len(array), array[0], array[1000], array[-1]]


ROWS = {
    "put small": Put(SMALL, lambda value: [value]),
    "get small": Get(SMALL, lambda value: [value]),
    "put 4 MB": Put(LARGE, ends),
    "get 4 MB": Get(LARGE, ends),
    "task, one at a time": Task(),
    "tasks, pipelined": PipelinedTasks(),
    "actor call, one at a time": ActorCall(),
    "actor calls, pipelined": PipelinedActorCalls(),
    "two actors in turn": TwoActors(),
    "echo 4 MB through an actor": Echo(),
    "weight averaging iteration": WeightAveraging(),
    "gradient averaging iteration": GradientAveraging(),
    "start to first result": Start(),
}

if __name__ == "__main__":
    ray_cluster.stop_at_the_end(lambda: serve(ROWS))
