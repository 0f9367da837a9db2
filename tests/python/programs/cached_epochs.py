"""Elements that are computed once: kept in memory and in files, of several components, by one walk at a time."""

import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

D = tf.data.Dataset
calls = []


def expensive(n):
    def call(value):
        calls.append(int(value))
        return value * value
    return tf.py_func(call, [n], tf.int64)


def read(dataset, most=20):
    iterator = tf.data.make_initializable_iterator(dataset)
    element = iterator.get_next()
    found = []
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        for _ in range(most):
            try:
                found.append([np.asarray(value).tolist() for value in tf.nest.flatten(sess.run(element))])
            except tf.errors.OutOfRangeError:
                break
    count = len(calls)
    del calls[:]
    return found, count


def files(folder, prefix=""):
    """Without what TensorFlow wrote beside its place: it may be there a little longer."""
    return sorted(name for name in os.listdir(folder) if name.startswith(prefix) and ".tempstate" not in name)


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "squares")
    print("memory", read(D.range(3).map(expensive).cache().repeat(3)))
    print("file", read(D.range(3).map(expensive).cache(path).repeat(2)), files(folder))
    print("again", read(D.range(3).map(expensive).cache(path).repeat(2)))
    print("after it", read(D.range(3).map(expensive).cache(path).map(lambda n: n + 1).shuffle(3, seed=2)))
    pairs = D.from_tensor_slices({"a": [[1.5, 2.5], [3.5, 4.5]], "b": ["x", "yz"]})
    print("pairs", read(pairs.cache(os.path.join(folder, "pairs")).repeat(2)))
    part = os.path.join(folder, "part")
    print("a part", read(D.range(3).map(expensive).cache(part).take(2)), files(folder, "part"))
    print("the whole", read(D.range(3).map(expensive).cache(part).repeat(2)))
    reader = tf.train.NewCheckpointReader(part)
    print(sorted(reader.get_variable_to_shape_map()), int(reader.get_tensor("      2_0")))

    both = [tf.data.make_initializable_iterator(D.range(3).cache(os.path.join(folder, "both"))) for _ in range(2)]
    first, second = [iterator.get_next() for iterator in both]
    with tf.Session() as sess:
        sess.run([iterator.initializer for iterator in both])
        print(int(sess.run(first)))
        try:
            sess.run(second)
        except tf.errors.AlreadyExistsError as error:
            print("concurrent caching iterator running" in str(error), "both_0.lockfile" in str(error))
        print([int(sess.run(first)) for _ in range(2)])
        try:
            sess.run(first)
        except tf.errors.OutOfRangeError:
            print(files(folder, "both"))
        sess.run(both[1].initializer)
        print([int(sess.run(second)) for _ in range(3)])
    try:
        read(D.range(2).cache(os.path.join(folder, "none", "there")))
    except tf.errors.NotFoundError as error:
        print(type(error).__name__)
    names = tf.placeholder(tf.string, [])
    iterator = tf.data.make_initializable_iterator(D.range(2).cache(names).repeat(2))
    element = iterator.get_next()
    with tf.Session() as sess:
        for name in ("one", "two"):
            sess.run(iterator.initializer, {names: os.path.join(folder, name)})
            print(name, [int(sess.run(element)) for _ in range(4)], os.path.exists(os.path.join(folder, name + ".index")))
