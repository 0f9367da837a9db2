"""A sequence read in both directions and written again by a decoder that attends to it, with masks of lengths."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.set_random_seed(4)
letters, units, rows, written = 10, 6, 4, 5
read = tf.placeholder(tf.int32, [None, None], "read")
lengths = tf.placeholder(tf.int32, [None], "lengths")
wanted = tf.placeholder(tf.int32, [None, written], "wanted")
with tf.variable_scope("model", initializer=tf.random_uniform_initializer(-0.4, 0.4, seed=8)):
    table = tf.get_variable("table", [letters, 4])
    cells = [tf.nn.rnn_cell.GRUCell(units) for _ in range(2)]
    both, ends = tf.nn.bidirectional_dynamic_rnn(*cells, tf.nn.embedding_lookup(table, read), lengths, dtype=tf.float32)
    memory = tf.concat(both, -1)
    start = tf.layers.dense(tf.concat(ends, 1), units, tf.tanh, name="start")
    shifted = tf.concat([tf.fill([tf.shape(read)[0], 1], 1), wanted[:, :-1]], 1)
    with tf.variable_scope("writer"):
        states, _ = tf.nn.dynamic_rnn(tf.nn.rnn_cell.GRUCell(units), tf.nn.embedding_lookup(table, shifted), initial_state=start)
    scores = tf.matmul(tf.layers.dense(states, 2 * units, use_bias=False, name="ask"), memory, transpose_b=True)
    known = tf.sequence_mask(lengths, tf.shape(read)[1], dtype=tf.float32)
    looked_at = tf.nn.softmax(scores - 1e9 * (1 - tf.expand_dims(known, 1)))
    logits = tf.layers.dense(tf.concat([states, tf.matmul(looked_at, memory)], -1), letters, name="letters")
weights = tf.to_float(tf.not_equal(wanted, 0))
loss = tf.losses.sparse_softmax_cross_entropy(wanted, logits, weights=1.0) + tf.reduce_sum(weights) * 0
optimizer = tf.train.AdamOptimizer(0.01)
train = optimizer.apply_gradients([(tf.clip_by_norm(slope, 1.0), variable) for slope, variable in optimizer.compute_gradients(loss)])
right = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 2, output_type=tf.int32), wanted), tf.float32))
rng = np.random.RandomState(1)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for step in range(5):
        text = rng.randint(2, letters, (rows, written))
        feeds = {read: text, lengths: rng.randint(2, written + 1, rows), wanted: text[:, ::-1]}
        print(step, "%.4f %.2f" % tuple(session.run([loss, right, train], feeds)[:2]))
    print(np.round(session.run(looked_at, feeds)[0, 0], 3).tolist())
print([variable.name for variable in tf.trainable_variables()], logits.shape)
