"""Two networks of the same form in scopes of their own: one learns, the other is assigned its weights now and then; picks by gather_nd."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.set_random_seed(11)
features = tf.placeholder(tf.float32, [None, 4], name="features")
chosen = tf.placeholder(tf.int32, [None], name="chosen")
reward = tf.placeholder(tf.float32, [None], name="reward")


def values_of(inputs, scope):
    with tf.variable_scope(scope):
        hidden = tf.layers.dense(inputs, 6, tf.nn.relu, kernel_initializer=tf.random_normal_initializer(0.0, 0.3, seed=3), name="hidden")
        return tf.layers.dense(hidden, 3, bias_initializer=tf.constant_initializer(0.1), name="values",
                               kernel_initializer=tf.truncated_normal_initializer(stddev=0.2, seed=4))


learning, steady = values_of(features, "learning"), values_of(features, "steady")
with tf.name_scope("target"):
    target = tf.stop_gradient(reward + 0.9 * tf.reduce_max(steady, axis=1))
picked = tf.gather_nd(learning, tf.stack([tf.range(tf.shape(chosen)[0]), chosen], axis=1), name="picked")
loss = tf.reduce_mean(tf.squared_difference(target, picked))
train = tf.train.RMSPropOptimizer(0.01).minimize(loss, var_list=tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="learning"))
copy = [tf.assign(to, of) for to, of in zip(tf.global_variables("steady"), tf.global_variables("learning"))]
rng = np.random.RandomState(5)
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    for step in range(6):
        if step % 3 == 0:
            session.run(copy)
        feeds = {features: rng.randn(8, 4), chosen: rng.randint(0, 3, 8), reward: rng.randn(8)}
        print(step, "%.5f" % session.run([train, loss], feeds)[1])
print(picked, target.op.name, [variable.op.name for variable in tf.trainable_variables("steady")])
