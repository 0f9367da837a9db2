"""Statements on tensors in tf.function."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.enable_eager_execution()


def shown(value):
    return np.round(np.asarray(value.numpy(), "float64"), 4).tolist() if hasattr(value, "numpy") else value


@tf.function
def absolute(x):
    if x < 0:
        return -x
    return x


@tf.function
def graded(x):
    kind = 0
    if x > 10:
        kind = 2
        x = x / 10
    elif x > 5:
        kind = 1
    return kind, x


@tf.function
def collatz(n):
    steps = 0
    while tf.not_equal(n, 1):
        if tf.equal(n % 2, 0):
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps


@tf.function
def first_over(values, limit):
    found = -1.0
    for value in values:
        if value <= 0:
            continue
        if value > limit:
            found = value
            break
    return found


@tf.function
def powers(n):
    total = 0
    for i in tf.range(n):
        total += i * i
    for k in range(3):
        total += k
    return total


@tf.function
def between(x):
    ok = 0 < x < 10 and not tf.equal(x, 5)
    return (x if ok else -x), ok or x > 100


def helper(x, floor):
    if tf.reduce_sum(x) > floor:
        x = x * 2
    return x


@tf.function
def calls(x):
    return helper(x, 1.0) + helper(x, 100.0)


counter = tf.Variable(0)


@tf.function
def counts(flag):
    if flag:
        counter.assign_add(1)
    else:
        counter.assign_add(10)


@tf.function
def many(n):
    while n > 0:
        counter.assign_add(2)
        n -= 1
    return counter + 0


@tf.function
def nested(m):
    total = tf.constant(0.0)
    for row in m:
        for cell in row:
            if cell > 2:
                total += cell
            elif cell < 0:
                break
    return total


@tf.function
def python_only(x, flag, names=("a", "b")):
    if flag:
        for name in names:
            x = x + len(name)
    return x


@tf.function
def early(x, n):
    for _ in range(n):
        x = x * 2
        if n is not None and n > 2:
            return x + 100
    return x


@tf.function
def slope(x):
    y = x
    while y < 50:
        y = y * x
    return y


class Net:
    def __init__(self):
        self.scale = tf.Variable(2.0)

    @tf.function
    def step(self, x):
        if tf.reduce_mean(x) > 0:
            y = x * self.scale
        else:
            y = x - self.scale
        return y


print([shown(absolute(tf.constant(value))) for value in (-2.5, 3.0)])
print([[shown(part) for part in graded(tf.constant(value))] for value in (20.0, 7.0, 1.0)])
print([shown(collatz(tf.constant(value))) for value in (1, 6, 27)])
print([shown(first_over(tf.constant([1.0, -3.0, 4.0, 9.0]), tf.constant(limit))) for limit in (3.0, 5.0, 100.0)])
print(shown(powers(tf.constant(4))))
print([[shown(part) for part in between(tf.constant(value))] for value in (3, 5, 200)])
print(shown(calls(tf.constant([1.0, 2.0]))))
counts(tf.constant(True))
counts(tf.constant(False))
print(shown(counter), shown(many(tf.constant(3))), shown(counter))
print(shown(nested(tf.constant([[1.0, 3.0, -1.0, 9.0], [5.0, 2.0, 4.0, 0.0]]))))
print(shown(python_only(tf.constant(1), True)), shown(python_only(tf.constant(1), False)))
print(shown(early(tf.constant(1), 3)), shown(early(tf.constant(1), 2)))
x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = slope(x)
print(shown(y), shown(tape.gradient(y, x)))
net = Net()
print(shown(net.step(tf.constant([1.0, 2.0]))), shown(net.step(tf.constant([-1.0, -2.0]))))


@tf.function
def undefined(x):
    if x > 0:
        z = x
    return z


@tf.function
def of_dtypes(x):
    i = 0
    while tf.cast(i, tf.float32) < x:
        i = tf.cast(i, tf.float32) + 0.5
    return i


for wrong in (lambda: undefined(tf.constant(1)), lambda: of_dtypes(tf.constant(3.0))):
    try:
        wrong()
    except Exception as error:
        words = str(error).strip().split("\n")
        told = [word for word in words if "'z' must" in word or "'i' has" in word][0]
        print(type(error).__name__, told[told.index("'"):].rstrip(".")[:80])
with tf.Graph().as_default(), tf.Session() as session:
    converted = tf.autograph.to_graph(helper)
    fed = tf.placeholder(tf.float32, [2])
    made = converted(fed, 5.0)
    print(session.run([made], {fed: [1, 2]})[0].tolist(), session.run(made, {fed: [3, 4]}).tolist())
