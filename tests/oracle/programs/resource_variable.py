"""Resource variables (VarHandleOp): what makes, reads and assigns them, and what trains them."""

from programs import program
from tensorflow_v1 import np, tf


@program
def resource_variable_from_value():
    tf.Variable(1.0, use_resource=True)
    tf.Variable([1, 2], use_resource=True, name="v")
    tf.Variable("text", use_resource=True, trainable=False)
    tf.Variable(3, dtype=tf.float32, use_resource=True)
    tf.Variable(tf.zeros([2, 3]), use_resource=True, name="zeros")
    tf.Variable(lambda: tf.ones([2]), use_resource=True, name="lazy")
    tf.Variable(np.ones((2, 2), np.float32), use_resource=True, collections=[tf.GraphKeys.LOCAL_VARIABLES])


@program
def resource_variable_without_static_shape():
    tf.Variable(tf.placeholder(tf.float32), validate_shape=False, use_resource=True, name="any")
    tf.Variable(tf.placeholder(tf.float32, [2]), use_resource=True, name="two")


@program
def resource_variable_reads():
    v = tf.Variable(1.0, use_resource=True, name="v")
    w = tf.Variable(2.0, use_resource=True, name="w")
    v.value()
    v.read_value()
    tf.identity(v)
    v + 1.0
    1.0 - v
    v * v
    v * w
    v / w
    -v
    v < 2.0
    v ** 2.0
    tf.add(v, 1.0)
    tf.square(v)
    tf.reduce_sum(v)
    v[tf.newaxis]


@program
def resource_variable_assign():
    v = tf.Variable([1.0, 2.0], use_resource=True, name="v")
    v.assign([3.0, 4.0])
    v.assign_add([1.0, 1.0])
    v.assign_sub([1.0, 1.0], name="less")
    v.assign(v + 1.0)
    v.assign(tf.placeholder(tf.float32, [2]), use_locking=True)
    tf.assign(v, [1.0, 2.0])
    tf.assign_add(v, [1.0, 2.0], name="more")
    tf.assign_sub(v, [1.0, 2.0])


@program
def resource_variable_assign_alone():
    v = tf.Variable([1.0, 2.0], use_resource=True, name="v")
    v.assign([3.0, 4.0], read_value=False)
    v.assign_add([3.0, 4.0], read_value=False, name="more")
    v.assign_sub([3.0, 4.0], read_value=False)


@program
def resource_variable_assigned_used():
    v = tf.Variable(1.0, use_resource=True, name="v")
    assigned = v.assign(2.0)
    assigned + 1.0
    with tf.control_dependencies([assigned]):
        v.read_value()
    assigned.assign_add(1.0)
    tf.group(assigned, name="both")


@program
def resource_get_variable():
    tf.get_variable("w", [3, 4], use_resource=True)
    tf.get_variable("i", [3], dtype=tf.int32, use_resource=True)
    tf.get_variable("zeros", [2], initializer=tf.zeros_initializer(), use_resource=True)
    tf.get_variable("from_tensor", initializer=tf.constant([1.0, 2.0]), use_resource=True)
    tf.get_variable("from_number", initializer=3.0, use_resource=True)
    tf.get_variable("frozen", [2], trainable=False, use_resource=True)
    tf.get_variable("reference", [2], use_resource=False)


@program
def resource_variables_in_scopes():
    with tf.variable_scope("net", use_resource=True):
        w = tf.get_variable("w", [2])
        tf.Variable(0.0, name="b")
        with tf.variable_scope("inner"):
            tf.get_variable("w", [2])
        with tf.variable_scope("reference", use_resource=False):
            tf.get_variable("w", [2])
    with tf.variable_scope("net", reuse=True):
        tf.get_variable("w", [2]) + w
    with tf.variable_scope("plain"):
        tf.get_variable("w", [2])


@program
def resource_variables_enabled():
    tf.enable_resource_variables()
    try:
        tf.get_variable("w", [2])
        tf.Variable(1.0, name="v")
        tf.Variable(1.0, name="r", use_resource=False)
    finally:
        tf.disable_resource_variables()


@program
def resource_variable_initializers():
    v = tf.Variable(tf.random_normal([2]), use_resource=True, name="v")
    tf.Variable(v * 2.0, use_resource=True, name="x")
    tf.is_variable_initialized(v)
    v.is_initialized()
    tf.report_uninitialized_variables()
    tf.global_variables_initializer()


@program
def resource_variable_gradient_descent():
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    w = tf.get_variable("w", [2, 1], use_resource=True)
    b = tf.get_variable("b", [1], initializer=tf.zeros_initializer(), use_resource=True)
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b))
    step = tf.train.get_or_create_global_step()
    tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)


@program
def resource_variable_global_step():
    with tf.variable_scope("", use_resource=True):
        step = tf.train.get_or_create_global_step()
        v = tf.get_variable("v", [2])
    tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(v), global_step=step)


@program
def resource_variable_saver():
    tf.get_variable("w", [2, 3], use_resource=True)
    tf.get_variable("r", [2], use_resource=False)
    tf.get_variable("b", [3], use_resource=True)
    tf.train.Saver()


@program
def resource_variable_saver_reshapes():
    v = tf.get_variable("w", [2, 3], use_resource=True)
    tf.train.Saver({"other": v}, reshape=True)


def _optimized(make):
    w = tf.get_variable("w", [2, 3], use_resource=True)
    make().minimize(tf.reduce_sum(tf.square(w)))


def _optimized_rows(make):
    table = tf.get_variable("table", [5, 3], use_resource=True)
    rows = tf.placeholder(tf.int32, [None], name="rows")
    make().minimize(tf.reduce_sum(tf.gather(table, rows)))


@program
def resource_variable_momentum():
    _optimized(lambda: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True))


@program
def resource_variable_adam():
    _optimized(lambda: tf.train.AdamOptimizer(0.1))


@program
def resource_variable_adagrad():
    _optimized(lambda: tf.train.AdagradOptimizer(0.1))


@program
def resource_variable_rmsprop():
    _optimized(lambda: tf.train.RMSPropOptimizer(0.1, centered=True))


@program
def resource_variable_plain_rmsprop():
    _optimized(lambda: tf.train.RMSPropOptimizer(0.1))


@program
def resource_variable_adadelta():
    _optimized(lambda: tf.train.AdadeltaOptimizer(0.1))


@program
def resource_variable_ftrl():
    _optimized(lambda: tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01))


@program
def resource_variable_proximal():
    _optimized(lambda: tf.train.ProximalGradientDescentOptimizer(0.1))
    _optimized_again = tf.train.ProximalAdagradOptimizer(0.1)
    _optimized_again.minimize(tf.reduce_sum(tf.get_variable("other", [2], use_resource=True)))


@program
def resource_variable_adagrad_da():
    step = tf.train.get_or_create_global_step()
    _optimized(lambda: tf.train.AdagradDAOptimizer(0.1, step))


@program
def resource_variable_sparse_gradient_descent():
    _optimized_rows(lambda: tf.train.GradientDescentOptimizer(0.1))


@program
def resource_variable_sparse_momentum():
    _optimized_rows(lambda: tf.train.MomentumOptimizer(0.1, 0.9))


@program
def resource_variable_sparse_adam():
    _optimized_rows(lambda: tf.train.AdamOptimizer(0.1))


@program
def resource_variable_sparse_ftrl():
    _optimized_rows(lambda: tf.train.FtrlOptimizer(0.1))


@program
def resource_variable_lookups():
    table = tf.get_variable("table", [5, 3], use_resource=True)
    tf.gather(table, [0, 1])
    tf.gather(table, [0, 1], axis=1)
    tf.gather(table, [0, 1], name="rows")
    tf.nn.embedding_lookup(table, tf.placeholder(tf.int64, [None], name="ids"))


@program
def resource_variable_in_branches():
    v = tf.get_variable("v", [2], use_resource=True)
    p = tf.placeholder(tf.bool, [], name="p")
    y = tf.cond(p, lambda: v * 2.0, lambda: tf.zeros([2]))
    tf.gradients(y, [v])


@program
def resource_variable_assigned_in_branches():
    v = tf.get_variable("v", [2], use_resource=True)
    p = tf.placeholder(tf.bool, [], name="p")
    tf.cond(p, lambda: v.assign([1.0, 2.0]).op, lambda: tf.no_op())


@program
def resource_variable_in_loops():
    v = tf.get_variable("v", [2], use_resource=True)
    _, y = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.tanh(a * v)), [0, tf.ones([2])])
    tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(y))


@program
def resource_variable_with_constraint():
    v = tf.get_variable("v", [2], use_resource=True, constraint=lambda v: tf.clip_by_value(v, 0.0, 1.0))
    w = tf.get_variable("w", [2], constraint=tf.nn.relu)
    tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(v * w))


@program
def variables_with_caching_devices():
    with tf.device("/device:CPU:0"):
        v = tf.Variable(1.0, caching_device="/cpu:1", name="v")
        w = tf.Variable(1.0, caching_device="/cpu:1", name="w", use_resource=True)
        x = tf.Variable(1.0, caching_device=lambda op: op.device, name="x", use_resource=True)
    with tf.variable_scope("scope", caching_device="/cpu:0"):
        y = tf.get_variable("y", [], use_resource=True)
        tf.get_variable("z", [])
    v + w + x + y
    w.assign_add(1.0)
    w.read_value()


@program
def resource_variable_moving_average():
    v = tf.get_variable("v", [2], use_resource=True)
    average = tf.train.ExponentialMovingAverage(0.9)
    average.apply([v])
