"""Sparse tensors and IndexedSlices in branches, loops, sessions, queues and datasets. Expectations are TensorFlow 2.21's."""

import unittest

import numpy as np

from flowray import tf


def matrix():
    return tf.SparseTensor([[0, 1], [1, 0], [1, 2]], [1.0, 2.0, 4.0], [2, 3])


def two():
    return tf.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 3])


def shapes_of(sparse):
    return [str(part.shape) for part in (sparse.indices, sparse.values, sparse.dense_shape)]


class SparseTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def check(self, value, indices, values, dense_shape):
        self.assertIsInstance(value, tf.SparseTensorValue)
        self.assertEqual(value.indices.tolist(), indices)
        self.assertEqual(value.values.tolist(), values)
        self.assertEqual(value.dense_shape.tolist(), dense_shape)


class BranchesTest(SparseTest):
    def test_cond_merges_indices_values_and_shape(self):
        p = tf.placeholder(tf.bool, [], name="p")
        s = two()
        r = tf.cond(p, lambda: s, lambda: tf.SparseTensor([[0, 0]], [5.0], [2, 3]))
        self.assertEqual([part.name for part in (r.indices, r.values, r.dense_shape)], ["cond/Merge:0", "cond/Merge_1:0", "cond/Merge_2:0"])
        self.assertEqual(shapes_of(r), ["(?, 2)", "(?,)", "(2,)"])
        self.assertEqual(r.shape.as_list(), [2, 3])
        self.assertEqual([op.name for op in tf.get_default_graph().get_operations() if op.type == "Switch"],
                         ["cond/Switch", "cond/Switch_1", "cond/Switch_2", "cond/Switch_3"])
        with tf.Session() as sess:
            self.check(sess.run(r, {p: True}), [[0, 1], [1, 0]], [1, 2], [2, 3])
            self.check(sess.run(r, {p: False}), [[0, 0]], [5], [2, 3])

    def test_cond_keeps_structures_with_sparse_tensors(self):
        p = tf.placeholder(tf.bool, [])
        s, t = tf.sparse_placeholder(tf.float32, [2, 3]), tf.sparse_placeholder(tf.float32, [None, 3])
        pair = tf.cond(p, lambda: (s, 1.0), lambda: (t, 2.0))
        self.assertIsInstance(pair[0], tf.SparseTensor)
        self.assertIsInstance(pair[1], tf.Tensor)
        self.assertIsInstance(tf.cond(p, lambda: [s], lambda: [t]), tf.SparseTensor)
        self.assertIsInstance(tf.cond(p, lambda: [s], lambda: [t], strict=True), list)
        other = tf.cond(p, lambda: s, lambda: tf.sparse_placeholder(tf.float32, [2, 3, 4]))
        self.assertEqual(shapes_of(other), ["(?, ?)", "(?,)", "(?,)"])

    def test_branches_of_other_kinds_are_told_in_tensorflows_words(self):
        p = tf.placeholder(tf.bool, [])
        s = tf.sparse_placeholder(tf.float32, [2, 3])
        rows = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([1]))
        whole = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([1]), tf.constant([3, 2]))
        for yes, no in ((s, tf.constant(1.0)), (s, tf.sparse_placeholder(tf.int32, [2, 3])), (rows, whole), (rows, tf.zeros([3, 2]))):
            with self.assertRaises(ValueError) as raised:
                tf.cond(p, lambda: yes, lambda: no)
            self.assertEqual(str(raised.exception).split("\n")[0],
                             "Incompatible return values of 'true_fn' and 'false_fn': The two structures don't have the same nested structure.")
        with self.assertRaisesRegex(ValueError, "^The two structures don't have the same nested structure."):
            tf.cond(p, lambda: s, lambda: tf.SparseTensorValue([[0, 0]], [1.0], [2, 3]))

    def test_indexed_slices_come_out_of_cond(self):
        p = tf.placeholder(tf.bool, [])
        rows = [tf.IndexedSlices(tf.constant([[value, 2.0]]), tf.constant([i]), tf.constant([3, 2])) for i, value in ((1, 1.0), (0, 3.0))]
        r = tf.cond(p, lambda: rows[0], lambda: rows[1])
        self.assertIsInstance(r, tf.IndexedSlices)
        self.assertEqual([r.values.name, r.indices.name, r.dense_shape.name], ["cond/Merge:0", "cond/Merge_1:0", "cond/Merge_2:0"])
        bare = tf.cond(p, lambda: tf.IndexedSlices(rows[0].values, rows[0].indices), lambda: tf.IndexedSlices(rows[1].values, rows[1].indices))
        self.assertIsNone(bare.dense_shape)
        with tf.Session() as sess:
            value = sess.run(r, {p: True})
            self.assertEqual([part.tolist() for part in value], [[[1, 2]], [1], [3, 2]])

    def test_ragged_tensors_come_out_of_cond_and_loops(self):
        p = tf.placeholder(tf.bool, [])
        a, b = tf.ragged.constant([[1.0, 2.0], [3.0]]), tf.ragged.constant([[1.0], []])
        r = tf.cond(p, lambda: a, lambda: b)
        last = tf.while_loop(lambda i, a: i < 2, lambda i, a: (i + 1, a * 2.0), [tf.constant(0), a])[1]
        with tf.Session() as sess:
            self.assertEqual(sess.run(r, {p: True}).to_list(), [[1, 2], [3]])
            self.assertEqual(sess.run(r, {p: False}).to_list(), [[1], []])
            self.assertEqual(sess.run(last).to_list(), [[4, 8], [12]])

    def test_case_and_switch_case(self):
        x = tf.placeholder(tf.int32, [])
        s, t = tf.sparse_placeholder(tf.float32, [2, 3]), tf.sparse_placeholder(tf.float32, [2, 3])

        def last():
            return tf.SparseTensor([[0, 0]], [5.0], [2, 3])
        r = tf.case([(tf.equal(x, 1), lambda: s), (tf.equal(x, 2), lambda: t)], default=last, exclusive=True)
        self.assertEqual(shapes_of(r), ["(?, 2)", "(?,)", "(2,)"])
        self.assertEqual(r.shape.as_list(), [2, 3])
        one = tf.case([(tf.equal(x, 1), lambda: s)])
        self.assertIs(one, s)
        switched = tf.switch_case(x, [lambda: s, last])
        value = tf.SparseTensorValue([[1, 1]], [7.0], [2, 3])
        with tf.Session() as sess:
            for number, expected in ((1, ([[1, 1]], [7], [2, 3])), (3, ([[0, 0]], [5], [2, 3]))):
                self.check(sess.run(r, {x: number, s: value, t: value}), *expected)
            self.check(sess.run(switched, {x: 0, s: value}), [[1, 1]], [7], [2, 3])
            self.check(sess.run(switched, {x: 1, s: value}), [[0, 0]], [5], [2, 3])


class LoopsTest(SparseTest):
    def test_three_variables_for_a_sparse_one(self):
        seen = []

        def body(i, s):
            seen.append(s)
            return i + 1, tf.SparseTensor(s.indices, s.values * 2.0, s.dense_shape)
        last = tf.while_loop(lambda i, s: i < 3, body, [tf.constant(0), two()])[1]
        self.assertEqual(shapes_of(seen[0]), ["(?, 2)", "(?,)", "(2,)"])
        self.assertEqual(seen[0].shape.as_list(), [2, 3])
        self.assertEqual([last.indices.name, last.values.name, last.dense_shape.name], ["while/Exit_1:0", "while/Exit_2:0", "while/Exit_3:0"])
        self.assertEqual(shapes_of(last), ["(?, 2)", "(?,)", "(2,)"])
        with tf.Session() as sess:
            self.check(sess.run(last), [[0, 1], [1, 0]], [8, 16], [2, 3])

    def test_it_may_grow(self):
        t = tf.SparseTensor([[1, 1]], [1.0], [2, 3])
        last = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, tf.sparse.add(s, t)), [tf.constant(0), two()])[1]
        with tf.Session() as sess:
            self.check(sess.run(last), [[0, 1], [1, 0], [1, 1]], [1, 2, 3], [2, 3])

    def test_shape_invariants(self):
        i, s = tf.constant(0), two()

        def shapes(invariant):
            return shapes_of(tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, tf.sparse.add(s, s)), [i, s],
                                           shape_invariants=[i.shape, invariant])[1])
        self.assertEqual(shapes(tf.TensorShape([None])), ["(?, ?)", "(?,)", "(?,)"])
        self.assertEqual(shapes(tf.TensorShape(None)), ["(?, ?)", "(?,)", "(?,)"])
        self.assertEqual(shapes(tf.TensorShape([2])), ["(?, 2)", "(?,)", "(2,)"])
        self.assertEqual(shapes(tf.SparseTensorSpec([None, None], tf.float32)), ["(?, 2)", "(?,)", "(2,)"])
        with self.assertRaisesRegex(ValueError, r"^Expected a shape with 1 dimension. Obtained: \(\?, \?\) which has 2 dimensions."):
            shapes(tf.TensorShape([None, None]))
        with self.assertRaisesRegex(ValueError, r"It enters the loop with shape \(2, 2\), but the specified shape invariant is \(\?, 3\)."):
            shapes(tf.TensorShape([3]))
        with self.assertRaisesRegex(TypeError, "^TypeSpec TensorSpec.* is not compatible with SparseTensor"):
            shapes(tf.TensorSpec([None]))

    def test_what_does_not_fit(self):
        i, s = tf.constant(0), two()
        with self.assertRaisesRegex(ValueError, r"enters the loop with shape \(2, 2\), but has shape \(1, 3\) after one iteration"):
            tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, tf.SparseTensor([[0, 0, 0]], [1.0], [2, 3, 4])), [i, s])
        with self.assertRaisesRegex(ValueError, "^The two structures don't have the same nested structure."):
            tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, tf.constant(2.0)), [i, s])

    def test_indexed_slices_and_gradients(self):
        i, v = tf.constant(0), tf.constant([1.0, 2.0])
        rows = tf.IndexedSlices(tf.constant([[1.0, 2.0]]), tf.constant([1]), tf.constant([3, 2]))
        doubled = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, tf.IndexedSlices(s.values * 2.0, s.indices, s.dense_shape)), [i, rows])[1]
        s = tf.SparseTensor([[0, 1], [1, 0]], v, [2, 3])
        squared = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, tf.SparseTensor(s.indices, s.values * s.values, s.dense_shape)), [i, s])[1]
        slope = tf.gradients(tf.sparse.reduce_sum(squared), v)[0]
        with tf.Session() as sess:
            self.assertEqual([part.tolist() for part in sess.run(doubled)], [[[8, 16]], [1], [3, 2]])
            self.assertEqual(sess.run(slope).tolist(), [8, 1024])

    def test_map_fn(self):
        sums = tf.map_fn(tf.sparse.reduce_sum, matrix(), dtype=tf.float32)
        same = tf.map_fn(lambda row: tf.SparseTensor(row.indices, row.values * 2.0, row.dense_shape), matrix())
        told = tf.map_fn(lambda row: row * 2.0, matrix(), fn_output_signature=tf.SparseTensorSpec([None], tf.float32))
        made = tf.map_fn(lambda n: tf.sparse.from_dense([n, 0, n]), tf.constant([1, 2]), fn_output_signature=tf.SparseTensorSpec([3], tf.int32))
        self.assertEqual(shapes_of(told), ["(?, 2)", "(?,)", "(2,)"])
        with tf.Session() as sess:
            self.assertEqual(sess.run(sums).tolist(), [1, 6])
            for result in (same, told):
                self.check(sess.run(result), [[0, 1], [1, 0], [1, 2]], [2, 4, 8], [2, 3])
            self.check(sess.run(made), [[0, 0], [0, 2], [1, 0], [1, 2]], [1, 1, 2, 2], [2, 3])
        with self.assertRaises(TypeError):
            tf.map_fn(lambda row: row * 2.0, matrix(), dtype=tf.float32)
        for fold in (tf.scan, tf.foldl):
            with self.assertRaises(TypeError):
                fold(lambda a, row: a + tf.sparse.reduce_sum(row), matrix(), initializer=0.0)


class SessionsAndQueuesTest(SparseTest):
    def test_make_callable(self):
        s = tf.sparse_placeholder(tf.float32, [2, 3])
        y = tf.sparse.add(s, s)
        value = tf.SparseTensorValue(np.array([[1, 1]]), np.array([7.0], np.float32), [2, 3])
        with tf.Session() as sess:
            self.check(sess.make_callable(y, [s])(value), [[1, 1]], [14], [2, 3])
            self.check(sess.make_callable(y, [s.indices, s.values, s.dense_shape])([[0, 0]], [1.0], [2, 3]), [[0, 0]], [2], [2, 3])
            self.check(sess.make_callable({"a": y}, [s])(value)["a"], [[1, 1]], [14], [2, 3])
            self.check(sess.run(y, {s: ([[1, 1]], [7.0], [2, 3])}), [[1, 1]], [14], [2, 3])
            handle = sess.partial_run_setup([y], [s])
            self.check(sess.partial_run(handle, y, {s: value}), [[1, 1]], [14], [2, 3])

    def run_pipeline(self, fetch, times=1):
        with tf.Session() as sess:
            coordinator = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess, coordinator)
            results = [sess.run(fetch) for _ in range(times)]
            coordinator.request_stop()
            coordinator.join(threads)
            return results

    def test_batches_of_sparse_tensors(self):
        s = tf.SparseTensor([[1], [2]], tf.constant([1.0, 2.0]), [4])
        r = tf.train.batch([s, tf.constant(3)], 2)
        self.assertEqual(shapes_of(r[0]), ["(?, 2)", "(?,)", "(2,)"])
        self.assertEqual(r[1].shape.as_list(), [2])
        types = [op.type for op in tf.get_default_graph().get_operations()]
        self.assertIn("AddSparseToTensorsMap", types)
        taker = next(op for op in tf.get_default_graph().get_operations() if op.type == "TakeManySparseFromTensorsMap")
        self.assertEqual([taker.name, taker.get_attr("shared_name")], ["batch/TakeManySparseFromTensorsMap", b"batch/AddSparseToTensorsMap"])
        shuffled = tf.train.shuffle_batch({"s": s, "n": tf.constant(3)}, 2, capacity=10, min_after_dequeue=2, seed=1)
        joined = tf.train.batch_join([[s], [s]], 2)
        for sparse in (*[found[0] for found in self.run_pipeline(r, 2)], self.run_pipeline(shuffled)[0]["s"], self.run_pipeline(joined)[0]):
            self.check(sparse, [[0, 1], [0, 2], [1, 1], [1, 2]], [1, 2, 1, 2], [2, 4])

    def test_batches_of_rows(self):
        s = tf.SparseTensor([[0, 1], [2, 1]], tf.constant([1.0, 2.0]), [4, 4])
        r = tf.train.batch([s, tf.constant([1, 2, 3, 4])], 2, enqueue_many=True)
        first, second = self.run_pipeline(r, 2)
        self.check(first[0], [[0, 1]], [1], [2, 4])
        self.check(second[0], [[0, 1]], [2], [2, 4])
        self.assertEqual([first[1].tolist(), second[1].tolist()], [[1, 2], [3, 4]])
        kept = tf.train.maybe_batch([s, tf.constant([1, 2, 3, 4])], tf.constant([True, False, True, False]), 2, enqueue_many=True)
        sparse, numbers = self.run_pipeline(kept)[0]
        self.check(sparse, [[0, 1], [1, 1]], [1, 2], [2, 4])
        self.assertEqual(numbers.tolist(), [1, 3])

    def test_only_examples_that_are_kept(self):
        number = tf.train.range_input_producer(5, shuffle=False).dequeue()
        s = tf.SparseTensor([[1]], tf.stack([number]), [4])
        r = tf.train.maybe_batch([s], tf.equal(number % 2, 0), 2)
        with tf.Session() as sess:
            coordinator = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess, coordinator)
            self.check(sess.run(r), [[0, 1], [1, 1]], [0, 2], [2, 4])
            coordinator.request_stop()
            coordinator.join(threads)

    def test_lists_that_do_not_fit(self):
        s = tf.SparseTensor([[1], [2]], tf.constant([1.0, 2.0]), [4])
        with self.assertRaisesRegex(ValueError, "^Inconsistent SparseTensors list: "):
            tf.train.batch_join([[s, tf.constant(3)], [tf.constant(3.0), tf.constant(4)]], 2)


class DatasetsTest(SparseTest):
    def walk(self, dataset):
        get_next = tf.data.make_one_shot_iterator(dataset).get_next()
        elements = []
        with tf.Session() as sess:
            while True:
                try:
                    elements.append(sess.run(get_next))
                except tf.errors.OutOfRangeError:
                    return elements

    def check_walk(self, dataset, *expected):
        elements = self.walk(dataset)
        self.assertEqual(len(elements), len(expected))
        for element, parts in zip(elements, expected):
            self.check(element, *parts)

    ROWS = ([[1]], [1], [3]), ([[0], [2]], [2, 4], [3])
    WHOLE = [[0, 1], [1, 0], [1, 2]], [1, 2, 4], [2, 3]

    def test_whole(self):
        dataset = tf.data.Dataset.from_tensors(matrix())
        self.assertEqual(dataset.element_spec, tf.SparseTensorSpec([2, 3], tf.float32))
        self.assertIs(tf.data.get_output_classes(dataset), tf.SparseTensor)
        self.assertEqual(tf.data.get_output_types(dataset), tf.float32)
        self.assertEqual(tf.data.get_output_shapes(dataset).as_list(), [2, 3])
        self.check_walk(dataset, self.WHOLE)
        get_next = tf.data.make_one_shot_iterator(dataset).get_next()
        self.assertEqual(shapes_of(get_next), ["(?, 2)", "(?,)", "(2,)"])
        self.assertEqual(get_next.dense_shape.op.type, "Const")

    def test_rows(self):
        for source in (matrix(), tf.SparseTensorValue([[0, 1], [1, 0], [1, 2]], np.float32([1, 2, 4]), [2, 3])):
            dataset = tf.data.Dataset.from_tensor_slices(source)
            self.assertEqual(dataset.output_shapes.as_list(), [3])
            self.check_walk(dataset, *self.ROWS)
        pairs = tf.data.Dataset.from_tensor_slices({"s": matrix(), "n": [10, 20]})
        self.assertEqual(pairs.output_classes, {"s": tf.SparseTensor, "n": tf.Tensor})
        elements = self.walk(pairs)
        self.assertEqual([element["n"] for element in elements], [10, 20])
        self.check(elements[1]["s"], *self.ROWS[1])

    def test_batches_and_back(self):
        rows = tf.data.Dataset.from_tensor_slices(matrix())
        batches = rows.batch(2)
        self.assertEqual(batches.output_shapes.as_list(), [None, 3])
        self.check_walk(batches, self.WHOLE)
        full = rows.repeat(2).batch(2, drop_remainder=True)
        self.assertEqual(full.output_shapes.as_list(), [2, 3])
        self.check_walk(full, self.WHOLE, self.WHOLE)
        self.assertEqual(batches.unbatch().output_shapes.as_list(), [3])
        self.check_walk(batches.unbatch(), *self.ROWS)
        self.check_walk(rows.window(2).flat_map(lambda window: window.batch(2)), self.WHOLE)
        self.check_walk(rows.group_by_window(lambda s: tf.constant(0, tf.int64), lambda key, group: group.batch(2), window_size=2), self.WHOLE)
        with self.assertRaisesRegex(TypeError, "^`padded_batch` is only supported for datasets that produce tensor elements"):
            rows.padded_batch(2)

    def test_functions(self):
        rows = tf.data.Dataset.from_tensor_slices(matrix())
        seen = []
        dense = rows.map(lambda s: (seen.append(s), tf.sparse.to_dense(s))[1])
        self.assertEqual([seen[0].shape.as_list(), dense.output_shapes.as_list()], [[3], [3]])
        self.assertEqual([row.tolist() for row in self.walk(dense)], [[0, 1, 0], [2, 0, 4]])
        self.check_walk(rows.map(lambda s: tf.SparseTensor(s.indices, s.values * 2.0, s.dense_shape)), ([[1]], [2], [3]), ([[0], [2]], [4, 8], [3]))
        made = tf.data.Dataset.range(2).map(lambda i: {"s": tf.SparseTensor([[0, 0]], tf.expand_dims(i, 0), [2, 2]), "i": i})
        self.assertEqual([made.output_classes["s"], made.output_shapes["s"].as_list()], [tf.SparseTensor, [2, 2]])
        self.check(self.walk(made)[1]["s"], [[0, 0]], [1], [2, 2])
        self.check_walk(rows.filter(lambda s: tf.reduce_sum(s.values) > 2.0), self.ROWS[1])
        self.check_walk(tf.data.Dataset.range(2).flat_map(lambda i: tf.data.Dataset.from_tensor_slices(matrix())), *self.ROWS, *self.ROWS)
        scanned = rows.scan(0.0, lambda total, s: (total + tf.reduce_sum(s.values), s))
        self.check_walk(scanned, *self.ROWS)

    def test_states(self):
        rows = tf.data.Dataset.from_tensor_slices(matrix())
        total = rows.reduce(0.0, lambda total, s: total + tf.reduce_sum(s.values))
        summed = rows.reduce(tf.SparseTensor([[0]], [0.0], [3]), tf.sparse.add)
        with tf.Session() as sess:
            self.assertEqual(sess.run(total), 7)
            self.check(sess.run(summed), [[0], [1], [2]], [2, 1, 4], [3])
        with self.assertRaisesRegex(TypeError, "^The element classes for the new state must match the initial state. Expected "):
            rows.reduce(0.0, lambda total, s: s)

    def test_what_only_passes_on(self):
        rows = tf.data.Dataset.from_tensor_slices(matrix())
        pairs = tf.data.Dataset.zip((rows, tf.data.Dataset.range(2)))
        elements = self.walk(pairs.cache().concatenate(pairs).take(3).prefetch(1))
        self.assertEqual([int(number) for _, number in elements], [0, 1, 0])
        self.check(elements[1][0], *self.ROWS[1])
        other = tf.data.Dataset.from_tensors(tf.SparseTensor([[0]], [1.0], [4]))
        self.assertEqual(rows.concatenate(other).output_shapes.as_list(), [None])
        with self.assertRaisesRegex(TypeError, "^Incompatible dataset elements:"):
            rows.concatenate(tf.data.Dataset.from_tensors(1.0))
        single = tf.data.experimental.get_single_element(tf.data.Dataset.from_tensors(matrix()))
        with tf.Session() as sess:
            self.check(sess.run(single), *self.WHOLE)

    def test_iterators_of_any_dataset(self):
        rows = tf.data.Dataset.from_tensor_slices(matrix())
        iterator = tf.data.Iterator.from_structure(tf.float32, tf.TensorShape([3]), output_classes=tf.SparseTensor)
        begin, get_next = iterator.make_initializer(rows), iterator.get_next()
        self.assertEqual([iterator.output_classes, get_next.shape.as_list()], [tf.SparseTensor, [3]])
        one_shot = tf.data.make_one_shot_iterator(rows)
        handle = tf.placeholder(tf.string, [])
        fed = tf.data.Iterator.from_string_handle(handle, rows.output_types, rows.output_shapes, rows.output_classes).get_next()
        with tf.Session() as sess:
            sess.run(begin)
            self.check(sess.run(get_next), *self.ROWS[0])
            self.check(sess.run(fed, {handle: sess.run(one_shot.string_handle())}), *self.ROWS[0])
        with self.assertRaisesRegex(TypeError, "^Expected output classes "):
            iterator.make_initializer(tf.data.Dataset.from_tensors(tf.constant([1.0, 2.0, 3.0])))
        with self.assertRaisesRegex(TypeError, "^Expected output shapes compatible with "):
            iterator.make_initializer(tf.data.Dataset.from_tensors(tf.SparseTensor([[0]], [1.0], [4])))

    def test_generators_and_examples(self):
        def one():
            yield tf.SparseTensorValue([[0, 1]], [1.0], [2, 3])
        self.check_walk(tf.data.Dataset.from_generator(one, output_signature=tf.SparseTensorSpec([2, 3], tf.float32)), ([[0, 1]], [1], [2, 3]))
        example = tf.train.Example(features=tf.train.Features(feature={
            "a": tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2]))})).SerializeToString()
        parsed = tf.data.Dataset.from_tensors(example).map(lambda text: tf.parse_single_example(text, {"a": tf.VarLenFeature(tf.int64)}))
        self.assertEqual(parsed.output_shapes["a"].as_list(), [None])
        self.check(self.walk(parsed.batch(1))[0]["a"], [[0, 0], [0, 1]], [1, 2], [1, 2])


class CountsAndCrossesTest(SparseTest):
    def test_cross(self):
        a = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], ["a", "b", "c"], [2, 2])
        b, d = tf.SparseTensor([[0, 0], [1, 0]], [3, 5], [2, 1]), tf.constant([[7, 9], [8, 6]], tf.int64)
        with tf.Session() as sess:
            self.check(sess.run(tf.sparse.cross([a, b, d])), [[0, 0], [0, 1], [1, 0], [1, 1], [1, 2], [1, 3]],
                       [b"a_X_3_X_7", b"a_X_3_X_9", b"b_X_5_X_8", b"b_X_5_X_6", b"c_X_5_X_8", b"c_X_5_X_6"], [2, 4])
            named = tf.sparse.cross([a, b], separator="_Y_", name="mine")
            self.assertEqual([named.op.type, named.values.name, shapes_of(named)], ["SparseCrossV2", "mine:1", ["(?, 2)", "(?,)", "(2,)"]])
            self.check(sess.run(named), [[0, 0], [1, 0], [1, 1]], [b"a_Y_3", b"b_Y_5", b"c_Y_5"], [2, 2])
            self.check(sess.run(tf.sparse.cross_hashed([a, b, d], num_buckets=100)),
                       [[0, 0], [0, 1], [1, 0], [1, 1], [1, 2], [1, 3]], [83, 85, 44, 68, 10, 72], [2, 4])
        for bad, message in ((a, "^Inputs must be a list"), ([a, [1]], "^All inputs must be Tensor or SparseTensor.")):
            with self.assertRaisesRegex(TypeError, message):
                tf.sparse.cross(bad)

    def test_bincount(self):
        x = np.array([[10, 20, 30, 20], [11, 101, 11, 101]], np.int64)
        sp = tf.SparseTensor([[0, 1], [1, 0], [1, 2]], tf.constant([3, 1, 1], tf.int64), [3, 3])
        weights = tf.SparseTensor([[0, 1], [1, 0], [1, 2]], [1.0, 2.0, 0.5], [3, 3])
        rows = [[0, 10], [0, 20], [0, 30], [1, 11], [1, 101]]
        with tf.Session() as sess:
            def check(expected, *args, **named):
                counts = tf.sparse.bincount(*args, **named)
                self.check(sess.run(counts), *expected)
                return counts
            whole = check(([[10], [11], [20], [30], [101]], [1, 2, 2, 1, 2], [102]), x)
            self.assertEqual([whole.op.type, whole.op.name, whole.dtype], ["DenseCountSparseOutput", "count/DenseCountSparseOutput", tf.int64])
            check((rows, [1, 2, 1, 2, 2], [2, 102]), x, axis=-1)
            check((rows, [1] * 5, [2, 102]), x, axis=-1, binary_output=True)
            check((rows, [2, 0.75, 15, 5, np.float32(17.9)], [2, 102]), x, axis=-1, weights=[[2, .25, 15, .5], [2, 17, 3, .9]])
            check(([[10], [11], [20]], [1, 2, 2], [25]), x, maxlength=25, minlength=30)
            check(([[0, 10], [0, 20], [1, 11]], [1, 2, 2], [2, 25]), x.astype(np.int32), axis=-1, maxlength=25)
            check(([[10], [11], [20], [30], [101]], [1, 2, 2, 1, 2], [200]), x, minlength=200)
            check(([], [], [1]), np.array([], np.int64))
            check(([[1], [3]], [2, 1], [4]), sp)
            ragged = tf.RaggedTensor.from_row_splits(tf.constant([1, 3, 1], tf.int64), [0, 2, 2, 3])
            check(([[1], [3]], [2, 1], [4]), ragged)
            check(([[0, 1], [0, 3], [2, 1]], [1, 1, 1], [3, 4]), ragged, axis=-1)
            of_rows = check(([[0, 3], [1, 1]], [1, 2], [3, 4]), sp, axis=-1)
            self.assertEqual(of_rows.op.type, "SparseCountSparseOutput")
            check(([[0, 3], [1, 1]], [1, 2.5], [3, 4]), sp, weights=weights, axis=-1)
            check(([[1], [3]], [2.5, 1], [4]), sp, weights=weights)
            check(([[0, 3], [1, 1]], [1, 1], [3, 5]), sp, axis=-1, binary_output=True, minlength=5)
            for bad, message in ((tf.constant([-1]), "Input values must all be non-negative"),
                                 (np.zeros([1, 1, 1], np.int64), r"Input must be a 1 or 2-dimensional tensor. Got: \[1,1,1\]")):
                with self.assertRaisesRegex(tf.errors.InvalidArgumentError, message):
                    sess.run(tf.sparse.bincount(bad, axis=-1))
        for named, message in (({"axis": 1}, "^Unsupported value for argument axis=1. Only 0 and -1 are currently supported."),
                               ({"weights": [1.0], "binary_output": True}, "^Arguments `binary_output` and `weights` are mutually exclusive."),
                               ({"weights": [1.0, 2.0]}, "^Dimension 0 in both shapes must be equal, but are 2 and 8. Shapes are .2. and .8.")):
            with self.assertRaisesRegex(ValueError, message):
                tf.sparse.bincount(x, **named)
        with self.assertRaisesRegex(ValueError, "^Argument `weights` must be a SparseTensor if `values` is a SparseTensor."):
            tf.sparse.bincount(sp, weights=[1.0])
        with self.assertRaisesRegex(ValueError, "^tf.sparse.bincount takes no weights of a RaggedTensor yet."):
            tf.sparse.bincount(ragged, weights=ragged)


class SerializedTest(SparseTest):
    def test_strings_are_tensorflows(self):
        one = tf.io.serialize_sparse(two())
        many = tf.io.serialize_many_sparse(two())
        self.assertEqual([str(one.shape), str(many.shape)], ["(3,)", "(?, 3)"])
        back = tf.io.deserialize_many_sparse(many, tf.float32, rank=2)
        self.assertEqual(shapes_of(back), ["(?, 2)", "(?,)", "(2,)"])
        stacked = tf.deserialize_many_sparse(tf.stack([one, one]), tf.float32)
        with tf.Session() as sess:
            self.assertEqual(sess.run(one)[1], b"\x08\x01\x12\x04\x12\x02\x08\x02\"\x08\x00\x00\x80?\x00\x00\x00@")
            self.assertEqual(sess.run(many)[1].tolist(), [
                b"\x08\t\x12\x08\x12\x02\x08\x01\x12\x02\x08\x01\"\x08\x00\x00\x00\x00\x00\x00\x00\x00",
                b"\x08\x01\x12\x04\x12\x02\x08\x01\"\x04\x00\x00\x00@", b"\x08\t\x12\x04\x12\x02\x08\x01\"\x08\x03\x00\x00\x00\x00\x00\x00\x00"])
            self.check(sess.run(back), [[0, 1], [1, 0]], [1, 2], [2, 3])
            self.check(sess.run(stacked), [[0, 0, 1], [0, 1, 0], [1, 0, 1], [1, 1, 0]], [1, 2, 1, 2], [2, 2, 3])


if __name__ == "__main__":
    unittest.main()
