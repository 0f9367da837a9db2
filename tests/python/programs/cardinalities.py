"""How many elements datasets say that they have, in a graph and at once."""

import os
import tempfile

import tensorflow.compat.v1 as tf

D = tf.data.Dataset
print(tf.data.INFINITE_CARDINALITY, tf.data.experimental.UNKNOWN_CARDINALITY)


def datasets(folder):
    path = os.path.join(folder, "lines")
    numbers = D.range(10)
    endless = numbers.repeat()
    some = numbers.filter(lambda n: n > 2)
    apply = tf.data.experimental
    yield "tensors", D.from_tensors(1)
    yield "slices", D.from_tensor_slices({"a": [1, 2], "b": [3, 4]})
    yield "backwards", D.range(10, 0, -3)
    yield "generator", D.from_generator(lambda: iter([1]), tf.int32)
    yield "lines", tf.data.TextLineDataset(path)
    yield "records", tf.data.TFRecordDataset(path)
    for name, all_of in (("known", numbers), ("endless", endless), ("unknown", some)):
        yield name, all_of
        yield name + " mapped", all_of.map(lambda n: n + 1)
        yield name + " mapped in parallel", all_of.map(lambda n: n + 1, num_parallel_calls=2)
        yield name + " batch", all_of.batch(3)
        yield name + " whole batches", all_of.batch(3, drop_remainder=True)
        yield name + " padded", all_of.padded_batch(3, [])
        yield name + " repeat", all_of.repeat(2)
        yield name + " repeat 0", all_of.repeat(0)
        yield name + " repeat for ever", all_of.repeat()
        for count in (-1, 0, 3, 30):
            yield "%s take %d" % (name, count), all_of.take(count)
            yield "%s skip %d" % (name, count), all_of.skip(count)
        yield name + " shuffle", all_of.shuffle(3)
        yield name + " cache", all_of.cache()
        yield name + " cache in a file", all_of.cache(path + name)
        yield name + " prefetch", all_of.prefetch(1)
        yield name + " shard 0", all_of.shard(3, 0)
        yield name + " shard 2", all_of.shard(3, 2)
        yield name + " windows", all_of.window(3)
        yield name + " whole windows", all_of.window(3, 2, 2, True)
        yield name + " windows apart", all_of.window(3, 2)
        yield name + " enumerate", all_of.enumerate()
        yield name + " flat_map", all_of.flat_map(lambda n: D.range(2))
        yield name + " interleave", all_of.interleave(lambda n: D.range(2), 2)
        yield name + " parallel interleave", all_of.interleave(lambda n: D.range(2), 2, num_parallel_calls=2)
        yield name + " choose", tf.data.experimental.choose_from_datasets([all_of, D.range(2)], D.range(2))
        yield name + " unbatch", all_of.batch(2).unbatch()
        yield name + " errors ignored", all_of.apply(apply.ignore_errors())
        yield name + " unique", all_of.apply(apply.unique())
        yield name + " take_while", all_of.apply(apply.take_while(lambda n: n < 3))
        yield name + " shuffle and repeat", all_of.apply(apply.shuffle_and_repeat(3, 2))
        yield name + " groups", all_of.apply(apply.group_by_window(lambda n: n % 2, lambda key, group: group.batch(2), 2))
        yield name + " scan", all_of.apply(apply.scan(tf.constant(0, tf.int64), lambda total, n: (total + n, total)))
        for other, more in (("known", numbers), ("endless", endless), ("unknown", some)):
            yield "%s and %s" % (name, other), D.zip((all_of, more))
            yield "%s then %s" % (name, other), all_of.concatenate(more)


with tempfile.TemporaryDirectory() as folder:
    with open(os.path.join(folder, "lines"), "w") as lines:
        lines.write("a\n")
    with tf.Graph().as_default(), tf.Session() as session:
        for name, dataset in datasets(folder):
            cardinality = tf.data.experimental.cardinality(dataset)
            print(name, cardinality.dtype.name, cardinality.shape, session.run(cardinality))
        size = tf.placeholder(tf.int64, [])
        print(session.run(D.range(10).batch(size).cardinality(), {size: 4}))
