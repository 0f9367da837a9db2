"""Synchronous training whose chief goes on without a replica that was killed in the middle of a step.

    dropped_replica.py CLUSTER_IN_JSON JOB TASK
"""

import json
import sys

import tensorflow as tf

cluster = tf.train.ClusterSpec(json.loads(sys.argv[1]))
job, task = sys.argv[2], int(sys.argv[3])
server = tf.train.Server(cluster, job_name=job, task_index=task, exit_with_workers=job == "ps")
if job == "ps":
    server.join()
    sys.exit()

is_chief = task == 0
with tf.device(tf.train.replica_device_setter(worker_device="/job:worker/task:%d" % task, cluster=cluster)):
    step = tf.train.get_or_create_global_step()
    w = tf.get_variable("w", initializer=0.0)
    loss = tf.square(w - 1.0)
    optimizer = tf.train.SyncReplicasOptimizer(tf.train.GradientDescentOptimizer(0.25), replicas_to_aggregate=2, total_num_replicas=2,
                                               drop_after_secs=0.3 if is_chief else 0)
    train = optimizer.minimize(loss, global_step=step)

hooks = [optimizer.make_session_run_hook(is_chief, num_tokens=0)]
config = tf.ConfigProto(device_filters=["/job:ps", "/job:worker/task:%d" % task])
with tf.train.MonitoredTrainingSession(server.target, is_chief, hooks=hooks, config=config, stop_grace_period_secs=5) as sess:
    sess.run(train)
    print("one step", flush=True)
    if is_chief:
        sys.stdin.readline()  # until the other one is gone
    while sess.run(step) < 5:
        sess.run(train)
    print("done", flush=True)
