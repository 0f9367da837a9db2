"""What tests/ray/python_calls_test.cpp calls."""

import os
import threading

import numpy as np


def plus(a, b):
    return a + b


def doubled(values):
    return 2 * values


def describe(value):
    return type(value).__name__


def fails():
    raise ValueError("no such row")


def pid():
    return os.getpid()


def variable(name):
    return os.environ.get(name, "none")


def parent():
    return os.getppid()


def session():
    from flowray import ray
    return ray.get_runtime_context().get_session_name()


def files_of_the_start():
    """Numbers of files that the driver reads why an interpreter has not started, in this process and in the one that forks its like."""
    return ["%s: %s" % (pid, number) for pid in (os.getpid(), os.getppid()) for number in os.listdir("/proc/%d/fd" % pid)
            if "flowray-python" in target("/proc/%d/fd/%s" % (pid, number))]


def target(link):
    try:
        return os.readlink(link)
    except OSError:
        return ""


def die():
    os._exit(7)


def mean(rows):
    return float(np.mean([np.mean(row) for row in rows.values()]))


class Counter:
    def __init__(self, start):
        self.value = start

    def add(self, x):
        self.value += x
        return self.value

    def fail(self):
        raise IndexError("out of it")


class Meeting:
    def __init__(self):
        self.barrier = threading.Barrier(2)

    def meet(self):
        self.barrier.wait(60)
        return os.getpid()


class Broken:
    def __init__(self):
        raise RuntimeError("cannot be made")
