"""Slopes of a policy gathered over several runs and applied through placeholders; actions drawn by tf.multinomial."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.reset_default_graph()
tf.set_random_seed(6)
seen = tf.placeholder(tf.float32, [None, 3], name="seen")
taken = tf.placeholder(tf.int32, [None], name="taken")
worth = tf.placeholder(tf.float32, name="worth")
hidden = tf.layers.dense(seen, 5, tf.tanh, kernel_initializer=tf.orthogonal_initializer(seed=1))
logits = tf.layers.dense(hidden, 2, kernel_initializer=tf.orthogonal_initializer(gain=0.5, seed=2))
action = tf.squeeze(tf.multinomial(logits, 1, seed=3), 1)
log_share = tf.reduce_sum(tf.nn.log_softmax(logits) * tf.one_hot(taken, 2), axis=1)
disorder = -tf.reduce_mean(tf.reduce_sum(tf.nn.softmax(logits) * tf.nn.log_softmax(logits), 1))
loss = -tf.reduce_mean(log_share * worth) - 0.01 * disorder
variables = tf.trainable_variables()
slopes = tf.gradients(loss, variables)
gathered = [tf.placeholder(tf.float32, variable.shape) for variable in variables]
apply = tf.train.AdamOptimizer(0.05).apply_gradients(zip(gathered, variables))
rng = np.random.RandomState(0)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for episode in range(3):
        sums = [np.zeros(variable.shape.as_list()) for variable in variables]
        for _ in range(4):
            state = rng.randn(2, 3)
            does = session.run(action, {seen: state})
            found = session.run(slopes, {seen: state, taken: does, worth: rng.randn(2)})
            sums = [total + slope for total, slope in zip(sums, found)]
        session.run(apply, dict(zip(gathered, sums)))
        print(does.tolist(), np.round(sums[-1], 4).tolist(), "%.4f" % session.run(disorder, {seen: state}))
