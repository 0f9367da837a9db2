"""What tests/python/libraries/functions.cpp calls."""

from flowray import ray


def plus(a, b):
    return a + b


def with_means(rows):
    return {name: [*values, sum(values) / len(values)] for name, values in rows.items()}


@ray.remote
def fail(text):
    raise ValueError(text)


class Counter:
    def __init__(self, start):
        self.value = start

    def add(self, x):
        self.value += x
        return self.value
