"""Distributions of counts: multinomial ones, and those whose probabilities are drawn themselves; how parts of a whole vary together."""

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tfd = tf.distributions


def show(name, value):
    print(name, np.round(np.asarray(value, np.float64), 3).tolist())


def told(session, distribution, counts):
    print(distribution.name, distribution.dtype, distribution.batch_shape, distribution.event_shape, distribution.reparameterization_type)
    show("  log_prob", session.run(distribution.log_prob(counts)))
    show("  prob", session.run(distribution.prob(counts)))
    show("  mean", session.run(distribution.mean()))
    show("  variance", session.run(distribution.variance()))
    show("  stddev", session.run(distribution.stddev()))
    show("  covariance", session.run(distribution.covariance()))


with tf.Session() as session:
    votes = tfd.Multinomial(total_count=[4.0, 5.0], probs=[[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]])
    told(session, votes, [[2.0, 1.0, 1.0], [3.0, 1.0, 1.0]])
    told(session, tfd.Multinomial(total_count=3.0, logits=[0.5, 0.0, -1.0]), [[1.0, 2.0, 0.0], [0.0, 0.0, 3.0]])
    sample = votes.sample(3, seed=5)  # which of the two is drawn first is open
    print(sample.shape, session.run(tf.reduce_sum(sample, -1)).tolist())
    print(session.run(tfd.Multinomial(4.0, probs=[0.1, 0.2, 0.7]).sample(3, seed=5)).tolist())
    print(session.run(tf.reduce_sum(tfd.Multinomial(6.0, probs=[0.5, 0.5]).sample([2, 2], seed=1), -1)).tolist())

    drawn = tfd.DirichletMultinomial(total_count=4.0, concentration=[1.0, 2.0, 3.0])
    told(session, drawn, [[0.0, 2.0, 2.0], [4.0, 0.0, 0.0]])
    sample = drawn.sample(4, seed=3)
    print(sample.shape, session.run(sample).tolist())

    rows = tfd.Dirichlet([[1.5, 2.0, 3.0], [2.0, 2.0, 4.0]])
    show("rows", session.run(rows.covariance()))
    show("mode", session.run(tfd.Dirichlet([1.5, 2.0, 3.0]).mode()))
    normal = tfd.Normal([0.0, 2.0], 1.5)
    show("quantile", session.run(normal.quantile([0.1, 0.975])))
    other = normal.copy(scale=0.5)
    show("copied", session.run([other.loc + 0.0 * other.scale, other.stddev()]))
    for missing in (lambda: normal.covariance(), lambda: rows.cdf([0.2, 0.3, 0.5]), lambda: votes.entropy()):
        try:
            missing()
            print("passed")
        except NotImplementedError as error:
            print(type(error).__name__)
    for wrong in (lambda: tfd.Multinomial(4.0), lambda: tfd.Multinomial(4.0, logits=[0.0], probs=[1.0])):
        try:
            wrong()
            print("passed")
        except ValueError as error:
            print(error)
