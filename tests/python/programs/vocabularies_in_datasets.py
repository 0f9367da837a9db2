"""Words that become numbers inside of a dataset: tables in functions of map, filter and flat_map, and who may keep them."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

D = tf.data.Dataset
WORDS = ["the", "cat", "sat", "a", "dog"]


def ids_of(words, default):
    return tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(words, tf.range(len(words), dtype=tf.int64)), default)


def show(title, dataset, before=()):
    iterator = tf.data.make_initializable_iterator(dataset)
    element = iterator.get_next()
    with tf.Session() as sess:
        sess.run([tf.tables_initializer()] + list(before))
        sess.run(iterator.initializer)
        while True:
            try:
                print(title, [np.asarray(value).tolist() for value in tf.nest.flatten(sess.run(element))])
            except tf.errors.OutOfRangeError:
                return print(title, "end")
            except tf.errors.FailedPreconditionError as error:
                return print(title, type(error).__name__)


sentences = D.from_tensor_slices(["the cat sat", "a bird", "the dog"])
words = D.from_tensor_slices(["dog", "bird", "cat"])
table = ids_of(WORDS, -1)
vocabulary = tf.lookup.StaticVocabularyTable(tf.lookup.KeyValueTensorInitializer(WORDS, tf.range(5, dtype=tf.int64)), 2)
counts = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, 0)
counted = counts.insert(["dog", "cat"], tf.constant([7, 9], tf.int64))
print([op.name for op in tf.get_default_graph().get_operations() if op.type in ("HashTableV2", "MutableHashTableV2")])

show("ids", words.map(lambda word: table.lookup(word)))
show("method", words.map(table.lookup, num_parallel_calls=2).batch(3))
show("buckets", words.map(lambda word: (vocabulary.lookup(word) < 5, vocabulary.size())))
show("padded", sentences.map(lambda text: table.lookup(tf.string_split([text]).values)).padded_batch(3, [None], padding_values=np.int64(-9)))
show("sparse", sentences.map(lambda text: table.lookup(tf.string_split([text])).values))
show("known", words.filter(lambda word: table.lookup(word) >= 0))
show("flat", sentences.flat_map(lambda text: D.from_tensor_slices(tf.string_split([text]).values).map(table.lookup)).batch(7))
show("counts", words.map(lambda word: (counts.lookup(word), counts.size())), [counted])
show("size", D.range(2).map(lambda number: table.size() + number))
show("both", D.zip((words, words.map(table.lookup))).map(lambda word, number: (word, tf.equal(table.lookup(word), number))))
show("own", words.map(lambda word: ids_of(["cat", "bird"], 5).lookup(word)))

for dataset in (words.map(table.lookup), words.map(counts.lookup), words.map(lambda word: ids_of(["cat"], 5).lookup(word))):
    try:
        print(tf.data.make_one_shot_iterator(dataset))
    except ValueError as error:
        print(type(error).__name__, str(error).split(" by value")[0])

iterator = tf.data.make_initializable_iterator(words.map(table.lookup))
with tf.Session() as sess:
    sess.run(iterator.initializer)
    try:
        print(sess.run(iterator.get_next()))
    except tf.errors.FailedPreconditionError as error:
        print(type(error).__name__, "Table not initialized." in str(error))

with tf.Graph().as_default(), tf.Session() as sess:
    with tf.name_scope("a"):
        inner = ids_of(["x", "y"], -1)

        @tf.function
        def double(word):
            return 2 * inner.lookup(word)
        result = double(tf.constant(["y", "z"]))
    sess.run(tf.tables_initializer())
    print(sess.run(result).tolist())
