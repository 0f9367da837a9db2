"""Errors of sessions: fetches, feeds, variables."""

import threading

from misuses import misuse, run
from tensorflow_v1 import np, tf


# Fetches


@misuse
def fetch_none():
    tf.constant(1.0)
    run(None)


@misuse
def fetch_a_number():
    tf.constant(1.0)
    run(3.5)


@misuse
def fetch_name_not_in_graph():
    tf.constant(1.0)
    run("missing:0")


@misuse
def fetch_operation_name_not_in_graph():
    tf.constant(1.0)
    run("missing")


@misuse
def fetch_bad_output_index():
    tf.constant(1.0, name="a")
    run("a:1")


@misuse
def fetch_tensor_of_another_graph():
    a = tf.constant(1.0, name="a")
    with tf.Graph().as_default():
        tf.constant(2.0)
        run(a)


@misuse
def fetch_operation_of_another_graph():
    a = tf.no_op(name="a")
    with tf.Graph().as_default():
        tf.constant(2.0)
        run(a)


@misuse
def fetch_list_with_none():
    run([tf.constant(1.0), None])


@misuse
def run_in_empty_graph():
    run([])


@misuse
def run_name_in_empty_graph():
    run("a:0")


@misuse
def run_in_a_new_thread():
    """A thread begins with a default graph of its own."""
    raised = []

    def work():
        try:
            run("a:0")
        except RuntimeError as error:
            raised.append(error)

    tf.constant(1.0, name="a")
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    raise raised[0]


@misuse
def unfetchable():
    x = tf.constant(1.0, name="x")
    tf.get_default_graph().prevent_fetching(x.op)
    run(x)


@misuse
def fetch_inside_a_branch():
    x, p = tf.placeholder(tf.float32, [], name="x"), tf.placeholder(tf.bool, [], name="p")
    tf.cond(p, lambda: x * 3.0, lambda: x)
    run("cond/mul:0", {x: 2.0, p: True})


@misuse
def fetch_an_operation_inside_a_branch():
    tf.cond(tf.constant(True), lambda: tf.no_op(name="nothing"), lambda: tf.no_op())
    run("cond/nothing")


@misuse
def fetch_the_switch_of_branches():
    tf.cond(tf.constant(True), lambda: tf.constant(1.0), lambda: tf.constant(2.0))
    run("cond/Switch:1")


@misuse
def fetch_what_comes_into_a_branch():
    x = tf.constant(1.0, name="x")
    tf.cond(tf.constant(True), lambda: x, lambda: tf.constant(2.0))
    run("cond/Switch_1:1")


@misuse
def fetch_inside_a_loop():
    tf.while_loop(lambda i: i < 3.0, lambda i: i * 2.0, [1.0])
    run("while/mul:0")


@misuse
def fetch_exit_of_an_inner_loop():
    def inner(i):
        return tf.while_loop(lambda j: j < i, lambda j: j * 2.0, [i])

    tf.while_loop(lambda i: i < 3.0, inner, [1.0])
    run("while/while/Exit:0")


@misuse
def feed_inside_a_loop():
    result = tf.while_loop(lambda i: i < 3.0, lambda i: i * 2.0, [1.0])
    run(result, {"while/mul:0": 1.0})


@misuse
def feed_enter_of_a_loop():
    result = tf.while_loop(lambda i: i < 3.0, lambda i: i * 2.0, [1.0])
    run(result, {"while/Enter:0": 1.0})


@misuse
def feed_inside_a_branch():  # it may be fed
    x = tf.constant(1.0, name="x")
    run(tf.cond(tf.constant(True), lambda: x * 3.0, lambda: x), {"cond/mul:0": 5.0})


# Feeds


@misuse
def feed_shape():
    x = tf.placeholder(tf.float32, [None, 784], name="x")
    run(tf.square(x), {x: np.zeros((2, 3), np.float32)})


@misuse
def feed_scalar_shape():
    x = tf.placeholder(tf.float32, [], name="x")
    run(tf.square(x), {x: [1.0]})


@misuse
def feed_text_as_float():
    x = tf.placeholder(tf.float32, [], name="x")
    run(tf.square(x), {x: "a"})


@misuse
def feed_fraction_as_int():
    x = tf.placeholder(tf.int32, [], name="x")
    run(tf.square(x), {x: 1.5})


@misuse
def feed_int_too_large():
    x = tf.placeholder(tf.int32, [], name="x")
    run(tf.square(x), {x: 2**40})


@misuse
def feed_int_too_large_for_unsigned():
    x = tf.placeholder(tf.uint8, [], name="x")
    run(tf.identity(x), {x: 256})


@misuse
def feed_negative_int_as_unsigned():
    x = tf.placeholder(tf.uint8, [], name="x")
    run(tf.identity(x), {x: -1})


@misuse
def feed_int_as_bool():
    x = tf.placeholder(tf.bool, [], name="x")
    run(tf.identity(x), {x: 2})


@misuse
def callable_int_too_large():
    x = tf.placeholder(tf.int32, [], name="x")
    with tf.Session() as session:
        session.make_callable(tf.square(x), [x])(3000000000)


@misuse
def feed_ragged_list():
    x = tf.placeholder(tf.float32, name="x")
    run(tf.square(x), {x: [[1.0], [1.0, 2.0]]})


@misuse
def feed_none():
    x = tf.placeholder(tf.float32, [], name="x")
    run(tf.square(x), {x: None})


@misuse
def feed_a_tensor():
    x = tf.placeholder(tf.float32, [], name="x")
    run(tf.square(x), {x: tf.constant(1.0)})


@misuse
def feed_number_as_key():
    x = tf.constant(1.0)
    run(x, {3.5: 1.0})


@misuse
def feed_name_not_in_graph():
    x = tf.constant(1.0)
    run(x, {"missing:0": 1.0})


@misuse
def feed_tensor_of_another_graph():
    x = tf.placeholder(tf.float32, [], name="x")
    with tf.Graph().as_default():
        run(tf.constant(1.0), {x: 1.0})


@misuse
def feed_an_operation():
    x = tf.no_op(name="x")
    run(tf.constant(1.0), {x: 1.0})


@misuse
def feed_not_a_dictionary():
    x = tf.placeholder(tf.float32, [], name="x")
    run(tf.square(x), [(x, 1.0)])


@misuse
def unfeedable():
    x = tf.constant(1.0, name="x")
    tf.get_default_graph().prevent_feeding(x)
    run(tf.square(x), {x: 2.0})


@misuse
def placeholder_not_fed():
    x = tf.placeholder(tf.float32, [None, 784], name="x")
    run(tf.square(x))


@misuse
def placeholder_not_fed_unknown_shape():
    run(tf.square(tf.placeholder(tf.int32, name="x")))


@misuse
def placeholder_not_fed_scalar():
    run(tf.square(tf.placeholder(tf.float64, [], name="x")))


# Variables


@misuse
def variable_not_initialized():
    run(tf.Variable([1.0, 2.0], name="v"))


@misuse
def variable_not_initialized_in_expression():
    run(tf.Variable([1.0, 2.0], name="v") * 2.0)


@misuse
def variable_not_initialized_in_update():
    run(tf.Variable([1.0, 2.0], name="v").assign_add([1.0, 1.0]))


@misuse
def variable_not_initialized_in_training():
    w = tf.Variable([1.0, 2.0], name="w")
    run(tf.train.GradientDescentOptimizer(0.5).minimize(tf.reduce_sum(tf.square(w))))


@misuse
def momentum_not_initialized():
    w = tf.Variable([1.0, 2.0], name="w")
    train = tf.train.MomentumOptimizer(0.5, 0.9).minimize(tf.reduce_sum(tf.square(w)))
    with tf.Session() as session:
        session.run(w.initializer)
        session.run(train)


@misuse
def assign_shape_at_run_time():
    v = tf.Variable([1.0, 2.0], name="v")
    x = tf.placeholder(tf.float32, name="x")
    run(v.assign(x), {x: [1.0, 2.0, 3.0]})


@misuse
def assign_add_shape_at_run_time():
    v = tf.Variable([1.0, 2.0], name="v")
    x = tf.placeholder(tf.float32, name="x")
    with tf.Session() as session:
        session.run(v.initializer)
        session.run(v.assign_add(x), {x: [1.0, 2.0, 3.0]})


# Sessions


@misuse
def closed_session():
    x = tf.constant(1.0)
    session = tf.Session()
    session.close()
    session.run(x)


@misuse
def session_closed_by_with():
    x = tf.constant(1.0)
    with tf.Session() as session:
        pass
    session.run(x)


@misuse
def session_entered_twice():
    with tf.Session() as session:
        with session:
            pass


@misuse
def eval_without_session():
    tf.constant(1.0).eval()


@misuse
def operation_run_without_session():
    tf.no_op().run()


@misuse
def eval_in_session_of_another_graph():
    a = tf.constant(1.0, name="a")
    with tf.Graph().as_default():
        b = tf.constant(2.0, name="b")
        session = tf.Session()
    del b
    a.eval(session=session)


@misuse
def eval_with_default_session_of_another_graph():
    a = tf.constant(1.0, name="a")
    with tf.Graph().as_default():
        tf.constant(1.0)
        with tf.Session():
            a.eval()


@misuse
def session_unknown_target():
    tf.Session("nosuch://target")


@misuse
def session_graph_is_not_a_graph():
    tf.Session(graph=3)


@misuse
def callable_too_few_values():
    x = tf.placeholder(tf.float32, [], name="x")
    y = tf.placeholder(tf.float32, [], name="y")
    with tf.Session() as session:
        session.make_callable(x + y, [x, y])(np.float32(1))


@misuse
def callable_wrong_shape():
    x = tf.placeholder(tf.float32, [2], name="x")
    with tf.Session() as session:
        session.make_callable(x * 2.0, [x])(np.zeros(3, np.float32))


@misuse
def callable_wrong_dtype():
    x = tf.placeholder(tf.float32, [2], name="x")
    with tf.Session() as session:
        session.make_callable(x * 2.0, [x])(np.zeros(2, np.int32))


@misuse
def callable_fetch_of_another_graph():
    a = tf.constant(1.0, name="a")
    with tf.Graph().as_default():
        tf.constant(1.0)
        with tf.Session() as session:
            session.make_callable(a)
