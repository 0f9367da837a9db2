"""Batches of several readers, of some of the examples, for some epochs; names of files; producers of rows."""

import os
import tempfile
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)


def all_of(fetches, keys=None):
    """What is given until there is nothing more."""
    given = []
    with tf.Session() as sess:
        sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=sess, coord=coord)
        try:
            while not coord.should_stop():
                got = sess.run(fetches)
                given += [got.tolist()] if not isinstance(got, (list, dict)) else \
                    [{key: got[key].tolist() for key in got} if isinstance(got, dict) else [value.tolist() for value in got]]
        except tf.errors.OutOfRangeError:
            pass
        coord.request_stop()
        coord.join(threads)
    tf.reset_default_graph()
    return given


def numbers(limit, epochs=1, **named):
    return tf.train.range_input_producer(limit, num_epochs=epochs, shuffle=False, **named).dequeue()


print(all_of(tf.train.maybe_batch([numbers(6)], True, 2)))
n = numbers(9)
print(all_of(tf.train.maybe_batch([n], tf.equal(n % 3, 0), 2, allow_smaller_final_batch=True)))
n = numbers(4)
rows = tf.stack([n, 10 * n, 100 * n])
print(all_of(tf.train.maybe_batch([rows, -rows], tf.greater(rows, 9), 3, enqueue_many=True, allow_smaller_final_batch=True)))
n = numbers(5)
print(all_of(tf.train.batch({"n": n, "square": n * n}, 2, allow_smaller_final_batch=True)))
parts = all_of(tf.train.batch_join([[numbers(4), "a"], [numbers(4) + 10, "b"]], 2, capacity=8))
print(sorted(number for part in parts for number in part[0]), sorted({text for part in parts for text in part[1]}))
n = numbers(3)
ragged = all_of(tf.train.batch_join([[tf.range(n + 1)]], 3, dynamic_pad=True))
print(ragged)
parts = all_of(tf.train.shuffle_batch_join([[numbers(6)], [numbers(6) + 10]], 4, 20, 3, seed=1))
print(sorted(number for part in parts for number in part))
n = numbers(8)
parts = all_of(tf.train.maybe_shuffle_batch([n], 2, 20, 1, tf.less(n, 4)))
print(sorted(number for part in parts for number in part))
n = numbers(8)
parts = all_of(tf.train.maybe_shuffle_batch_join([[n], [n + 100]], 2, 20, 1, tf.less(n, 0)))
print(parts)
tf.reset_default_graph()
print(all_of(tf.train.limit_epochs(tf.constant([1, 2]), 3)))
print(all_of(tf.train.input_producer([[1, 2], [3, 4]], num_epochs=2, shuffle=False, summary_name="full").dequeue()))
later = tf.placeholder_with_default([1.5, 2.5], None)
print(all_of(tf.train.input_producer(later, element_shape=[], num_epochs=1, shuffle=False).dequeue()))
with tempfile.TemporaryDirectory() as folder:
    for name in ("b.txt", "a.txt", "c.csv"):
        with open(os.path.join(folder, name), "w") as file:
            file.write(name)
    names = tf.train.match_filenames_once(os.path.join(folder, "*.txt"))
    several = tf.io.match_filenames_once([os.path.join(folder, "c*"), os.path.join(folder, "a*")], name="several")
    print(names.name, several.name, names.dtype, [v.name for v in tf.local_variables()], tf.trainable_variables())
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        os.remove(os.path.join(folder, "a.txt"))
        print([os.path.basename(name) for name in sess.run(names)], [os.path.basename(name) for name in sess.run(several)])
tf.reset_default_graph()
cancel = tf.no_op(name="nothing")
queue = tf.train.string_input_producer(["a"], cancel_op=cancel)
print([runner.cancel_op.name for runner in tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)])
with tf.Session() as sess:
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess, coord)
    print(sess.run([queue.dequeue() for _ in range(3)]))
    coord.request_stop()
    sess.run(queue.close(cancel_pending_enqueues=True))
    coord.join(threads)
