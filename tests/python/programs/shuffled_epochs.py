"""Orders by chance that can be repeated: by the seeds of the graph and of the operation, over epochs and over new walks."""

import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()


def epochs(make, graph_seed=None, walks=1):
    """Each walk's numbers, in a graph of its own."""
    with tf.Graph().as_default():
        if graph_seed is not None:
            tf.set_random_seed(graph_seed)
        iterator = tf.data.make_initializable_iterator(make(tf.data.Dataset.range(6)))
        element = iterator.get_next()
        found = []
        with tf.Session() as sess:
            for _ in range(walks):
                sess.run(iterator.initializer)
                numbers = []
                while True:
                    try:
                        numbers.append(sess.run(element).tolist())
                    except tf.errors.OutOfRangeError:
                        break
                found.append(numbers)
        return found


print("a seed", epochs(lambda d: d.shuffle(6, seed=1).repeat(3)))
print("kept", epochs(lambda d: d.shuffle(6, seed=1, reshuffle_each_iteration=False).repeat(3)))
print("begun anew", epochs(lambda d: d.shuffle(6, seed=1), walks=3))
print("the graph's", epochs(lambda d: d.shuffle(6).repeat(2), graph_seed=5))
print("both", epochs(lambda d: d.shuffle(6, seed=1).repeat(2), graph_seed=5))
print("zeros", epochs(lambda d: d.shuffle(6, seed=0), graph_seed=0))
print("a small buffer", epochs(lambda d: d.shuffle(2, seed=9).repeat(2)))
print("of one", epochs(lambda d: d.shuffle(1, seed=9)))
print("of all", epochs(lambda d: d.shuffle(tf.data.experimental.UNKNOWN_CARDINALITY, seed=1)))
print("repeated first", epochs(lambda d: d.repeat(2).shuffle(4, seed=2)))
print("together", epochs(lambda d: d.apply(tf.data.experimental.shuffle_and_repeat(6, 2, seed=3)), graph_seed=4))
print("batches", epochs(lambda d: d.shuffle(6, seed=2).batch(4).repeat(2)))
print("of batches", epochs(lambda d: d.batch(2).shuffle(3, seed=7).unbatch()))
print("of walks", epochs(lambda d: d.take(3).flat_map(lambda n: tf.data.Dataset.range(n, n + 3).shuffle(3, seed=6))))
print("twice", epochs(lambda d: d.shuffle(6, seed=1).shuffle(6, seed=2)))
print("a drawn number", epochs(lambda d: d.map(lambda n: tf.random_uniform([], 0, 100, tf.int32, seed=3)), graph_seed=2))
chance = epochs(lambda d: d.shuffle(6))[0]
print("all are there", sorted(chance))
for size in (0, -1):
    try:
        epochs(lambda d, size=size: d.shuffle(size))
    except tf.errors.InvalidArgumentError as error:
        print("buffer_size must be greater than zero or UNKNOWN_CARDINALITY" in str(error))
