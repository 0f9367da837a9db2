#!/usr/bin/env python3
"""Weight averaging with Ray and TensorFlow: actors train one network, the driver averages their weights. And gradient averaging: actors
compute gradients, the driver feeds their mean into a network of its own.

As a program it starts a cluster, prints the weights after the first iteration and ends; its start to that line is a row of
scripts/compare. The network and its data are in docs/measuring.md.
"""

import os
import sys

os.environ["TF_USE_LEGACY_KERAS"] = "1"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"

import ray_cluster
import numpy as np
import ray

ACTORS = 2
POINTS = 100
START = {"Variable": np.array([-0.5], np.float32), "Variable_1": np.array([0.0], np.float32)}


class TensorFlowVariables:
    """What the rows need of the class that Ray no longer has: one step reads all variables, one step sets them."""

    def __init__(self, tf, session):
        self.session = session
        self.variables = {v.op.name: v for v in tf.global_variables()}
        self.placeholders = {name: tf.placeholder(v.dtype.base_dtype, v.shape) for name, v in self.variables.items()}
        self.assignments = [v.assign(self.placeholders[name]).op for name, v in self.variables.items()]

    def get_weights(self):
        return self.session.run(self.variables)

    def set_weights(self, weights):
        feeds = {self.placeholders[name]: value for name, value in weights.items()}
        self.session.run(self.assignments, feeds)


class Network:
    """Gradient descent on y = w x + b; actor `number` has its own points."""

    def __init__(self, number):
        import tensorflow.compat.v1 as tf  # here: the driver needs none

        tf.disable_v2_behavior()
        tf.disable_resource_variables()
        x = (np.arange(POINTS) + 0.5 * number) / POINTS
        w, b = tf.Variable([0.0]), tf.Variable([0.0])
        loss = tf.reduce_mean(tf.square(w * tf.constant(x, tf.float32) + b - tf.constant(0.1 * x + 0.3, tf.float32)))
        optimizer = tf.train.GradientDescentOptimizer(0.5)
        self.grads = optimizer.compute_gradients(loss)
        self.train = optimizer.apply_gradients(self.grads)
        self.session = tf.Session(config=tf.ConfigProto(inter_op_parallelism_threads=1, intra_op_parallelism_threads=1))
        self.session.run(tf.global_variables_initializer())
        self.variables = TensorFlowVariables(tf, self.session)

    def step(self, weights):
        self.variables.set_weights(weights)
        self.session.run(self.train)
        return self.variables.get_weights()

    def gradients(self, weights):
        self.variables.set_weights(weights)
        return self.session.run([gradient for gradient, _ in self.grads])

    def apply(self, gradients):
        self.session.run(self.train, {tensor: value for (tensor, _), value in zip(self.grads, gradients)})


def make_actors():
    return [ray.remote(Network).remote(number) for number in range(ACTORS)]


def make_local():
    """The driver's network, in a graph of its own."""
    import tensorflow.compat.v1 as tf

    with tf.Graph().as_default():
        return Network(0)


def iterate(actors, weights):
    """One iteration: the weights go to all actors, which train a step; the mean of what they return."""
    weights_ref = ray.put(weights)
    results = ray.get([actor.step.remote(weights_ref) for actor in actors])
    return {name: sum(result[name] for result in results) / len(results) for name in results[0]}


def iterate_by_gradients(actors, local):
    """One iteration: the weights of the driver's network go to all actors, and the mean of their gradients is fed into it."""
    weights_ref = ray.put(local.variables.get_weights())
    every = ray.get([actor.gradients.remote(weights_ref) for actor in actors])
    local.apply([sum(gradients) / len(actors) for gradients in zip(*every)])


def main():
    ray_cluster.start()
    weights = iterate(make_actors(), START)
    print(*(weights[name][0] for name in START), flush=True)


if __name__ == "__main__":
    if len(sys.argv) != 1:
        sys.exit(f"usage: {os.path.basename(sys.argv[0])}")
    ray_cluster.stop_at_the_end(main)
