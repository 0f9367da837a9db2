"""Savers whose nodes are in a graph that another program has made."""

import os
import tempfile
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)

folder = tempfile.mkdtemp()
w = tf.get_variable("w", initializer=[1.0, 2.0])
step = tf.get_variable("step", initializer=3)
saver = tf.train.Saver(max_to_keep=2)
definition = saver.as_saver_def()
print(definition.filename_tensor_name, definition.save_tensor_name, definition.restore_op_name, definition.max_to_keep, definition.version)
grow = tf.group(tf.assign_add(w, [1.0, 1.0]), tf.assign_add(step, 1), name="grow")
init = tf.global_variables_initializer()
with tf.Session() as sess:
    sess.run(init)
    print(os.path.basename(saver.save(sess, os.path.join(folder, "model"), global_step=3)))
text = tf.get_default_graph().as_graph_def().SerializeToString()
message = definition.SerializeToString()

tf.reset_default_graph()
graph_def = tf.GraphDef()
graph_def.ParseFromString(text)
tf.import_graph_def(graph_def, name="")
named = tf.train.SaverDef()
named.ParseFromString(message)
other = tf.train.Saver(saver_def=named)
with tf.Session() as sess:
    other.restore(sess, tf.train.latest_checkpoint(folder))
    print(sess.run(["w:0", "step:0"]))
    for number in range(4, 7):
        sess.run("grow")
        other.save(sess, os.path.join(folder, "model"), global_step=number)
    print([os.path.basename(path) for path in other.last_checkpoints])
again = other.as_saver_def()
print(again.save_tensor_name == named.save_tensor_name, again.max_to_keep)

tf.reset_default_graph()
tf.import_graph_def(graph_def, name="net")
scoped = tf.train.Saver.from_proto(named, import_scope="net")
with tf.Session() as sess:
    scoped.restore(sess, os.path.join(folder, "model-5"))
    print(sess.run("net/w:0"))
print(scoped.to_proto().restore_op_name, scoped.to_proto("net").restore_op_name)
for wrong in (5, tf.train.SaverDef(save_tensor_name="a", filename_tensor_name="b"), tf.train.SaverDef(restore_op_name="a")):
    try:
        tf.train.Saver(saver_def=wrong)
    except Exception as error:
        print(type(error).__name__, str(error).split(":")[0])
print(sorted(name for name in os.listdir(folder) if name.endswith(".index")))
