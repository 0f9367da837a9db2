"""Datasets and their iterators as programs of version 1 use them: every element as in TensorFlow's local session."""

import gzip
import os
import re
import tempfile
import unittest

from queue_client_test import what_happens
from tensorflow_client import ServerTest, np, tf


def plain(value):
    """Lists in place of arrays, so that a difference is shown whole."""
    return tf.nest.map_structure(lambda leaf: leaf.tolist() if isinstance(leaf, (np.ndarray, np.generic)) else leaf, value)


def shortened(reason):
    """Without what TensorFlow says of its own passes over datasets, and of places in a file."""
    reason = re.sub(r"^(Error in user-defined function passed to \w+?)(V2)?(:\d+)? transformation( with iterator: [^ ]+)?: ", r"\1: ", reason)
    return re.sub(r"^(\w+ record at) .*", r"\1", reason)


class DatasetsTest(ServerTest):
    def check(self, dataset, count=40):
        """All elements, and the end or the error behind them, twice."""
        iterator = tf.data.make_initializable_iterator(dataset)
        element, begin = iterator.get_next(), iterator.initializer

        def program(session):
            seen = []
            for _ in range(2):
                session.run(begin)
                for _ in range(count):
                    got = what_happens(lambda: session.run(element))
                    if isinstance(got, tuple) and len(got) == 3 and isinstance(got[0], str) and got[0].endswith("Error"):
                        seen.append((got[0], shortened(got[1])))
                        if got[0] == "OutOfRangeError":
                            break
                    else:
                        seen.append(plain(got))
            return seen

        with self.subTest(type(dataset).__name__):
            expected, ours = self.both(program)
            self.assertEqual(expected, ours)
            return ours

    def test_sources(self):
        data = tf.data.Dataset
        self.check(data.from_tensors((tf.constant([1, 2]), tf.constant("a"))))
        self.check(data.from_tensor_slices({"x": tf.constant([[1, 2], [3, 4]]), "y": tf.constant(["a", "b"])}))
        self.check(data.range(5))
        self.check(data.range(10, 2, -3))

    def test_parts_and_rows(self):
        data = tf.data.Dataset
        numbers = data.range(7)
        for dataset in (numbers.take(3), numbers.take(-1), numbers.skip(5), numbers.skip(-1), numbers.repeat(2), numbers.repeat(0), numbers.take(2).repeat(),
                        numbers.shard(3, 1), numbers.concatenate(data.range(2)), data.zip((numbers, data.range(3).repeat(2))), numbers.cache().repeat(2),
                        numbers.prefetch(2), data.range(0).repeat()):
            self.check(dataset, 12)

    def test_batches(self):
        data = tf.data.Dataset
        numbers = data.range(7)
        for dataset in (numbers.batch(3), numbers.batch(3, drop_remainder=True), numbers.batch(10), data.from_tensor_slices(["a", "b", "c"]).batch(2),
                        numbers.batch(3).batch(2), numbers.batch(2).apply(tf.data.experimental.unbatch())):
            self.check(dataset)
        rows = numbers.map(lambda n: (tf.fill([n % 3, 2], n), tf.as_string(tf.range(n))))
        self.check(rows.padded_batch(3, ([None, 2], [None])))
        self.check(rows.padded_batch(3, ([4, 3], [None]), padding_values=(tf.constant(-1, tf.int64), "pad"), drop_remainder=True))
        self.check(rows.padded_batch(7, ([1, 2], [None])), 2)
        self.check(numbers.window(3, shift=2, stride=1).flat_map(lambda w: w.batch(3)))
        self.check(numbers.window(2, shift=3, stride=2, drop_remainder=True).flat_map(lambda w: w.batch(3)))

    def test_functions(self):
        data = tf.data.Dataset
        numbers = data.range(6)
        offset = tf.constant(10, tf.int64)
        self.check(numbers.map(lambda n: (n * n, n + offset)))
        self.check(numbers.map(lambda n: tf.cast(n, tf.float32) / 2, num_parallel_calls=2))
        self.check(numbers.filter(lambda n: tf.equal(n % 2, 0)))
        self.check(numbers.flat_map(lambda n: data.range(n)))
        self.check(numbers.interleave(lambda n: data.from_tensors(n).repeat(3), cycle_length=2, block_length=2))
        self.check(numbers.interleave(lambda n: data.range(n), cycle_length=3, block_length=1))
        self.check(numbers.map(lambda n: tf.cond(n > 2, lambda: n * 100, lambda: -n)))
        self.check(numbers.map(lambda n: tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s + i), [tf.constant(0, tf.int64)] * 2)[1]))
        self.check(numbers.map(lambda n: tf.check_numerics(1.0 / tf.cast(n - 2, tf.float32), "bad")), 8)
        self.check(data.from_tensor_slices(["1,2", "3,x", "5,6"]).map(lambda line: tf.decode_csv(line, [[0], [0]])), 6)
        self.check(numbers.map(lambda n: tf.random_uniform([], seed=3)), 4)
        self.check(numbers.apply(tf.data.experimental.take_while(lambda n: n < 3)))

    def test_shuffled_in_the_order_of_the_seeds(self):
        numbers = tf.data.Dataset.range(20)
        tf.set_random_seed(7)
        for dataset in (numbers.shuffle(5, seed=3), numbers.shuffle(30), numbers.shuffle(20, seed=3).repeat(2), numbers.shuffle(1, seed=1),
                        numbers.shuffle(8, seed=3, reshuffle_each_iteration=False).repeat(2), numbers.shuffle(6, seed=2).batch(4).repeat(2)):
            self.check(dataset)

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            def path(name):
                return os.path.join(folder, name)

            with open(path("a.txt"), "wb") as file:
                file.write(b"one\r\ntwo\n\nfour")
            with gzip.open(path("b.gz"), "wb") as file:
                file.write(b"five\nsix\n")
            with tf.io.TFRecordWriter(path("c")) as writer:
                for record in (b"x", b"", b"zz" * 100):
                    writer.write(record)
            with open(path("c"), "rb") as file:
                whole = file.read()
            with open(path("cut"), "wb") as file:
                file.write(whole[:-3])
            with open(path("damaged"), "wb") as file:
                file.write(whole[:12] + b"y" + whole[13:])
            data = tf.data
            self.check(data.TextLineDataset([path("a.txt"), path("a.txt")]).skip(1))
            self.check(data.TextLineDataset(path("b.gz"), compression_type="GZIP"))
            self.check(data.TextLineDataset(path("none")), 3)
            self.check(data.TFRecordDataset([path("c")]))
            for name in ("cut", "damaged"):
                self.check(data.TFRecordDataset(path(name)), 4)
            self.check(data.FixedLengthRecordDataset(path("a.txt"), 3, header_bytes=2))
            self.check(data.FixedLengthRecordDataset(path("a.txt"), 4, header_bytes=1), 1)

    def test_kinds_of_iterators(self):
        one_shot = tf.data.make_one_shot_iterator(tf.data.Dataset.range(3).map(lambda n: n + 1)).get_next()
        first, second = tf.data.Dataset.range(2), tf.data.Dataset.range(10, 12)
        either = tf.data.Iterator.from_structure(tf.int64, [])
        begins, element = [either.make_initializer(dataset) for dataset in (first, second)], either.get_next()
        handle = tf.placeholder(tf.string, [])
        fed = tf.data.Iterator.from_string_handle(handle, tf.int64, []).get_next()
        handles = [tf.data.make_one_shot_iterator(dataset).string_handle() for dataset in (first, second)]

        def program(session):
            seen = [plain(what_happens(lambda: session.run(one_shot))) for _ in range(4)]
            seen.append(what_happens(lambda: session.run(element)))
            for begin in begins:
                session.run(begin)
                seen += [plain(session.run(element)) for _ in range(2)]
            by_name = [session.run(handle) for handle in handles]
            return seen + [plain(session.run(fed, {handle: by_name[i]})) for i in (1, 0, 1, 0)]

        self.assertEqual(*self.both(program))

    def test_an_input_pipeline_feeds_a_training(self):
        tf.set_random_seed(1)
        data = np.random.RandomState(0).rand(64, 3).astype(np.float32)
        pairs = tf.data.Dataset.from_tensor_slices((data, data @ np.array([[1.0], [2.0], [3.0]], np.float32)))
        x, y = tf.data.make_one_shot_iterator(pairs.shuffle(64, seed=5).repeat().batch(16)).get_next()
        w = tf.Variable(tf.zeros([3, 1]))
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w) - y))
        train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
        init = tf.global_variables_initializer()

        def program(session):
            session.run(init)
            return [session.run([loss, train])[0] for _ in range(60)]

        losses = self.assert_same(program, 1e-4)
        self.assertLess(losses[-1], 0.1 * losses[0])

    def test_a_table_and_a_variable_in_a_function(self):
        table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2], tf.string, tf.int64), -1)
        dataset = tf.data.Dataset.from_tensor_slices(["b", "c", "a"]).map(table.lookup)
        iterator = tf.data.make_initializable_iterator(dataset)
        element = iterator.get_next()

        def program(session):
            session.run(tf.tables_initializer())
            session.run(iterator.initializer)
            return [plain(session.run(element)) for _ in range(3)]

        self.assertEqual(self.both(program)[1], [2, -1, 1])


if __name__ == "__main__":
    unittest.main()
