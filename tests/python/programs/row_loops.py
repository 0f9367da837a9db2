"""tf.map_fn, tf.foldl, tf.foldr, tf.scan and tf.TensorArray with their gradients, and tf.py_func."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
elems = tf.constant([1., 2., 3., 4., 5., 6.])
w = tf.get_variable("w", initializer=0.5)
sq = tf.map_fn(lambda x: x * x * w, elems)
two = tf.map_fn(lambda x: (x[0] * x[1], x[0]), (elems, -elems), dtype=(tf.float32, tf.float32))
ints = tf.map_fn(lambda x: tf.cast(x > 2, tf.int32), elems, dtype=tf.int32)
fl = tf.foldl(lambda a, x: a + x * w, elems)
fr = tf.foldr(lambda a, x: a - x, elems)
fi = tf.foldl(lambda a, x: a * x, elems, initializer=tf.constant(2.0))
sc = tf.scan(lambda a, x: a + x * w, elems)
fib = tf.scan(lambda a, _: (a[1], a[0] + a[1]), elems, initializer=(0, 1))
rev = tf.scan(lambda a, x: a + x, elems, reverse=True)
ta = tf.TensorArray(tf.float32, size=0, dynamic_size=True, clear_after_read=False)
def body(i, ta, s): return i + 1, ta.write(i, s * w), s + 1.0
_, ta, _ = tf.while_loop(lambda i, ta, s: i < 4, body, [0, ta, tf.constant(1.0)])
st = ta.stack()
r2 = ta.read(2)
ta2 = tf.TensorArray(tf.float32, 6).unstack(elems)
g = ta2.gather([1, 3])
cat = tf.TensorArray(tf.float32, 2, infer_shape=False).write(0, [1., 2.]).write(1, [3.]).concat()
sz = ta.size()
c = tf.cond(tf.reduce_sum(elems) > 3, lambda: tf.add(w, 1), lambda: tf.square(w))
gr = tf.gradients(tf.reduce_sum(sq) + tf.reduce_sum(sc) + tf.reduce_sum(st) + fl, [w, elems])
p = tf.py_func(lambda a: (a * 2).astype(np.float32), [elems], tf.float32)
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for n, t in [("sq", sq), ("two", two), ("ints", ints), ("fl", fl), ("fr", fr), ("fi", fi), ("sc", sc), ("fib", fib),
                 ("rev", rev), ("st", st), ("r2", r2), ("g", g), ("cat", cat), ("sz", sz), ("c", c), ("gr", gr), ("p", p)]:
        print(n, [np.round(v, 4).tolist() for v in sess.run(t)] if isinstance(t, (list, tuple)) else np.round(sess.run(t), 4).tolist())
