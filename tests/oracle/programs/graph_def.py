"""tf.import_graph_def within scopes, branches and loops."""

from programs import program
from tensorflow_v1 import tf


def floats(name):
    return tf.placeholder(tf.float32, [], name=name)


def message_of(build):
    with tf.Graph().as_default() as graph:
        build()
    return graph.as_graph_def()


def line():
    """y = x + 2, z = -y after the 2, and a node of no inputs that nobody takes."""

    def build():
        x = floats("x")
        two = tf.constant(2.0, name="two")
        y = tf.add(x, two, name="y")
        with tf.control_dependencies([two]):
            tf.negative(y, name="z")
        tf.no_op(name="idle")

    return message_of(build)


def imported(x, **options):
    """What comes of `x` by the nodes of line()."""
    return tf.import_graph_def(line(), input_map={"x:0": x}, return_elements=["z:0"], **options)[0]


# ---- control dependencies


@program
def import_under_control_dependencies():
    a, b = floats("a"), floats("b")
    with tf.control_dependencies([a]):
        tf.import_graph_def(line(), name="all")
        imported(b, name="of_b")
        imported(a, name="of_a")
        inside = tf.identity(b, name="inside")
        with tf.control_dependencies([b]):
            z = imported(inside, name="of_inside")
            tf.negative(z, name="after")
            with tf.control_dependencies(None):
                imported(inside, name="free")


@program
def import_with_a_mapped_control_input():
    a = floats("a")
    first = tf.identity(a, name="first")
    tf.import_graph_def(line(), input_map={"^two": first, "x": a})


# ---- branches


@program
def import_in_cond():
    x, y = floats("x"), floats("y")
    tf.cond(x < y, lambda: imported(x), lambda: imported(tf.square(y), name="other"))


@program
def import_in_cond_in_cond():
    x, y = floats("x"), floats("y")
    p = tf.placeholder(tf.bool, [], name="p")

    def inner():
        return tf.cond(p, lambda: imported(x), lambda: y)

    z = tf.cond(x < y, inner, lambda: y)
    tf.gradients(z, [x, y])


@program
def import_in_cond_under_control_dependencies():
    x, y = floats("x"), floats("y")

    def inner():
        a = tf.identity(y, name="a")
        with tf.control_dependencies([a, x]):
            return imported(x)

    tf.cond(x < y, inner, lambda: y)


def choosing():
    def build():
        x = floats("x")
        z = tf.cond(x < 1.0, lambda: x * 2.0, lambda: tf.constant(3.0))
        tf.identity(z, name="z")

    return message_of(build)


def z_of(message, x):
    return tf.import_graph_def(message, input_map={"x:0": x}, return_elements=["z:0"])[0]


@program
def import_of_cond_in_cond():
    x, y = floats("x"), floats("y")
    tf.cond(x < y, lambda: z_of(choosing(), y), lambda: x)


def counting():
    """z = 4 x by a loop; at its end, what waits for its exit."""

    def build():
        x = floats("x")
        i, z = tf.while_loop(lambda i, a: i < 3, lambda i, a: [i + 1, a + x], [0, x])
        tf.identity(z, name="z")
        with tf.control_dependencies([i]):
            tf.no_op(name="end")

    return message_of(build)


@program
def import_of_while_in_cond():
    x, y = floats("x"), floats("y")
    tf.cond(x < y, lambda: z_of(counting(), y), lambda: x)


# ---- loops


@program
def import_in_while():
    x = floats("x")

    def body(i, a):
        with tf.name_scope("scope"):
            z = imported(a)
            w = imported(x)
        return [i + 1, z + w]

    tf.while_loop(lambda i, a: i < 3, body, [0, x])


@program
def import_in_the_condition_of_while():
    x = floats("x")
    tf.while_loop(lambda a: imported(a) < x, lambda a: a + 1.0, [x])


@program
def import_in_while_under_control_dependencies():
    x, y = floats("x"), floats("y")
    nothing = tf.no_op(name="nothing")
    with tf.control_dependencies([y, nothing]):

        def body(a):
            b = tf.identity(a, name="b")
            with tf.control_dependencies([b]):
                z = imported(x)
            with tf.control_dependencies(None):
                imported(y, name="free")
            return z

        tf.while_loop(lambda a: a < 3.0, body, [x])


@program
def import_in_cond_in_while():
    x, y = floats("x"), floats("y")

    def body(i, a):
        with tf.control_dependencies([y]):
            b = tf.cond(a < x, lambda: imported(x), lambda: imported(a))
        return [i + 1, b]

    z = tf.while_loop(lambda i, a: i < 3, body, [0, x])[1]
    tf.gradients(z, [x])


@program
def import_in_while_in_while():
    x = floats("x")

    def inner(a):
        return tf.while_loop(lambda b: b < 9.0, lambda b: b + imported(x) + imported(a), [a])

    tf.while_loop(lambda a: a < 100.0, inner, [x])


@program
def import_of_while_in_while():
    x, y = floats("x"), floats("y")

    def body(a):
        with tf.control_dependencies([a]):
            return z_of(counting(), y)

    tf.while_loop(lambda a: a < 3.0, body, [x], shape_invariants=[tf.TensorShape(None)])


@program
def gradients_of_import_in_while():
    x, w = floats("x"), floats("w")

    def body(i, a):
        z = imported(a)
        return [i + 1, tf.tanh(z * imported(w))]

    z = tf.while_loop(lambda i, a: i < 3, body, [0, x])[1]
    tf.gradients(z, [x, w])
