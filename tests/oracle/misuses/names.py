"""Errors of names, scopes and graphs."""

from misuses import misuse
from tensorflow_v1 import tf


@misuse
def name_with_leading_space():
    tf.constant(1.0, name=" biases")


@misuse
def variable_name_with_leading_space():
    tf.Variable(tf.zeros([1]), name=" biases")


@misuse
def name_with_space():
    tf.constant(1.0, name="a b")


@misuse
def name_with_star():
    tf.constant(1.0, name="1*")


@misuse
def name_with_colon():
    tf.constant(1.0, name="a:0")


@misuse
def name_that_starts_with_underscore():
    tf.constant(1.0, name="_a")


@misuse
def name_in_scope_with_space():
    with tf.name_scope("s"):
        tf.constant(1.0, name="a b")


@misuse
def name_scope_with_space():
    with tf.name_scope("a b"):
        pass


@misuse
def name_scope_with_leading_dash():
    with tf.name_scope("-a"):
        pass


@misuse
def name_scope_inner_with_star():
    with tf.name_scope("a"):
        with tf.name_scope("b*"):
            pass


@misuse
def name_scope_number():
    with tf.name_scope(5):
        pass


@misuse
def name_with_final_slash_twice():
    tf.constant(1, name="a/")
    tf.constant(2, name="a")


@misuse
def operands_of_two_graphs():
    with tf.Graph().as_default():
        a = tf.constant(1.0, name="a")
    with tf.Graph().as_default():
        a + tf.constant(2.0, name="b")


@misuse
def operand_of_another_graph():
    a = tf.constant(1.0, name="a")
    with tf.Graph().as_default():
        tf.square(a)


@misuse
def control_dependency_of_another_graph():
    a = tf.constant(1.0, name="a")
    with tf.Graph().as_default(), tf.control_dependencies([a]):
        tf.constant(2.0)


@misuse
def control_dependency_on_a_number():
    with tf.control_dependencies([1]):
        pass


@misuse
def finalized_graph():
    tf.constant(1.0)
    tf.get_default_graph().finalize()
    tf.constant(2.0)


@misuse
def tensor_name_not_in_graph():
    tf.get_default_graph().get_tensor_by_name("missing:0")


@misuse
def tensor_name_without_output():
    tf.constant(1.0, name="a")
    tf.get_default_graph().get_tensor_by_name("a")


@misuse
def tensor_name_with_output_too_high():
    tf.constant(1.0, name="a")
    tf.get_default_graph().get_tensor_by_name("a:1")


@misuse
def operation_name_not_in_graph():
    tf.get_default_graph().get_operation_by_name("missing")


@misuse
def operation_name_of_a_tensor():
    tf.constant(1.0, name="a")
    tf.get_default_graph().get_operation_by_name("a:0")


@misuse
def reset_default_graph_inside_graph():
    with tf.Graph().as_default():
        tf.reset_default_graph()
