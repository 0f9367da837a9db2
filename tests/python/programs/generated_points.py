"""Points that a generator of the program makes: their structures, arguments, errors, and a line that is fitted to them."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)

D = tf.data.Dataset


def show(title, dataset, most=6):
    print(title, [str(shape) for shape in tf.nest.flatten(tf.data.get_output_shapes(dataset))])
    element = tf.data.make_one_shot_iterator(dataset).get_next()
    with tf.Session() as sess:
        for _ in range(most):
            try:
                print("  ", [np.asarray(value).tolist() for value in tf.nest.flatten(sess.run(element))])
            except tf.errors.OutOfRangeError:
                return
            except tf.OpError as error:
                return print("  ", type(error).__name__)


def fibonacci(first=0, second=1):
    while True:
        yield first
        first, second = second, first + second


def points(count=4):
    for number in range(count):
        yield {"x": number / 4, "y": [number, -number]}, "p%d" % number


show("numbers", D.from_generator(fibonacci, tf.int64, []).take(6))
show("of arguments", D.from_generator(fibonacci, tf.int64, [], args=(2, 5)).skip(1).take(3))
show("points", D.from_generator(points, ({"x": tf.float32, "y": tf.int32}, tf.string), ({"x": [], "y": [2]}, [])))
show("of unknown shapes", D.from_generator(points, ({"x": tf.float32, "y": tf.int32}, tf.string)).batch(3))
show("signature", D.from_generator(lambda: iter([[1, 2], [3]]), output_signature=tf.TensorSpec([None], tf.int32)))
show("padded", D.from_generator(lambda: (range(n) for n in (1, 3, 2)), tf.int32, [None]).padded_batch(3, [None]))
show("twice", D.from_generator(lambda: iter("ab"), tf.string, []).repeat(2).batch(4))
show("mapped", D.from_generator(points, ({"x": tf.float32, "y": tf.int32}, tf.string)).map(lambda point, name: tf.strings.join([name, "!"])))
show("interleaved", D.range(2).interleave(lambda n: D.from_generator(fibonacci, tf.int64, [], args=(n, n + 1)).take(3), cycle_length=2))


def failing():
    yield 1
    raise ValueError("no more")


show("an error", D.from_generator(failing, tf.int32, []))
show("of another shape", D.from_generator(lambda: iter([[1, 2, 3]]), tf.int32, [2]))
show("of another type", D.from_generator(lambda: iter(["text"]), tf.int32, []))


def measured():
    generator = np.random.RandomState(7)
    for x in generator.uniform(-1, 1, 400).astype(np.float32):
        yield x, np.float32(3 * x + 0.5)


x, y = tf.data.make_one_shot_iterator(D.from_generator(measured, (tf.float32, tf.float32), ([], [])).batch(20)).get_next()
w, b = tf.Variable(0.0), tf.Variable(0.0)
loss = tf.reduce_mean(tf.square(w * x + b - y))
train = tf.train.GradientDescentOptimizer(0.8).minimize(loss)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    steps = 0
    while True:
        try:
            sess.run(train)
            steps += 1
        except tf.errors.OutOfRangeError:
            break
    print(steps, np.round(sess.run([w, b]), 2).tolist())
for make in (lambda: D.from_generator(points), lambda: D.from_generator([1, 2], tf.int32),
             lambda: D.from_generator(points, tf.int32, output_signature=tf.TensorSpec([], tf.int32))):
    try:
        make()
    except TypeError as error:
        print(type(error).__name__)
