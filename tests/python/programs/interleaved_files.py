"""Files of lines that take turns: by interleave of several cycle and block lengths, in parallel, and of names in a list."""

import os
import tempfile

import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()


def read(dataset):
    iterator = tf.data.make_initializable_iterator(dataset)
    element = iterator.get_next()
    values = []
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        while True:
            try:
                values.append(sess.run(element).decode())
            except tf.errors.OutOfRangeError:
                return " ".join(values)


with tempfile.TemporaryDirectory() as folder:
    names = []
    for letter, count in (("a", 4), ("b", 2), ("c", 0), ("d", 5)):
        names.append(os.path.join(folder, letter + ".txt"))
        with open(names[-1], "w") as file:
            file.writelines("%s%d\n" % (letter, number) for number in range(count))
    files = tf.data.Dataset.from_tensor_slices(names)
    for cycle, block in ((1, 1), (2, 1), (2, 3), (4, 2), (9, 1)):
        print(cycle, block, read(files.interleave(tf.data.TextLineDataset, cycle_length=cycle, block_length=block)))
    for calls in (1, 2):
        print("at once", calls, read(files.interleave(tf.data.TextLineDataset, cycle_length=2, block_length=2, num_parallel_calls=calls)))
    print("sorted", read(tf.data.Dataset.list_files(os.path.join(folder, "*.txt"), shuffle=False).flat_map(
        lambda name: tf.data.TextLineDataset(name).take(1))))
    print("by chance", read(tf.data.Dataset.list_files(os.path.join(folder, "*.txt"), seed=4).interleave(
        lambda name: tf.data.TextLineDataset(name).skip(1).take(2), cycle_length=3)))
    print("twice", read(files.repeat(2).interleave(lambda name: tf.data.TextLineDataset(name).take(2), cycle_length=3)))
    inner = files.interleave(lambda name: tf.data.TextLineDataset(name).batch(2).map(lambda lines: tf.strings.reduce_join(lines, separator="+")),
                             cycle_length=2)
    print("joined", read(inner))
    try:
        read(files.concatenate(tf.data.Dataset.from_tensors(os.path.join(folder, "none"))).interleave(tf.data.TextLineDataset, cycle_length=5))
    except tf.errors.NotFoundError as error:
        print(type(error).__name__, "No such file or directory" in str(error))
    try:
        print("none", read(tf.data.Dataset.list_files(os.path.join(folder, "*.csv"))))
    except tf.errors.InvalidArgumentError as error:
        print(type(error).__name__)
    element = tf.data.make_one_shot_iterator(tf.data.Dataset.list_files(os.path.join(folder, "*.txt"), shuffle=False).interleave(
        tf.data.TextLineDataset, cycle_length=2)).get_next()
    shuffled = tf.data.make_one_shot_iterator(tf.data.Dataset.list_files(os.path.join(folder, "?.txt"), seed=3)).get_next()
    nothing = tf.data.make_one_shot_iterator(tf.data.Dataset.list_files(os.path.join(folder, "*.csv"), shuffle=False)).get_next()
    with tf.control_dependencies([tf.Assert(False, ["never looked at"])]):
        checked = tf.data.Dataset.from_tensors(tf.identity(4))
    with tf.Session() as sess:
        print("one shot", [sess.run(element).decode() for _ in range(5)], [os.path.basename(sess.run(shuffled)) for _ in range(4)])
        print("unchecked", sess.run(tf.data.make_one_shot_iterator(checked).get_next()))
        try:
            sess.run(nothing)
        except tf.errors.OutOfRangeError as error:
            print(type(error).__name__)
