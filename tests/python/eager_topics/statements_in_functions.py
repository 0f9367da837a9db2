"""if, while and for on tensors in a tf.function."""

import tensorflow.compat.v1 as tf

@tf.function
def collatz(n):
    steps = tf.constant(0)
    while n > 1:
        if tf.equal(n % 2, 0):
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@tf.function
def positive_sum(values):
    total = tf.constant(0.0)
    for value in values:
        if value < 0.0:
            continue
        total += value
        if total > 5.0:
            break
    return total


@tf.function
def signs(x):
    if x > 0.0:
        return "above"
    if x < 0.0:
        return "below"
    return "zero"


print([int(collatz(tf.constant(n))) for n in (1, 6, 7)], [float(positive_sum(tf.constant(values))) for values in ([1.0, -2.0, 3.0], [4.0, 4.0, 4.0])], [signs(tf.constant(x)).numpy() for x in (1.0, -1.0, 0.0)])
