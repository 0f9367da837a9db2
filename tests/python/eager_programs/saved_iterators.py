"""Iterators of eager execution in checkpoints: what comes after a restore, and what is refused."""

import os
import re
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.enable_eager_execution()
FOLDER = tempfile.mkdtemp()


def take(iterator, count):
    return [element.numpy().tolist() for _, element in zip(range(count), iterator)]


def words(error):
    return re.search(r"PyFunc is stateful\.|\w+ is stateful\.|Failed to restore dataset iterator from checkpoint", str(error)).group()


def goes_on(name, dataset, taken=3):
    iterator, step = iter(dataset), tf.Variable(1)
    checkpoint = tf.train.Checkpoint(iterator=iterator, step=step)
    before = take(iterator, taken)
    path = checkpoint.save(os.path.join(FOLDER, name))
    rest = take(iterator, 4)
    step.assign(5)
    checkpoint.restore(path).assert_consumed()
    again = take(iterator, 4)
    other = tf.train.Checkpoint(iterator=iter(dataset), step=tf.Variable(9))
    other.restore(path).assert_consumed()
    print(name, before, rest, again == rest, take(other.iterator, 4) == rest, step.numpy(), other.step.numpy())


ten = tf.data.Dataset.range(10)
goes_on("range", ten)
goes_on("shuffle", ten.shuffle(4, seed=3, reshuffle_each_iteration=False).batch(2), taken=1)
goes_on("map", ten.map(lambda x: x * x, num_parallel_calls=2).prefetch(2))
goes_on("interleave", ten.interleave(lambda x: tf.data.Dataset.range(x, x + 3), cycle_length=2))
goes_on("window", ten.window(3).flat_map(lambda window: window.batch(2)))

path = tf.train.Checkpoint(iterator=iter(ten)).save(os.path.join(FOLDER, "ten"))
print([name for name, _ in tf.train.list_variables(path)])
try:
    tf.train.Checkpoint(iterator=iter(tf.data.Dataset.from_tensor_slices(np.arange(3)))).restore(path)
except tf.errors.NotFoundError as error:
    print(words(error))
for dataset in (tf.data.Dataset.from_generator(lambda: iter(range(3)), output_signature=tf.TensorSpec((), tf.int64)),
                ten.map(lambda x: tf.random.uniform([]))):
    iterator = iter(dataset)
    next(iterator)
    try:
        tf.train.Checkpoint(iterator=iterator).save(os.path.join(FOLDER, "refused"))
    except tf.errors.FailedPreconditionError as error:
        print(words(error))
manager = tf.train.CheckpointManager(tf.train.Checkpoint(iterator=iter(ten)), os.path.join(FOLDER, "managed"), max_to_keep=2)
print([os.path.basename(manager.save()) for _ in range(3)], [os.path.basename(path) for path in manager.checkpoints])
