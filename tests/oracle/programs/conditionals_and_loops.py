"""tf.cond, tf.case and tf.while_loop, and gradients through them."""

from programs import program
from tensorflow_v1 import tf


def floats(shape, name):
    return tf.placeholder(tf.float32, shape, name=name)


# ---- conditionals


@program
def cond_of_captured_tensors():
    x, y = floats([], "x"), floats([], "y")
    tf.cond(x < y, lambda: x + y, lambda: tf.square(y))


@program
def cond_of_several_values():
    x = floats([2], "x")
    p = tf.placeholder(tf.bool, [], name="p")
    tf.cond(p, lambda: [x, tf.constant(1.0), 2.0], lambda: [tf.zeros([2]), x[0], 3.0], name="choice")


@program
def cond_of_operations():
    v = tf.Variable(1.0, name="v")
    p = tf.placeholder(tf.bool, [], name="p")
    tf.cond(p, lambda: v.assign_add(1.0), lambda: v.assign(0.0))
    tf.cond(p, lambda: tf.group(v.assign_sub(1.0)), tf.no_op)
    tf.cond(p, lambda: v, lambda: v + 1.0)


@program
def cond_in_cond():
    x, y = floats([3], "x"), floats([3], "y")
    p = tf.placeholder(tf.bool, [], name="p")
    q = tf.placeholder(tf.bool, [], name="q")

    def inner():
        return tf.cond(q, lambda: x * y, lambda: y)

    tf.cond(p, inner, lambda: tf.cond(p, lambda: x, lambda: -x))


@program
def cond_under_control_dependencies():
    x = floats([], "x")
    a = tf.constant(1.0, name="a")
    with tf.control_dependencies([a]):
        tf.cond(x > 0.0, lambda: tf.constant(2.0), lambda: tf.sqrt(x))
    with tf.name_scope("scope"):
        b = tf.cond(x > 1.0, lambda: tf.ones([]), lambda: x)
    with tf.control_dependencies([b]):
        tf.identity(x)


@program
def cases():
    x = floats([], "x")
    tf.case([(x < 1.0, lambda: x), (x < 2.0, lambda: tf.square(x))], default=lambda: tf.constant(3.0))
    tf.case([(x < 1.0, lambda: x), (x > 2.0, lambda: -x)], default=lambda: x + 1.0, exclusive=True, name="one")
    tf.case([(x < 1.0, lambda: x), (x > 2.0, lambda: -x)])


@program
def cases_of_one_pair():
    x = floats([], "x")
    tf.case([(x < 1.0, lambda: x * 2.0)])
    tf.case([(x < 1.0, lambda: tf.square(x))], exclusive=True, name="one")


@program
def asserts():
    x, n = floats([], "x"), tf.placeholder(tf.int32, [], name="n")
    tf.Assert(n > 0, ["n is", n])
    tf.Assert(x > 0.0, ["x is", x], summarize=5, name="positive")


# ---- loops


@program
def while_counts():
    tf.while_loop(lambda i: i < 10, lambda i: i + 1, [0])
    tf.while_loop(lambda i: tf.less(i, 10.0), lambda i: tf.multiply(i, 2.0), [tf.constant(1.0)], name="double",
                  parallel_iterations=3, back_prop=False, swap_memory=True)


@program
def while_of_several_variables():
    x = floats([2], "x")
    tf.while_loop(lambda i, a, b: i < 5, lambda i, a, b: (i + 1, b, a + b), (0, x, tf.ones([2])))


@program
def while_takes_values_from_outside():
    x = floats([2, 2], "x")
    v = tf.Variable(tf.ones([2, 2]), name="v")
    n = tf.placeholder(tf.int32, [], name="n")

    def body(i, a):
        c = tf.constant(2.0)
        s = tf.shape(x)
        return i + 1, tf.reshape(tf.matmul(a, v) * c + x, s) + tf.square(x)

    tf.while_loop(lambda i, a: i < n, body, [0, x])


@program
def while_with_shape_invariants():
    m = tf.ones([2, 2])
    tf.while_loop(lambda i, a: i < 3, lambda i, a: [i + 1, tf.concat([a, a], 0)], [0, m],
                  shape_invariants=[tf.TensorShape([]), tf.TensorShape([None, 2])])


@program
def while_with_maximum_iterations():
    n = tf.placeholder(tf.int64, [], name="n")
    tf.while_loop(lambda a: a < 100.0, lambda a: a * 2.0, [floats([], "x")], maximum_iterations=5)
    tf.while_loop(lambda a, b: a < b, lambda a, b: [a * 2.0, b], [floats([], "y"), 7.0], maximum_iterations=n)


@program
def while_in_while():
    x = floats([3], "x")

    def body(i, a):
        _, inner = tf.while_loop(lambda j, b: j < i, lambda j, b: (j + 1, b + x), [0, a])
        return i + 1, inner * 2.0

    tf.while_loop(lambda i, a: i < 4, body, [0, x])


@program
def cond_in_while():
    x = floats([], "x")

    def body(i, a):
        return i + 1, tf.cond(a > 10.0, lambda: a / 2.0, lambda: a * x)

    tf.while_loop(lambda i, a: i < 4, body, [0, x])


@program
def while_in_cond():
    x = floats([], "x")

    def loop():
        return tf.while_loop(lambda i, a: i < 4, lambda i, a: (i + 1, a * x), [0, 1.0])[1]

    tf.cond(x > 1.0, loop, lambda: tf.constant(0.0))


@program
def while_under_control_dependencies():
    v = tf.Variable(0.0, name="v")
    a = tf.constant(1.0, name="a")

    def body(i):
        with tf.control_dependencies([v.assign_add(1.0)]):
            return i + 1

    with tf.control_dependencies([a]):
        result = tf.while_loop(lambda i: i < 3, body, [0])
    with tf.control_dependencies([result]):
        tf.identity(v)


# ---- gradients


@program
def gradients_of_cond():
    x, y = floats([], "x"), floats([], "y")
    z = tf.cond(x < y, lambda: x * y, lambda: tf.square(y))
    tf.gradients(z, [x, y])


@program
def gradients_of_cond_of_unknown_shapes():
    x, y = floats([None, 2], "x"), floats(None, "y")
    p = tf.placeholder(tf.bool, [], name="p")
    z = tf.cond(p, lambda: [x * 2.0, y], lambda: [tf.exp(x), y * y])
    tf.gradients(tf.reduce_sum(z[0]) + tf.reduce_sum(z[1]), [x, y])


@program
def gradients_of_cond_in_cond():
    x, y = floats([3], "x"), floats([3], "y")
    p = tf.placeholder(tf.bool, [], name="p")
    q = tf.placeholder(tf.bool, [], name="q")
    z = tf.cond(p, lambda: tf.cond(q, lambda: x * y, lambda: y), lambda: x)
    tf.gradients(z, [x, y])


@program
def gradients_of_while():
    x = floats([], "x")
    _, y = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * a), [0, x])
    tf.gradients(y, x)


@program
def gradients_of_while_by_captured_tensors():
    x, w = floats([2, 2], "x"), floats([2, 2], "w")
    _, y = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.tanh(tf.matmul(a, w))), [0, x])
    tf.gradients(y, [x, w])


@program
def gradients_of_while_by_variables():
    x = floats([None, 2], "x")
    w = tf.get_variable("w", [2, 2], initializer=tf.ones_initializer())
    b = tf.get_variable("b", [2], initializer=tf.zeros_initializer())
    n = tf.placeholder(tf.int32, [], name="n")
    _, y = tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, tf.nn.relu(tf.matmul(a, w) + b)), [0, x])
    tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_mean(y))


@program
def gradients_of_while_of_several_variables():
    x, y = floats([2], "x"), floats([2], "y")
    a, b, c = tf.while_loop(lambda a, b, c: tf.reduce_sum(a) < 10.0, lambda a, b, c: (a + b, b * c, c), [x, y, y])
    tf.gradients(a, [x, y])


@program
def gradients_of_while_whose_variable_starts_anew():
    x, y = floats([], "x"), floats([], "y")
    _, a, b = tf.while_loop(lambda i, a, b: i < 3, lambda i, a, b: (i + 1, y * 2.0, b + a), [0, x, y])
    tf.gradients(b, [x, y])


@program
def gradients_of_while_of_unknown_shapes():
    x, w = floats(None, "x"), floats([None], "w")
    _, a, b = tf.while_loop(lambda i, a, b: i < 3, lambda i, a, b: (i + 1, a * w, b + a), [0, x, x],
                            shape_invariants=[tf.TensorShape([]), tf.TensorShape(None), tf.TensorShape(None)])
    tf.gradients(b, [x, w])


@program
def gradients_of_while_in_while():
    x, w = floats([2], "x"), floats([2], "w")

    def body(i, a):
        _, inner = tf.while_loop(lambda j, b: j < i, lambda j, b: (j + 1, b * w), [0, a])
        return i + 1, tf.sin(inner)

    _, y = tf.while_loop(lambda i, a: i < 4, body, [0, x])
    tf.gradients(y, [x, w])


@program
def gradients_of_while_in_while_of_unknown_shapes():
    x, w = floats([None], "x"), floats([None], "w")

    def body(i, a):
        _, inner, unused = tf.while_loop(lambda j, b, c: j < i, lambda j, b, c: (j + 1, b * w, c * b), [0, a, w])
        return i + 1, tf.sin(inner)

    _, y = tf.while_loop(lambda i, a: i < 4, body, [0, x])
    tf.gradients(y, [x, w])


@program
def gradients_of_cond_in_while():
    x = floats([], "x")
    w = tf.Variable(2.0, name="w")

    def body(i, a):
        return i + 1, tf.cond(a > 10.0, lambda: a / w, lambda: a * a * x)

    _, y = tf.while_loop(lambda i, a: i < 4, body, [0, x])
    tf.gradients(y, [x, w])


@program
def gradients_of_cond_in_while_of_unknown_shapes():
    x, w = floats([None], "x"), floats([None], "w")

    def body(i, a):
        return i + 1, tf.cond(tf.reduce_sum(a) > 10.0, lambda: a / w, lambda: a * a)

    _, y = tf.while_loop(lambda i, a: i < 4, body, [0, x])
    tf.gradients(y, [x, w])


@program
def gradients_of_while_in_cond():
    x = floats([], "x")

    def loop():
        return tf.while_loop(lambda i, a: i < 4, lambda i, a: (i + 1, a * x), [0, 1.0])[1]

    y = tf.cond(x > 1.0, loop, lambda: tf.constant(0.0))
    tf.gradients(y, x)


@program
def gradients_of_while_with_one_iteration_at_a_time():
    x = floats([2], "x")
    y = tf.while_loop(lambda a: tf.reduce_sum(a) < 10.0, lambda a: a * a + x, [x], parallel_iterations=1)
    tf.gradients(y, x, name="backwards", grad_ys=[tf.ones([2])])


@program
def gradients_of_while_without_back_prop():
    x = floats([], "x")
    y = tf.while_loop(lambda a: a < 10.0, lambda a: a * x, [1.0], back_prop=False)
    tf.gradients(y + x, x)
