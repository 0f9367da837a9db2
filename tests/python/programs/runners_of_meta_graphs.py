"""Queue runners that a MetaGraph keeps: written with a checkpoint, read into another graph and scope, and run there."""

import os
import tempfile

import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
folder = tempfile.mkdtemp()
path = os.path.join(folder, "model")
tf.reset_default_graph()
queue = tf.FIFOQueue(4, tf.int32, shapes=[[]], name="numbers")
count = tf.Variable(0, name="count")
enqueue = queue.enqueue(tf.constant(7, name="seven"), name="put")
runner = tf.train.QueueRunner(queue, [enqueue, enqueue], queue_closed_exception_types=(tf.errors.OutOfRangeError, tf.errors.CancelledError))
tf.train.add_queue_runner(runner)
taken = queue.dequeue(name="taken")
proto = runner.to_proto()
print(proto.queue_name, list(proto.enqueue_op_name), proto.close_op_name, proto.cancel_op_name, list(proto.queue_closed_exception_types))
print(proto.SerializeToString())
with tf.name_scope("inner"):
    other = tf.FIFOQueue(1, tf.float32, name="other")
    inner = tf.train.QueueRunner(other, [other.enqueue(1.0)])
print(inner.to_proto("inner").queue_name, runner.to_proto(export_scope="inner"))
copied = tf.train.QueueRunner.from_proto(proto)
print(copied.name, [op.name for op in copied.enqueue_ops], copied.close_op.name, copied.cancel_op.name, [t.__name__ for t in copied.queue_closed_exception_types])
try: tf.train.QueueRunner(queue, [enqueue], queue_runner_def=proto)
except ValueError as e: print(e)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    tf.train.Saver().save(sess, path)
message = tf.train.export_meta_graph(os.path.join(folder, "exported.meta"))
for name, scope in (("model.meta", None), ("exported.meta", "again")):
    tf.reset_default_graph()
    tf.train.import_meta_graph(os.path.join(folder, name), import_scope=scope)
    found = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
    print(len(found), found[0].name, [t.__name__ for t in found[0].queue_closed_exception_types])
    with tf.Session() as sess:
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        print(len(threads), [int(sess.run("again/taken:0" if scope else "taken:0")) for _ in range(6)])
        coord.request_stop()
        coord.join(threads)
