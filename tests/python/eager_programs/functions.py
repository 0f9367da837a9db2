# tf.function, datasets that are walked through, functions that give gradients.
import numpy as np
import tensorflow.compat.v1 as tf

tf.enable_eager_execution()
calls = []


@tf.function
def add(a, b):
    calls.append(1)
    return a + b


print(add(tf.constant(1.), tf.constant(2.)).numpy(), add(tf.constant(3.), tf.constant(4.)).numpy(), len(calls))
print(add(tf.constant([1., 2.]), tf.constant([3., 4.])).numpy(), len(calls))
print(add(tf.constant(1), 2).numpy(), add(tf.constant(1), 3).numpy(), len(calls))
v = tf.Variable(1.0)


@tf.function
def count(by):
    v.assign_add(by)
    doubled = v * 2
    v.assign_add(by)
    return doubled, {"v": v.read_value()}


doubled, values = count(tf.constant(1.0))
print(doubled.numpy(), values["v"].numpy(), v.numpy())
w, b = tf.Variable([-0.5]), tf.Variable([0.])


@tf.function
def loss_of(x, y):
    return tf.reduce_mean(tf.square(w * x + b - y))


xs = np.linspace(0, 1, 100).astype(np.float32)
ys = 0.1 * xs + 0.3
optimizer = tf.train.GradientDescentOptimizer(0.5)
for step in range(101):
    with tf.GradientTape() as tape:
        loss = loss_of(xs, ys)
    gradients = tape.gradient(loss, [w, b])
    optimizer.apply_gradients(zip(gradients, [w, b]))
    if step % 50 == 0:
        print(step, "%.5f" % loss.numpy(), w.numpy().round(4), b.numpy().round(4))


@tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
def total(x):
    calls.append(1)
    return tf.reduce_sum(x)


before = len(calls)
print(total([1., 2.]).numpy(), total([1., 2., 3.]).numpy(), len(calls) - before)


@tf.function
def branch(x):
    return tf.cond(x > 0, lambda: x * 2, lambda: -x)


print(branch(tf.constant(3.)).numpy(), branch(tf.constant(-3.)).numpy())
x = tf.constant(3.)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = branch(x) * 10
print(tape.gradient(y, x).numpy())
for element in tf.data.Dataset.range(6).map(lambda n: n * n).batch(4):
    print(element.numpy())
features = tf.data.Dataset.from_tensor_slices(({"a": [1, 2, 3]}, [10, 20, 30])).shuffle(1).repeat(2).batch(3)
print([(part["a"].numpy().tolist(), label.numpy().tolist()) for part, label in features])
scale = tf.constant(3)
print([n.numpy() for n in tf.data.Dataset.from_tensor_slices([1, 2]).map(lambda n: n * scale)])

made = []


@tf.function
def train(x, y):
    if not made:
        made.append(tf.Variable([0.0]))
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(made[0] * x - y))
    adam.apply_gradients([(tape.gradient(loss, made[0]), made[0])])
    return loss


adam = tf.train.AdamOptimizer(0.1)
print(["%.4f" % train(tf.constant([1., 2.]), tf.constant([2., 4.])).numpy() for _ in range(5)], made[0].numpy().round(4))


def numbers():
    for i in range(3):
        yield i * 10


print([n.numpy() for n in tf.data.Dataset.from_generator(numbers, tf.int32).batch(2)])
print(tf.py_func(lambda a: a + 1, [tf.constant(2.)], tf.float32).numpy())


# A function for arguments of one kind.
traced = []


@tf.function
def scaled(x, factor=2.0, flip=False):
    traced.append(1)
    return {"made": -x * factor if flip else x * factor, "sum": tf.reduce_sum(x)}


of_vectors = scaled.get_concrete_function(tf.TensorSpec([None], tf.float32), 3.0)
print({name: value.numpy().tolist() for name, value in sorted(of_vectors(tf.constant([1., 2.])).items())}, len(traced))
print({name: value.numpy().tolist() for name, value in sorted(of_vectors(x=tf.constant([1., 2., 3.])).items())}, len(traced))
of_two = scaled.get_concrete_function(tf.constant([5., 6.]), flip=True)
print(of_two(tf.constant([1., 2.]))["made"].numpy().tolist(), len(traced))
try:
    of_two(tf.constant([1, 2]))
except Exception as error:
    print("no integers")


@tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
def summed(x):
    return tf.reduce_sum(x, axis=1)


concrete = summed.get_concrete_function()
weight = tf.Variable(2.0)
with tf.GradientTape() as tape:
    made = tf.reduce_sum(concrete(weight * tf.ones([3, 2])))
print(concrete(tf.ones([1, 2])).numpy().tolist(), tape.gradient(made, weight).numpy())
