"""Synchronous between-graph replication: each worker has a half of the points, and the mean of their gradients makes a step.

    sync_replicas.py CLUSTER_IN_JSON JOB TASK
"""

import json
import sys

import tensorflow as tf

cluster = tf.train.ClusterSpec(json.loads(sys.argv[1]))
job, task = sys.argv[2], int(sys.argv[3])
server = tf.train.Server(cluster, job_name=job, task_index=task)
if job == "ps":
    server.join()

STEPS = 20
with tf.device(tf.train.replica_device_setter(worker_device="/job:worker/task:%d" % task, cluster=cluster)):
    step = tf.train.get_or_create_global_step()
    w = tf.get_variable("w", initializer=0.0)
    b = tf.get_variable("b", initializer=0.0)
    # Of the points (-1, -1.5), (-0.5, -0.5), (0.5, 1.5), (1, 2.5) of the line y = 2 x + 0.5.
    x = tf.constant([[-1.0, -0.5], [0.5, 1.0]][task])
    loss = tf.reduce_mean(tf.square(w * x + b - (2.0 * x + 0.5)))
    optimizer = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.25), replicas_to_aggregate=2, total_num_replicas=2)
    train = optimizer.minimize(loss, global_step=step)

is_chief = task == 0
hooks = [optimizer.make_session_run_hook(is_chief, num_tokens=0)]  # nobody begins his second step before the first is over
config = tf.ConfigProto(device_filters=["/job:ps", "/job:worker/task:%d" % task])
with tf.train.MonitoredTrainingSession(server.target, is_chief, hooks=hooks, config=config, stop_grace_period_secs=5) as sess:
    for _ in range(STEPS):
        sess.run(train)
    print("step %d: w = %.4f, b = %.4f" % tuple(sess.run([step, w, b])), flush=True)
    if not is_chief:
        print("done", flush=True)
    sys.stdin.readline()  # the chief applies what the others give until all are done
