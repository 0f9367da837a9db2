"""tf.train.batch and its siblings, which put queues between readers and the training."""

from programs import program
from tensorflow_v1 import tf


@program
def input_producers():
    tf.train.string_input_producer(["a", "b", "c"])
    tf.train.string_input_producer(["a", "b"], num_epochs=2, shuffle=False, capacity=5, name="files")
    tf.train.string_input_producer(tf.constant(["a", "b"]), seed=7, shared_name="names")


@program
def range_and_slice_producers():
    tf.train.range_input_producer(5, shuffle=False)
    tf.train.range_input_producer(5, num_epochs=1, seed=3, name="numbers")
    tf.train.slice_input_producer([tf.zeros([6, 2]), tf.ones([6])], shuffle=False)


@program
def batches():
    x, y = tf.placeholder(tf.float32, [3], name="x"), tf.placeholder(tf.int32, [], name="y")
    tf.train.batch([x, y], 4)
    tf.train.batch([x, y], 4, num_threads=2, capacity=50, allow_smaller_final_batch=True, name="last")
    tf.train.batch({"x": x, "y": y}, 4, shared_name="shared")


@program
def batches_of_batches():
    x = tf.placeholder(tf.float32, [5, 3], name="x")
    tf.train.batch([x], 2, enqueue_many=True)
    tf.train.batch([tf.placeholder(tf.float32, [None, 2], name="long")], 2, dynamic_pad=True)


@program
def shuffled_batches():
    x, y = tf.placeholder(tf.float32, [3], name="x"), tf.placeholder(tf.int32, [], name="y")
    tf.train.shuffle_batch([x, y], batch_size=4, capacity=50, min_after_dequeue=10)
    tf.train.shuffle_batch([x], 4, 30, 20, num_threads=3, seed=5, allow_smaller_final_batch=True, name="mixed")


@program
def joined_batches():
    x, y = tf.placeholder(tf.float32, [3], name="x"), tf.placeholder(tf.float32, [3], name="y")
    tf.train.batch_join([[x], [y]], 4)
    tf.train.batch_join([[x], [y]], 4, capacity=50, allow_smaller_final_batch=True, name="last")
    tf.train.shuffle_batch_join([[x, y], [y, x]], 4, 30, 20, seed=5, name="mixed")
    tf.train.batch_join([[tf.placeholder(tf.float32, [None, 2], name="long")]], 2, dynamic_pad=True)


@program
def batches_of_some():
    x, keep = tf.placeholder(tf.float32, [5, 3], name="x"), tf.placeholder(tf.bool, [5], name="keep")
    tf.train.maybe_batch([x], keep, 2, enqueue_many=True)
    tf.train.maybe_batch([x], tf.placeholder(tf.bool, [], name="p"), 2)
    tf.train.maybe_batch_join([[x], [x]], False, 2, name="none")
    tf.train.maybe_shuffle_batch([x], 2, 20, 10, keep, enqueue_many=True)
    tf.train.maybe_shuffle_batch_join([[x]], 2, 20, 10, keep, enqueue_many=True)


@program
def epochs_and_file_names():
    tf.train.limit_epochs(tf.placeholder(tf.float32, [2], name="x"), 3)
    tf.train.limit_epochs(tf.placeholder(tf.float32, [2], name="y"), 2, name="twice")
    tf.train.match_filenames_once("data/*.txt")
    tf.train.match_filenames_once(["a*", "b*"], name="files")


@program
def rows_of_tensors():
    x = tf.placeholder(tf.float32, [4, 2], name="x")
    tf.train.input_producer(x)
    tf.train.input_producer(x, num_epochs=2, shuffle=False, capacity=5, summary_name="full", name="rows")
    tf.train.input_producer(tf.placeholder(tf.float32, name="y"), [3], cancel_op=tf.no_op(name="cancel"))
    tf.train.string_input_producer(tf.placeholder(tf.string, name="names"), cancel_op=tf.no_op(name="another"))
    tf.train.range_input_producer(tf.placeholder(tf.int32, name="limit"))
