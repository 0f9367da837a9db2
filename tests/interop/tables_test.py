"""Tables from keys to values, as in TensorFlow's local session."""

import os
import tempfile
import unittest

from queue_client_test import what_happens
from tensorflow_client import ServerTest, tf

raw = tf.raw_ops


def outcomes(session, *fetches):
    return [str(what_happens(lambda fetch=fetch: session.run(fetch))) for fetch in fetches]


class TablesTest(ServerTest):
    def test_a_table_that_is_filled_once(self):
        table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b", "c"], [1, 2, 3], tf.string, tf.int64), -1)
        found = table.lookup(tf.constant([["a", "x"], ["c", "b"]]))
        fill = tf.tables_initializer()
        again = raw.InitializeTableV2(table_handle=table.resource_handle, keys=["a"], values=tf.constant([5], tf.int64))
        wrong = [raw.LookupTableFindV2(table_handle=table.resource_handle, keys=tf.constant([1]), default_value=tf.constant(0, tf.int64)),
                 raw.LookupTableFindV2(table_handle=table.resource_handle, keys=tf.constant(["a"]), default_value=tf.constant(0.0)),
                 raw.LookupTableFindV2(table_handle=table.resource_handle, keys=tf.constant(["a"]), default_value=tf.constant([0, 1], tf.int64))]
        self.assertEqual(found.shape, [2, 2])

        def program(session):
            early = outcomes(session, found)
            session.run(fill)
            return early + [session.run(found), session.run(table.size())] + [outcome[:24] for outcome in outcomes(session, *wrong)]

        self.assertEqual(*map(str, self.both(program)))
        with self.session() as session:
            session.run(fill)
            self.assertIn("FailedPreconditionError", outcomes(session, again)[0])

    def test_two_values_for_one_key(self):
        table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "a"], [1, 2], tf.string, tf.int64), -1)
        self.assertEqual(*self.both(lambda session: outcomes(session, table.initializer)))

    def test_a_table_that_changes(self):
        table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, -1.0)
        key = tf.placeholder(tf.int64, [None])
        find, put, drop = table.lookup(key), table.insert(key, tf.cast(key, tf.float32) * 2), table.remove(key)

        def program(session):
            seen = [session.run(find, {key: [1, 2]})]
            session.run(put, {key: [1, 2, 3, 2]})
            session.run(drop, {key: [1, 7]})
            keys, values = session.run(table.export())
            return seen + [session.run(find, {key: [1, 2, 3]}), session.run(table.size()), sorted(zip(keys.tolist(), values.tolist()))]

        self.assert_same(program)

    def test_words_from_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "words")
            with open(path, "w", encoding="ascii") as file:
                file.write("apple\t10\npear\t20\nplum\t30\n")
            whole, line = tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER
            fetches = []
            for keys, key, values, value in ((tf.string, 0, tf.int64, 1), (tf.int64, line, tf.string, 0), (tf.string, whole, tf.int64, line), (tf.string, 0, tf.int64, 2)):
                table = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(path, keys, key, values, value), "none" if values == tf.string else -1)
                asked = tf.constant([1, 5], tf.int64) if keys == tf.int64 else tf.constant(["pear", "plum\t30", "nut"])
                fetches += [table.initializer, table.lookup(asked), table.size()]
            self.assertEqual(*self.both(lambda session: outcomes(session, *fetches)))


if __name__ == "__main__":
    unittest.main()
