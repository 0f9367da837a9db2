"""tf.device by name and by function, replica_device_setter: the device of each node."""

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.disable_resource_variables()


def show(title):
    print(title)
    for op in tf.get_default_graph().get_operations():
        print(" ", op.name, op.type, op.device)


def by_type(op):
    return "/cpu:1" if op.type == "MatMul" else "/job:other/cpu:0"


with tf.Graph().as_default():
    with tf.device("/job:ps/task:3"):
        with tf.device(by_type):
            x = tf.ones([2, 2], name="x")
            tf.matmul(x, x, name="product")
            with tf.device("/job:mine"):
                tf.negative(x, name="minus")
        with tf.device(lambda op: op.device or "/job:third"):
            tf.negative(x, name="again")
    show("functions")

with tf.Graph().as_default():
    cluster = tf.train.ClusterSpec({"ps": ["a:1", "b:1"], "worker": ["c:1", "d:1"]})
    with tf.device(tf.train.replica_device_setter(worker_device="/job:worker/task:1", cluster=cluster)):
        x = tf.placeholder(tf.float32, name="x")
        w = tf.Variable(0.5, name="w")
        b = tf.Variable(0.0, name="b")
        c = tf.Variable(0.0, name="c", trainable=False)
        with tf.device("/cpu:0"):
            loss = tf.square(x * w + b)
        step = tf.train.get_or_create_global_step()
        tf.train.AdagradOptimizer(0.01).minimize(loss, global_step=step, name="train")
        tf.global_variables_initializer()
    show("replica_device_setter")

with tf.Graph().as_default():
    print(tf.train.replica_device_setter(), tf.train.replica_device_setter(cluster={"worker": ["a:1"]}))
    with tf.device(tf.train.replica_device_setter(ps_tasks=2, ps_device="/job:ps/cpu:0", worker_device="/gpu:1")):
        for i in range(3):
            tf.get_variable("v%d" % i, [1], initializer=tf.ones_initializer())
    with tf.device(None):
        tf.constant(1.0, name="free")
    show("more")

with tf.Graph().as_default():
    v = tf.Variable(1.0, name="v")
    with tf.device("/job:a"):
        u = tf.Variable(1.0, name="u")
    with tf.device(lambda op: "/job:f"):
        with tf.colocate_with(v.op):
            tf.constant(1, name="inside_function_of_v")
            with tf.device("/cpu:3"):
                tf.constant(1, name="inside_function_of_v_with_device")
        with tf.colocate_with(u.op):
            tf.constant(1, name="inside_function_of_u")
    with tf.colocate_with(v.op):
        with tf.device(lambda op: "/job:g"):
            tf.constant(1, name="function_of_v")
        with tf.device("/cpu:1"):
            tf.constant(1, name="device_of_v")
            with tf.device(lambda op: op.device + "/job:h"):
                tf.constant(1, name="function_in_device_of_v")
        with tf.device(None):
            tf.constant(1, name="none_of_v")
    with tf.colocate_with(u.op):
        with tf.device(lambda op: "/job:g"):
            tf.constant(1, name="function_of_u")
        with tf.device("/cpu:1"):
            tf.constant(1, name="device_of_u")
    with tf.device("/job:o"):
        with tf.colocate_with(v.op):
            tf.constant(1, name="outside_of_v")
            with tf.device("/cpu:2"):
                tf.constant(1, name="outside_and_inside_of_v")
        with tf.colocate_with(v.op), tf.colocate_with(u.op):
            tf.constant(1, name="both")
    show("colocation")

with tf.Graph().as_default():
    with tf.device(tf.train.replica_device_setter(ps_tasks=2, ps_ops=[])):
        tf.Variable(1.0, name="on_no_ps")
    with tf.device(tf.train.replica_device_setter(ps_tasks=2, ps_ops=["Const", "VariableV2"])):
        tf.Variable(1.0, name="v")
        tf.Variable(1.0, name="w")
    with tf.device(tf.train.replica_device_setter(ps_tasks=3, ps_strategy=lambda op: len(op.name))):
        tf.Variable(1.0, name="v1")
        tf.Variable(1.0, name="v22")
        with tf.device("/job:ps/cpu:1"):
            tf.Variable(1.0, name="v333")
        with tf.device("/job:other"):
            tf.Variable(1.0, name="v4444")
    with tf.device(tf.train.replica_device_setter(ps_tasks=2, ps_device=None)):
        tf.Variable(1.0, name="no_ps_device")
    with tf.device(tf.train.replica_device_setter(ps_tasks=2, worker_device=None)):
        tf.constant(1.0, name="no_worker_device")
    with tf.device(tf.train.replica_device_setter(ps_tasks=2, merge_devices=False)), tf.device("/cpu:0"):
        tf.Variable(1.0, name="not_merged")
    show("ps_ops and ps_strategy")
