"""Variables that are cut into parts, and what else variables and their scopes can be told."""

import os
from pathlib import Path

from programs import program
from tensorflow_v1 import np, tf


@program
def partitioned_into_a_fixed_number():
    tf.get_variable("w", [10, 4], partitioner=tf.fixed_size_partitioner(3))
    tf.get_variable("columns", [3, 4], partitioner=tf.fixed_size_partitioner(2, axis=1), initializer=tf.zeros_initializer())
    tf.get_variable("rows", [2, 3], partitioner=tf.fixed_size_partitioner(5))
    tf.get_variable("whole", [2, 3], partitioner=tf.fixed_size_partitioner(1))


@program
def partitioned_by_bytes():
    tf.get_variable("w", [10, 4], partitioner=tf.variable_axis_size_partitioner(64))
    tf.get_variable("few", [10, 4], partitioner=tf.variable_axis_size_partitioner(16, max_shards=2))
    tf.get_variable("d", [4, 6], dtype=tf.float64, partitioner=tf.variable_axis_size_partitioner(64, axis=1))
    tf.get_variable("m", [64, 8], partitioner=tf.min_max_variable_partitioner(4, min_slice_size=512))
    tf.get_variable("n", [8, 8], partitioner=tf.min_max_variable_partitioner(max_partitions=10, axis=1, min_slice_size=32))


@program
def partitioned_by_a_function():
    tf.get_variable("w", [4, 6], partitioner=lambda shape, dtype: [1, 3])


@program
def partitioned_value():
    w = tf.get_variable("w", [5, 3], partitioner=tf.fixed_size_partitioner(2))
    x = tf.placeholder(tf.float32, [2, 5], name="x")
    tf.matmul(x, w)
    with tf.name_scope("scope"), tf.control_dependencies([x]):
        w.as_tensor()
        tf.identity(w)
    one = tf.get_variable("one", [2], partitioner=tf.fixed_size_partitioner(1))
    tf.square(one)


@program
def partitioned_from_a_value():
    tf.get_variable("t", initializer=tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), partitioner=tf.fixed_size_partitioner(2))
    tf.get_variable("l", [4], initializer=[1.0, 2.0, 3.0, 4.0], partitioner=tf.fixed_size_partitioner(2))


@program
def partitioned_resource():
    w = tf.get_variable("w", [5, 3], partitioner=tf.fixed_size_partitioner(2), use_resource=True)
    tf.square(w)


@program
def partitioned_in_scopes():
    with tf.variable_scope("net", partitioner=tf.fixed_size_partitioner(2)):
        w = tf.get_variable("w", [4, 2])
        tf.get_variable("scalar", [])
        with tf.variable_scope("inner"):
            tf.get_variable("w", [3])
    with tf.variable_scope("net", reuse=True):
        tf.add(tf.get_variable("w", [4, 2]), w)
    with tf.variable_scope("net", reuse=tf.AUTO_REUSE, partitioner=tf.fixed_size_partitioner(2)):
        tf.get_variable("w", [4, 2])
        tf.get_variable("v", [4, 2])


@program
def partitioned_initializers():
    cut = tf.fixed_size_partitioner(2)
    tf.get_variable("glorot", [6, 4], initializer=tf.glorot_uniform_initializer(seed=1), partitioner=cut)
    tf.get_variable("he", [6, 4], initializer=tf.initializers.he_normal(seed=2), partitioner=cut)
    tf.get_variable("unit", [6, 4], initializer=tf.uniform_unit_scaling_initializer(seed=3), partitioner=cut)
    tf.get_variable("identity", [3, 4], initializer=tf.initializers.identity(2.0), partitioner=cut)
    tf.get_variable("told", [3, 4], initializer=lambda shape, dtype, partition_info: tf.fill(shape, float(sum(partition_info.var_offset))),
                    partitioner=cut)


@program
def partitioned_assign():
    w = tf.get_variable("w", [5, 3], partitioner=tf.fixed_size_partitioner(2))
    w.assign(np.ones((5, 3), np.float32))
    w.assign_add(tf.placeholder(tf.float32, [5, 3], name="x"))
    w.assign_sub([tf.ones([3, 3]), tf.ones([2, 3])])


@program
def partitioned_saver():
    tf.get_variable("w", [5, 3], partitioner=tf.fixed_size_partitioner(2))
    tf.get_variable("b", [3])
    tf.get_variable("r", [4], partitioner=tf.fixed_size_partitioner(2), use_resource=True)
    tf.train.Saver()


@program
def partitioned_saver_by_name():
    w = tf.get_variable("w", [5, 3], partitioner=tf.fixed_size_partitioner(2))
    tf.train.Saver({"other": w})
    tf.train.Saver([w])


@program
def partitioned_saver_of_many_parts():
    tf.get_variable("w", [12], partitioner=tf.fixed_size_partitioner(12))
    tf.train.Saver()


@program
def partitioned_saver_in_shards():
    with tf.device(tf.train.replica_device_setter(ps_tasks=2)):
        tf.get_variable("w", [5, 3], partitioner=tf.fixed_size_partitioner(2))
    tf.train.Saver(sharded=True)


@program
def partitioned_momentum():
    w = tf.get_variable("w", [4, 2], partitioner=tf.fixed_size_partitioner(2))
    x = tf.placeholder(tf.float32, [3, 4], name="x")
    loss = tf.reduce_sum(tf.square(tf.matmul(x, w)))
    tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
    tf.train.Saver()


@program
def partitioned_adam_in_a_scope():
    with tf.variable_scope("net", partitioner=tf.fixed_size_partitioner(2), use_resource=True):
        w = tf.get_variable("w", [4])
        loss = tf.reduce_sum(tf.square(w))
        tf.train.AdamOptimizer(0.1).minimize(loss)
    tf.train.Saver()


@program
def partitioned_variables_created():
    parts = tf.create_partitioned_variables([4, 3], [2, 1], tf.zeros_initializer(), name="w")
    tf.concat(parts, 0)
    tf.create_partitioned_variables([4], [2], tf.constant([1.0, 2.0, 3.0, 4.0]), trainable=False)
    tf.create_partitioned_variables([4], [1], tf.ones_initializer(), dtype=tf.float64)


@program
def partitioned_through_a_custom_getter():
    def doubled(getter, *arguments, **named):
        return tf.convert_to_tensor(getter(*arguments, **named)) * 2.0

    def frozen(getter, *arguments, **named):
        named["trainable"] = False
        return getter(*arguments, **named)

    with tf.variable_scope("net", partitioner=tf.fixed_size_partitioner(2), custom_getter=frozen):
        tf.get_variable("w", [4])
        with tf.variable_scope("inner", custom_getter=doubled):
            tf.get_variable("w", [4])


@program
def scopes_that_are_changed():
    with tf.variable_scope("net") as scope:
        scope.set_initializer(tf.zeros_initializer())
        tf.get_variable("zeros", [2])
        scope.set_dtype(tf.float64)
        tf.get_variable("wide", [2])
        scope.set_use_resource(True)
        tf.get_variable("resource", [2])
        scope.set_partitioner(tf.fixed_size_partitioner(2))
        tf.get_variable("cut", [2])
        scope.set_partitioner(None)
        tf.get_variable_scope().reuse_variables()
        tf.get_variable("zeros", [2], dtype=tf.float32)
    with tf.variable_scope("other"):
        tf.get_variable_scope().set_caching_device("/cpu:0")
        tf.get_variable("v", [2])


@program
def variables_that_count():
    tf.Variable(0, name="v").count_up_to(5)
    tf.count_up_to(tf.Variable(0, name="w"), 3, name="counted")
    tf.Variable(tf.constant(0, tf.int64), name="r", use_resource=True).count_up_to(5)


@program
def variables_for_replicas():
    tf.Variable(1.0, name="v", synchronization=tf.VariableSynchronization.ON_READ)
    tf.Variable(1.0, name="r", use_resource=True, aggregation=tf.VariableAggregation.MEAN)
    tf.get_variable("w", [2], synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM)
    tf.get_variable("x", [2], synchronization=tf.VariableSynchronization.ON_WRITE)


@program
def variables_by_their_scopes():
    with tf.variable_scope("a"):
        tf.get_variable("v", [])
        tf.get_variable("w", [], collections=[tf.GraphKeys.LOCAL_VARIABLES])
    with tf.variable_scope("b"):
        tf.get_variable("v", [])
    tf.variables_initializer(tf.global_variables("a/"), "of_a")
    tf.variables_initializer(tf.trainable_variables(scope=".*v"), "of_v")
    tf.variables_initializer(tf.local_variables("a"), "local")


# ---- first values of checkpoints

def checkpoint(name):
    """A path that is the same for all who build the program."""
    os.chdir(Path(__file__).resolve().parents[3])
    return "tests/golden/checkpoints/" + name


@program
def init_from_checkpoint_of_variables():
    m = tf.get_variable("mine", [4, 3])
    r = tf.get_variable("r", [2], use_resource=True)
    tf.train.init_from_checkpoint(checkpoint("one"), {"m": m, "a": "r"})
    tf.variables_initializer([m, r])


@program
def init_from_checkpoint_of_scopes():
    with tf.variable_scope("net"):
        tf.get_variable("m", [4, 3])
        tf.get_variable("a", [2])
    tf.train.init_from_checkpoint(checkpoint("one"), {"/": "net/"})
    tf.global_variables_initializer()


@program
def init_from_checkpoint_of_parts():
    w = tf.get_variable("w", [4, 3], partitioner=tf.fixed_size_partitioner(2))
    tf.get_variable("v", [4, 3], partitioner=tf.fixed_size_partitioner(2, axis=1), use_resource=True)
    tf.train.init_from_checkpoint(checkpoint("parts"), [("matrix", list(w)), ("plain", "v")])
    tf.global_variables_initializer()
