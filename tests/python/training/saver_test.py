"""tf.train.Saver's options. Expectations are those of TensorFlow's, tried with it."""

import os
import tempfile
import unittest

from flowray import tf


class SaverTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = os.path.join(folder.name, "model")

    def files(self):
        return sorted(name for name in os.listdir(self.folder) if name.startswith("model"))

    def test_values_go_into_another_shape(self):
        tf.get_variable("v", initializer=[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            tf.train.Saver().save(sess, self.path)
        with tf.Graph().as_default(), tf.Session() as sess:
            v = tf.get_variable("v", [3, 2])
            with self.assertRaises(tf.errors.InvalidArgumentError):
                tf.train.Saver().restore(sess, self.path)
            tf.train.Saver(reshape=True).restore(sess, self.path)
            self.assertEqual(sess.run(v).tolist(), [[1, 2], [3, 4], [5, 6]])

    def test_there_may_be_nothing_to_save(self):
        with self.assertRaisesRegex(ValueError, "No variables to save"):
            tf.train.Saver()
        tf.constant(1.0)
        with tf.Session() as sess:
            for saver in (tf.train.Saver(allow_empty=True), tf.train.Saver([], allow_empty=True), tf.train.Saver({}, allow_empty=True)):
                self.assertIsNone(saver.save(sess, self.path))
                saver.restore(sess, self.path)
        self.assertEqual(self.files(), [])
        later = tf.train.Saver(allow_empty=True, defer_build=True)
        tf.Variable(1.0)
        later.build()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            self.assertEqual(later.save(sess, self.path), self.path)

    def test_shards_are_one_checkpoint(self):
        with tf.device("/cpu:0"):
            a = tf.get_variable("a", initializer=[1.0, 2.0])
        b = tf.get_variable("b", initializer=3)
        saver = tf.train.Saver(sharded=True, max_to_keep=1)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            path = saver.save(sess, self.path, global_step=1)
            self.assertEqual([name for name in self.files() if ".data-" in name],
                             ["model-1.data-00000-of-00002", "model-1.data-00001-of-00002"])
            sess.run([a.assign([0.0, 0.0]), b.assign(0)])
            saver.restore(sess, path)
            self.assertEqual((sess.run(a).tolist(), sess.run(b)), ([1, 2], 3))
            saver.save(sess, self.path, global_step=2)
            self.assertFalse([name for name in self.files() if name.startswith("model-1")])
        with tf.Graph().as_default(), tf.Session() as sess:
            whole = tf.get_variable("a", [2])
            tf.train.Saver().restore(sess, self.path + "-2")  # whoever reads it needs not know
            self.assertEqual(sess.run(whole).tolist(), [1, 2])

    def test_a_graph_is_written_whole_and_read_again(self):
        tf.get_variable("a", initializer=1.0)
        path = os.path.join(self.folder, "made", "model.meta")
        message = tf.train.export_meta_graph(path)
        with open(path, "rb") as file:
            self.assertEqual(tf.MetaGraphDef.FromString(file.read()), message)
        self.assertEqual(os.listdir(os.path.dirname(path)), ["model.meta"])
        with tf.Graph().as_default() as graph:
            tf.train.import_meta_graph(path)
            self.assertEqual([v.op.name for v in tf.global_variables()], ["a"])
            self.assertEqual(graph.get_operation_by_name("a").type, "VariableV2")

    def test_an_exported_graph_is_a_message_of_what_was_asked_for(self):
        with tf.device("/cpu:0"):
            x = tf.placeholder(tf.float32, [2], name="x")
        y = tf.multiply(x, tf.Variable([1.0, 2.0], name="v"), name="y")
        for name, tensor in (("mine", y), ("other", x)):
            tf.add_to_collection(name, tensor)

        def devices(exported):
            return [node.device for node in exported.graph_def.node if node.name == "x"]
        exported = tf.train.export_meta_graph()
        self.assertIsInstance(exported, tf.MetaGraphDef)
        self.assertEqual(sorted(exported.collection_def), ["mine", "other", "trainable_variables", "variables"])
        self.assertEqual((devices(exported), exported.HasField("saver_def")), (["/device:CPU:0"], False))
        path = os.path.join(self.folder, "model.meta")
        cleared = tf.train.export_meta_graph(path, clear_devices=True, collection_list=["mine", "nothing"])
        self.assertEqual((sorted(cleared.collection_def), devices(cleared)), (["mine"], [""]))
        self.assertEqual(list(cleared.collection_def["mine"].node_list.value), ["y:0"])
        self.assertEqual(x.op.device, "/device:CPU:0")
        with open(path, "rb") as file:
            self.assertEqual(devices(tf.MetaGraphDef.FromString(file.read())), [""])
        with self.assertRaisesRegex(TypeError, r"create_meta_graph_def\(\) got an unexpected keyword argument 'nonsense'"):
            tf.train.export_meta_graph(nonsense=3)

    def test_a_message_of_a_graph_is_imported_with_its_saver(self):
        x = tf.Variable([1.0, 2.0], name="x")
        tf.add_to_collection("mine", tf.multiply(x, 2.0, name="y"))
        saver = tf.train.Saver()
        exported = saver.export_meta_graph()
        self.assertEqual(exported.saver_def.save_tensor_name, "save/control_dependency:0")
        self.assertEqual(tf.train.export_meta_graph(saver_def=saver.as_saver_def()), exported)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            saver.save(sess, self.path)
        with tf.Graph().as_default(), tf.Session() as sess:
            tf.train.import_meta_graph(exported).restore(sess, self.path)
            self.assertEqual(sess.run(tf.get_collection("mine")[0]).tolist(), [2.0, 4.0])

    def test_some_stay_for_hours(self):
        tf.get_variable("a", initializer=1.0)
        for hours, kept in ((10000, ["model-3.index"]), (0, ["model-1.index", "model-2.index", "model-3.index"])):
            saver = tf.train.Saver(max_to_keep=1, keep_checkpoint_every_n_hours=hours)
            with tf.Session() as sess:
                sess.run(tf.global_variables_initializer())
                for step in (1, 2, 3):
                    saver.save(sess, self.path, global_step=step)
            self.assertEqual([name for name in self.files() if name.endswith(".index")], kept)
            self.assertEqual(saver.last_checkpoints, [self.path + "-3"])

    def test_a_saver_that_is_built_later_sees_what_is_there_then(self):
        saver = tf.train.Saver(defer_build=True)
        v = tf.get_variable("v", initializer=1.0)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for early in (lambda: saver.save(sess, self.path), lambda: saver.restore(sess, "x")):
                with self.assertRaises((RuntimeError, ValueError)):
                    early()
            saver.build()
            saver.build()
            path = saver.save(sess, self.path)
            sess.run(v.assign(2.0))
            saver.restore(sess, path)
            self.assertEqual(sess.run(v), 1.0)

    def test_files_of_version_1_are_not_written(self):
        tf.get_variable("v", initializer=1.0)
        tf.train.Saver(write_version=2)
        with self.assertRaises(tf.errors.UnimplementedError):  # TensorFlow still writes them
            tf.train.Saver(write_version=1)

    def test_what_does_nothing_here_is_refused(self):
        tf.get_variable("v", initializer=1.0)
        with self.assertRaisesRegex(tf.errors.UnimplementedError, "filename"):
            tf.train.Saver(filename="other")
        saver = tf.train.Saver()
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for argument in ("strip_default_attrs", "save_debug_info"):
                saver.save(sess, self.path, **{argument: False})
                with self.assertRaisesRegex(tf.errors.UnimplementedError, argument):
                    saver.save(sess, self.path, **{argument: True})
            with self.assertRaisesRegex(ValueError, "'meta_graph_suffix' must not contain path components"):
                saver.save(sess, self.path, meta_graph_suffix="a/b")

    def test_old_files_go_whatever_their_graphs_are_called(self):
        tf.get_variable("v", initializer=1.0)
        saver = tf.train.Saver(max_to_keep=1, pad_step_number=True)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for step in (1, 2):
                saver.save(sess, self.path, step, None, "graph")
        self.assertEqual(self.files(), ["model-00000002.data-00000-of-00001", "model-00000002.graph", "model-00000002.index"])

    def test_a_graph_with_its_collections_is_an_event(self):
        tf.get_variable("a", initializer=1.0)
        folder = os.path.join(self.folder, "events")
        with tf.summary.FileWriter(folder) as writer:
            writer.add_meta_graph(tf.train.export_meta_graph(), 7)
            with self.assertRaisesRegex(TypeError, "meta_graph_def must be type MetaGraphDef, saw type: <class 'str'>"):
                writer.add_meta_graph("a")
        file, = os.listdir(folder)
        event = list(tf.train.summary_iterator(os.path.join(folder, file)))[-1]
        self.assertEqual((event.step, event.meta_graph_def), (7, tf.train.export_meta_graph().SerializeToString()))

    def test_queue_runners_are_in_the_graphs_file(self):
        tf.train.batch([tf.get_variable("v", initializer=[1.0, 2.0])], 2)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            path = tf.train.Saver().save(sess, self.path)
        with open(path + ".meta", "rb") as file:
            written = file.read()
        self.assertEqual(written.count(b"queue_runners"), 1)
        self.assertEqual(tf.train.export_meta_graph().SerializeToString().count(b"queue_runners"), 1)


if __name__ == "__main__":
    unittest.main()
