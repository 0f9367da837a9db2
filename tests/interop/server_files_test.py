"""What a server with --file-root or --no-files lets a graph do with files: every op that opens one is refused elsewhere."""

import os
import tempfile
import unittest

from tensorflow_client import FLOWRAY, Server, ServerTest, np, tf
from tensorflow.python.framework import errors


@unittest.skipIf(os.environ.get("FLOWRAY_INTEROP_WITH_TENSORFLOW"), "TensorFlow's server has no such options")
class FilesTest(ServerTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.root = os.path.join(cls.folder.name, "root")
        cls.outside = os.path.join(cls.folder.name, "outside")
        for place in (cls.root, cls.outside):
            os.makedirs(place)
            with open(f"{place}/lines", "w", encoding="ascii") as file:
                file.write("one\ntwo\n")
            with tf.io.TFRecordWriter(f"{place}/records") as file:
                file.write(b"one")
            graph = tf.Graph()
            with graph.as_default(), tf.Session(graph=graph) as session:
                variable = tf.get_variable("v", initializer=3.0)
                session.run(variable.initializer)
                tf.train.Saver().save(session, f"{place}/model")
        os.symlink(cls.outside, f"{cls.root}/link")
        cls.server = Server(FLOWRAY, "server", "--port", "0", "--file-root", cls.root)
        cls.addClassCleanup(cls.end_server)

    def uses(self):
        """By op: what makes a fetch that uses the files of the folder `place`, and what it gives."""

        def record(reader, name, place):
            queue = tf.FIFOQueue(1, tf.string)
            with tf.control_dependencies([queue.enqueue(f"{place}/{name}")]):
                # What gives up waiting: an error of the file ends the step before that.
                return reader.read(queue).value

        def first(dataset):
            return tf.data.make_one_shot_iterator(dataset).get_next()

        def initialized(place):
            table = tf.lookup.StaticHashTable(tf.lookup.TextFileInitializer(
                f"{place}/lines", tf.string, tf.lookup.TextFileIndex.WHOLE_LINE, tf.int64, tf.lookup.TextFileIndex.LINE_NUMBER), -1)
            with tf.control_dependencies([table.initializer]):
                return table.size()

        def after(op):
            with tf.control_dependencies([op]):
                return tf.constant(b"done")

        raw = tf.raw_ops
        return {
            "ReadFile": (lambda place: tf.io.read_file(f"{place}/lines"), b"one\ntwo\n"),
            "WriteFile": (lambda place: after(tf.io.write_file(f"{place}/new/written", "x")), b"done"),
            "MatchingFiles": (lambda place: tf.size(tf.io.matching_files(f"{place}/line*")), 1),
            "SaveV2": (lambda place: after(raw.SaveV2(
                prefix=f"{place}/saved", tensor_names=["v"], shape_and_slices=[""], tensors=[tf.constant(1.0)])), b"done"),
            "RestoreV2": (lambda place: raw.RestoreV2(
                prefix=f"{place}/model", tensor_names=["v"], shape_and_slices=[""], dtypes=[tf.float32])[0], 3.0),
            "MergeV2Checkpoints": (lambda place: after(raw.MergeV2Checkpoints(
                checkpoint_prefixes=[f"{place}/merged"], destination_prefix=f"{place}/all")), b"done"),
            "PrintV2": (lambda place: after(raw.PrintV2(input="x", output_stream=f"file://{place}/printed")), b"done"),
            "WholeFileReaderV2": (lambda place: record(tf.WholeFileReader(), "lines", place), b"one\ntwo\n"),
            "TextLineReaderV2": (lambda place: record(tf.TextLineReader(), "lines", place), b"one"),
            "FixedLengthRecordReaderV2": (lambda place: record(tf.FixedLengthRecordReader(3), "lines", place), b"one"),
            "TFRecordReaderV2": (lambda place: record(tf.TFRecordReader(), "records", place), b"one"),
            "TextLineDataset": (lambda place: first(tf.data.TextLineDataset(f"{place}/lines")), b"one"),
            "FixedLengthRecordDatasetV2": (lambda place: first(tf.data.FixedLengthRecordDataset(f"{place}/lines", 4)), b"one\n"),
            "TFRecordDataset": (lambda place: first(tf.data.TFRecordDataset(f"{place}/records")), b"one"),
            "CacheDataset": (lambda place: first(tf.data.Dataset.range(1).cache(f"{place}/cached").repeat(2).batch(2))[1], 0),
            "InitializeTableFromTextFileV2": (initialized, 2),
        }

    def run_with(self, use, place):
        tf.reset_default_graph()
        for ending in (".index", ".data-00000-of-00001"):
            for folder in (self.root, self.outside):
                with open(f"{folder}/model{ending}", "rb") as model, open(f"{folder}/merged{ending}", "wb") as merged:
                    merged.write(model.read())
        fetch = use(place)
        with self.session() as session:
            return session.run(fetch, options=tf.RunOptions(timeout_in_ms=60_000))

    def left_outside(self):
        return {name: os.path.getsize(f"{self.outside}/{name}") for name in sorted(os.listdir(self.outside)) if "merged" not in name}

    def test_below_the_root_all_ops_work(self):
        for op, (use, expected) in self.uses().items():
            with self.subTest(op):
                self.assertEqual(self.run_with(use, self.root), expected)

    def test_elsewhere_none_does(self):
        before = self.left_outside()
        for place in (self.outside, f"{self.root}/../outside", f"{self.root}/link", "../outside", "link"):
            for op, (use, _) in self.uses().items():
                with self.subTest(op, place=place):
                    if op == "MatchingFiles" and "link" in place:  # what cannot be entered has nothing in it
                        self.assertEqual(self.run_with(use, place), 0)
                        continue
                    if op == "PrintV2" and not place.startswith("/"):
                        continue  # "file://" stands before absolute paths
                    with self.assertRaisesRegex(errors.PermissionDeniedError, "Files of this server's graphs lie below"):
                        self.run_with(use, place)
        self.assertEqual(self.left_outside(), before)

    def test_a_function_of_a_dataset_is_held_to_it_too(self):
        fetch = tf.data.make_one_shot_iterator(
            tf.data.Dataset.from_tensors(f"{self.outside}/lines").map(tf.io.read_file)).get_next()
        with self.session() as session, self.assertRaises(errors.PermissionDeniedError):
            session.run(fetch)


@unittest.skipIf(os.environ.get("FLOWRAY_INTEROP_WITH_TENSORFLOW"), "TensorFlow's server has no such options")
class NoFilesTest(FilesTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.end_server()
        cls.server = Server(FLOWRAY, "server", "--port", "0", "--no-files")

    def test_below_the_root_all_ops_work(self):
        self.skipTest("there is no root")

    def test_elsewhere_none_does(self):
        for op, (use, _) in self.uses().items():
            with self.subTest(op), self.assertRaisesRegex(errors.PermissionDeniedError, "Graphs use no files on this server"):
                self.run_with(use, self.root)

    def test_all_else_works(self):
        with self.session() as session:
            np.testing.assert_array_equal(session.run(tf.constant([1, 2]) * 2), [2, 4])


if __name__ == "__main__":
    unittest.main()
