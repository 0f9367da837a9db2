"""Summaries written to an event file, and read back."""

import os
import tempfile
import glob
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
d = tempfile.mkdtemp()
def variable_summaries(var):
    with tf.name_scope('summaries'):
        mean = tf.reduce_mean(var)
        tf.summary.scalar('mean', mean)
        with tf.name_scope('stddev'): stddev = tf.sqrt(tf.reduce_mean(tf.square(var - mean)))
        tf.summary.scalar('stddev', stddev)
        tf.summary.scalar('max', tf.reduce_max(var))
        tf.summary.histogram('histogram', var)
with tf.name_scope('layer1'):
    w = tf.Variable(tf.linspace(0.0, 1.0, 10), name='w')
    variable_summaries(w)
img = tf.placeholder(tf.float32, [None, 4, 4, 1])
tf.summary.image('input', img, 2)
merged = tf.summary.merge_all()
writer = tf.summary.FileWriter(d, tf.get_default_graph())
with tf.Session() as sess:
    tf.global_variables_initializer().run()
    for i in range(3):
        s = sess.run(merged, {img: np.ones((2, 4, 4, 1))})
        writer.add_summary(s, i)
    writer.add_summary(tf.Summary(value=[tf.Summary.Value(tag="manual", simple_value=0.5)]), 3)
    run_options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    meta = tf.RunMetadata()
    sess.run(merged, {img: np.ones((2, 4, 4, 1))}, options=run_options, run_metadata=meta)
    writer.add_run_metadata(meta, 'step%03d' % 4)
writer.flush()
writer.close()
for e in tf.train.summary_iterator(glob.glob(d + "/*")[0]):
    for v in e.summary.value:
        print(e.step, v.tag, "%.3f" % v.simple_value if v.HasField('simple_value') else v.WhichOneof('value'))
S = tf.Summary()
S.ParseFromString(s)
print([v.tag for v in S.value])
