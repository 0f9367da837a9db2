"""Graphs as messages that programs change before they import them."""
import tempfile

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
with tf.Graph().as_default() as graph:
    x = tf.placeholder(tf.float32, [None], "x")
    w, v = tf.Variable([2.0], name="w"), tf.Variable([1.0], name="v")
    with tf.device("/cpu:0"):
        middle = tf.identity(x * w, name="mid")
    out = tf.identity(tf.stop_gradient(middle) + v, name="out")
    definition = graph.as_graph_def()
for node in definition.node:
    node.device = ""
print([node.device for node in definition.node if node.device])
node = definition.node.add()
node.name, node.op = "extra", "NoOp"
print(len(definition.node), definition.node[-1].name, "extra" in str(definition))
definition.node[0].attr["shape"].shape.dim[0].size = 7
del definition.node[-1]
definition.node.extend([tf.NodeDef(name="more", op="NoOp"), graph.get_operation_by_name("mid").node_def])
print(len(definition.node), definition.node[-1].op)
del definition.node[-2:]
for node in definition.node:
    if node.name == "x":
        node.name = "renamed"
    for i, name in enumerate(node.input):
        if name == "x":
            node.input[i] = "renamed"
copy = tf.GraphDef()
copy.CopyFrom(definition)
print(copy == definition, copy.node[0].name, definition.versions.producer > 0, definition.ByteSize() == len(definition.SerializeToString()))
small = tf.GraphDef()
small.node.extend([definition.node[0]])
small.versions.CopyFrom(definition.versions)
print([node.name for node in small.node], small.versions.producer == definition.versions.producer, small.HasField("versions"))
with tf.Graph().as_default() as other:
    tf.import_graph_def(definition, name="")
    print([op.name for op in other.get_operations()][:3], other.get_tensor_by_name("renamed:0").shape)
made = tf.GraphDef()
made.node.add(name="c", op="NoOp")
made.node.add().CopyFrom(tf.NodeDef(name="d", op="NoOp", input=["^c"]))
with tf.Graph().as_default() as other:
    tf.import_graph_def(made, name="p")
    print([op.name for op in other.get_operations()], [op.name for op in other.get_operation_by_name("p/d").control_inputs])
path = tf.io.write_graph(made, tempfile.mkdtemp(), "g.pb", as_text=False)
with tf.gfile.GFile(path, "rb") as file:
    print([node.name for node in tf.GraphDef.FromString(file.read()).node], made.HasField("versions"), len(made.library.function))
part = tf.graph_util.extract_sub_graph(definition, ["mid"])
part.node[0].name = "first"
print([node.name for node in part.node])
definition = graph.as_graph_def()
for protected in (None, ["out", "mid"]):
    less = tf.graph_util.remove_training_nodes(definition, protected)
    print([node.name for node in less.node if node.op in ("Identity", "StopGradient")], [(node.name, list(node.input)) for node in less.node][-3:])
print(tf.graph_util.tensor_shape_from_node_def_name(graph, "x").as_list(), tf.graph_util.tensor_shape_from_node_def_name(graph, "w:0").as_list())
with tf.Session(graph=graph) as sess:
    sess.run([w.initializer, v.initializer])
    for options in ({"variable_names_whitelist": ["w"]}, {"variable_names_blacklist": ["w"]}, {}):
        frozen = tf.graph_util.convert_variables_to_constants(sess, graph.as_graph_def(), ["out"], **options)
        print([[node.name for node in frozen.node if kind in node.op] for kind in ("Const", "Variable")])
    for node in frozen.node:
        node.device = "/cpu:0"
    print({node.device for node in frozen.node})
