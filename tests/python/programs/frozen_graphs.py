"""A graph and its checkpoint as one graph of constants, and what is in the checkpoint."""
import os
import tempfile

import tensorflow.compat.v1 as tf
from tensorflow.python.tools import freeze_graph, inspect_checkpoint

tf.disable_v2_behavior()
folder = tempfile.mkdtemp()
with tf.Graph().as_default(), tf.Session() as sess:
    x = tf.placeholder(tf.float32, [None, 2], "x")
    w = tf.get_variable("w", initializer=[[1.5], [2.0]])
    b = tf.get_variable("b", initializer=[-1e-3])
    words = tf.constant(["a\n\"q\"", "\u00fc\x01"], name="n")
    with tf.device("/cpu:0"):
        y = tf.nn.relu(tf.matmul(x, w) + b, name="y")
    h = tf.reduce_sum(y, [1], keepdims=True, name="h")
    tf.identity(words, name="words")
    tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(h), tf.train.get_or_create_global_step())
    sess.run(tf.global_variables_initializer())
    path = tf.train.Saver().save(sess, folder + "/m", global_step=3)
    tf.train.write_graph(sess.graph, folder, "g.pbtxt")
    tf.train.write_graph(sess.graph, folder, "g.pb", as_text=False)
for binary, name in ((False, "g.pbtxt"), (True, "g.pb")):
    made = freeze_graph.freeze_graph(os.path.join(folder, name), "", binary, path, "h,words", "save/restore_all", "save/Const:0", folder + "/f.pb", True, "")
    print(sorted((node.name, node.op) for node in made.node), {node.device for node in made.node})
    with tf.Graph().as_default(), tf.Session() as sess:
        definition = tf.GraphDef()
        with open(folder + "/f.pb", "rb") as file:
            definition.ParseFromString(file.read())
        tf.import_graph_def(definition, name="")
        print(sess.run(["h:0", "words:0"], {"x:0": [[1, 2]]}))
made = freeze_graph.freeze_graph(folder + "/g.pb", "", True, path, "y", "", "", "", False, "", variable_names_whitelist="w")
print([node.name for node in made.node if "Variable" in node.op])
for graph, checkpoint, outputs in (("/zz", path, "y"), ("/g.pb", folder + "/no", "y"), ("/g.pb", path, "")):
    try:
        freeze_graph.freeze_graph(folder + graph, "", True, checkpoint, outputs, "", "", "", False, "")
    except (IOError, ValueError) as error:
        print(type(error).__name__, str(error).replace(folder, "FOLDER"))
show = inspect_checkpoint.print_tensors_in_checkpoint_file
show(path, None, True)
show(path, "b", False)
show(path, "zz", False)
show(path, "", False, True, "global")
show(path, "", False)
