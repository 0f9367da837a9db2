"""Labels without repetitions, averages of losses, polynomials, and variables that begin with values of an earlier training."""

import os
import tempfile
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)


def show(*fetches, **fed):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for value in sess.run(fetches, {name + ":0": array for name, array in fed.items()}):
            print(value.dtype, ["%.4f" % number for number in np.ravel(value)])


labels = [[1, 1, 2, 2, 0, 1], [3, 3, 3, 3, 3, 3], [1, 2, 1, 2, 1, 2]]
collapsed, lengths = tf.nn.collapse_repeated(labels, [5, 6, 3])
print(collapsed.name, lengths.name, collapsed.dtype, lengths.dtype)
show(collapsed, lengths)
placed = tf.placeholder(tf.int64, [None, None], name="placed")
show(*tf.nn.collapse_repeated(placed, tf.constant([2, 3], tf.int64), name="fewer"), placed=[[4, 4, 4], [5, 6, 6]])
print([tensor.name for tensor in tf.nn.ctc_unique_labels([[1, 2], [2, 2]], name="once")])
show(*tf.nn.ctc_unique_labels(labels))
show(*tf.nn.ctc_unique_labels(placed), placed=[[7, 5, 7]])
losses = tf.constant([1.0, 2.0, 6.0])
show(tf.nn.compute_average_loss(losses), tf.nn.compute_average_loss(losses, global_batch_size=6),
     tf.nn.compute_average_loss(losses, sample_weight=[1.0, 0.5, 0.0]), tf.nn.compute_average_loss(losses, 0.5),
     tf.nn.compute_average_loss([[1.0, 3.0], [2.0, 4.0]], [2.0, 1.0]), tf.nn.compute_average_loss(losses, [[1.0], [2.0], [3.0]], 3),
     tf.nn.compute_average_loss(tf.constant([1.0, 2.0], tf.float64), [3, 4]), tf.nn.compute_average_loss(losses, global_batch_size=0),
     tf.nn.scale_regularization_loss([1.0, 2.5]), tf.nn.scale_regularization_loss(tf.constant(2.0)))
show(tf.math.polyval([1.0, -2.0, 3.0], [0.0, 1.0, 2.0]), tf.math.polyval([5], 3), tf.math.polyval([], [1.0, 2.0]),
     tf.math.polyval([tf.constant([1.0, 2.0]), 3.0], 2.0, name="of_vectors"), tf.math.erfcinv([0.1, 0.5, 1.0, 1.5]))
show(tf.image.is_jpeg(b"\xff\xd8\xff\xe0..."), tf.io.is_jpeg("GIF"), tf.image.is_jpeg([b"\xff\xd8\xff", b"\xff\xd8\xfe"]))
for wrong in (lambda: tf.nn.compute_average_loss(3.0), lambda: tf.nn.compute_average_loss(losses, global_batch_size=2.5),
              lambda: tf.nn.compute_average_loss(losses, global_batch_size=-1), lambda: tf.nn.compute_average_loss(losses, None, [1, 2]),
              lambda: tf.math.polyval((1.0, 2.0), 3.0)):
    try:
        wrong()
    except Exception as error:
        print(type(error).__name__)
definition = tf.train.SaverDef(filename_tensor_name="save/Const:0", max_to_keep=3, version=tf.train.SaverDef.V2)
copy = tf.train.SaverDef()
copy.ParseFromString(definition.SerializeToString())
print(copy.filename_tensor_name, copy.max_to_keep, copy.version, copy.sharded, copy == definition)
server = tf.train.ServerDef(cluster=tf.train.ClusterSpec({"ps": ["a:1"]}).as_cluster_def(), job_name="ps", task_index=0, protocol="grpc")
print(tf.train.ServerDef.FromString(server.SerializeToString()).cluster.job[0].tasks[0], server.job_name, server.port)

tf.reset_default_graph()
path = os.path.join(tempfile.mkdtemp(), "model")
with tf.variable_scope("net"):
    tf.get_variable("w", initializer=[1.0, 2.0])
    tf.get_variable("b", initializer=3.0)
    tf.get_variable("mean", initializer=4.0, trainable=False)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    tf.train.Saver().save(sess, path)


def warm(**named):
    tf.reset_default_graph()
    with tf.variable_scope("net"):
        w, b = tf.get_variable("w", [2], initializer=tf.zeros_initializer()), tf.get_variable("b", initializer=0.0)
        mean = tf.get_variable("mean", initializer=0.0, trainable=False)
    other = tf.get_variable("other", initializer=0.0)
    named = {name: [w, b] if value == "two" else value for name, value in named.items()}
    try:
        tf.train.warm_start(path, **named)
    except Exception as error:
        print(type(error).__name__)
        return
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        print([np.asarray(value).tolist() for value in sess.run([w, b, mean, other])])


warm(vars_to_warm_start="net/")
warm(vars_to_warm_start="net/b")
warm(vars_to_warm_start=["net/mean", "net/w"])
warm(vars_to_warm_start="two")
warm(vars_to_warm_start=".*", var_name_to_prev_var_name={"other": "net/b"})
warm(vars_to_warm_start="net/", var_name_to_prev_var_name={"nothing": "net/b"})
warm()
warm(vars_to_warm_start=5)
warm(vars_to_warm_start=["net/w", 5])
