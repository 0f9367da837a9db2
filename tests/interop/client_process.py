#!/usr/bin/env python3
"""A client in a process of its own, for tests that need several or kill one: client_process.py TARGET WHAT

    add      adds 1 to the variable "shared" 200 times
    compute  adds 1 to the variable "shared" and computes for some seconds, in one step
    wait     adds 1 to the variable "shared" and waits for an element of the queue "queue", in one step
"""

import sys

from tensorflow_client import np, tf


def main():
    target, what = sys.argv[1:]
    add = tf.Variable(0, name="shared").assign_add(1, use_locking=True)
    with tf.control_dependencies([add]):
        if what == "compute":
            step = tf.constant(np.eye(1500, dtype=np.float32)) + tf.cast(add, tf.float32)
            for _ in range(40):
                step = tf.matmul(step, step) * 1e-6
        elif what == "wait":
            step = tf.FIFOQueue(10, tf.int32, shared_name="queue").dequeue()
    with tf.Session(target) as session:
        if what == "add":
            for _ in range(200):
                session.run(add)
        else:
            session.run(step)


if __name__ == "__main__":
    main()
