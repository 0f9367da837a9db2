"""Batches of sequences that are about as long, datasets without end, and functions of tensors that have values."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)

LENGTHS = [3, 1, 7, 2, 9, 4, 4, 1, 6, 2, 8]


def elements(dataset, most=20):
    print([dtype.name for dtype in tf.nest.flatten(tf.data.get_output_types(dataset))],
          [str(shape) for shape in tf.nest.flatten(tf.data.get_output_shapes(dataset))])
    following = tf.data.make_one_shot_iterator(dataset).get_next()
    with tf.Session() as sess:
        try:
            for _ in range(most):
                print([np.asarray(value).tolist() for value in tf.nest.flatten(sess.run(following))])
        except tf.errors.OutOfRangeError:
            print("end")
        except tf.OpError:
            print("a sequence is too long")


def sequences():
    def generate():
        for number, length in enumerate(LENGTHS):
            yield np.arange(number, number + length), number
    return tf.data.Dataset.from_generator(generate, (tf.int64, tf.int32), ([None], []))


def length_of(sequence, number):
    return tf.shape(sequence)[0]


bucket = tf.data.experimental.bucket_by_sequence_length
elements(sequences().apply(bucket(length_of, [3, 6], [3, 2, 2])))
elements(sequences().apply(bucket(length_of, [5], [2, 4], padding_values=(tf.constant(-1, tf.int64), 0), drop_remainder=True)))
elements(sequences().apply(bucket(length_of, [4, 10], [2, 2, 1], pad_to_bucket_boundary=True)))
elements(sequences().apply(bucket(length_of, [4, 9], [2, 2, 1], pad_to_bucket_boundary=True)))
elements(sequences().bucket_by_sequence_length(length_of, [5], [3, 3], padded_shapes=([12], [])))
words = tf.data.Dataset.from_tensor_slices(["a b", "c", "d e", "f"]).map(lambda text: tf.string_split([text]).values)
elements(words.apply(bucket(lambda text: tf.size(text), [2], [2, 2])))
elements(tf.data.Dataset.range(6).apply(bucket(lambda number: tf.cast(number, tf.int32), [2], [2, 3], no_padding=True)))
try:
    bucket(length_of, [3, 6], [3, 2])(sequences())
except ValueError as error:
    print(error)

elements(tf.data.experimental.Counter(), 3)
elements(tf.data.experimental.Counter(5, -2, tf.int32), 4)
elements(tf.data.Dataset.zip((tf.data.experimental.Counter(start=10), tf.data.Dataset.range(2))))
print(tf.data.experimental.INFINITE_CARDINALITY, tf.data.experimental.UNKNOWN_CARDINALITY)
elements(tf.data.Dataset.range(4).apply(tf.data.experimental.parallel_interleave(
    lambda number: tf.data.Dataset.from_tensors(number).repeat(3), cycle_length=2, block_length=2)))


def scaled(x, y):
    values = tf.reduce_sum(x) * tf.cast(y, tf.float32)
    return values, x.numpy().max(), [1, 2]


x = tf.placeholder(tf.float32, [None], name="x")
total, most, numbers = tf.py_function(scaled, [x, 3], [tf.float32, tf.float32, tf.int64])
only = tf.py_function(lambda value: value * 2.0 + 1.0, [x], tf.float32, name="only")
nothing = tf.py_function(lambda value: print("seen", value.numpy().tolist()), [x], [])
failing = tf.py_function(lambda value: tf.reshape(value, [7]), [x], tf.float32)
print(total.shape, only.name, only.op.type, numbers.dtype.name)
with tf.Session() as sess:
    fed = {x: [1.0, 2.0, 4.0]}
    print([np.asarray(value).tolist() for value in sess.run([total, most, numbers, only], fed)])
    sess.run(nothing, fed)
    try:
        sess.run(failing, fed)
    except tf.OpError as error:
        print(type(error).__name__)
elements(tf.data.Dataset.range(3).map(lambda number: tf.py_function(lambda value: value + 10, [number], tf.int64)))
try:
    tf.py_function(5, [x], tf.float32)
except Exception as error:
    print(type(error).__name__)
