"""Points in groups around moving centres, and a Gaussian process through a few of them, by Cholesky factors."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
rng = np.random.RandomState(2)
points = tf.constant(np.concatenate([rng.randn(20, 2) + centre for centre in ([4, 4], [-4, -4], [4, -4])]).astype(np.float32))
centres = tf.Variable(tf.slice(tf.random_shuffle(points, seed=4), [0, 0], [3, -1]))
squares = tf.reduce_sum(tf.square(tf.expand_dims(points, 0) - tf.expand_dims(centres, 1)), 2)
nearest = tf.argmin(squares, 0)
means = [tf.reduce_mean(tf.boolean_mask(points, tf.equal(nearest, group)), 0) for group in range(3)]
move = tf.assign(centres, tf.stack(means))
counts = tf.unsorted_segment_sum(tf.ones_like(nearest), nearest, 3)
with tf.Session() as session:
    session.run(tf.initialize_all_variables())
    for _ in range(4):
        now, spread = session.run([move, tf.reduce_mean(tf.sqrt(tf.reduce_min(squares, 0)))])
        print(np.round(now[np.argsort(now.sum(1))], 3).tolist(), "%.3f" % spread)
    print(sorted(session.run(counts).tolist()), tf.nn.in_top_k([[0.1, 0.9], [0.8, 0.2]], [1, 1], 1).eval().tolist())
places = np.linspace(0, 1, 7).reshape(-1, 1)
heights = tf.constant(np.sin(4 * places))
kernel = tf.exp(-tf.square(tf.constant(places) - places.T) / 0.1) + 1e-6 * tf.eye(7, dtype=tf.float64)
factor = tf.cholesky(kernel)
weights = tf.cholesky_solve(factor, heights)
halves = tf.matrix_triangular_solve(factor, heights, lower=True)
likelihood = -0.5 * tf.reduce_sum(tf.square(halves)) - tf.reduce_sum(tf.log(tf.diag_part(factor)))
with tf.Session() as session:
    print("%.4f" % session.run(likelihood), np.round(session.run(tf.matmul(kernel, weights) - heights), 6).max() == 0)
    print(np.round(session.run([tf.trace(kernel), tf.norm(kernel), tf.reduce_max(tf.svd(kernel, compute_uv=False))]), 4).tolist())
print(likelihood.name, weights.name, halves.name, factor.name, means[0].name, tf.self_adjoint_eig(kernel)[0].shape)
