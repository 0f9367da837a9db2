"""Labels of sequences by connectionist temporal classification: the loss, its gradient, a training, two decoders."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()


def show(name, value):
    if isinstance(value, tf.SparseTensorValue):
        print(name, value.indices.tolist(), value.values.tolist(), value.dense_shape.tolist())
    else:
        print(name, np.round(np.asarray(value), 3).tolist())


time, batch, classes = 6, 3, 4
logits_value = np.random.RandomState(1).randn(time, batch, classes).astype(np.float32)
with tf.Graph().as_default(), tf.Session() as session:
    logits = tf.placeholder(tf.float32, [time, batch, classes])
    labels = tf.SparseTensor([[0, 0], [0, 1], [1, 0], [1, 1], [1, 2], [2, 0]], [0, 0, 1, 2, 1, 2], [3, 3])
    lengths = [6, 6, 4]
    feeds = {logits: logits_value}
    loss = tf.nn.ctc_loss(labels, logits, lengths)
    show("loss", session.run(loss, feeds))
    show("slope", session.run(tf.gradients(loss, logits)[0], feeds))
    show("unmerged", session.run(tf.nn.ctc_loss(labels, logits, lengths, ctc_merge_repeated=False), feeds))
    show("collapsed", session.run(tf.nn.ctc_loss(labels, logits, lengths, preprocess_collapse_repeated=True), feeds))
    show("ignored", session.run(tf.nn.ctc_loss(labels, logits, [6, 2, 4], ignore_longer_outputs_than_inputs=True), feeds))
    decoded, sums = session.run(tf.nn.ctc_greedy_decoder(logits, lengths), feeds)
    show("greedy", decoded[0])
    show("sums", sums)
    decoded, sums = session.run(tf.nn.ctc_greedy_decoder(logits, lengths, merge_repeated=False), feeds)
    show("greedy_unmerged", decoded[0])
    decoded, sums = session.run(tf.nn.ctc_beam_search_decoder(logits, lengths, beam_width=8, top_paths=2, merge_repeated=False), feeds)
    show("beam", decoded[0])
    show("second", decoded[1])
    show("beam_sums", sums)

with tf.Graph().as_default(), tf.Session() as session:
    weights = tf.get_variable("weights", initializer=np.random.RandomState(2).randn(5, classes).astype(np.float32))
    inputs = np.random.RandomState(3).randn(time * batch, 5).astype(np.float32)
    logits = tf.reshape(tf.matmul(inputs, weights), [time, batch, classes])
    labels = tf.SparseTensor([[0, 0], [1, 0], [1, 1], [2, 0]], [0, 1, 2, 2], [3, 2])
    loss = tf.reduce_mean(tf.nn.ctc_loss(labels, logits, [6, 6, 6]))
    train = tf.train.AdamOptimizer(0.1).minimize(loss)
    session.run(tf.global_variables_initializer())
    for _ in range(15):
        session.run(train)
    show("trained", session.run(loss))
