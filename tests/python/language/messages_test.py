"""tf.train.Example and its siblings, files of records, and tf.py_func."""

import os
import tempfile
import unittest

import numpy as np

from flowray import tf
from flowray.tf import _messages


def example():
    return tf.train.Example(features=tf.train.Features(feature={
        "n": tf.train.Feature(int64_list=tf.train.Int64List(value=[1, -2, 300])),
        "s": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"a", b"\xff"])),
        "f": tf.train.Feature(float_list=tf.train.FloatList(value=[0.5]))}))



class MessagesTest(unittest.TestCase):
    def test_an_example_is_read_back(self):
        message = tf.train.Example.FromString(example().SerializeToString())
        features = message.features.feature
        self.assertEqual(sorted(features), ["f", "n", "s"])
        self.assertEqual(features["n"].int64_list.value, [1, -2, 300])
        self.assertEqual(features["s"].bytes_list.value, [b"a", b"\xff"])
        self.assertEqual(features["f"].WhichOneof("kind"), "float_list")
        self.assertEqual(message, example())

    def test_numbers_are_packed_as_protobuf_packs_them(self):
        self.assertEqual(tf.train.Int64List(value=[1, -2, 300]).SerializeToString(),
                         b"\x0a\x0d\x01" + b"\xfe" + b"\xff" * 8 + b"\x01\xac\x02")
        self.assertEqual(tf.train.FloatList(value=[0.5]).SerializeToString(), b"\x0a\x04\x00\x00\x00\x3f")

    def test_wrong_values_are_refused(self):
        with self.assertRaisesRegex(TypeError, "1.5 has type float, but expected one of: "):
            tf.train.Int64List(value=[1.5])
        with self.assertRaisesRegex(TypeError, "'x' has type str, but expected one of: "):
            tf.train.BytesList(value=["x"])
        with self.assertRaisesRegex(ValueError, 'has no "feature" field'):
            tf.train.Example(feature=1)
        with self.assertRaises(ValueError):
            tf.train.Example.FromString(b"\x0a\x50\x01")

    def test_records_are_checked(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "records")
            with tf.python_io.TFRecordWriter(path) as writer:
                writer.write(b"first")
                writer.write(b"")
            self.assertEqual(list(tf.python_io.tf_record_iterator(path)), [b"first", b""])
            with open(path, "r+b") as file:
                file.seek(13)
                file.write(b"X")
            with self.assertRaisesRegex(tf.errors.DataLossError, "corrupted record"):
                list(tf.python_io.tf_record_iterator(path))


class NodesOfGraphsTest(unittest.TestCase):
    @staticmethod
    def graph_def():
        with tf.Graph().as_default() as graph, tf.device("/cpu:0"):
            x = tf.placeholder(tf.float32, [None, 3], name="x")
            y = tf.placeholder(tf.float32, name="y")  # of any rank
            with tf.control_dependencies([y.op]):
                tf.transpose(x, [1, 0], name="turned")
            tf.constant([[1, -2]], name="numbers")
            tf.constant(["a", "\u00fc"], name="texts")
            tf.constant(0.0, name="zero")
            tf.nn.max_pool(tf.zeros([1, 4, 4, 1]), [1, 2, 2, 1], [1, 1, 1, 1], "SAME", name="pool")
            tf.FIFOQueue(7, [tf.int64, tf.string], [[], [2]], name="queue")
        return graph.as_graph_def()

    def test_nodes_tell_what_was_built(self):
        nodes = {node.name: node for node in self.graph_def().node}
        x, turned, pool, queue = (nodes[name] for name in ("x", "turned", "pool", "queue"))
        self.assertEqual((x.op, x.device, x.input), ("Placeholder", "/device:CPU:0", []))
        self.assertEqual(sorted(x.attr), ["dtype", "shape"])
        self.assertEqual(x.attr["dtype"].type, 1)
        self.assertEqual([dim.size for dim in x.attr["shape"].shape.dim], [-1, 3])
        self.assertTrue(nodes["y"].attr["shape"].shape.unknown_rank)
        self.assertEqual((turned.input, nodes["turned/perm"].input), (["x", "turned/perm"], ["^y"]))
        self.assertEqual((pool.attr["padding"].s, pool.attr["ksize"].list.i), (b"SAME", [1, 2, 2, 1]))
        self.assertEqual((queue.attr["capacity"].i, queue.attr["component_types"].list.type), (7, [9, 7]))
        self.assertEqual([[dim.size for dim in shape.dim] for shape in queue.attr["shapes"].list.shape], [[], [2]])
        numbers = nodes["numbers"].attr["value"].tensor
        self.assertEqual((numbers.dtype, numbers.tensor_content), (3, np.array([1, -2], np.int32).tobytes()))
        self.assertEqual(nodes["texts"].attr["value"].tensor.string_val, [b"a", b"\xc3\xbc"])
        zero = nodes["zero"].attr["value"]
        self.assertEqual((zero.WhichOneof("value"), zero.tensor.float_val, zero.tensor.HasField("tensor_shape")), ("tensor", [0.0], False))

    def test_nodes_are_messages_as_if_python_had_read_them(self):
        graph_def = self.graph_def()
        wanted = _messages.GraphDef.FromString(graph_def.SerializeToString()).node
        self.assertGreater(len(wanted), 8)
        self.assertEqual([str(node) for node in graph_def.node], [str(node) for node in wanted])
        self.assertEqual(graph_def.node, wanted)
        nodes = graph_def.node
        nodes.add(name="more", op="NoOp").attr["_class"].list.s.append(b"loc:@x")
        self.assertEqual(_messages.NodeDef.FromString(nodes[-1].SerializeToString()).attr["_class"].list.s, [b"loc:@x"])
        with self.assertRaisesRegex(TypeError, "1.5 has type float, but expected one of: "):
            nodes[0].attr["T"].i = 1.5
        nodes[0].attr["dtype"].b = False  # in place of the type
        self.assertEqual(nodes[0].attr["dtype"].WhichOneof("value"), "b")
        self.assertEqual([node.name for node in tf.GraphDef().node], [])

    def test_a_node_without_a_value_and_a_text_that_is_none(self):
        def field(number, data):
            return bytes([number << 3 | 2, len(data)]) + data
        attrs = field(5, field(1, b"a") + field(2, b"")) + field(5, field(1, b"l") + field(2, field(1, b"")))
        node = tf.GraphDef.FromString(field(1, field(1, b"n") + attrs)).node[0]
        self.assertEqual([node.attr[name].WhichOneof("value") for name in ("a", "l")], [None, "list"])
        with self.assertRaises(UnicodeDecodeError):
            tf.GraphDef.FromString(field(1, field(1, b"\xff"))).node


class PythonFunctionsTest(unittest.TestCase):
    def test_values_and_dtypes(self):
        with tf.Graph().as_default(), tf.Session() as sess:
            x = tf.placeholder(tf.float32, [2])
            y, n = tf.py_func(lambda a: (a + 1, np.int64(a.size)), [x], [tf.float32, tf.int64])
            self.assertEqual((y.op.type, y.dtype, n.dtype), ("PyFunc", tf.float32, tf.int64))
            values = sess.run([y, n], {x: [1, 2]})
            self.assertEqual((values[0].tolist(), values[1]), ([2.0, 3.0], 2))

    def test_errors_are_the_steps(self):
        def fail(kind):
            def function():
                raise kind("no luck")
            return function
        with tf.Graph().as_default(), tf.Session() as sess:
            for kind, error in ((ValueError, tf.errors.InvalidArgumentError), (StopIteration, tf.errors.OutOfRangeError),
                                (KeyError, tf.errors.UnknownError)):
                with self.assertRaisesRegex(error, f"{kind.__name__}: .*no luck"):
                    sess.run(tf.py_func(fail(kind), [], tf.float32))
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "0-th value returned by .* is double, but expects float"):
                sess.run(tf.py_func(lambda: np.float64(1), [], tf.float32))


if __name__ == "__main__":
    unittest.main()
