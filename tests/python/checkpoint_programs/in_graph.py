"""Objects of a graph into a checkpoint, or out of one: `in_graph.py save PREFIX`, `in_graph.py load PREFIX`."""

import sys

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
saves, prefix = sys.argv[1] == "save", sys.argv[2]
x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]])
w = tf.get_variable("w", [2, 1], initializer=tf.constant_initializer([[0.5], [-0.25]] if saves else [[0.0], [0.0]]))
b = tf.Variable([0.1 if saves else 0.0], name="bias")
counts = {"first": tf.Variable(3 if saves else 0, trainable=False), "dotted.name/x": tf.Variable(np.int64(4 if saves else 0), trainable=False)}
loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - [[1.0], [2.0], [4.0]]))
adam = tf.train.AdamOptimizer(0.1)
momentum = tf.train.MomentumOptimizer(0.01, 0.9)
steps = [adam.minimize(loss, var_list=[w, b]), momentum.minimize(loss, var_list=[w])]
inner = tf.train.Checkpoint(w=w, also=[b, w])
checkpoint = tf.train.Checkpoint(inner=inner, adam=adam, momentum=momentum, counts=counts, many=(b, [counts["first"]]))
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    if saves:
        for _ in range(3):
            session.run(steps)
        print(checkpoint.save(prefix)[len(prefix):])
        print(checkpoint.save(prefix, session=session)[len(prefix):])
        open(prefix + "-newest", "w").write(tf.train.latest_checkpoint(prefix.rpartition("/")[0]))
    else:
        path = open(prefix + "-newest").read()
        status = checkpoint.restore(path)
        status.assert_consumed().assert_existing_objects_matched().assert_nontrivial_match()
        status.initialize_or_restore(session)
        print("-1\n-2")
        assert session.run(checkpoint.save_counter) == 2
    for _ in range(3):
        print(np.round(session.run([w, b, loss, *counts.values()])[2], 5), [value.tolist() for value in session.run(list(counts.values()))])
        session.run(steps)
    slots = [adam.get_slot(w, "m"), adam.get_slot(b, "v"), momentum.get_slot(w, "momentum")]
    print([np.round(value, 5).tolist() for value in session.run(slots)], adam.get_slot_names())
