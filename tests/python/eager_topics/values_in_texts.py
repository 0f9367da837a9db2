"""Values in texts, and branches that give what is no tensor."""

import tensorflow.compat.v1 as tf

from keras_numbers import refused

three, half, row = tf.constant(3), tf.constant(0.5), tf.constant([1, 2])
print("{} {} {} {}".format(three, half, row, tf.constant("word")), f"{three}", "%d %.2f" % (three, half), "{:.2f} {:4d}".format(half, three))
print(tf.cond(half > 0.1, lambda: 1, lambda: 2), tf.cond(False, lambda: [1], lambda: [2]), tf.cond(True, lambda: [1], lambda: [2], strict=True))
print(tf.cond(tf.constant(False), lambda: "yes", lambda: None), tf.cond(True, lambda: (three, half), lambda: None)[0].numpy())
count = tf.Variable(0)
tf.cond(three > 5, lambda: count.assign(5), lambda: count.assign(7))
print(count.numpy(), refused(lambda: tf.cond(True, 1, lambda: 2))[0])
