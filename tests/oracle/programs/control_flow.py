"""Groups, control dependencies, identities, checks."""

from programs import program
from tensorflow_v1 import tf


@program
def groups():
    a, b = tf.constant(1, name="a"), tf.constant(2, name="b")
    tf.group(a, b)
    tf.group(a, name="named")
    tf.group([a, b])
    tf.group()
    tf.no_op()
    tf.no_op(name="nothing")


@program
def tuples():
    a, b = tf.constant(1, name="a"), tf.constant(2, name="b")
    tf.tuple([a, b])
    tf.tuple([a, None, b], name="pair")
    tf.tuple([a, b], control_inputs=[tf.no_op()])


@program
def control_dependencies():
    a, b = tf.constant(1, name="a"), tf.constant(2, name="b")
    with tf.control_dependencies([a, b]):
        tf.constant(3)
        a + b
        with tf.control_dependencies([tf.no_op()]):
            tf.identity(a)
        with tf.control_dependencies(None):
            tf.identity(b)
    tf.identity(a)


@program
def control_dependencies_already_met():
    """A control input that is implied by a data input is left out."""
    a = tf.constant(1, name="a")
    with tf.control_dependencies([a]):
        b = tf.identity(a, name="b")
        tf.negative(b, name="c")
        tf.constant(0, name="d")


@program
def control_dependencies_on_assign():
    v = tf.Variable(1.0, name="v")
    update = v.assign_add(1.0)
    with tf.control_dependencies([update]):
        v.read_value()
        tf.identity(v)
        tf.group(update)


@program
def identities():
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    tf.identity(x)
    tf.identity(x, name="same")
    tf.identity(1.0)
    tf.stop_gradient(x)
    tf.stop_gradient(x, name="stopped")
    tf.convert_to_tensor([1.0, 2.0])
    tf.convert_to_tensor(x)
    tf.identity_n([x, 2.0])
    tf.placeholder_with_default(x, [None, 2])


@program
def colocation():
    a = tf.constant(1, name="a")
    with tf.get_default_graph().colocate_with(a.op):
        b = tf.negative(a)
    with tf.get_default_graph().colocate_with(b.op):
        tf.negative(b)


@program
def collections():
    x = tf.constant(1.0, name="x")
    tf.add_to_collection("mine", x)
    tf.add_to_collection("mine", x.op)
    tf.add_to_collection(tf.GraphKeys.LOSSES, x)
    tf.Variable(1.0, name="v", collections=["mine", tf.GraphKeys.GLOBAL_VARIABLES])
    tf.get_variable("w", [1], collections=["mine"])


@program
def checks():
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    tf.check_numerics(x, "x is not finite")
    tf.Print(x, [x], "x: ")
