"""Functions of Python's as nodes: without outputs, and with others than the node has."""

import re

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

sess = tf.Session()
x = tf.constant([1.0, -2.0, 3.0])
seen = []
effect = tf.py_func(seen.append, [x], [], name="effect")
print(type(effect).__name__, effect.name, sess.run(effect), [value.tolist() for value in seen])
with tf.control_dependencies([effect]):
    print(sess.run(tf.identity(x)).tolist(), len(seen))


def say(what, function, Tout):
    try:
        print(what, sess.run(tf.py_func(function, [x], Tout)))
    except tf.errors.OpError as error:
        sentence = re.search(r"[^\n]*(value returned by|returns) (pyfunc_\d+|\d+)[^\n\[]*", error.message).group(0)
        print(what, type(error).__name__, re.sub(r"pyfunc_\d+", "pyfunc_N", sentence).rstrip("."))


say("another dtype", lambda a: a.astype(np.float64), tf.float32)
say("two values", lambda a: (a, a), tf.float32)
say("a list is its values", lambda a: [1, 2], tf.int64)
say("nothing", lambda a: None, tf.float32)
say("a value too many", lambda a: a, [])
say("two of two", lambda a: (a, -a), [tf.float32, tf.float32])
