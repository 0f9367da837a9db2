"""Gradients of the program's own, and how gradients are added."""

from programs import program
from tensorflow_v1 import tf


def floats(shape, name="x"):
    return tf.placeholder(tf.float32, shape, name=name)


def registered(name):
    """Registers a gradient by that name, once in a process."""
    def register(function):
        if name not in registered.names:
            registered.names.add(name)
            tf.RegisterGradient(name)(function)
    return register


registered.names = set()


def register_all():
    @registered("OwnClipped")
    def clipped(op, grad):
        return tf.clip_by_value(grad, -1.0, 1.0)

    @registered("OwnPassedOn")
    def passed_on(op, grad):
        return grad

    @registered("OwnByInputs")
    def by_inputs(op, grad):
        x, y = op.inputs
        return grad * y, tf.reduce_sum(grad * tf.tanh(x) * op.outputs[0], 0)

    @registered("OwnNone")
    def none(op, *grads):
        return [None for _ in op.inputs]

    @registered("OwnSplit")
    def split(op, *grads):
        return None, tf.concat(grads, 0) * 2.0


@program
def own_gradient_of_one_op():
    register_all()
    x = floats([2, 3])
    with tf.get_default_graph().gradient_override_map({"Identity": "OwnClipped"}):
        y = tf.identity(x, name="y")
    z = tf.identity(y)
    tf.gradients(tf.square(z), x)


@program
def own_gradient_of_what_has_none():
    register_all()
    x = floats([3])
    with tf.get_default_graph().gradient_override_map({"Sign": "OwnPassedOn", "Round": "OwnPassedOn"}):
        y = tf.sign(x) + tf.round(x)
    tf.gradients(y, x)


@program
def own_gradient_with_inputs_and_outputs():
    register_all()
    x, y = floats([None, 3]), floats([3], "y")
    with tf.get_default_graph().gradient_override_map({"Mul": "OwnByInputs"}):
        z = x * y
    tf.gradients(tf.reduce_sum(z), [x, y])


@program
def own_gradient_of_none():
    register_all()
    x = floats([2])
    with tf.get_default_graph().gradient_override_map({"Exp": "OwnNone"}):
        y = tf.exp(x)
    tf.gradients(y + x, x)
    tf.gradients(y, x)


@program
def own_gradient_of_several_outputs():
    register_all()
    x = floats([4])
    with tf.get_default_graph().gradient_override_map({"Split": "OwnSplit"}):
        low, high = tf.split(x, 2)
    tf.gradients(tf.square(low), x)


@program
def own_gradients_nested():
    register_all()
    x = floats([2])
    graph = tf.get_default_graph()
    with graph.gradient_override_map({"Tanh": "OwnClipped", "Exp": "OwnNone"}):
        a = tf.tanh(x)
        with graph.gradient_override_map({"Tanh": "OwnPassedOn"}):
            b = tf.tanh(a)
        c = tf.tanh(b)
    tf.gradients(tf.tanh(c), x)


@program
def own_gradient_of_a_variable():
    register_all()
    v = tf.Variable([1.0, 2.0], name="v")
    with tf.get_default_graph().gradient_override_map({"Square": "OwnPassedOn"}):
        loss = tf.reduce_sum(tf.square(v))
    tf.train.GradientDescentOptimizer(0.1).minimize(loss)


@program
def own_gradient_in_a_loop():
    register_all()
    x = floats([2])

    def body(i, y):
        with tf.get_default_graph().gradient_override_map({"Tanh": "OwnClipped"}):
            return i + 1, tf.tanh(y)

    _, y = tf.while_loop(lambda i, y: i < 3, body, [0, x])
    tf.gradients(y, x)


@program
def own_gradient_in_a_branch():
    register_all()
    x, p = floats([2]), tf.placeholder(tf.bool, [], name="p")

    def on():
        with tf.get_default_graph().gradient_override_map({"Mul": "OwnByInputs"}):
            return x * 3.0

    y = tf.cond(p, on, lambda: tf.exp(x))
    tf.gradients(y, x)


@program
def own_gradient_in_scopes():
    register_all()
    x = floats([2])
    with tf.name_scope("layer"), tf.device("/cpu:0"):
        with tf.get_default_graph().gradient_override_map({"Relu": "OwnClipped"}):
            y = tf.nn.relu(x)
        tf.gradients(y, x, colocate_gradients_with_ops=True)


@program
def custom_gradient_of_one_value():
    @tf.custom_gradient
    def log1pexp(x):
        e = tf.exp(x)

        def grad(dy):
            return dy * (1 - 1 / (1 + e))
        return tf.log(1 + e), grad

    x = floats([3])
    tf.gradients(log1pexp(x), x)


@program
def custom_gradient_of_two_values():
    @tf.custom_gradient
    def both(x, y):
        def grad(da, db):
            return da * y + db, da * x - db
        return (x * y, x - y), grad

    x, y = floats([2]), floats([2], "y")
    a, b = both(x, y)
    tf.gradients(a + b, [x, y])
    tf.gradients(a, [x, y])


@program
def custom_gradient_of_structures():
    @tf.custom_gradient
    def of(pair):
        def grad(first, second):
            return first * 2.0, second * 3.0
        return {"a": tf.exp(pair[0]), "b": tf.tanh(pair[1])}, grad

    x, y = floats([2]), floats([2], "y")
    result = of([x, y])
    tf.gradients(result["a"] * result["b"], [x, y])


@program
def custom_gradient_of_numbers():
    @tf.custom_gradient
    def scaled(x, by):
        def grad(dy):
            return dy * by, None
        return x * by, grad

    x = floats([2])
    tf.gradients(scaled(x, 2.0), x)


@program
def custom_gradient_nested():
    @tf.custom_gradient
    def outer(x):
        y = tf.square(x)

        def first(dy):
            @tf.custom_gradient
            def inner(unused):
                def second(ddy):
                    return ddy * 2.0
                return 2.0 * x, second
            return dy * inner(x)
        return y, first

    x = floats([2])
    y = outer(x)
    (first,) = tf.gradients(y, x)
    tf.gradients(first, x)


@program
def custom_gradient_inside_of_another():
    @tf.custom_gradient
    def inner(x):
        return tf.exp(x), lambda dy: dy

    @tf.custom_gradient
    def outer(x):
        return inner(x) + 1.0, lambda dy: dy * 5.0

    x = floats([2])
    tf.gradients(outer(x), x)


@program
def custom_gradient_of_a_method():
    class Scale:
        by = 3.0

        @tf.custom_gradient
        def __call__(self, x):
            return x * self.by, lambda dy: dy / self.by

    x = floats([2])
    tf.gradients(Scale()(x), x)


@program
def custom_gradient_with_a_variable():
    v = tf.get_variable("v", [2], initializer=tf.ones_initializer())

    @tf.custom_gradient
    def times(x):
        def grad(dy, variables=None):
            return dy * v, [dy * x for _ in variables]
        return x * v, grad

    x = floats([2])
    tf.gradients(times(x), [x, v])


@program
def custom_gradient_with_variables_trained():
    with tf.variable_scope("net"):
        w = tf.get_variable("w", [3, 2], initializer=tf.zeros_initializer())
        b = tf.get_variable("b", [2], initializer=tf.zeros_initializer())

    @tf.custom_gradient
    def layer(x):
        y = tf.tanh(tf.matmul(x, w) + b)

        def grad(dy, variables):
            return tf.matmul(dy, w, transpose_b=True), [tf.reduce_sum(dy, 0), tf.matmul(x, dy, transpose_a=True)]
        return y, grad

    x = floats([None, 3])
    loss = tf.reduce_mean(layer(x))
    tf.train.GradientDescentOptimizer(0.5).minimize(loss)


@program
def custom_gradient_of_a_variable_as_argument():
    v = tf.Variable([1.0, 2.0], name="v")

    @tf.custom_gradient
    def twice(x):
        return x * 2.0, lambda dy: dy * 4.0

    tf.gradients(twice(v), v)


@program
def custom_gradient_in_a_loop():
    @tf.custom_gradient
    def clipped(x):
        return tf.identity(x), lambda dy: tf.clip_by_value(dy, -1.0, 1.0)

    x = floats([2])
    _, y = tf.while_loop(lambda i, y: i < 2, lambda i, y: (i + 1, clipped(y * 3.0)), [0, x])
    tf.gradients(y, x)


@program
def gradients_added_two_at_a_time():
    x = floats([2])
    y = tf.identity(x, name="shared")
    loss = tf.exp(y) + tf.tanh(y) + y * 2.0 + tf.sin(y)
    tf.gradients(loss, x, aggregation_method=tf.AggregationMethod.EXPERIMENTAL_TREE)
    tf.gradients(loss, x, aggregation_method=tf.AggregationMethod.EXPERIMENTAL_ACCUMULATE_N)
    tf.gradients(loss, x, aggregation_method=tf.AggregationMethod.ADD_N)
    tf.gradients(loss, x, aggregation_method=None)


@program
def gradients_added_two_at_a_time_for_variables():
    v = tf.Variable([1.0, 2.0], name="v")
    loss = tf.reduce_sum(v * v + tf.exp(v))
    optimizer = tf.train.GradientDescentOptimizer(0.1)
    optimizer.minimize(loss, aggregation_method=tf.AggregationMethod.EXPERIMENTAL_TREE)
    optimizer.compute_gradients(loss, aggregation_method=tf.AggregationMethod.EXPERIMENTAL_ACCUMULATE_N)


@program
def gradients_added_by_device():
    x = floats([2])
    parts = []
    for device in ("/cpu:1", "/cpu:0", "/cpu:1", "/cpu:0", None):
        with tf.device(device):
            parts.append(tf.tanh(x))
    tf.gradients(parts, x, colocate_gradients_with_ops=True)
    tf.gradients(parts, x)


@program
def gradients_added_and_colocated():
    x = floats([2])
    y = tf.identity(x, name="shared")
    tf.gradients(tf.exp(y) * tf.tanh(y), x, colocate_gradients_with_ops=True)
    tf.gradients(tf.exp(y) * tf.tanh(y), x, colocate_gradients_with_ops=True,
                 aggregation_method=tf.AggregationMethod.EXPERIMENTAL_TREE)


@program
def hessians_added_two_at_a_time():
    x = floats([2])
    tf.hessians(tf.reduce_sum(x * x * tf.exp(x)), x, aggregation_method=tf.AggregationMethod.EXPERIMENTAL_TREE)


@program
def gradients_stopped_at_several():
    x, y = floats([2]), floats([2], "y")
    v = tf.Variable([1.0, 2.0], name="v")
    a, b = tf.exp(x) * v, tf.tanh(y)
    tf.gradients(a * b, [x, y, v, a], stop_gradients=a)
    tf.gradients(a * b, [x, y, v], stop_gradients=[a, b])
    tf.gradients(a * b, [x, v], stop_gradients=[v])
    tf.gradients(a * b, [a, b], stop_gradients=[a, x])


@program
def gradients_stopped_at_one_output():
    x = floats([4])
    low, high = tf.split(x, 2)
    tf.gradients(tf.exp(low) + high, x, stop_gradients=[low])
