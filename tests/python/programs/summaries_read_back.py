"""Summaries that are written, and read back as messages."""
import os
import tempfile

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
folder = tempfile.mkdtemp()
x = tf.placeholder(tf.float32, [None, 2], name="x")
with tf.name_scope("layer"):
    w = tf.Variable([[1.0], [2.0]], name="w")
    tf.summary.histogram("weights", w)
    y = tf.matmul(x, w)
tf.summary.scalar("mean", tf.reduce_mean(y))
tf.summary.image("img", tf.reshape(x, [1, -1, 2, 1]), max_outputs=1)
tf.summary.text("note", tf.constant(["hi", "there"]))
tf.summary.audio("sound", tf.zeros([1, 10, 1]), 8000)
merged = tf.summary.merge_all()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    writer = tf.summary.FileWriter(folder)
    writer.add_summary(sess.run(merged, {x: [[0, 1], [2, 3]]}), 1)
    own = tf.Summary(value=[tf.Summary.Value(tag="own", simple_value=1.5)])
    own.value.add(tag="array", tensor=tf.make_tensor_proto([1.0, 2.0]))
    writer.add_summary(own, 2)
    writer.close()
for name in os.listdir(folder):
    for event in tf.train.summary_iterator(os.path.join(folder, name)):
        print(event.step, event.WhichOneof("what"))
        for value in event.summary.value:
            kind = value.WhichOneof("value")
            print("  ", value.tag, kind, value.HasField("metadata"), value.metadata.plugin_data.plugin_name, repr(value.metadata.display_name))
            if kind == "tensor":
                print(tf.make_ndarray(value.tensor), value.tensor.dtype == tf.string.as_datatype_enum)
            elif kind == "histo":
                print(value.histo.num, value.histo.min, value.histo.max)
            elif kind == "image":
                print(value.image.width, value.image.height)
