"""What programs read their data with - strings, files, CSV, Examples: values and errors as in TensorFlow's local session."""

import inspect
import os
import tempfile
import unittest

from queue_client_test import what_happens
from tensorflow_client import ServerTest, np, tf

raw = tf.raw_ops


def text(*values):
    return np.array(values, object)


class SingleOpsTest(ServerTest):
    def check(self, *cases):
        """Each case is the name of an op, its inputs (fed, with their shapes unknown while building) and its attributes."""
        runs = [self.built(*case) for case in cases]

        def program(session):
            return [str(what_happens(lambda fetch=fetch, feed=feed: session.run(fetch, feed))) for _, fetch, feed in runs]

        expected, ours = self.both(program)
        for (case, _, _), theirs, mine in zip(runs, expected, ours):
            with self.subTest(case):
                self.assertEqual(theirs, mine)

    def built(self, name, *values, **attrs):
        feed = {}

        def fed(value):
            if isinstance(value, tuple):
                return [fed(item) for item in value]
            if isinstance(value, tf.Tensor):
                return value
            array = np.asarray(value)
            if array.dtype == np.int64 and not isinstance(value, np.ndarray):
                array = array.astype(np.int32)
            dtype = tf.string if array.dtype.kind in "OSU" else array.dtype
            placeholder = tf.placeholder(dtype, None)
            feed[placeholder] = array
            return placeholder

        op = getattr(raw, name)
        arguments = dict(zip(inspect.signature(op).parameters, map(fed, values)))
        return f"{name} {values} {attrs}", op(**arguments, **attrs), feed

    def test_strings_are_split(self):
        for cases in (
            [("StringSplit", text("a b  c", "", "x"), " "), ("StringSplit", text("a,b;c", "", "x"), ",;"), ("StringSplit", text("abc"), "")],
            [("StringSplit", "a", " "), ("StringSplit", text("a"), text(" ")), ("StringSplit", text(), " ")],
            [("StringSplitV2", text("a b  c", "", " x "), ""), ("StringSplitV2", text("a<>b<>", "", "x"), "<>")],
            [("StringSplitV2", np.array([["a"]], object), ""), ("StringSplitV2", text("a"), text("x"))],
        ):
            self.check(*cases)
        self.compare("StringSplit", (text("a b  c", ""), " "), {"skip_empty": False})
        self.compare("StringSplitV2", (text("a<>b<>", "", "x"), "<>"), {"maxsplit": 1})
        self.compare("StringSplitV2", (text("a b  c ", "", "x"), ""), {"maxsplit": 1}, {"maxsplit": 0})

    def compare(self, name, inputs, *attrs):
        runs = [self.built(name, *inputs, **some) for some in attrs]

        def program(session):
            return [str(what_happens(lambda fetch=fetch, feed=feed: session.run(fetch, feed))) for _, fetch, feed in runs]

        expected, ours = self.both(program)
        for (case, _, _), theirs, mine in zip(runs, expected, ours):
            with self.subTest(case):
                self.assertEqual(theirs, mine)

    def test_parts_of_strings(self):
        hello = text("hello", "ab")
        self.check(
            *(("Substr", hello, pos, length) for pos, length in ((1, 2), (3, 2), (-2, 2), (-3, 2), (1, -1), ([1, 0], [2, 1]), ([1, 0], [2]))),
            *(("Substr", hello, pos, pos) for pos in ([1, 0, 2], [[1, 0], [0, 1]], [[[[0]]]])),
            ("Substr", "hello", [0, 1, 2], [1, 2, 100]),
            ("Substr", np.array([["hello"], ["abc"]], object), [0, 1, 2], [1, 2, 100]),
            ("Substr", np.array([["hello", "ab"]], object), [1, 0], [1, 1]),
            ("Substr", hello, np.array(1), np.array(2)),
        )
        characters = text("h\u00e9llo".encode(), "\u00e4bc".encode())
        for pos in (1, -2, 4):
            self.compare("Substr", (characters, pos, 2), {"unit": "UTF8_CHAR"})

    def test_buckets(self):
        values = text(b"", b"a", b"hello", b"0123456789abcdef", b"0123456789abcdef0", b"x" * 40, b"y" * 64, b"z" * 65, bytes(range(256)) * 3)
        many = 1 << 62
        self.compare("StringToHashBucketFast", (values,), {"num_buckets": many}, {"num_buckets": 7})
        self.compare("StringToHashBucket", (values,), {"num_buckets": many}, {"num_buckets": 7})
        self.compare("StringToHashBucketStrong", (values,), *({"num_buckets": many, "key": key} for key in ([7, 9], [1 << 60, -5], [1])))

    def test_bytes(self):
        for values in (text(b"abcd", b"efgh"), text(b"abcd", b"efg"), text(b"abc"), text(b"", b""), text(), np.array(b"\1\0\2", object)):
            for dtype in (tf.int16, tf.bool, tf.uint8):
                self.compare("DecodeRaw", (values,), {"out_type": dtype}, {"out_type": dtype, "little_endian": False})
        self.compare("DecodeRaw", (text(b"12345678" * 2),), *({"out_type": t, "little_endian": e} for t in (tf.complex64, tf.float64) for e in (True, False)))
        wrong = [b"YW*j", b"YWJjY", b"YWJjYQ=", b"YWJj==", b"="]
        self.check(*(("DecodeBase64", text(value)) for value in wrong), ("DecodeBase64", text(b"YWJj", b"_-8=", b"_-8", b"YWJjYR==", b"")))
        self.compare("EncodeBase64", (text(b"a", b"ab", b"abc", b"\xff\xee\xfb", b""),), {}, {"pad": True})

    def test_rows_are_joined(self):
        square = np.array([["a", "b"], ["c", "d"]], object)
        axes = ([0], [0, 1], [1, 0], -1, 2, -3, [0, 0], [0, -2], np.zeros([0], np.int32))
        for axis in axes:
            self.compare("ReduceJoin", (square, axis), {}, {"separator": "-"}, {"keep_dims": True})
        self.check(("ReduceJoin", np.zeros([0, 2], object), 0), ("ReduceJoin", np.zeros([0, 2], object), 1), ("ReduceJoin", square[None], [2, 0]))

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a", "b.txt")
            os.makedirs(os.path.join(folder, ".hidden"))
            with self.session() as session:
                session.run(tf.write_file(path, b"con\0tents"))
                self.assertEqual(session.run(tf.read_file(path)), b"con\0tents")
                with open(path, "w", encoding="ascii") as file:
                    file.write("new")
                self.assertEqual(session.run(tf.read_file(path)), b"new")
            self.check(
                *(("ReadFile", name) for name in (path, folder, folder + "/none", "", "s3://a/b", text(path))),
                ("WriteFile", folder, "x"),
                ("WriteFile", text(path), "x"),
                ("WriteFile", path, text("x")),
                *(("MatchingFiles", folder + name) for name in ("/*", "/*/*", "/a", "/?/[ab].txt", "/{a}", "")),
                ("MatchingFiles", text(folder + "/*", "/none/*", folder + "/a")),
                ("MatchingFiles", np.array([["a"]], object)),
            )

    def test_csv(self):
        lines = [["1,2.5,a", '3,,"b,c"'], '1,2,"a""b"', ["1,2"], ["1,2,3,4"], ["x,2,3"], ["1,x,3"], ['1,2,"a'], ['1,2,a"b'], ['1,2,"a"b'],
                 [" 1 , 2 , a "], ["1,2,3\n"], ['1,2,"a\nb"'], [""], [",2,a", "5,6,"], ["99999999999,2,a"], ["1.0,2,a"], ["1,1e400,a"],
                 ["+1,nan,-"], ["0x10,2,a"], ['1,2,""'], ['"1","2","x"'], ["1;2;a"], ["NA,NA,NA"], ["-1,1e-50,x"], ["1,1e-40,x"]]
        defaults = (tf.constant([0]), tf.constant([9.0]), tf.constant(["z"]))
        options = ({}, {"use_quote_delim": False}, {"field_delim": ";"}, {"na_value": "NA"}, {"select_cols": [0, 2, 3]}, {"select_cols": [2, 1, 3]})
        for line in lines:
            self.compare("DecodeCSV", (np.array(line, object), defaults), *options)
        required = (tf.constant([], tf.int64), tf.constant(3.0, tf.float64))
        self.check(*(("DecodeCSV", text(line), required) for line in (",1", "5,", "5x,1", "5,5x", "5,6")))

    def test_examples(self):
        first, second = self.example(a=[1.0, 2.0], b=[5], s=[b"x", b"y"]), self.example(a=[3.0, 4.0], s=[b"z"])
        empty = tf.train.Example()
        empty.features.feature["a"].CopyFrom(tf.train.Feature())
        batches = (text(first, second), text(), np.array(first, object), np.array(second, object), text(first, b"garbage"), np.array(b"garbage", object),
                   text(first, empty.SerializeToString()), text(first, b""), np.array([[first]], object))
        dense = [("a", [], tf.float32, [2]), ("b", [], tf.int64, [1]), ("b", [7], tf.int64, [1]), ("b", [], tf.float32, [1]), ("a", [], tf.float32, [3]),
                 ("s", ["d"], tf.string, [None]), ("s", [], tf.string, [None]), ("a", [0.0], tf.float32, [None, 2]),
                 ("a", [0.0], tf.float32, [None, 3]), ("a", [1.0, 2.0, 3.0], tf.float32, [2]), ("a", [1.0, 2.0], tf.float32, [2])]
        runs = [(f"{batch} {spec}", *self.parsed(batch, dense=[spec])) for batch in batches for spec in dense]
        for types in ([("s", tf.string), ("b", tf.int64), ("q", tf.float32)], [("s", tf.int64)], [("a", tf.float32), ("a", tf.float32)]):
            runs += [(f"{batch} {types}", *self.parsed(batch, **{kind: types})) for batch in batches for kind in ("sparse", "ragged")]
        runs.append(("names", *self.parsed(batches[0], names=["n", "m"], dense=[("b", [], tf.int64, [1])])))
        runs.append(("too many names", *self.parsed(batches[0], names=["n"], dense=[("b", [], tf.int64, [1])])))

        def program(session):
            return [str(what_happens(lambda fetch=fetch, feed=feed: session.run(fetch, feed))) for _, fetch, feed in runs]

        expected, ours = self.both(program)
        for (case, _, _), theirs, mine in zip(runs, expected, ours):
            with self.subTest(case):
                self.assertEqual(theirs, mine)

    def test_examples_with_the_old_op(self):
        batch = text(self.example(a=[1.0, 2.0], s=[b"x"]), self.example(a=[3.0, 4.0], b=[8]))
        features = {"a": tf.FixedLenFeature([2], tf.float32), "b": tf.FixedLenFeature([], tf.int64, 3), "s": tf.VarLenFeature(tf.string)}
        serialized = tf.placeholder(tf.string, [None])
        parsed = raw.ParseExample(serialized=serialized, names=tf.constant([], tf.string), sparse_keys=[tf.constant("s")],
                                  dense_keys=[tf.constant("a"), tf.constant("b")], dense_defaults=[tf.constant([], tf.float32), tf.constant([3], tf.int64)],
                                  sparse_types=[tf.string], dense_shapes=[[2], [1]])
        self.assert_same(lambda session: session.run(parsed, {serialized: batch}))
        of_python = tf.parse_example(serialized, features)
        self.assert_same(lambda session: session.run([of_python["a"], of_python["b"], of_python["s"]], {serialized: batch}))

    @staticmethod
    def example(**features):
        message = tf.train.Example()
        for key, values in features.items():
            feature = message.features.feature[key]
            kind = {bytes: feature.bytes_list, float: feature.float_list, int: feature.int64_list}[type(values[0])]
            kind.value.extend(values)
        return message.SerializeToString()

    @staticmethod
    def parsed(batch, names=(), sparse=(), dense=(), ragged=()):
        serialized = tf.placeholder(tf.string, None)
        keys = [tf.constant([spec[0] for spec in specs], tf.string) for specs in (sparse, dense, ragged)]
        fetch = raw.ParseExampleV2(
            serialized=serialized, names=tf.constant(list(names), tf.string), sparse_keys=keys[0], dense_keys=keys[1], ragged_keys=keys[2],
            dense_defaults=[tf.constant(value, dtype) for _, value, dtype, _ in dense], num_sparse=len(sparse),
            sparse_types=[dtype for _, dtype in sparse], ragged_value_types=[dtype for _, dtype in ragged],
            ragged_split_types=[tf.int64] * len(ragged), dense_shapes=[shape for *_, shape in dense])
        return fetch, {serialized: batch}


if __name__ == "__main__":
    unittest.main()
