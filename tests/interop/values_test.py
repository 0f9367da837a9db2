"""Values of every dtype, size and form, fed and fetched."""

import unittest

from tensorflow_client import ServerTest, np, tf

NUMBERS = {
    tf.bool: [True, False, True],
    tf.uint8: [0, 1, 255], tf.uint16: [0, 1, 65535], tf.uint32: [0, 1, 2**32 - 1], tf.uint64: [0, 1, 2**64 - 1],
    tf.int8: [-128, 0, 127], tf.int16: [-32768, 0, 32767], tf.int32: [-(2**31), 0, 2**31 - 1], tf.int64: [-(2**63), 0, 2**63 - 1],
    tf.float16: [-1.5, 65504.0, 6e-8], tf.bfloat16: [-1.5, 3.3e38, 1e-38],
    tf.float32: [0.1, -np.inf, 1e-45], tf.float64: [0.1, np.inf, 5e-324],
    tf.complex64: [1 - 2j, 0.5j, -3], tf.complex128: [1e300 - 2j, 0.1j, -3],
}


class ValuesTest(ServerTest):
    def fed_and_fetched(self, value, dtype):
        placeholder = tf.placeholder(dtype)
        fetched = self.assert_same(lambda s: s.run(tf.identity(placeholder), {placeholder: value}), 0)
        np.testing.assert_array_equal(fetched, np.asarray(value, dtype.as_numpy_dtype))
        return fetched

    def test_every_dtype(self):
        for dtype, numbers in NUMBERS.items():
            value = np.array(numbers, dtype.as_numpy_dtype)
            for shape, part in (("vector", value), ("matrix", np.stack([value, value[::-1]])), ("scalar", value[2]), ("empty", value[:0])):
                with self.subTest(dtype=dtype.name, shape=shape):
                    tf.reset_default_graph()
                    self.assertEqual(self.fed_and_fetched(part, dtype).dtype, dtype.as_numpy_dtype)

    def test_constants_of_every_dtype(self):
        """In a graph, values are written in other ways than in a feed: lists of a type, shortened where the last repeats."""
        for dtype, numbers in NUMBERS.items():
            value = np.array(numbers, dtype.as_numpy_dtype)
            for form, part in (("several", value), ("one", value[1]), ("filled", np.full([3, 40], value[2])), ("none", value[:0]),
                               ("end repeats", np.concatenate([value, np.full([200], value[2])]))):
                with self.subTest(dtype=dtype.name, form=form):
                    tf.reset_default_graph()
                    constant = tf.constant(part, dtype)
                    np.testing.assert_array_equal(self.assert_same(lambda s: s.run(constant), 0), part)

    def test_variables_of_every_dtype(self):
        for dtype, numbers in NUMBERS.items():
            for resource in (False, True):
                with self.subTest(dtype=dtype.name, resource=resource):
                    tf.reset_default_graph()
                    tf.Session.reset(self.server.target)
                    variable = tf.Variable(np.array(numbers, dtype.as_numpy_dtype), use_resource=resource)
                    init = tf.global_variables_initializer()
                    self.assert_same(lambda s: [s.run(init), s.run(variable)][1:], 0)

    def test_values_that_are_no_numbers(self):
        for dtype in (tf.float16, tf.bfloat16, tf.float32, tf.float64):
            tf.reset_default_graph()
            fed = np.array([np.nan, -np.nan, np.inf, -0.0], dtype.as_numpy_dtype)
            x = tf.placeholder(dtype)
            with self.session() as session:
                self.assertEqual(session.run(tf.identity(x), {x: fed}).tobytes(), fed.tobytes())

    def test_strings(self):
        words = tf.placeholder(tf.string)
        long = b"z" * 300_000
        values = [[b"", b"hello", b"\x00\xff\x00", "\u00fc\u4e2d".encode() * 1000, long], b"alone", [], [[b"a", b"b"], [b"c", b""]], [long] * 20]
        for value in values:
            fed = np.array(value, object)
            with self.subTest(shape=fed.shape):
                fetched = self.assert_same(lambda s, fed=fed: s.run(tf.identity(words), {words: fed}))
                self.assertEqual(np.asarray(fetched, object).tolist(), fed.tolist())

    def test_strings_in_the_graph(self):
        constants = [tf.constant(b"one"), tf.constant([b"a", b"bc", b""]), tf.constant(b"x", shape=[3, 2]), tf.fill([2], b"y"), tf.constant([], tf.string)]
        self.assert_same(lambda s: s.run(constants))

    def test_strings_that_are_joined(self):
        joined = tf.string_join([tf.constant([b"a", b"bc", b""]), tf.constant([b"1", b"2", b"3"])], "-")
        self.assert_same(lambda s: s.run(joined))

    def test_empty_and_scalar_shapes(self):
        x = tf.placeholder(tf.float32)
        results = [tf.reduce_sum(x), tf.shape(x), tf.size(x), x * 2]
        for shape in ((0,), (3, 0), (0, 3, 2), (), (1,), (1, 1, 1, 1), (2, 1, 3)):
            with self.subTest(shape=shape):
                self.assert_same(lambda s, shape=shape: s.run(results, {x: np.ones(shape, np.float32)}))
        self.assert_same(lambda s: s.run(tf.zeros([0, 5])))

    def test_many_feeds_and_fetches(self):
        placeholders = [tf.placeholder(tf.float32, [i % 5]) for i in range(300)]
        doubles = [x * 2 for x in placeholders]
        fed = {x: np.full([i % 5], i, np.float32) for i, x in enumerate(placeholders)}
        self.assert_same(lambda s: s.run(doubles, fed))

    def test_200_megabytes(self):
        value = np.arange(50_000_000, dtype=np.uint32).view(np.uint8)
        x = tf.placeholder(tf.uint8, [None])
        with self.session() as session:
            fetched = session.run(tf.identity(x), {x: value})
            self.assertTrue(np.array_equal(value, fetched))
            # And once in, once out, of a variable.
            kept = tf.Variable(tf.zeros([0], tf.float32), validate_shape=False)
            floats = tf.placeholder(tf.float32, [None])
            numbers = value[:50_000_000].astype(np.float32)
            session.run(tf.assign(kept, floats, validate_shape=False).op, {floats: numbers})
            self.assertEqual(session.run(tf.size(kept)), 50_000_000)
            self.assertTrue(np.array_equal(session.run(kept), numbers))

    def test_a_graph_of_many_megabytes(self):
        value = np.random.RandomState(1).rand(10_000_000).astype(np.float32)
        constant = tf.constant(value)
        with self.session() as session:
            self.assertTrue(np.array_equal(session.run(constant), value))


if __name__ == "__main__":
    unittest.main()
