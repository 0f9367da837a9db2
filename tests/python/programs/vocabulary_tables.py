"""Words turned into numbers and back: tables from lists and files, buckets for the others, tables that change; sentences split."""

import os
import tempfile

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def show(name, value):
    if isinstance(value, tf.SparseTensorValue):
        print(name, value.indices.tolist(), value.values.tolist(), value.dense_shape.tolist())
    else:
        print(name, np.asarray(value).tolist())


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "words.txt")
    with open(path, "w") as words:
        words.write("the\ncat\nsat\n")
    with tf.Graph().as_default(), tf.Session() as session:
        pieces = tf.string_split(["the cat", "a  dog sat", ""])
        exact = tf.strings.split(["a,b,,c", "d"], ",", maxsplit=2)
        initializer = tf.lookup.TextFileInitializer(path, tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64,
                                                    tf.lookup.TextFileIndex.LINE_NUMBER)
        numbers = tf.lookup.StaticHashTable(initializer, -1)
        vocabulary = tf.lookup.StaticVocabularyTable(tf.lookup.KeyValueTensorInitializer(["x", "y"], tf.constant([0, 1], tf.int64)), 3)
        lengths = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["cat", "dog"], [3.0, 3.5]), 0.0)
        counts = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
        session.run(tf.tables_initializer())
        show("pieces", session.run(pieces))
        show("exact", session.run(exact))
        show("ids", session.run(numbers.lookup(pieces)))
        show("size", session.run(numbers.size()))
        show("buckets", session.run(vocabulary.lookup(tf.constant(["x", "y", "z", "w"]))))
        show("vocabulary_size", session.run(vocabulary.size()))
        show("lengths", session.run(lengths.lookup(tf.constant([["cat", "dog"], ["cow", "cat"]]))))
        session.run(counts.insert(tf.constant(["a", "b"]), tf.constant([1, 2], tf.int64)))
        show("inserted", session.run(counts.lookup(tf.constant(["b", "c", "a"]))))
        session.run(counts.remove(tf.constant(["a"])))
        show("left", session.run(counts.size()))
        show("gone", session.run(counts.lookup(tf.constant(["a"]))))
        keys, values = session.run(counts.export())
        show("exported", [keys.tolist(), values.tolist()])
        for wrong in (lambda: numbers.lookup(tf.constant([1])), lambda: tf.lookup.StaticVocabularyTable(None, 0),
                      lambda: tf.lookup.TextFileInitializer(path, tf.float32, -2, tf.int64, -1)):
            try:
                wrong()
            except (TypeError, ValueError) as error:
                print(type(error).__name__)
        try:
            session.run(tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a"], [1]), 0).lookup(tf.constant(["a"])))
        except tf.errors.FailedPreconditionError:
            print("not initialized")
