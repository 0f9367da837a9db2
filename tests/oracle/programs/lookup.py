"""Tables that turn keys into values: from columns of text files, with buckets for words that are not there, and such as change."""

from programs import program
from tensorflow_v1 import lookup_ops, tf


def words(name="words", shape=(None,)):
    return tf.placeholder(tf.string, shape, name=name)


@program
def lookup_of_files():
    lines = tf.lookup.TextFileInitializer("words.txt", tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64,
                                          tf.lookup.TextFileIndex.LINE_NUMBER)
    table = tf.lookup.StaticHashTable(lines, -1)
    table.lookup(words())
    table.size()
    columns = tf.lookup.TextFileInitializer("columns.txt", tf.int64, 1, tf.string, 0, vocab_size=3, delimiter=",", name="columns",
                                            value_index_offset=2)
    other = tf.lookup.StaticHashTable(columns, "none", name="other")
    other.lookup(tf.placeholder(tf.int64, [2, None], name="numbers"), name="found")
    other.size(name="count")
    tf.tables_initializer()


@program
def lookup_of_sparse_words():
    lines = tf.lookup.TextFileInitializer("words.txt", tf.string, -2, tf.int64, -1)
    table = tf.lookup.StaticHashTable(lines, -1)
    table.lookup(tf.sparse_placeholder(tf.string, [3, 4], name="sp"))


@program
def lookup_with_buckets():
    lines = tf.lookup.TextFileInitializer("words.txt", tf.string, -2, tf.int64, -1)
    table = tf.lookup.StaticVocabularyTable(lines, 5)
    table.lookup(words())
    table.lookup(tf.sparse_placeholder(tf.string, [3, 4], name="sp"), name="found")
    table.size()
    buckets = lookup_ops.IdTableWithHashBuckets(None, 7)
    buckets.lookup(words("others"))
    buckets.size(name="count")
    lines = tf.lookup.TextFileInitializer("numbers.txt", tf.int64, -2, tf.int64, -1)
    numbers = lookup_ops.IdTableWithHashBuckets(tf.lookup.StaticHashTable(lines, -1), 2, lookup_ops.StrongHashSpec([1, 2]),
                                                name="numbers", key_dtype=tf.int32)
    numbers.lookup(tf.placeholder(tf.int32, [None], name="ids"))


@program
def lookup_of_indices():
    table = lookup_ops.index_table_from_file("words.txt", num_oov_buckets=2)
    table.lookup(words())
    other = lookup_ops.index_table_from_file("words.txt", vocab_size=4, default_value=9, name="named")
    other.lookup(words("others"))
    back = lookup_ops.index_to_string_table_from_file("words.txt", default_value="nothing")
    back.lookup(tf.placeholder(tf.int64, [None], name="ids"))


@program
def lookup_that_changes():
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1, checkpoint=False)
    table.insert(words(), tf.placeholder(tf.int64, [None], name="ids"))
    table.lookup(words("wanted"))
    table.size()
    table.remove(words("gone"), name="away")
