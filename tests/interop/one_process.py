#!/usr/bin/env python3
"""One process that has the real TensorFlow and Flowray's libraries: one_process.py ORDER PLUGIN, where ORDER says who is loaded first:
tensorflow-first or flowray-first. Ends with "all is right" and status 0.
"""

import ctypes
import os
import sys


def load_tensorflow():
    from tensorflow_client import tf

    return tf


def load_flowray(plugin):
    # As Python's module of Flowray is opened: it must not find TensorFlow's copies of the libraries that both have.
    library = ctypes.CDLL(plugin, os.RTLD_NOW | os.RTLD_LOCAL | os.RTLD_DEEPBIND)
    library.train_a_line.restype = ctypes.c_double
    library.serve.restype = ctypes.c_char_p
    return library


def train_a_line(tf, target):
    with tf.Graph().as_default(), tf.Session(target) as session:
        xs = [0.01 * i for i in range(100)]
        w, b = tf.Variable([0.0]), tf.Variable([0.0])
        loss = tf.reduce_mean(tf.square(w * xs + b - [0.1 * x + 0.3 for x in xs]))
        train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
        session.run(tf.global_variables_initializer())
        for _ in range(200):
            session.run(train)
        return session.run(w)[0]


def main():
    order, plugin = sys.argv[1:]
    if order == "tensorflow-first":
        tf = load_tensorflow()
        flowray = load_flowray(plugin)
    else:
        flowray = load_flowray(plugin)
        target = flowray.serve().decode()  # gRPC of ours runs before theirs is there
        tf = load_tensorflow()
        assert abs(train_a_line(tf, target) - 0.1) < 1e-3, target
        flowray.stop_serving()
    # Each with itself, and each with the other, twice, so that what is loaded when it is first needed has been.
    for _ in range(2):
        theirs = tf.train.Server.create_local_server()
        ours = flowray.serve().decode()
        assert ours.startswith("grpc://"), ours
        for target in ("", theirs.target, ours, theirs.target):
            weight = train_a_line(tf, target)
            assert abs(weight - 0.1) < 1e-3, (target, weight)
        weight = flowray.train_a_line()
        assert abs(weight - 0.1) < 1e-3, weight
        flowray.stop_serving()
    print("all is right", flush=True)
    os._exit(0)  # TensorFlow's servers do not end by themselves


if __name__ == "__main__":
    main()
