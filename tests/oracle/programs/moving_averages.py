"""Moving averages of variables and tensors, the rates of training that follow a cosine, and what belongs to the start of training."""

from programs import program
from tensorflow_v1 import tf


@program
def moving_averages():
    w = tf.Variable([1.0, 2.0], name="w")
    b = tf.Variable(0.5, name="b")
    tf.train.ExponentialMovingAverage(0.9).apply([w, b])


@program
def moving_averages_by_updates():
    tf.Variable([1.0, 2.0], name="w")
    step = tf.Variable(0, trainable=False, name="step")
    averages = tf.train.ExponentialMovingAverage(0.99, num_updates=step, name="averages")
    averages.apply()
    averages.apply()


@program
def moving_averages_of_tensors():
    w = tf.Variable([1.0, 2.0], name="w")
    tf.train.ExponentialMovingAverage(0.5).apply([w * 2.0])


@program
def moving_averages_without_bias():
    w = tf.Variable([1.0, 2.0], name="w")
    tf.train.ExponentialMovingAverage(0.5, zero_debias=True).apply([w * 2.0, w])


@program
def moving_averages_in_a_scope():
    with tf.variable_scope("net"):
        w = tf.get_variable("w", [2], initializer=tf.zeros_initializer())
        with tf.control_dependencies([tf.no_op("trained")]):
            tf.train.ExponentialMovingAverage(0.5).apply([w])


@program
def rates_of_a_cosine():
    step = tf.Variable(0, trainable=False, name="step")
    tf.train.cosine_decay(0.1, step, 100)
    tf.train.cosine_decay(0.1, step, 100, alpha=0.25, name="half")
    tf.train.linear_cosine_decay(0.1, step, 100)
    tf.train.linear_cosine_decay(0.1, step, 100, 2.0, 0.5, 0.25, "linear")


@program
def rates_of_a_cosine_that_restarts():
    step = tf.Variable(0, trainable=False, name="step")
    tf.train.cosine_decay_restarts(0.1, step, 100)
    tf.train.cosine_decay_restarts(0.1, step, 100, t_mul=1.0, m_mul=0.5, alpha=0.25, name="even")


@program
def rates_of_a_noisy_cosine():
    tf.set_random_seed(3)
    step = tf.Variable(0, trainable=False, name="step")
    tf.train.noisy_linear_cosine_decay(0.1, step, 100)
    tf.train.noisy_linear_cosine_decay(0.1, step, 100, 2.0, 0.25, 3.0, 0.5, 0.125, "noise")


@program
def global_steps():
    step = tf.train.create_global_step()
    tf.train.assert_global_step(step)
    tf.train.get_global_step()


@program
def initializers_of_matrices():
    tf.set_random_seed(7)
    tf.get_variable("wide", [2, 5], initializer=tf.orthogonal_initializer())
    tf.get_variable("tall", [3, 2, 2], initializer=tf.orthogonal_initializer(gain=0.5, seed=3))
    tf.get_variable("scaled", [4, 2], initializer=tf.uniform_unit_scaling_initializer())
    tf.get_variable("factor", [2, 3, 2], initializer=tf.uniform_unit_scaling_initializer(factor=1.5, seed=2))
    tf.get_variable("eye", [2, 3], initializer=tf.initializers.identity())
    tf.get_variable("square", [2, 2], initializer=tf.initializers.identity(gain=2.0))


@program
def old_names_of_initializing():
    tf.Variable(1.0, name="v")
    tf.Variable(2.0, name="w", collections=[tf.GraphKeys.LOCAL_VARIABLES])
    tf.initialize_all_variables()
    tf.initialize_local_variables()
    tf.initialize_variables(tf.global_variables())
    tf.initialize_all_tables()
    tf.tables_initializer()


@program
def what_is_not_initialized():
    tf.Variable([1.0, 2.0], name="v")
    tf.Variable(2.0, name="w", collections=[tf.GraphKeys.LOCAL_VARIABLES])
    tf.report_uninitialized_variables()
    tf.report_uninitialized_variables(tf.global_variables(), name="some")
    tf.assert_variables_initialized()


@program
def nothing_to_initialize():
    tf.report_uninitialized_variables()
    tf.assert_variables_initialized()
