"""Savers, graphs that are read back with their collections, and graphs with their variables' values frozen."""

import os
import tempfile
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
d = tempfile.mkdtemp()
v1 = tf.get_variable("v1", shape=[3], initializer=tf.zeros_initializer)
v2 = tf.get_variable("v2", shape=[5], initializer=tf.zeros_initializer)
x = tf.placeholder(tf.float32, [3], name="x")
y = tf.add(v1, x, name="y")
tf.add_to_collection("outs", y)
inc = v1.assign(v1 + 1)
dec = v2.assign(v2 - 1)
saver = tf.train.Saver(max_to_keep=2)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for step in range(3):
        inc.op.run()
        dec.op.run()
        p = saver.save(sess, os.path.join(d, "model.ckpt"), global_step=step)
    print(os.path.basename(p), sorted(os.listdir(d)))
    print([os.path.basename(c) for c in saver.last_checkpoints])
tf.reset_default_graph()
with tf.Session() as sess:
    new = tf.train.import_meta_graph(os.path.join(d, "model.ckpt-2.meta"))
    new.restore(sess, tf.train.latest_checkpoint(d))
    g = tf.get_default_graph()
    print(sess.run("y:0", {"x:0": [1, 2, 3]}), sess.run(g.get_tensor_by_name("v2:0")))
    print(tf.get_collection("outs"), [v.name for v in tf.global_variables()], tf.get_collection("outs")[0].name)
tf.reset_default_graph()
v2 = tf.get_variable("v2", [5], initializer=tf.zeros_initializer)
s2 = tf.train.Saver({"v2": v2})
with tf.Session() as sess:
    v2.initializer.run()
    ck = tf.train.get_checkpoint_state(d)
    s2.restore(sess, ck.model_checkpoint_path)
    print(v2.eval())
reader = tf.train.NewCheckpointReader(tf.train.latest_checkpoint(d))
print(sorted(reader.get_variable_to_shape_map().items()), reader.get_tensor("v1"))
print(tf.train.list_variables(d), tf.train.load_variable(d, "v2"))
try:
    s2.restore(tf.Session(), os.path.join(d, "nothing"))
except ValueError as e:
    print(type(e).__name__, "not a valid checkpoint" in str(e))
with tf.Session(graph=tf.Graph()) as sess:
    w = tf.Variable(tf.ones([2, 2]), name="w")
    i = tf.placeholder(tf.float32, [None, 2], name="in")
    o = tf.matmul(i, w, name="out")
    sess.run(tf.global_variables_initializer())
    frozen = tf.graph_util.convert_variables_to_constants(sess, sess.graph_def, ["out"])
    print(sorted(n.op for n in frozen.node))
with tf.gfile.GFile(os.path.join(d, "f.pb"), "wb") as f: f.write(frozen.SerializeToString())
gd = tf.GraphDef()
with tf.gfile.FastGFile(os.path.join(d, "f.pb"), "rb") as f: gd.ParseFromString(f.read())
with tf.Graph().as_default():
    r, = tf.import_graph_def(gd, return_elements=["out:0"], name="imp")
    with tf.Session() as sess: print(sess.run(r, {"imp/in:0": [[1, 2]]}))
