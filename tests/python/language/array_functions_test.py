"""What functions made of several operations give, beside NumPy."""

import tempfile
import unittest

import numpy as np

from flowray import tf


def run(make):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(make())


class ArrayFunctionsTest(unittest.TestCase):
    x = np.array([[3.0, -1.0, 2.0], [0.5, 0.0, 4.0]], np.float32)

    def check(self, make, expected):
        np.testing.assert_allclose(run(make), expected, rtol=1e-5, atol=1e-6)

    def test_masks(self):
        mask = np.array([[True, False, True], [False, True, True]])
        self.check(lambda: tf.boolean_mask(self.x, mask), self.x[mask])
        self.check(lambda: tf.boolean_mask(self.x, [False, True]), self.x[1:])
        self.check(lambda: tf.boolean_mask(self.x, [True, False, True], axis=1), self.x[:, [0, 2]])
        np.testing.assert_array_equal(run(lambda: tf.sequence_mask([1, 3, 2])),
                                      [[True, False, False], [True, True, True], [True, True, False]])
        self.check(lambda: tf.sequence_mask([0, 2], 4, tf.float32), [[0, 0, 0, 0], [1, 1, 0, 0]])

    def test_grids_and_repetitions(self):
        for indexing in ("xy", "ij"):
            expected = np.meshgrid([1, 2, 3], [4, 5], indexing=indexing)
            for ours, theirs in zip(run(lambda: tf.meshgrid([1, 2, 3], [4, 5], indexing=indexing)), expected):
                np.testing.assert_array_equal(ours, theirs)
        for repeats, axis in ((2, None), (3, 0), ([1, 3], 0), ([2, 0, 1], 1), ([4], 1)):
            self.check(lambda: tf.repeat(self.x, repeats, axis=axis), np.repeat(self.x, repeats, axis=axis))
        rows = np.arange(24).reshape(2, 3, 4)
        np.testing.assert_array_equal(run(lambda: tf.batch_gather(rows, [[2, 0], [1, 1]])),
                                      [rows[0, [2, 0]], rows[1, [1, 1]]])

    def test_orders(self):
        for dtype in (np.float32, np.int32, np.uint8, np.int64):
            values = np.array([[3, 200, 2], [7, 0, 4]]).astype(dtype)
            for axis in (0, 1, -1, -2):
                np.testing.assert_array_equal(run(lambda: tf.sort(values, axis)), np.sort(values, axis))
                np.testing.assert_array_equal(run(lambda: tf.argsort(values, axis)), np.argsort(values, axis))
                np.testing.assert_array_equal(run(lambda: tf.sort(values, axis, "DESCENDING")),
                                              np.flip(np.sort(values, axis), axis))
        lowest = np.array([5, np.iinfo(np.int32).min, 0], np.int32)
        np.testing.assert_array_equal(run(lambda: tf.sort(lowest)), np.sort(lowest))
        for values, non_decreasing, increasing in (([1, 2, 2], True, False), ([1, 2, 3], True, True), ([2, 1], False, False),
                                                   ([5], True, True), ([[1, 2], [3, 4]], True, True)):
            self.assertEqual(run(lambda: tf.is_non_decreasing(values)), non_decreasing)
            self.assertEqual(run(lambda: tf.is_strictly_increasing(values)), increasing)

    def test_statistics(self):
        self.assertEqual(run(lambda: tf.count_nonzero(self.x)), 5)
        self.check(lambda: tf.count_nonzero(self.x, 0), [2, 1, 2])
        self.check(lambda: tf.math.reduce_variance(self.x, 1), self.x.var(1))
        self.check(lambda: tf.math.reduce_std(self.x), self.x.std())
        values = np.array([-1.0, 0.0, 1.5, 2.0, 5.0, 15.0], np.float32)
        self.check(lambda: tf.histogram_fixed_width(values, [0.0, 5.0], 5), [2, 1, 1, 0, 2])
        self.check(lambda: tf.histogram_fixed_width_bins(values, [0.0, 5.0], 5), [0, 0, 1, 2, 4, 4])
        self.check(lambda: tf.unsorted_segment_mean(self.x, [1, 1], 3), [[0] * 3, self.x.mean(0), [0] * 3])
        self.check(lambda: tf.unsorted_segment_sqrt_n(self.x, [0, 0], 1), [self.x.sum(0) / np.sqrt(2)])
        self.check(lambda: tf.accumulate_n([self.x, self.x]), self.x * 2)
        self.check(lambda: tf.log_sigmoid([0.0, -1000.0]), [np.log(0.5), -1000])
        self.check(lambda: tf.lbeta([2.0, 3.0]), np.log(1 / 12))
        self.check(lambda: tf.scalar_mul(2, self.x), 2 * self.x)

    def test_second_derivatives(self):
        def cubes():
            x = tf.constant([1.0, 2.0])
            return tf.hessians(tf.reduce_sum(x * x * x), x)[0]
        self.check(cubes, [[6, 0], [0, 12]])

    def test_products_by_letters(self):
        a, b, c = (np.random.RandomState(i).rand(*shape) for i, shape in enumerate([(2, 3), (3, 4), (4, 5)]))
        batch = np.random.RandomState(3).rand(6, 2, 3)
        for equation, factors in (("ij,jk->ik", (a, b)), ("ij,jk", (a, b)), ("ij->j", (a,)), ("ij,jk,kl->il", (a, b, c)),
                                  ("ij,jk,kl", (a, b, c)), ("ij,ij,ij->", (a, a, a)), ("...ij,jk->...ik", (batch, b)),
                                  ("bij,ij,jk,kl->lb", (batch, a, b, c)), ("i j, k l -> l j", (a, b))):
            self.check(lambda: tf.einsum(equation, *factors), np.einsum(equation.replace(" ", ""), *factors))
        for equation in ("ij,jk->ii", "ij,jk->iz", "ij->", "i.j->ij", "ij,jk,kl->il"):
            with self.assertRaises(ValueError):
                run(lambda: tf.einsum(equation, a, b))

    def test_norms(self):
        x = np.random.RandomState(0).rand(2, 3, 4) - 0.5
        for order, axis in (("euclidean", None), (1, 1), (2, 0), (np.inf, -1), (3, None), (2.5, 2), ("fro", (0, 1)), (1, (1, 2)),
                            (np.inf, (-2, -1))):
            theirs = "fro" if order == "euclidean" and isinstance(axis, tuple) else None if order == "euclidean" else order
            flat = x.reshape(-1) if axis is None else x
            self.check(lambda: tf.norm(x, order, axis), np.linalg.norm(flat, theirs, axis))
        for order, axis in (("fro", 0), (0, 0), (-1, None), (3, (0, 1)), ("nuclear", (0, 1)), (1, (1, 1)), (1, (0, 1, 2))):
            with self.assertRaises(ValueError):
                run(lambda: tf.norm(x, order, axis))
        self.check(lambda: tf.linalg.normalize(x, axis=0)[0], x / np.linalg.norm(x, axis=0, keepdims=True))
        self.check(lambda: tf.linalg.matvec(x, np.array([1.0, 2.0, 3.0, 4.0])), x @ [1, 2, 3, 4])
        self.check(lambda: tf.trace(x), np.trace(x, axis1=1, axis2=2))
        z = x[0] + 1j * x[1]
        self.check(lambda: tf.linalg.adjoint(z), z.conj().T)
        self.check(lambda: tf.eye(2, 3, batch_shape=[2]), np.stack([np.eye(2, 3)] * 2))
        self.check(lambda: tf.eye(tf.constant(3)), np.eye(3))

    def test_gradients_of_limits(self):
        def gradients():
            x, low, high = tf.constant([-2.0, 0.5, 3.0, 4.0]), tf.constant(0.0), tf.constant(1.0)
            return tf.gradients(tf.raw_ops.ClipByValue(t=x, clip_value_min=low, clip_value_max=high), [x, low, high])
        of_x, of_low, of_high = run(gradients)
        np.testing.assert_array_equal(of_x, [0, 1, 0, 0])
        self.assertEqual((of_low, of_high), (1, 2))

    def test_texts(self):
        words = [["a", "b"], ["c", "d"]]
        self.assertEqual(run(lambda: tf.reduce_join(words)), b"abcd")
        self.assertEqual(run(lambda: tf.reduce_join(words, 0, separator="-")).tolist(), [b"a-c", b"b-d"])
        self.assertEqual(run(lambda: tf.strings.reduce_join(words, [0, 1], keepdims=True)).tolist(), [[b"acbd"]])
        self.assertEqual(run(lambda: tf.strings.reduce_join(words, [1, 0])), b"abcd")

    def test_printing_to_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = folder + "/printed"
            run(lambda: tf.print("x:", tf.constant([1, 2]), 3, output_stream="file://" + path))
            run(lambda: tf.print(tf.constant("text"), output_stream="file://" + path, end="!"))
            run(lambda: tf.print("a {} b", tf.constant(4), sep="|", output_stream="file://" + path))
            with open(path) as file:
                self.assertEqual(file.read(), "x: [1 2] 3\ntext!a {} b|4\n")

    def test_windows(self):
        for length in (1, 2, 7, 8):
            self.check(lambda: tf.signal.hann_window(length, periodic=False), np.hanning(length))
            self.check(lambda: tf.signal.hamming_window(tf.placeholder_with_default(length, []), periodic=False), np.hamming(length))
        self.check(lambda: tf.signal.hann_window(8), np.hanning(9)[:-1])

    def test_values_known_before_a_step(self):
        with tf.Graph().as_default():
            np.testing.assert_array_equal(tf.get_static_value(tf.constant([1, 2]) + 1), [2, 3])
            self.assertIsNone(tf.get_static_value(tf.placeholder(tf.float32)))

    def test_gamma(self):
        numbers = run(lambda: tf.random_gamma([20000], [2.0, 3.0], beta=2.0, seed=1))
        np.testing.assert_allclose(numbers.mean(0), [1.0, 1.5], rtol=0.03)
        np.testing.assert_allclose(numbers.var(0), [0.5, 0.75], rtol=0.06)
        self.check(lambda: tf.linalg.logdet(np.diag([2.0, 3.0])), np.log(6))

    def test_random_crop(self):
        image = np.arange(20).reshape(5, 4)
        part = run(lambda: tf.random_crop(image, [2, 3], seed=1))
        row, column = divmod(part[0, 0], 4)
        np.testing.assert_array_equal(part, image[row:row + 2, column:column + 3])
        with self.assertRaises(tf.errors.InvalidArgumentError):
            run(lambda: tf.random_crop(image, [6, 1]))


if __name__ == "__main__":
    unittest.main()
