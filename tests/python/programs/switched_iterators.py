"""One model, several datasets: an iterator that begins anew with another one, and one that is chosen by what is fed."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

x = np.linspace(-1, 1, 40).astype(np.float32)
y = (2 * x - 1).astype(np.float32)
training = tf.data.Dataset.from_tensor_slices((x[::2], y[::2])).repeat().batch(8)
validation = tf.data.Dataset.from_tensor_slices((x[1::2], y[1::2])).batch(20)

either = tf.data.Iterator.from_structure(training.output_types, training.output_shapes)
begin_training, begin_validation = either.make_initializer(training), either.make_initializer(validation, name="begin_validation")
inputs, labels = either.get_next()
w, b = tf.get_variable("w", initializer=0.0), tf.get_variable("b", initializer=0.0)
loss = tf.reduce_mean(tf.square(w * inputs + b - labels))
train = tf.train.GradientDescentOptimizer(0.3).minimize(loss)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    try:
        sess.run(loss)
    except tf.errors.FailedPreconditionError:
        print("not initialized")
    for epoch in range(3):
        sess.run(begin_training)
        for _ in range(10):
            sess.run(train)
        sess.run(begin_validation)
        print("epoch", epoch, "%.4f" % sess.run(loss))
        try:
            sess.run(loss)
        except tf.errors.OutOfRangeError:
            print("one batch of all")
    print(begin_validation.name, np.round(sess.run([w, b]), 3).tolist())

handle = tf.placeholder(tf.string, shape=[])
chosen = tf.data.Iterator.from_string_handle(handle, tf.int64, [])
element = chosen.get_next()
numbers = tf.data.make_one_shot_iterator(tf.data.Dataset.range(3))
limit = tf.placeholder(tf.int64, [])
squares = tf.data.make_initializable_iterator(tf.data.Dataset.range(limit).map(lambda n: n * n))
with tf.Session() as sess:
    first, second = sess.run([numbers.string_handle(), squares.string_handle()])
    sess.run(squares.initializer, {limit: 4})
    print([int(sess.run(element, {handle: which})) for which in (first, second, second, first, second, first)])
    for which in (first, second):
        try:
            print(sess.run(element, {handle: which}))
            sess.run(element, {handle: which})
        except tf.errors.OutOfRangeError:
            print("over")
    sess.run(squares.initializer, {limit: 2})
    print([int(sess.run(element, {handle: second})) for _ in range(2)])
for make in (lambda: tf.data.Iterator.from_structure(tf.int64, []).make_initializer(tf.data.Dataset.from_tensors(1.5)),
             lambda: tf.data.Iterator.from_structure(tf.int64, [2]).make_initializer(tf.data.Dataset.range(3))):
    try:
        make()
    except TypeError as error:
        print(type(error).__name__)
