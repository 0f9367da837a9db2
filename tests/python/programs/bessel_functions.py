"""Bessel functions: values, first and second derivatives, other types, and the nodes of their gradients."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()

special = tf.math.special
NAMES = ("i0", "i0e", "i1", "i1e", "j0", "j1", "k0", "k0e", "k1", "k1e", "y0", "y1")
points = np.array([0.0, 1e-3, 0.5, 1.0, 2.0, 3.75, 8.0, 20.0, 90.0])


def shown(values):
    return ["%.5g" % value for value in np.asarray(values, np.float64).ravel()]


for name in NAMES:
    function = getattr(special, "bessel_" + name)
    at = points if name[0] in "ij" else points[1:]
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        x = tf.constant(np.concatenate([at, -at]) if name[0] in "ij" else at, tf.float64)
        y = function(x)
        first, = tf.gradients(y, x)
        second, = tf.gradients(first, x)
        print(name, y.name, shown(sess.run(y)))
        print(shown(sess.run(first)))
        print(shown(sess.run(second)[1:9]))
        print([(op.name, op.type) for op in graph.get_operations() if op.name.startswith("gradients/") and "_grad/" in op.name])
        for dtype in (tf.float32, tf.float16):
            print(dtype.name, shown(sess.run(function(tf.constant(at[1:7], dtype)))))
with tf.Session() as sess:
    print(shown(sess.run([tf.math.bessel_i0(1.0), tf.math.bessel_i1(1.0), special.bessel_k0(0.0), special.bessel_k0(-1.0), special.bessel_y1(0.0)])))
