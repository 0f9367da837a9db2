"""LeNet-5 on Fashion-MNIST between-graph: the ps holds the weights, and each worker trains them by batches of its own.

    lenet.py CLUSTER_IN_JSON JOB TASK async|sync STEPS_OF_A_WORKER
"""

import gzip
import json
import sys

import numpy as np
import tensorflow as tf

FOLDER = "/usr/share/datasets/fashion-mnist/"
BATCH = 100

cluster = tf.train.ClusterSpec(json.loads(sys.argv[1]))
job, task, is_sync, steps = sys.argv[2], int(sys.argv[3]), sys.argv[4] == "sync", int(sys.argv[5])
server = tf.train.Server(cluster, job_name=job, task_index=task)
if job == "ps":
    server.join()


def read(which):
    with gzip.open(FOLDER + which + "-images-idx3-ubyte.gz") as file:
        images = np.frombuffer(file.read(), np.uint8, offset=16).reshape(-1, 28, 28, 1)
    with gzip.open(FOLDER + which + "-labels-idx1-ubyte.gz") as file:
        labels = np.frombuffer(file.read(), np.uint8, offset=8)
    return images, labels.astype(np.int64)


def layer(images, kernel, padding):
    maps = tf.nn.relu(tf.nn.conv2d(images, tf.get_variable("kernel_%d" % kernel[3], kernel), strides=[1, 1, 1, 1], padding=padding))
    return tf.nn.avg_pool(maps, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")


num_workers = cluster.num_tasks("worker")
with tf.device(tf.train.replica_device_setter(worker_device="/job:worker/task:%d" % task, cluster=cluster)):
    x = tf.placeholder(tf.float32, [None, 28, 28, 1])
    labels = tf.placeholder(tf.int64, [None])
    maps = layer(layer(x, [5, 5, 1, 6], "SAME"), [5, 5, 6, 16], "VALID")
    hidden = tf.nn.relu(tf.matmul(tf.reshape(maps, [-1, 400]), tf.get_variable("w1", [400, 120])) + tf.get_variable("b1", [120]))
    logits = tf.matmul(hidden, tf.get_variable("w2", [120, 10])) + tf.get_variable("b2", [10])
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    right = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), labels), tf.float32))
    step = tf.train.get_or_create_global_step()
    all_steps = steps if is_sync else steps * num_workers
    done = tf.cast(step, tf.float32) / float(all_steps)
    optimizer = tf.train.AdamOptimizer(tf.maximum(0.004 * (1.0 - done), 0.0))
    if is_sync:
        optimizer = tf.train.SyncReplicasOptimizer(optimizer, replicas_to_aggregate=num_workers, total_num_replicas=num_workers)
    train = optimizer.minimize(loss, global_step=step)

is_chief = task == 0
hooks = [optimizer.make_session_run_hook(is_chief, num_tokens=0)] if is_sync else []
config = tf.ConfigProto(device_filters=["/job:ps", "/job:worker/task:%d" % task])
images, classes = read("train")
order = np.random.RandomState(task)
with tf.train.MonitoredTrainingSession(server.target, is_chief, hooks=hooks, config=config, stop_grace_period_secs=5) as sess:
    for _ in range(steps):
        rows = order.randint(0, len(images), BATCH)
        sess.run(train, {x: images[rows] / 255.0, labels: classes[rows]})
    print("trained", flush=True)
    sys.stdin.readline()  # until all have
    if is_chief:
        images, classes = read("t10k")
        parts = [sess.run(right, {x: images[i:i + 1000] / 255.0, labels: classes[i:i + 1000]}) for i in range(0, len(images), 1000)]
        print("accuracy %.4f" % np.mean(parts), flush=True)
    sys.stdin.readline()  # the chief's threads serve the others until they are over
