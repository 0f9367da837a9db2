"""Optimizers of tf.train."""

from programs import program
from tensorflow_v1 import tf


def line_loss():
    x = tf.placeholder(tf.float32, [None], name="x")
    w = tf.Variable(0.5, name="w")
    b = tf.Variable([0.0, 1.0], name="b")
    return tf.reduce_mean(tf.square(x * w)) + tf.reduce_sum(b * b)


def minimize(optimizer, with_step=False):
    loss = line_loss()
    step = tf.train.get_or_create_global_step() if with_step else None
    optimizer.minimize(loss, global_step=step)
    tf.global_variables_initializer()


@program
def optimizer_gradient_descent():
    minimize(tf.train.GradientDescentOptimizer(0.5))


@program
def optimizer_gradient_descent_global_step():
    minimize(tf.train.GradientDescentOptimizer(0.5), True)


@program
def optimizer_gradient_descent_named_and_locking():
    minimize(tf.train.GradientDescentOptimizer(0.5, use_locking=True, name="Down"))


@program
def optimizer_momentum():
    minimize(tf.train.MomentumOptimizer(0.1, 0.9))


@program
def optimizer_momentum_nesterov_global_step():
    minimize(tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True), True)


@program
def optimizer_adam():
    minimize(tf.train.AdamOptimizer())


@program
def optimizer_adam_global_step():
    minimize(tf.train.AdamOptimizer(1e-3, beta1=0.8, beta2=0.99, epsilon=1e-6), True)


@program
def optimizer_adagrad():
    minimize(tf.train.AdagradOptimizer(0.01))


@program
def optimizer_adagrad_global_step():
    minimize(tf.train.AdagradOptimizer(0.01, initial_accumulator_value=0.5), True)


@program
def optimizer_rmsprop():
    minimize(tf.train.RMSPropOptimizer(1e-3))


@program
def optimizer_rmsprop_centered_global_step():
    minimize(tf.train.RMSPropOptimizer(1e-3, decay=0.8, momentum=0.5, centered=True), True)


@program
def optimizer_learning_rate_tensor():
    minimize(tf.train.GradientDescentOptimizer(tf.placeholder(tf.float32, [], name="rate")))


@program
def optimizer_exponential_decay():
    loss = line_loss()
    step = tf.Variable(0, trainable=False, name="step")
    rate = tf.train.exponential_decay(0.1, step, 100, 0.96, staircase=True)
    tf.train.GradientDescentOptimizer(rate).minimize(loss, global_step=step)


@program
def optimizer_var_list():
    loss = line_loss()
    tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss, var_list=tf.trainable_variables()[1:])


@program
def optimizer_two_at_once():
    loss = line_loss()
    tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    tf.train.GradientDescentOptimizer(0.25).minimize(loss)
    tf.train.AdamOptimizer().minimize(loss)
    tf.train.AdamOptimizer().minimize(loss, name="second")


@program
def optimizer_clipped_gradients():
    loss = line_loss()
    optimizer = tf.train.GradientDescentOptimizer(0.5)
    pairs = [(tf.clip_by_value(g, -1.0, 1.0), v) for g, v in optimizer.compute_gradients(loss)]
    optimizer.apply_gradients(pairs, name="clipped")


@program
def optimizer_in_scopes():
    with tf.name_scope("train"):
        loss = line_loss()
        tf.train.AdamOptimizer().minimize(loss)
    with tf.variable_scope("net"):
        w = tf.get_variable("w", [2])
        tf.train.MomentumOptimizer(0.1, 0.9).minimize(tf.reduce_sum(w * w), var_list=[w])


@program
def optimizer_float64():
    w = tf.Variable(tf.zeros([2], tf.float64), name="w")
    tf.train.MomentumOptimizer(0.1, 0.9).minimize(tf.reduce_sum(tf.square(w - 1.0)))


@program
def optimizer_unused_variable():
    loss = line_loss()
    tf.Variable(1.0, name="unused")
    tf.train.AdamOptimizer().minimize(loss)
