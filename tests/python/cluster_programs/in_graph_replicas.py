"""In-graph replication: one client, variables on the ps, a replica of the model on each worker, and their averaged gradients.

    in_graph_replicas.py TARGET
"""

import sys

import tensorflow as tf

WORKERS = 2
RATE = 0.25

optimizer = tf.train.GradientDescentOptimizer(RATE)
with tf.device("/job:ps/task:0"):
    w = tf.get_variable("w", initializer=0.0)
    b = tf.get_variable("b", initializer=0.0)
gradients = []
for task in range(WORKERS):
    with tf.device("/job:worker/task:%d" % task), tf.name_scope("replica_%d" % task):
        # Each replica has a half of the points (-1, -1.5), (-0.5, -0.5), (0.5, 1.5), (1, 2.5) of the line y = 2 x + 0.5.
        x = tf.constant([[-1.0, -0.5], [0.5, 1.0]][task])
        loss = tf.reduce_mean(tf.square(w * x + b - (2.0 * x + 0.5)))
        gradients.append(optimizer.compute_gradients(loss, [w, b]))
with tf.device("/job:ps/task:0"):
    averaged = [(tf.add_n([gradient for gradient, _ in pairs]) / WORKERS, pairs[0][1]) for pairs in zip(*gradients)]
    train = optimizer.apply_gradients(averaged)
init = tf.global_variables_initializer()

with tf.Session("grpc://" + sys.argv[1]) as sess:
    sess.run(init)
    for step in range(40):
        sess.run(train)
        if step % 10 == 0:
            print("step %d: w = %.4f, b = %.4f" % ((step,) + tuple(sess.run([w, b]))), flush=True)
    print("w = %.4f, b = %.4f" % tuple(sess.run([w, b])), flush=True)
