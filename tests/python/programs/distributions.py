"""Distributions: their densities, moments, samples and divergences."""

import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
tfd = tf.distributions
def show(name, v): print(name, np.round(np.asarray(v, np.float64), 3).tolist())
c = lambda *values: tf.constant(values, tf.float64)
made = [tfd.Normal(c(0.0, 1.5), c(1.0, 0.5)), tfd.Normal(c(1.0), c([0.7])), tfd.Uniform(c(-1.0, 0.0), c(2.0, 3.0)), tfd.Laplace(c(0.0, 1.0), c(1.0, 2.0)),
        tfd.Gamma(c(0.7, 2.5), c(1.0, 2.0)), tfd.Exponential(c(0.5, 3.0)), tfd.Beta(c(2.0, 0.8), c(3.0, 1.2)), tfd.StudentT(c(3.0, 8.0), c(0.0, 1.0), c(1.0, 2.0))]
values = c(0.3, 0.9)
with tf.Session() as sess:
    for d in made:
        print(d.name, d.dtype, d.batch_shape, d.event_shape, d.reparameterization_type, sess.run([d.is_scalar_batch(), d.is_scalar_event()]))
        show("densities", sess.run([d.prob(values) + 0.0 * d.cdf(values), d.log_prob(values), d.cdf(values), d.log_cdf(values), d.survival_function(values)]))
        if not isinstance(d, (tfd.Beta, tfd.StudentT)): show("entropy", sess.run(d.entropy()))
        if not isinstance(d, tfd.StudentT): show("moments", sess.run([d.mean(), d.variance(), d.stddev()]))
        if not isinstance(d, (tfd.Uniform, tfd.Gamma, tfd.Beta)): show("mode", sess.run(d.mode()))
        sample = d.sample([2, 1], seed=7)
        print(sample.shape, sess.run(tf.shape(d.sample(seed=3))).tolist(), sess.run(d.batch_shape_tensor()).tolist())
        show("sample", sess.run(sample))
    coin, die = tfd.Bernoulli(probs=[0.3, 0.8]), tfd.Categorical(logits=[[0.5, 1.0, -0.5], [0.0, 0.0, 2.0]])
    for d, value in ((coin, [0, 1]), (tfd.Bernoulli(logits=[0.2], dtype=tf.float32), [1.0]), (die, [2, 1]), (tfd.Categorical(probs=[0.2, 0.8]), 1)):
        print(d.name, d.dtype, d.batch_shape, d.event_shape)
        show("of classes", sess.run(d.log_prob(value))); show("entropy", sess.run(d.entropy())); show("mode", sess.run(d.mode()))
        sample = d.sample(4, seed=5)
        print(sample.dtype, sample.shape, sess.run(sample).tolist())
    show("coin", sess.run([coin.mean(), coin.variance(), coin.prob([1, 1])]))
    rows = tfd.Dirichlet(c([0.5, 1.5, 2.0]))
    print(rows.batch_shape, rows.event_shape, sess.run(rows.event_shape_tensor()).tolist())
    show("rows", sess.run(rows.log_prob(c(0.2, 0.3, 0.5)))); show("moments", sess.run([rows.mean(), rows.variance()])); show("entropy", sess.run(rows.entropy()))
    show("sample", sess.run(rows.sample(2, seed=1)))
    for a, b in ((made[0], made[1]), (made[4], made[5]), (made[6], tfd.Beta(c(1.0), c(1.0))), (coin, tfd.Bernoulli(probs=0.5)),
                 (die, tfd.Categorical(logits=[1.0, 0.0, 0.0])), (rows, tfd.Dirichlet(c([1.0, 1.0, 1.0])))):
        show("divergence", sess.run(tfd.kl_divergence(a, b)))
    show("cross", sess.run(made[0].cross_entropy(made[1])))
    loc = tf.constant(0.5)
    show("slopes", sess.run(tf.gradients(tfd.Normal(loc, 2.0).log_prob(1.5), loc) + tf.gradients(tfd.Normal(loc, 2.0).sample(seed=1), loc)))
    try: tfd.kl_divergence(made[0], made[6])
    except NotImplementedError as e: print(e)
    try: tfd.Bernoulli()
    except ValueError as e: print(e)
