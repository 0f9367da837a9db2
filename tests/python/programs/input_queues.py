"""Queues that readers fill: tf.train.string_input_producer, batch, shuffle_batch, a queue runner and its coordinator."""

import os
import tempfile
import threading
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
import warnings
tf.logging.set_verbosity(tf.logging.ERROR)
d = tempfile.mkdtemp()
for k in range(2):
    with open(os.path.join(d, "f%d.csv" % k), "w") as f:
        for i in range(4): f.write("%d,%d,%d\n" % (k, i, k * i))
fq = tf.train.string_input_producer([os.path.join(d, "f0.csv"), os.path.join(d, "f1.csv")], num_epochs=1, shuffle=False)
reader = tf.TextLineReader()
key, value = reader.read(fq)
a, b, c = tf.decode_csv(value, record_defaults=[[1], [1], [1]])
features = tf.stack([a, b])
batch, lab = tf.train.batch([features, c], batch_size=3, capacity=10, allow_smaller_final_batch=True)
print(batch, lab)
with tf.Session() as sess:
    sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(sess=sess, coord=coord)
    try:
        while not coord.should_stop(): print([v.tolist() for v in sess.run([batch, lab])])
    except tf.errors.OutOfRangeError: print("Done")
    finally: coord.request_stop()
    coord.join(threads)
tf.reset_default_graph()
w = tf.python_io.TFRecordWriter(os.path.join(d, "r.tfrecords"))
for i in range(6):
    ex = tf.train.Example(features=tf.train.Features(feature={
        'x': tf.train.Feature(int64_list=tf.train.Int64List(value=[i])),
        's': tf.train.Feature(bytes_list=tf.train.BytesList(value=[np.array([i, i + 1], np.float32).tobytes()])),
        'f': tf.train.Feature(float_list=tf.train.FloatList(value=[0.5 * i, 1]))}))
    w.write(ex.SerializeToString())
w.close()
print(len(list(tf.python_io.tf_record_iterator(os.path.join(d, "r.tfrecords")))))
fq = tf.train.string_input_producer([os.path.join(d, "r.tfrecords")], num_epochs=1)
_, ser = tf.TFRecordReader().read(fq)
f = tf.parse_single_example(ser, features={
    'x': tf.FixedLenFeature([], tf.int64), 's': tf.FixedLenFeature([], tf.string), 'f': tf.FixedLenFeature([2], tf.float32)})
raw = tf.decode_raw(f['s'], tf.float32)
raw.set_shape([2])
xb, rb, fb = tf.train.shuffle_batch([f['x'], raw, f['f']], batch_size=2, capacity=20, min_after_dequeue=3, num_threads=1, seed=1)
with tf.Session() as sess:
    sess.run(tf.group(tf.global_variables_initializer(), tf.local_variables_initializer()))
    coord = tf.train.Coordinator()
    threads = tf.train.start_queue_runners(coord=coord)
    got = []
    for _ in range(3):
        x_, r_, f_ = sess.run([xb, rb, fb])
        got += list(zip(x_.tolist(), r_.tolist(), f_.tolist()))
    print(sorted(got))
    coord.request_stop()
    coord.join(threads)
tf.reset_default_graph()
q = tf.FIFOQueue(10, [tf.float32])
counter = tf.Variable(0.0)
inc = tf.assign_add(counter, 1.0)
with tf.control_dependencies([inc]): enq = q.enqueue(counter)
qr = tf.train.QueueRunner(q, enqueue_ops=[enq] * 1)
deq = q.dequeue()
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    coord = tf.train.Coordinator()
    th = qr.create_threads(sess, coord=coord, start=True)
    print([sess.run(deq) >= 1 for i in range(3)])
    coord.request_stop()
    sess.run(q.close(cancel_pending_enqueues=True))
    coord.join(th)
images, labels = tf.train.slice_input_producer([tf.constant([[1.0, 2], [3, 4], [5, 6]]), tf.constant([0, 1, 2])], shuffle=False)
ib, lb = tf.train.batch([images, labels], 3)
with tf.Session() as sess:
    coord = tf.train.Coordinator()
    th = tf.train.start_queue_runners(sess, coord)
    print([v.tolist() for v in sess.run([ib, lb])])
    coord.request_stop()
    coord.join(th)
