"""A function and a batch in one: map_and_batch, in parallel, with and without the last batch; and what its functions may use."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)

D = tf.data.Dataset
map_and_batch = tf.data.experimental.map_and_batch


def show(title, dataset, most=8):
    print(title, [str(shape) for shape in tf.nest.flatten(tf.data.get_output_shapes(dataset))])
    iterator = tf.data.make_initializable_iterator(dataset)
    element = iterator.get_next()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(iterator.initializer)
        for _ in range(most):
            try:
                print("  ", [np.asarray(value).tolist() for value in tf.nest.flatten(sess.run(element))])
            except tf.errors.OutOfRangeError:
                return
            except tf.errors.InvalidArgumentError as error:
                print("  ", type(error).__name__)


numbers = D.range(7)
show("squares", numbers.apply(map_and_batch(lambda n: n * n, 3)))
show("whole batches", numbers.apply(map_and_batch(lambda n: n * n, 3, drop_remainder=True)))
show("at once", numbers.apply(map_and_batch(lambda n: (n, tf.as_string(n)), 4, num_parallel_calls=3)))
show("batches at once", numbers.apply(map_and_batch(lambda n: {"half": n / 2}, 2, num_parallel_batches=2)).take(2))
scale = tf.get_variable("scale", initializer=np.int64(10))
factors = tf.constant([1, 2, 3], tf.int64)
show("captured", numbers.take(4).apply(map_and_batch(lambda n: n * scale + factors, 2)))
show("mapped then batched", numbers.map(lambda n: (n, n + 1)).map(lambda a, b: a * b, num_parallel_calls=2).batch(3))
show("nested", D.zip((numbers, {"x": numbers})).map(lambda n, other: (other["x"] - n, (n, n))).batch(7))
show("conditional", numbers.map(lambda n: tf.cond(n % 2 > 0, lambda: n, lambda: -n)).batch(7))
show("with shapes", numbers.map(lambda n: tf.reshape(tf.tile([n], [4]), [2, 2])).batch(2).skip(3))
show("from python", numbers.map(lambda n: tf.py_func(lambda value: value * 100, [n], tf.int64)).batch(4))
show("errors in their places", D.range(-1, 3).map(lambda n: tf.floordiv(np.int64(6), n)))
show("rows that differ", D.range(3).map(lambda n: tf.fill([n], n)).batch(3))
try:
    numbers.apply(map_and_batch(lambda n: n, 2, num_parallel_batches=1, num_parallel_calls=2))
except ValueError as error:
    print(type(error).__name__)
show("a list in a tuple", numbers.take(2).map(lambda n: (n, [n, n])))
show("a list alone", numbers.take(2).map(lambda n: [n, n + 1]))
show("a list of one", numbers.take(2).map(lambda n: [n]))
show("lists in a list", numbers.take(2).map(lambda n: [[n, 1], [2, n]]))
show("a list in a dict", numbers.take(2).map(lambda n: {"pair": [n, n * n], "one": n}).batch(2))
show("of unlike ones", numbers.take(2).map(lambda n: [n, tf.constant([1.0, 2.0])]))
show("from python, two", numbers.take(2).map(lambda n: tf.py_func(lambda value: (value, value / 2), [n], [tf.int64, tf.float64])))
print(type(tf.data.get_output_types(numbers.map(lambda n: [n]))).__name__, tf.data.get_output_types(numbers.map(lambda n: ([n, n], n))))
for make in (lambda n: (n, [n, 1.5]), lambda n: (n, [n, [n, n]]), lambda n: []):
    try:
        numbers.map(make)
    except (TypeError, ValueError) as error:
        print("refused")
