"""Errors of variables, gradients and optimizers."""

from misuses import misuse
from tensorflow_v1 import np, tf


@misuse
def get_variable_twice():
    tf.get_variable("v", [2])
    tf.get_variable("v", [2])


@misuse
def get_variable_twice_in_scope():
    for _ in range(2):
        with tf.variable_scope("s"):
            tf.get_variable("v", [2])


@misuse
def get_variable_reuse_missing():
    with tf.variable_scope("s", reuse=True):
        tf.get_variable("v", [2])


@misuse
def get_variable_reuse_of_plain_variable():
    with tf.variable_scope("s"):
        tf.Variable(1.0, name="v")
    with tf.variable_scope("s", reuse=True):
        tf.get_variable("v", [])


@misuse
def get_variable_reuse_other_shape():
    tf.get_variable("v", [2])
    with tf.variable_scope("", reuse=True):
        tf.get_variable("v", [3])


@misuse
def get_variable_reuse_other_dtype():
    tf.get_variable("v", [2])
    with tf.variable_scope("", reuse=True):
        tf.get_variable("v", [2], dtype=tf.int32)


@misuse
def get_variable_without_shape():
    tf.get_variable("v")


@misuse
def get_variable_partial_shape():
    tf.get_variable("v", [None, 2])


@misuse
def get_variable_value_and_shape():
    tf.get_variable("v", [2], initializer=tf.constant([1.0, 2.0]))


@misuse
def get_variable_text_without_initializer():
    tf.get_variable("v", [2], dtype=tf.string)


@misuse
def get_variable_bad_name():
    tf.get_variable("a b", [2])


@misuse
def get_variable_glorot_int():
    tf.get_variable("v", [2], dtype=tf.int32, initializer=tf.glorot_uniform_initializer())


@misuse
def get_variable_constant_too_many_values():
    tf.get_variable("v", [2], initializer=tf.constant_initializer([1.0, 2.0, 3.0]))


@misuse
def variable_scope_without_name():
    with tf.variable_scope(None):
        pass


@misuse
def variable_scope_bad_reuse():
    with tf.variable_scope("s", reuse="yes"):
        pass


@misuse
def variable_without_value():
    tf.Variable()


@misuse
def variable_without_known_shape():
    tf.Variable(tf.placeholder(tf.float32), name="v")


@misuse
def variable_as_bool():
    if tf.Variable(True):
        pass


@misuse
def variable_iterated():
    list(tf.Variable([1.0, 2.0]))


@misuse
def gradients_with_number_of_grad_ys():
    x = tf.placeholder(tf.float32, [2], name="x")
    tf.gradients([x * 2.0], [x], grad_ys=[x, x])


@misuse
def gradients_with_grad_ys_dtype():
    x = tf.placeholder(tf.float32, [2], name="x")
    tf.gradients([x * 2.0], [x], grad_ys=[tf.constant([1, 2])])


@misuse
def gradients_of_op_without_gradient():
    x = tf.placeholder(tf.float32, [4, 2], name="x")
    tf.gradients(tf.nn.in_top_k(x, [0, 1, 0, 1], 1), x)


@misuse
def gradients_wrong_x():
    tf.gradients(tf.constant(1.0), [1.0])


@misuse
def gradients_x_of_another_graph():
    x = tf.constant(1.0, name="x")
    with tf.Graph().as_default():
        tf.gradients(tf.constant(2.0, name="y"), [x])


@misuse
def optimizer_without_variables():
    x = tf.placeholder(tf.float32, [2], name="x")
    tf.train.GradientDescentOptimizer(0.5).minimize(tf.reduce_sum(x))


@misuse
def optimizer_without_gradients():
    tf.Variable(1.0, name="v")
    tf.train.GradientDescentOptimizer(0.5).minimize(tf.constant(1.0))


@misuse
def optimizer_without_gradients_two_variables():
    tf.Variable([1.0], name="w")
    tf.Variable(1.0, name="b")
    tf.train.AdamOptimizer().minimize(tf.reduce_sum(tf.placeholder(tf.float32, [2], name="x")))


@misuse
def optimizer_apply_nothing():
    tf.train.GradientDescentOptimizer(0.5).apply_gradients([])


@misuse
def optimizer_apply_none():
    v = tf.Variable(1.0, name="v")
    tf.train.GradientDescentOptimizer(0.5).apply_gradients([(None, v)])


@misuse
def optimizer_apply_wrong_shape():
    v = tf.Variable([1.0, 2.0], name="v")
    tf.train.GradientDescentOptimizer(0.5).apply_gradients([(tf.constant([1.0, 2.0, 3.0]), v)])


@misuse
def optimizer_apply_to_tensor():
    tf.train.GradientDescentOptimizer(0.5).apply_gradients([(tf.constant(1.0), tf.constant(1.0))])


@misuse
def optimizer_int_loss():
    v = tf.Variable(1, name="v")
    tf.train.GradientDescentOptimizer(0.5).minimize(v * 2)


@misuse
def optimizer_int_variable():
    v = tf.Variable(1, name="v")
    tf.train.GradientDescentOptimizer(0.5).apply_gradients([(tf.constant(1), v)])


@misuse
def optimizer_var_list_of_numbers():
    v = tf.Variable(1.0, name="v")
    tf.train.GradientDescentOptimizer(0.5).minimize(v * 2.0, var_list=[1.0])


@misuse
def variable_load_wrong_shape():
    v = tf.Variable([1.0, 2.0], name="v")
    with tf.Session() as session:
        session.run(v.initializer)
        v.load(np.zeros(3, np.float32), session)


@misuse
def variable_eval_without_session():
    tf.Variable(1.0, name="v").eval()
