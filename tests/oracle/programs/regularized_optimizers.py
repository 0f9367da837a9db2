"""Optimizers with regularization or their own scale of a rate: Ftrl, Adadelta, AdagradDA and the proximal ones."""

from programs import program
from programs.optimizers import minimize
from tensorflow_v1 import tf


@program
def optimizer_adadelta():
    minimize(tf.train.AdadeltaOptimizer(), True)


@program
def optimizer_adagrad_da():
    step = tf.train.get_or_create_global_step()
    minimize(tf.train.AdagradDAOptimizer(0.1, step), True)


@program
def optimizer_ftrl():
    minimize(tf.train.FtrlOptimizer(0.1), True)


@program
def optimizer_ftrl_shrinkage():
    minimize(tf.train.FtrlOptimizer(0.1, -0.25, 0.2, 0.5, 0.125, name="F", accum_name="a", linear_name="l",
                                    l2_shrinkage_regularization_strength=0.75, beta=0.5))


@program
def optimizer_ftrl_rate_tensor():
    minimize(tf.train.FtrlOptimizer(tf.placeholder(tf.float32, [], name="rate")))


@program
def optimizer_proximal_gradient_descent():
    minimize(tf.train.ProximalGradientDescentOptimizer(0.5, 0.25, 0.125), True)


@program
def optimizer_proximal_adagrad():
    minimize(tf.train.ProximalAdagradOptimizer(0.5), True)
