"""Word vectors with tf.nn.nce_loss and tf.nn.sampled_softmax_loss."""

import collections
import math
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
V, E, B = 50, 8, 16
graph = tf.Graph()
with graph.as_default():
    tf.set_random_seed(7)
    train_inputs = tf.placeholder(tf.int32, shape=[B])
    train_labels = tf.placeholder(tf.int32, shape=[B, 1])
    valid_dataset = tf.constant([1, 2, 3], dtype=tf.int32)
    with tf.device('/cpu:0'):
        embeddings = tf.Variable(tf.random_uniform([V, E], -1.0, 1.0))
        embed = tf.nn.embedding_lookup(embeddings, train_inputs)
        nce_weights = tf.Variable(tf.truncated_normal([V, E], stddev=1.0 / math.sqrt(E)))
        nce_biases = tf.Variable(tf.zeros([V]))
    loss = tf.reduce_mean(tf.nn.nce_loss(
        weights=nce_weights, biases=nce_biases, labels=train_labels, inputs=embed, num_sampled=8, num_classes=V))
    loss2 = tf.reduce_mean(tf.nn.sampled_softmax_loss(
        weights=nce_weights, biases=nce_biases, inputs=embed, labels=train_labels, num_sampled=8, num_classes=V))
    optimizer = tf.train.GradientDescentOptimizer(1.0).minimize(loss)
    opt2 = tf.train.AdagradOptimizer(1.0).minimize(loss2)
    norm = tf.sqrt(tf.reduce_sum(tf.square(embeddings), 1, keep_dims=True))
    normalized = embeddings / norm
    n2 = tf.nn.l2_normalize(embeddings, 1)
    sim = tf.matmul(tf.nn.embedding_lookup(normalized, valid_dataset), normalized, transpose_b=True)
    init = tf.global_variables_initializer()
rng = np.random.RandomState(0)
with tf.Session(graph=graph) as session:
    init.run()
    for step in range(5):
        f = {train_inputs: rng.randint(0, V, B), train_labels: rng.randint(0, V, (B, 1))}
        _, l = session.run([optimizer, loss], f)
        _, l2 = session.run([opt2, loss2], f)
        print("%.3f %.3f" % (l, l2))
    print(np.round(sim.eval()[0][:5], 3).tolist(), np.round(n2.eval()[3], 3).tolist())
