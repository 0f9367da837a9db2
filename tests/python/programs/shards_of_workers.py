"""The share of each of several workers: of files, of elements, before and after a shuffle; all of them together are the whole."""

import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()


def values(dataset):
    element = tf.data.make_one_shot_iterator(dataset).get_next()
    found = []
    with tf.Session() as sess:
        while True:
            try:
                found.append(sess.run(element).tolist())
            except tf.errors.OutOfRangeError:
                return found


WORKERS = 3
numbers = tf.data.Dataset.range(11)
shares = [values(numbers.shard(WORKERS, worker)) for worker in range(WORKERS)]
print(shares, sorted(sum(shares, [])) == list(range(11)))
shuffled = [values(numbers.shuffle(11, seed=8).shard(WORKERS, worker)) for worker in range(WORKERS)]
print(shuffled, sorted(sum(shuffled, [])) == list(range(11)))
print([values(numbers.shard(WORKERS, worker).shuffle(4, seed=8).batch(2)) for worker in range(WORKERS)])
print([values(numbers.batch(2).shard(WORKERS, worker).unbatch()) for worker in range(WORKERS)])
print([values(numbers.shard(2, 1).shard(2, index)) for index in range(2)])
print(values(numbers.shard(1, 0).take(2)), values(tf.data.Dataset.range(2).shard(5, 4)))
print(values(numbers.repeat(2).shard(4, 3)))

index = tf.placeholder(tf.int64, [])
iterator = tf.data.make_initializable_iterator(numbers.shard(WORKERS, index).batch(10))
element = iterator.get_next()
with tf.Session() as sess:
    for worker in (2, 0):
        sess.run(iterator.initializer, {index: worker})
        print(sess.run(element).tolist())
    for worker in (3, -1):
        try:
            sess.run(iterator.initializer, {index: worker})
        except tf.errors.InvalidArgumentError as error:
            print("Index must be between 0 and 2 (currently index = %d)." % worker in str(error))
for make in (lambda: numbers.shard(0, 0), lambda: numbers.shard(3, 3)):
    try:
        values(make())
    except (tf.errors.InvalidArgumentError, ValueError) as error:
        print(type(error).__name__)
