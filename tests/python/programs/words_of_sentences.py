"""Sentences told apart by convolutions of three widths over their words' vectors; summaries of the gradients."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
words, length, vector = 30, 9, 5
with tf.Graph().as_default():
    tf.set_random_seed(2)
    sentences = tf.placeholder(tf.int32, [None, length], "sentences")
    kinds = tf.placeholder(tf.float32, [None, 2], "kinds")
    kept = tf.placeholder_with_default(1.0, [], "kept")
    with tf.name_scope("vectors"):
        table = tf.get_variable("table", [words, vector], initializer=tf.random_uniform_initializer(-1, 1, seed=1))
        image = tf.expand_dims(tf.nn.embedding_lookup(table, sentences), -1)
    features = []
    for width in (2, 3, 4):
        with tf.variable_scope("width_%d" % width):
            kernel = tf.get_variable("kernel", [width, vector, 1, 3], initializer=tf.truncated_normal_initializer(stddev=0.3, seed=width))
            offsets = tf.get_variable("offsets", [3], initializer=tf.constant_initializer(0.1))
            found = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(image, kernel, [1, 1, 1, 1], "VALID"), offsets))
            features.append(tf.nn.max_pool(found, [1, length - width + 1, 1, 1], [1, 1, 1, 1], "VALID"))
    flat = tf.nn.dropout(tf.reshape(tf.concat(features, 3), [-1, 9]), kept)
    weights = tf.get_variable("weights", [9, 2], initializer=tf.glorot_normal_initializer(seed=5))
    logits = tf.nn.xw_plus_b(flat, weights, tf.zeros([2]), name="logits")
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(logits=logits, labels=kinds)) + 0.01 * tf.nn.l2_loss(weights)
    right = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), tf.argmax(kinds, 1)), "float"))
    step = tf.train.create_global_step()
    optimizer = tf.train.AdamOptimizer(0.02)
    slopes = optimizer.compute_gradients(loss)
    train = optimizer.apply_gradients(slopes, global_step=step)
    for slope, variable in slopes:
        tf.summary.histogram(variable.op.name + "/slope", slope)
        tf.summary.scalar(variable.op.name + "/zeros", tf.nn.zero_fraction(slope))
    summaries = tf.summary.merge_all()
    rng = np.random.RandomState(0)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        session.run(tf.global_variables_initializer())
        for _ in range(5):
            feeds = {sentences: rng.randint(0, words, (8, length)), kinds: np.eye(2)[rng.randint(0, 2, 8)]}
            _, number, cost, share, told = session.run([train, step, loss, right, summaries], feeds)
            print(number, "%.4f %.3f" % (cost, share), [value.tag for value in tf.Summary.FromString(told).value][:2])
    print([isinstance(slope, tf.IndexedSlices) for slope, _ in slopes])
