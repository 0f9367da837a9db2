"""What optimizers keep, initialized on its own."""
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
v = tf.get_variable("v", [2], initializer=tf.ones_initializer())
w = tf.get_variable("w", [2], initializer=tf.ones_initializer())
unused = tf.get_variable("unused", [])
optimizers = [tf.train.AdamOptimizer(0.1), tf.train.MomentumOptimizer(0.1, 0.9), tf.train.GradientDescentOptimizer(0.1),
              tf.train.RMSPropOptimizer(0.1, centered=True), tf.train.AdagradOptimizer(0.1), tf.train.FtrlOptimizer(0.1)]
print([optimizer.variables() for optimizer in optimizers[:2]])
steps = [optimizer.minimize(tf.reduce_sum(v * v) + tf.reduce_sum(w)) for optimizer in optimizers]
with tf.Session() as sess:
    sess.run(tf.variables_initializer([v, w]))
    for optimizer, step in zip(optimizers, steps):
        print([(variable.name, variable.shape.as_list()) for variable in optimizer.variables()])
        sess.run(tf.variables_initializer(optimizer.variables()))
        sess.run(step)
    print(sess.run([v, w]))
with tf.Graph().as_default():
    print(optimizers[0].variables())
