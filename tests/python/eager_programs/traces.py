# What a tf.function's traces depend on, and how long they live: objects, methods, arguments by name; tapes that are used once.
import gc
import weakref

import tensorflow.compat.v1 as tf

tf.enable_eager_execution()
tf.logging.set_verbosity(tf.logging.ERROR)
traced = []


class Config:
    def __init__(self, number):
        self.number = number


class Equal(Config):
    def __eq__(self, other):
        return self.number == other.number

    def __hash__(self):
        return hash(self.number)


class Unhashable(Config):
    __hash__ = None

    def __eq__(self, other):
        return self.number == other.number


class Slots:
    __slots__ = ("number",)

    def __init__(self, number):
        self.number = number


@tf.function
def times(config, x):
    traced.append(config.number)
    return x * config.number


@tf.function
def same(value, x):
    traced.append(1)
    return x


def tried(function):
    try:
        value = function()
        print(value.numpy() if hasattr(value, "numpy") else value)
    except (TypeError, ValueError) as error:
        print(type(error).__name__, str(error).split("`.")[0].split("0x")[0])


# An object that comes to have the address of one that is gone is another one.
print([times(Config(number), tf.constant(1)).numpy() for number in range(2, 8)], traced)
traced.clear()
first, second, third = Equal(1), Equal(1), Equal(2)
print([times(one, tf.constant(3)).numpy() for one in (first, second, third, first)], traced)
traced.clear()
tried(lambda: times(Unhashable(3), tf.constant(1)))
print([times(Slots(number), tf.constant(1)).numpy() for number in range(3, 6)], traced)
traced.clear()
kept = [lambda: 1, lambda: 1]
for value in (*kept, *kept, range(3), range(3), frozenset([1]), frozenset([1]), int, tf.float32, tf.float32, tf.float64, float("nan"), float("nan")):
    same(value, tf.constant(1))
    print(len(traced), end=" ")
print()
tried(lambda: same({1, 2}, tf.constant(1)))
config = Config(5)
times(config, tf.constant(1))
gone = weakref.ref(config)
del config
gc.collect()
print("kept for a trace:", gone() is not None)


# A method's instance lives as long as the program wants it.
class Model:
    def __init__(self, number):
        self.number, self.weight = number, None

    @tf.function
    def grown(self, x):
        if self.weight is None:
            self.weight = tf.Variable(1.0)
        return x * self.number + self.weight

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.float32)])
    def by_signature(self, a, b):
        return self.number * a * b


models = [Model(number) for number in range(2, 5)]
print([model.grown(1.0).numpy() for model in models], [model.grown(1.0).numpy() for model in models])
x = tf.constant([1., 2.])
print(models[0].by_signature(x, b=4.0).numpy(), models[1].by_signature(b=4.0, a=x).numpy())
gone = [weakref.ref(model) for model in models]
del models
gc.collect()
print("kept for a method:", [one() is not None for one in gone])


# Arguments by name beside an input signature.
@tf.function(input_signature=[tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.float32)])
def product(a, b):
    return a * b


@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
def with_default(a, b=3.0):
    return a * b


@tf.function(input_signature=[tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.float32)])
def of_default(a, b=3.0):
    return a * b


@tf.function(input_signature=[tf.TensorSpec([None], tf.float32), tf.TensorSpec([], tf.float32)])
def of_rest(a, *rest):
    return a * rest[0]


@tf.function(input_signature=[{"u": tf.TensorSpec([None], tf.float32)}])
def of_dict(a):
    return a["u"]


for call in (lambda: product(x, b=2.0), lambda: product(b=2.0, a=x), lambda: product(x, 3.0), lambda: product(x), lambda: product(x, c=1.0),
             lambda: product(x, 1.0, 2.0), lambda: product(x, 1.0, b=2.0), lambda: with_default(x), lambda: with_default(a=x),
             lambda: with_default(x, b=4.0), lambda: with_default(x, 4.0), lambda: with_default(x, 3.0), lambda: of_default(x),
             lambda: of_default(x, b=4.0), lambda: of_rest(x, 2.0), lambda: of_dict(a={"u": x})):
    tried(call)

# Jacobians of several sources are one use of a tape.
y = tf.constant([3., 4.])
with tf.GradientTape() as tape:
    tape.watch([x, y])
    z = x * y
print([jacobian.numpy().tolist() for jacobian in tape.jacobian(z, [x, y])])
try:
    tape.gradient(z, x)
except RuntimeError as error:
    print(error)
weight = tf.Variable(2.0)
with tf.GradientTape() as tape:
    z = weight * 3.0
found = tape.jacobian(z, {"weight": weight, "other": y})
print(found["weight"].numpy(), found["other"], len(tape.watched_variables()))
with tf.GradientTape() as tape:
    tape.watch(x)
    z = x * x
    print(tape.gradient(z, x).numpy(), tape.watched_variables())
